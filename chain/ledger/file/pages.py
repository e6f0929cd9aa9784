"""Sequences in a file, which are read page by page when they are needed. They do not change while they are read."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, TypeVar, overload

T = TypeVar("T")

PAGE: Final = 64  # items per page
KEPT: Final = 64  # pages in memory


class FilePages(Sequence[T]):
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
