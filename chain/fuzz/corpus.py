"""Which beginnings of a play led to something new: another outcome of an entry, another line, another value in storage.

For each such feature the fewest steps that led to it are kept. Later plays go on from them, most often from those that led to
what is seldom met. This is what lets a run find what takes several right moves in a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from chain.fuzz.report import reason_of
from chain.fuzz.steps import Step, StepResult

Feature: TypeAlias = tuple[Any, ...]
Steps: TypeAlias = tuple[Step, ...]

_KEPT: Final = 64  # of a group, to be gone on from
_VALUES_OF_A_PLACE: Final = 16  # in storage, that count as something new


class Corpus:
    """Two sorts of features, behaviour (0) and storage (1), each with the steps that lead there."""

    def __init__(self) -> None:
        self._shortest: tuple[dict[Feature, Steps], dict[Feature, Steps]] = ({}, {})
        self._now: tuple[dict[Feature, Steps], dict[Feature, Steps]] = ({}, {})
        self._met = Counter[Feature]()  # in how many plays
        self._groups: tuple[list[list[Steps]], list[list[Steps]]] = ([], [])
        self._values: dict[str, set[Any]] = {}

    def choose(self, sort: int, place: int) -> Steps:
        """The steps to go on from, none for a sort of -1. Of the 2^16 places the low ones are for what is seldom met."""
        groups = self._groups[sort] if sort >= 0 else []
        if not groups:
            return ()
        place, which = divmod(place, len(groups))
        ranked, most = groups[which], 2**16 // len(groups) + 1
        return ranked[len(ranked) * place * place // (most * most)]

    def begin(self) -> None:
        """A play begins."""
        self._now = {}, {}

    def note(
        self, name: str, done: StepResult, shown: Iterable[Feature], steps: Sequence[Step]
    ) -> None:
        """What a call showed, in an order that is always the same, and the steps that it took."""
        taken = tuple(steps)
        how = "ok" if done.error is None else reason_of(done.error)
        for now, features in zip(
            self._now, ([(name, how), *shown], self._storage(done)), strict=True
        ):
            for feature in features:
                if feature not in now or len(taken) < len(now[feature]):
                    now[feature] = taken

    def _storage(self, done: StepResult) -> list[Feature]:
        """The first values of each place: a counter's, a phase's, not all of what only grows."""
        found = []
        for place, value in done.stored:
            known = self._values.setdefault(place, set())
            if value and (value in known or len(known) < _VALUES_OF_A_PLACE):
                known.add(value)
                found.append((place, value))
        return found

    def end(self) -> None:
        """The play is over: what it reached can be gone on from."""
        for sort, now in enumerate(self._now):
            self._met.update(list(now))
            shortest = self._shortest[sort]
            for feature, steps in now.items():
                if feature not in shortest or len(steps) < len(shortest[feature]):
                    shortest[feature] = steps
            self._groups[sort][:] = self._grouped(shortest, together=sort == 0)

    def _grouped(self, shortest: dict[Feature, Steps], together: bool) -> list[list[Steps]]:
        """The seldom ones first; each place in storage is a group of its own, so that none hides another."""
        ranked = sorted(shortest, key=lambda each: (self._met[each], len(shortest[each])))
        groups: dict[str, dict[int, Steps]] = {}
        for feature in ranked:
            steps = shortest[feature]
            if steps:
                groups.setdefault("" if together else feature[0], {})[id(steps)] = steps
        return [list(group.values())[:_KEPT] for group in groups.values()]
