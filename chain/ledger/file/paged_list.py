"""Lists whose older part is in a file. That part is read page by page when it is needed; new items are in memory.

The part in the file never changes while it is read; it can only be truncated. A chain in memory has plain lists instead.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias, TypeVar, overload

T = TypeVar("T")

PAGE: Final = 64  # items per page
KEPT: Final = 64  # pages in memory


class Pages(Sequence[T]):
    """A sequence of `count` items that `read(first, end)` fetches; the pages that were used last stay in memory.

    `read` may return fewer items: it stops before the first that is missing.
    """

    def __init__(self, count: int, read: Callable[[int, int], list[T]]) -> None:
        self._count, self._read = count, read
        self._size, self._kept = PAGE, KEPT
        self._pages: OrderedDict[int, list[T]] = OrderedDict()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(self._count))]
        i = place + self._count if place < 0 else place
        if not 0 <= i < self._count:
            raise IndexError(place)
        number, index = divmod(i, self._size)
        page = self._pages.get(number)
        if page is None:
            first = number * self._size
            page = self._pages[number] = self._read(first, min(first + self._size, self._count))
            if len(self._pages) > self._kept:
                self._pages.popitem(last=False)
        else:
            self._pages.move_to_end(number)
        return page[index] if index < len(page) else self._read(i, i + 1)[0]


class Picked(Sequence[T]):
    """One part of each item of a sequence."""

    def __init__(self, items: Sequence[Any], part: int) -> None:
        self._items, self._part = items, part

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        part = self._part
        if isinstance(place, slice):
            return [item[part] for item in self._items[place]]
        picked: T = self._items[place][part]
        return picked


class PagedList(Sequence[T]):
    """The items of `stored`, followed by newer ones in memory. It has the methods of a list that the ledger uses."""

    def __init__(self, stored: Sequence[T]) -> None:
        self._stored, self._count = stored, len(stored)
        self._new: list[T] = []

    def __len__(self) -> int:
        return self._count + len(self._new)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        count = self._count
        if isinstance(place, slice):
            first, end, step = place.indices(len(self))
            if first >= count and end >= count:
                return self._new[first - count : end - count : step]
            return [self[i] for i in range(first, end, step)]
        i = place + len(self) if place < 0 else place
        if i < 0:
            raise IndexError(place)
        return self._stored[i] if i < count else self._new[i - count]

    def __iter__(self) -> Iterator[T]:
        return (self[i] for i in range(len(self)))

    @overload
    def __setitem__(self, place: int, item: T) -> None: ...
    @overload
    def __setitem__(self, place: slice, item: Iterable[T]) -> None: ...
    def __setitem__(self, place: int | slice, item: Any) -> None:
        """Replace an item in memory, or replace all items from the start of a slice on."""
        if isinstance(place, slice):
            del self[place]
            self._new += item
        elif place < self._count:
            raise TypeError("what lies in the file does not change")
        else:
            self._new[place - self._count] = item

    def __delitem__(self, end: slice) -> None:
        """Delete all items from an index on."""
        first, _, _ = end.indices(len(self))
        del self._new[max(first - self._count, 0) :]
        self._count = min(self._count, first)

    def append(self, item: T) -> None:
        self._new.append(item)

    def extend(self, items: Iterable[T]) -> None:
        self._new += items

    def pop(self) -> T:
        last = self[-1]
        del self[len(self) - 1 :]
        return last

    def mark(self, place: int) -> object:
        """Return an object that identifies the item at an index: another item put there later has another mark."""
        return self._stored if place < self._count else self._new[place - self._count]


Items: TypeAlias = list[T] | PagedList[T]


def mark_of(items: Items[T], place: int) -> object:
    """Return an object that identifies the item at an index: another item put there later has another mark."""
    return items.mark(place) if isinstance(items, PagedList) else items[place]


def is_stored(items: Items[T], place: int) -> bool:
    """True if the item at that index is in a file, and not in memory."""
    return isinstance(items, PagedList) and 0 <= place < items._count
