"""The beginnings of plays that led to something new: a new outcome of an entry, a new line, a new value in storage.

For each such feature the corpus keeps the fewest steps that led to it. Later plays continue from these steps, most often from
those that led to rare features. So a run finds problems that take several right moves in a row.

A corpus can be exported as data and merged with others: for a feature that several reached, the fewest steps are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from chain.fuzz.steps import Step

Feature: TypeAlias = tuple[str, *tuple[object, ...]]
Steps: TypeAlias = tuple[Step, ...]

STORED: Final = 1  # the sort of features that are values in storage
_KEPT: Final = 64  # beginnings per group
_VALUES_PER_PARAMETER: Final = 16  # values of one storage name that count as new features


class CorpusEntry(NamedTuple):
    """A feature, how many plays reached it, and the fewest steps to it."""

    sort: int
    feature: Feature
    met: int
    steps: Steps


class Corpus:
    """Two sorts of features, behaviour (0) and storage (1), each with the steps that lead to it."""

    def __init__(self) -> None:
        self._shortest: tuple[dict[Feature, Steps], dict[Feature, Steps]] = ({}, {})
        self._now: tuple[dict[Feature, Steps], dict[Feature, Steps]] = ({}, {})
        self._met = Counter[Feature]()  # the number of plays that reached a feature
        self._groups: tuple[list[list[Steps]], list[list[Steps]]] = ([], [])
        self._values: dict[str, set[object]] = {}

    def choose(self, sort: int, place: int) -> Steps:
        """Return the steps to continue from; there are none for a sort of -1.

        `place` is a number below 2^16. Low numbers choose steps that led to rare features.
        """
        groups = self._groups[sort] if sort >= 0 else []
        if not groups:
            return ()
        place, group = divmod(place, len(groups))
        ranked, most = groups[group], 2**16 // len(groups) + 1
        return ranked[len(ranked) * place * place // (most * most)]

    def begin(self) -> None:
        """Start a play."""
        self._now = {}, {}

    def record(
        self,
        shown: Iterable[Feature],
        stored: Iterable[tuple[str, object]],
        steps: Sequence[Step],
    ) -> None:
        """Record the features that a call showed, in a deterministic order, and the steps that led to them."""
        count, taken = len(steps), None
        for reached, features in zip(self._now, (shown, self._among_first(stored)), strict=True):
            for feature in features:
                if feature not in reached or count < len(reached[feature]):
                    taken = taken or tuple(steps)
                    reached[feature] = taken

    def _among_first(self, stored: Iterable[tuple[str, object]]) -> Iterator[Feature]:
        """Yield the first values of each storage name: of a counter or a phase, but not of a value that only grows."""
        for name, value in stored:
            known = self._values.get(name) or self._values.setdefault(name, set())
            if value and (value in known or len(known) < _VALUES_PER_PARAMETER):
                known.add(value)
                yield name, value

    def export(self) -> list[CorpusEntry]:
        """Return all features as data that JSON can hold, but for the steps."""
        return [
            CorpusEntry(sort, feature, self._met[feature], steps)
            for sort, shortest in enumerate(self._shortest)
            for feature, steps in shortest.items()
        ]

    def load(self, entries: Iterable[CorpusEntry]) -> None:
        """Take over features that other runs have reached."""
        for sort, feature, met, steps in entries:
            self._shortest[sort][feature] = steps
            self._met[feature] = met
            if sort == STORED:
                name, *values = feature
                self._values.setdefault(name, set()).update(values)
        self._group()

    def end(self) -> None:
        """Finish the play. Later plays can continue from the features that it reached."""
        for sort, reached in enumerate(self._now):
            self._met.update(list(reached))
            shortest = self._shortest[sort]
            for feature, steps in reached.items():
                if feature not in shortest or len(steps) < len(shortest[feature]):
                    shortest[feature] = steps
        self._group()

    def _group(self) -> None:
        for sort, shortest in enumerate(self._shortest):
            self._groups[sort][:] = self._grouped(shortest, together=sort != STORED)

    def _grouped(self, shortest: dict[Feature, Steps], together: bool) -> list[list[Steps]]:
        """Return the steps in groups, with the steps to rare features first.

        Each storage name has a group of its own, so that none hides another.
        """
        ranked = sorted(shortest, key=lambda feature: (self._met[feature], len(shortest[feature])))
        groups: dict[str, dict[int, Steps]] = {}
        for feature in ranked:
            steps = shortest[feature]
            if steps:
                groups.setdefault("" if together else feature[0], {})[id(steps)] = steps
        return [list(group.values())[:_KEPT] for group in groups.values()]
