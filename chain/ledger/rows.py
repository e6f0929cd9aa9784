"""A list whose first items may be in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, TypeVar, overload

T = TypeVar("T")


class Rows(Sequence[T]):
    """A list that grows and is cut at its end. It begins with `stored` items of a sequence, which are read on demand.

    Append to `new`. An interrupt at any point leaves the list as before or after.
    """

    __slots__ = ("_read", "new", "stored")

    def __init__(self, stored: Sequence[T] = ()) -> None:
        self._read, self.stored = stored, len(stored)
        self.new: list[T] = []

    def __len__(self) -> int:
        return self.stored + len(self.new)

    @overload
    def __getitem__(self, position: int) -> T: ...
    @overload
    def __getitem__(self, position: slice) -> list[T]: ...
    def __getitem__(self, position: int | slice) -> T | list[T]:
        stored = self.stored
        if isinstance(position, slice):
            first, end, step = position.indices(len(self))
            if first >= stored:
                return self.new[first - stored : max(end - stored, 0) : step]
            return [self[i] for i in range(first, end, step)]
        place = position + len(self) if position < 0 else position
        if place < 0:
            raise IndexError(position)
        return self.new[place - stored] if place >= stored else self._read[place]

    def since(self, first: int) -> list[T]:
        """Return the items from an index on."""
        stored = self.stored
        return self.new[first - stored :] if first >= stored else self[first:]

    def cut(self, length: int) -> None:
        """Keep the first `length` items. May be repeated."""
        if length >= self.stored:
            del self.new[length - self.stored :]
        else:
            self.new.clear()
            self.stored = length

    def copy(self, length: int) -> Self:
        """Return a copy of the first `length` items. Those that are stored are read."""
        duplicate = type(self)(tuple(self._read[: min(length, self.stored)]))
        duplicate.new = self.new[: max(length - self.stored, 0)]
        return duplicate

    def is_stored(self, position: int) -> bool:
        """True if the item at that index is among the stored ones."""
        return 0 <= position < self.stored

    def has(self, position: int, item: object) -> bool:
        """True if this item is at that index. One that is stored may have been read twice."""
        found = self[position] if position < len(self) else None
        return found is item or (self.is_stored(position) and found == item)

    def mark(self, position: int) -> object:
        """Return an object that identifies the item at an index: another item put there later has another mark."""
        place = position - self.stored
        return self._read if place < 0 else self.new[place]
