"""Lists that may grow to millions of items, and cost nothing once they are long.

Python's garbage collector walks every list, but no tuple of plain values. So the older items of a long list
are in tuples of a fixed size, and only the newest are in a list. In a chain that was opened from a file, the oldest items are
not in memory at all: they are read on demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, Self, TypeVar, overload

T = TypeVar("T")

PIECE: Final = 512  # items in a tuple


class LongList(Sequence[T]):
    """A list that grows and is truncated at its end, with an optional sequence of stored items before the others.

    `tail` is the position of the first of the newest items, and the list of these. Append to that list, and call `settle` from
    time to time. An interrupt at any point leaves the list as before or after: what is in force is the one tuple `tail`, and
    what `_pieces` holds beyond its start does not count.
    """

    __slots__ = ("_pieces", "_stored", "_stored_count", "tail")

    def __init__(self, items: Iterable[T] = (), *, stored: Sequence[T] = ()) -> None:
        self._stored, self._stored_count = stored, len(stored)
        self._pieces: list[tuple[T, ...]] = []  # from `_stored_count` on
        self.tail: tuple[int, list[T]] = self._stored_count, list(items)
        self.settle()

    def settle(self) -> None:
        """Move items out of the tail, if it has become long."""
        start, items = self.tail
        if len(items) < 2 * PIECE:
            return
        end = len(items) // PIECE * PIECE
        pieces = [tuple(items[i : i + PIECE]) for i in range(0, end, PIECE)]
        self._pieces[(start - self._stored_count) // PIECE :] = pieces
        self.tail = start + end, items[end:]

    def __len__(self) -> int:
        start, items = self.tail
        return start + len(items)

    @overload
    def __getitem__(self, position: int) -> T: ...
    @overload
    def __getitem__(self, position: slice) -> list[T]: ...
    def __getitem__(self, position: int | slice) -> T | list[T]:
        start, items = self.tail
        if isinstance(position, slice):
            first, end, step = position.indices(start + len(items))
            if first >= start and end >= start:
                return items[first - start : end - start : step]
            if step != 1:
                return [self[i] for i in range(first, end, step)]
            return self._older_items(first, min(end, start)) + items[: max(end - start, 0)]
        i = position + start + len(items) if position < 0 else position
        if i >= start:
            return items[i - start]
        if i < 0:
            raise IndexError(position)
        return self._older(i)

    def _older(self, i: int) -> T:
        """Return an item before the tail."""
        if i < self._stored_count:
            return self._stored[i]
        piece, index = divmod(i - self._stored_count, PIECE)
        return self._pieces[piece][index]

    def _older_items(self, first: int, end: int) -> list[T]:
        """Return the items from one position up to another, which are before the tail."""
        count = self._stored_count
        found = [*self._stored[first : min(end, count)]] if first < count else []
        while (position := first + len(found)) < end:
            piece, index = divmod(position - count, PIECE)
            found += self._pieces[piece][index : index + end - position]
        return found

    def __iter__(self) -> Iterator[T]:
        start, items = self.tail
        return chain(map(self._older, range(start)), iter(items))

    def copy(self, length: int) -> Self:
        """Return a copy of the first `length` items. It shares the pieces; stored items are read."""
        (start, items), count = self.tail, self._stored_count
        duplicate = type(self)(stored=tuple(self._stored[: min(length, count)]))
        if length > count:
            duplicate._pieces = self._pieces[: (start - count) // PIECE]
            duplicate.tail = start, items.copy()
            del duplicate[length:]
        return duplicate

    def __delitem__(self, end: slice) -> None:
        """Remove all items from an index on."""
        start, items = self.tail
        first, _, _ = end.indices(start + len(items))
        if first >= start:
            del items[first - start :]
        elif first > self._stored_count:
            piece, index = divmod(first - self._stored_count, PIECE)
            self.tail = first - index, list(self._pieces[piece][:index])
            del self._pieces[piece:]
        else:
            self.tail = first, []
            self._pieces.clear()
            self._stored_count = first

    def append(self, item: T) -> None:
        self.tail[1].append(item)

    def extend(self, items: Iterable[T]) -> None:
        self.tail[1].extend(items)
        self.settle()

    def mark(self, position: int) -> object:
        """Return an object that identifies the item at an index: another item put there later has another mark."""
        return self._stored if self.is_stored(position) else self[position]

    def is_stored(self, position: int) -> bool:
        """True if the item at that index is among the stored ones."""
        return 0 <= position < self._stored_count
