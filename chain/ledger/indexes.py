"""Indexes: where in a growing list each value stands.

An index is made the first time someone asks for a value and brought up to date at each later question, so a question costs
what its answer is long. When the list is cut back, an index gives up just the places that go. Whatever was left in the middle
can be begun again: no place is entered twice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

Positions: TypeAlias = Sequence[int]  # rising


def contains_sorted(places: Positions, place: int) -> bool:
    """Whether `place` is among `places`."""
    i = bisect_left(places, place)
    return i < len(places) and places[i] == place


def truncate_positions(places: list[int], end: int) -> None:
    """Take out the places from `end` on."""
    while places and places[-1] >= end:
        places.pop()


class Index:
    """The places of a growing list by the value that `read` gives for each."""

    __slots__ = ("_among", "_done", "_places", "_read")

    def __init__(self, among: Callable[[], Positions], read: Callable[[int], Hashable]) -> None:
        self._among, self._read = among, read
        self._places: defaultdict[Any, list[int]] = defaultdict(list)
        self._done = 0  # how many of `among` have been read

    def lookup(self, value: Hashable) -> Positions:
        among, places, read = self._among(), self._places, self._read
        for place in among[self._done :]:
            found = places[read(place)]
            if not found or found[-1] < place:
                found.append(place)
        self._done = len(among)
        return places.get(value, ())

    def cut(self, end: int) -> None:
        """Give up the places from `end` on; called while they can still be read."""
        among = self._among()
        kept = min(self._done, bisect_left(among, end))
        for place in reversed(among[kept : self._done]):
            found = self._places.get(self._read(place))
            if not found or found.pop() != place:  # it reads otherwise than it did: begin again
                self._places.clear()
                kept = 0
                break
        self._done = kept


class Indexes:
    """The indexes of one list that were asked for so far."""

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[Hashable, Index] = {}

    def find(
        self,
        name: Hashable,
        value: Hashable,
        among: Callable[[], Positions],
        read: Callable[[int], Hashable],
    ) -> Positions:
        """The places of `value` in the index called `name`, which is over `among` by `read`."""
        index = self._made.get(name)
        if index is None:
            index = self._made[name] = Index(among, read)
        return index.lookup(value)

    def cut(self, end: int) -> None:
        for index in self._made.values():
            index.cut(end)
