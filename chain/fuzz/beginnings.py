"""Which beginnings of a play led to something new: another outcome of an entry, another line, another value in storage.

For each such feature the fewest steps that led to it are kept. Later plays go on from them, most often from those that led to
what is seldom met. This is what lets a run find what takes several right moves in a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from chain.fuzz.lines import Line
from chain.fuzz.report import masked, reason_of
from chain.fuzz.steps import Done, Step

Feature: TypeAlias = tuple[Any, ...]
Steps: TypeAlias = tuple[Step, ...]

_KEPT: Final = 64  # of each sort, to be gone on from
_VALUES_OF_A_PLACE: Final = 16  # in storage, that count as something new


class Beginnings:
    """Two sorts of features, behaviour (0) and storage (1), each with the steps that lead there."""

    def __init__(self) -> None:
        self._shortest: tuple[dict[Feature, Steps], dict[Feature, Steps]] = ({}, {})
        self._now: tuple[dict[Feature, Steps], dict[Feature, Steps]] = ({}, {})
        self._met = Counter[Feature]()  # in how many plays
        self._ranked: list[list[Steps]] = [[], []]
        self._values: dict[str, set[Any]] = {}

    def choose(self, sort: int, place: int) -> Steps:
        """The steps to go on from, none for a sort of -1. Of the 2^16 places the low ones are for what is seldom met."""
        ranked = self._ranked[sort] if sort >= 0 else []
        return ranked[len(ranked) * place * place >> 32] if ranked else ()

    def begin(self) -> None:
        """A play begins."""
        self._now = {}, {}

    def note(self, name: str, done: Done, lines: Iterable[Line], steps: Sequence[Step]) -> None:
        """What a call showed, and the steps that it took."""
        told = ((name, masked(text)) for text in done.told)
        how = "ok" if done.error is None else reason_of(done.error)
        for now, features in zip(
            self._now, ({(name, how), *lines, *told}, self._storage(done)), strict=True
        ):
            for feature in features:
                if feature not in now or len(steps) < len(now[feature]):
                    now[feature] = tuple(steps)

    def _storage(self, done: Done) -> set[Feature]:
        """The first values of each place: a counter's, a phase's, not all of what only grows."""
        found = set()
        for place, value in done.written:
            known = self._values.setdefault(place, set())
            if value and (value in known or len(known) < _VALUES_OF_A_PLACE):
                known.add(value)
                found.add((place, value))
        return found

    def end(self) -> None:
        """The play is over: what it reached can be gone on from."""
        for sort, now in enumerate(self._now):
            self._met.update(list(now))
            shortest = self._shortest[sort]
            for feature, steps in now.items():
                if feature not in shortest or len(steps) < len(shortest[feature]):
                    shortest[feature] = steps
            different = dict.fromkeys(shortest[feature] for feature in self._ranking(sort))
            self._ranked[sort] = [steps for steps in different if steps][:_KEPT]

    def _ranking(self, sort: int) -> list[Feature]:
        """The seldom ones first; of storage the most seldom value of each place, then the next one of each."""
        shortest, met = self._shortest[sort], self._met
        ranked = sorted(shortest, key=lambda each: (met[each], len(shortest[each])))
        if sort == 0:
            return ranked
        turn = Counter[Any]()
        round_of = {}
        for feature in ranked:
            round_of[feature] = turn[feature[0]]
            turn[feature[0]] += 1
        return sorted(ranked, key=round_of.__getitem__)
