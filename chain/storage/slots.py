"""Slots made by hashing, with their preimages, so that a written word can be traced back to its field.

A slot is the hash of a parent slot, with a key (an item of a map) or without (the content of a list or text). That is the same
on every chain, so this is a cache, not state, and it is never undone.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import Final

from chain.crypto.hashing import keccak

_FEW: Final = 64  # up to this many new slots are inserted one by one
_FURTHEST: Final = 2**64  # the greatest distance of a word from its hashed slot


class Slots:
    """Every hashed slot that was computed on this chain."""

    __slots__ = ("_data", "_mapped", "_new", "_origin", "_preimages", "_rising")

    def __init__(self, origin: Slots | None = None) -> None:
        self._origin = origin  # the slots that this is a copy of, until they are needed here
        self._preimages: dict[int, tuple[int, bytes | None]] = {}
        self._data: dict[int, int] = {}
        self._mapped: dict[tuple[int, bytes], int] = {}
        self._rising: list[int] = []
        self._new: list[int] = []  # not in `_rising` yet

    @property
    def preimages(self) -> dict[int, tuple[int, bytes | None]]:
        """For each slot its parent slot and the key; the key is None where the content of the parent begins."""
        if self._origin is not None:
            self._take_over(self._origin)
        return self._preimages

    def _take_over(self, origin: Slots) -> None:
        known = origin.preimages | self._preimages
        self._new, self._rising = list(known), []
        self._preimages, self._origin = known, None

    def content_slot(self, slot: int) -> int:
        """Return the slot where the content of the list or text at `slot` begins."""
        content = self._data.get(slot)
        if content is None:
            content = int.from_bytes(keccak(slot.to_bytes(32)))
            self._remember(content, slot, None)
            self._data[slot] = content
        return content

    def map_slot(self, slot: int, key: bytes) -> int:
        """Return the slot where the map at `slot` keeps the value of `key`."""
        item = self._mapped.get((slot, key))
        if item is None:
            item = int.from_bytes(keccak(key + slot.to_bytes(32)))
            self._remember(item, slot, key)
            self._mapped[slot, key] = item
        return item

    def _remember(self, slot: int, parent: int, key: bytes | None) -> None:
        self._preimages[slot] = (parent, key)
        self._new.append(slot)

    def nearest_hashed(self, slot: int) -> tuple[int, int] | None:
        """Return the last hashed slot up to `slot`, and the distance between them; None if none is near enough."""
        if self._origin is not None:
            self._take_over(self._origin)
        rising = self._rising
        if len(self._new) > _FEW:
            rising += self._new
            rising.sort()
        else:
            for new in self._new:
                insort(rising, new)
        self._new.clear()
        index = bisect_right(rising, slot) - 1
        if index < 0 or slot - rising[index] > _FURTHEST:
            return None
        return rising[index], slot - rising[index]

    def copy(self) -> Slots:
        """Return a copy for another chain. It takes over the slots known here on first use."""
        if self._origin is None:
            return Slots(self)
        duplicate = Slots(self._origin)
        duplicate._preimages, duplicate._new = self._preimages.copy(), self._new.copy()
        return duplicate
