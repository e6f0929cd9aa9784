"""Sequences in a file or a node, which are read page by page when they are needed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final, TypeVar, overload

T = TypeVar("T")

PAGE: Final = 64  # items that are read at once
KEPT: Final = 1 << 12  # items in memory


class Lazy(Sequence[T]):
    """A sequence whose items are read when they are asked for."""

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        places = range(len(self))[place]
        return self.item(places) if isinstance(places, int) else [*map(self.item, places)]

    @abstractmethod
    def item(self, place: int) -> T:
        """Return the item at a place."""


class Pages(Lazy[T]):
    """A sequence of `length` items, of which `read(first, end)` fetches some; those that were read last stay in memory.

    `read` may return more items or fewer, at least the first. They do not change until they are forgotten.
    """

    def __init__(self, read: Callable[[int, int], Sequence[T]], length: int = 0) -> None:
        self._read, self.length = read, length
        self._kept: dict[int, T] = {}

    def __len__(self) -> int:
        return self.length

    def item(self, place: int) -> T:
        if place not in self._kept:
            first = place if place - 1 in self._kept else place - place % PAGE
            self._fetch(first, min(first + PAGE, self.length))
        if place not in self._kept:  # the page ended before it
            self._fetch(place, place + 1)
        return self._kept[place]

    def _fetch(self, first: int, end: int) -> None:
        found = self._read(first, end)
        if len(self._kept) >= KEPT:
            self._kept = dict(islice(self._kept.items(), KEPT // 2, None))
        self._kept.update(enumerate(found, first))

    def put(self, place: int, item: T) -> None:
        """Take an item that was read elsewhere."""
        self._kept[place] = item

    def forget(self, first: int) -> None:
        """Read the items from a place on again."""
        self._kept = {place: item for place, item in self._kept.items() if place < first}
