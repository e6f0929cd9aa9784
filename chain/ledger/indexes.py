"""Indexes: the positions of each value in a growing list.

An index is built on the first lookup of a value and updated on each later one, so the cost of a lookup is the length of its
answer. When the list is truncated, an index drops only the positions that go. Each operation can be repeated if it was
interrupted: no position is entered twice. Positions are in arrays, which the garbage collector does not walk.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias, overload

Positions: TypeAlias = Sequence[int]  # ascending


def new_positions() -> array[int]:
    """Return an empty array of positions."""
    return array("Q")


def contains_sorted(places: Positions, place: int) -> bool:
    """True if the position `place` is in the ascending list `places`."""
    i = bisect_left(places, place)
    return i < len(places) and places[i] == place


class Union(Sequence[int]):
    """The positions in any of several disjoint lists. They are merged only if all are needed."""

    def __init__(self, lists: Sequence[Positions]) -> None:
        self._lists = lists

    @cached_property
    def _merged(self) -> Positions:
        return merged(self._lists)

    def __len__(self) -> int:
        return sum(map(len, self._lists))

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> Positions: ...
    def __getitem__(self, place: int | slice) -> int | Positions:
        return self._merged[place]

    def last_until(self, position: int) -> int:
        """Return the last position up to this one; -1 if there is none."""
        return max((last_until(places, position) for places in self._lists), default=-1)


def last_until(places: Positions, position: int) -> int:
    """Return the last of the positions up to this one; -1 if there is none."""
    if isinstance(places, Union):
        return places.last_until(position)
    i = bisect_right(places, position)
    return places[i - 1] if i else -1


def descending(lists: Sequence[Positions], end: int) -> Iterator[int]:
    """Yield the positions below `end` that are in all lists, the last one first. All others are skipped."""
    position = end - 1
    while True:
        floor = position
        for places in lists:
            floor = last_until(places, floor)
            if floor < 0:
                return
        if floor == position:
            yield floor
            floor -= 1
        position = floor


def append_position(places: array[int], place: int) -> None:
    """Append a position, unless it has been appended already."""
    if not places or places[-1] < place:
        places.append(place)


def truncate_positions(places: array[int], end: int) -> None:
    """Remove the positions from `end` on."""
    while places and places[-1] >= end:
        places.pop()


def merged(found: Sequence[Positions]) -> Positions:
    """Return several lists of positions as one, sorted and without duplicates."""
    return found[0] if len(found) == 1 else sorted({i for positions in found for i in positions})


class Index:
    """The positions of a growing list, by the value that `read` returns for each."""

    __slots__ = ("_among", "_done", "_places", "_read")

    def __init__(self, among: Callable[[], Positions], read: Callable[[int], Hashable]) -> None:
        self._among, self._read = among, read
        self._places: defaultdict[object, array[int]] = defaultdict(new_positions)
        self._done = 0  # how many of `among` were read

    def lookup(self, value: Hashable) -> Positions:
        self.advance(len(self._among()))
        return self._places.get(value, ())

    def advance(self, end: int) -> None:
        """Read the list up to `end`, unless that has been done."""
        positions_by_value, read = self._places, self._read
        for position in self._among()[self._done : end]:
            append_position(positions_by_value[read(position)], position)
        self._done = max(self._done, end)

    def truncate(self, end: int) -> None:
        """Remove the positions from `end` on; to be called while they can still be read."""
        among = self._among()
        kept = min(self._done, bisect_left(among, end))
        for position in reversed(among[kept : self._done]):
            positions = self._places.get(self._read(position))
            if not positions or positions.pop() != position:  # its value has changed: start again
                self._places.clear()
                kept = 0
                break
        self._done = kept


class Indexes:
    """The indexes of one list that were used so far."""

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
        """Return the positions of `value` in the index `name`, which covers the positions `among` by what `read` returns."""
        return self.of(name, among, read).lookup(value)

    def of(
        self, name: Hashable, among: Callable[[], Positions], read: Callable[[int], Hashable]
    ) -> Index:
        """Return the index `name`, which is new if it was not used yet."""
        index = self._made.get(name)
        if index is None:
            index = self._made[name] = Index(among, read)
        return index

    def truncate(self, end: int) -> None:
        for index in self._made.values():
            index.truncate(end)
