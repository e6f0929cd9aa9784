"""Slots made by hashing, and what each was made from, so that a written word can be named again.

They are the same on every chain: a hash of a parent slot, with a key (an item of a map) or without (the content of a list
or text). So this is a memory, not state: it is never taken back.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from typing import Final

from chain.crypto.hashing import keccak

_FEW: Final = 64  # so many new slots are put in their places one by one
_FURTHEST: Final = 2**64  # no content is longer


class Slots:
    """Every hashed slot that anyone on this chain has asked for."""

    __slots__ = ("_data", "_mapped", "_new", "_rising", "preimages")

    def __init__(self) -> None:
        # Slot -> the slot it was made from, and the key; None: it is where the content of its parent begins.
        self.preimages: dict[int, tuple[int, bytes | None]] = {}
        self._data: dict[int, int] = {}
        self._mapped: dict[tuple[int, bytes], int] = {}
        self._rising: list[int] = []
        self._new: list[int] = []  # not in `_rising` yet

    def content_slot(self, slot: int) -> int:
        """Where the content of the list or text at `slot` begins."""
        found = self._data.get(slot)
        if found is None:
            found = int.from_bytes(keccak(slot.to_bytes(32)))
            self._remember(found, slot, None)
            self._data[slot] = found
        return found

    def map_slot(self, slot: int, key: bytes) -> int:
        """Where the map at `slot` keeps the value of `key`."""
        found = self._mapped.get((slot, key))
        if found is None:
            found = int.from_bytes(keccak(key + slot.to_bytes(32)))
            self._remember(found, slot, key)
            self._mapped[slot, key] = found
        return found

    def _remember(self, slot: int, parent: int, key: bytes | None) -> None:
        self.preimages[slot] = (parent, key)
        self._new.append(slot)

    def nearest_hashed(self, slot: int) -> tuple[int, int] | None:
        """The hashed slot that `slot` lies at or behind, and how far behind; None if no hash leads to it."""
        rising = self._rising
        if len(self._new) > _FEW:
            rising += self._new
            rising.sort()
        else:
            for new in self._new:
                insort(rising, new)
        self._new.clear()
        place = bisect_right(rising, slot) - 1
        if place < 0 or slot - rising[place] > _FURTHEST:
            return None
        return rising[place], slot - rising[place]

    def copy(self) -> Slots:
        made = Slots()
        made.preimages, made._data, made._mapped = (
            self.preimages.copy(),
            self._data.copy(),
            self._mapped.copy(),
        )
        made._rising, made._new = self._rising.copy(), self._new.copy()
        return made
