"""Slots made by hashing, with their preimages, so that a written word can be traced back to its field.

A slot is the hash of a parent slot, with a key (an item of a map) or without (the content of a list or text). That is the same
on every chain, so this is a cache, not state, and it is never undone.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import islice
from typing import Final, Protocol, TypeAlias

from chain.crypto.hashing import keccak

# A slot, and the key; None where the content of that slot begins.
Preimage: TypeAlias = tuple[int, bytes | None]

_FEW: Final = 64  # up to this many new slots are inserted one by one
_FURTHEST: Final = 2**64  # the greatest distance of a word from its hashed slot
_SMALL: Final = 2**192  # no hash is as small as that


class StoredSlots(Protocol):
    """Slots in a file, each at a place."""

    @property
    def count(self) -> int: ...
    def place(self, slot: int) -> int | None: ...
    def preimage(self, slot: int) -> Preimage: ...
    def nearest(self, slot: int) -> int:
        """Return the last slot up to `slot`, or 0."""

    def since(self, first: int) -> Sequence[Preimage]:
        """Return the preimages from a place on."""


class Slots:
    """Every hashed slot that was computed on this chain."""

    __slots__ = (
        "_added", "_asked", "_nested", "_new", "_origin", "_preimages", "_rising", "_sought", "_stored", "contents",
        "mapped",
    )  # fmt: skip

    def __init__(self, origin: Slots | None = None) -> None:
        self._origin = origin  # the slots that this is a copy of, until they are needed here
        self._stored: StoredSlots | None = None
        self._sought: StoredSlots | None = None  # the same, until all of them are here
        self._asked: list[int] = []  # computed here, and perhaps stored
        self._added: dict[int, None] = {}  # computed here, and not stored
        self._preimages: dict[int, Preimage] = {}
        # What `content_slot` and `map_slot` returned before; a frame looks here first.
        self.contents: dict[int, int] = {}
        self.mapped: dict[tuple[int, bytes], int] = {}
        self._nested: dict[tuple[bytes, bytes, int], int] = {}
        self._rising: list[int] = []
        self._new: list[int] = []  # not in `_rising` yet

    def restore(self, stored: StoredSlots) -> None:
        """Begin with the slots in a file."""
        self._stored = self._sought = stored

    @property
    def preimages(self) -> dict[int, Preimage]:
        """For each slot its parent slot and the key; the key is None where the content of the parent begins."""
        if self._origin is not None:
            self._take_over(self._origin.preimages)
        if self._sought is not None:
            self._take_over({hashed(*found): found for found in self._sought.since(0)})
        return self._preimages

    def _take_over(self, others: dict[int, Preimage]) -> None:
        known = others | self._preimages
        self._new, self._rising = list(known), []
        self._preimages, self._origin, self._sought = known, None, None

    def preimage(self, slot: int) -> Preimage:
        """Return the preimage of a hashed slot."""
        found = self._preimages.get(slot)
        if found is not None:
            return found
        return self.preimages[slot] if self._sought is None else self._sought.preimage(slot)

    @property
    def count(self) -> int:
        """The number of slots."""
        if self._stored is None:
            return len(self.preimages)
        for slot in self._asked:
            if self._stored.place(slot) is None:
                self._added[slot] = None
        self._asked.clear()
        return self._stored.count + len(self._added)

    def since(self, first: int) -> list[Preimage]:
        """Return the preimages of the slots after the first ones, in the order in which these were computed."""
        count = self.count
        added = self._preimages if self._stored is None else self._added
        new = [*islice(reversed(added), count - first)][::-1]
        stored = (
            () if self._stored is None or first >= self._stored.count else self._stored.since(first)
        )
        return [*stored, *map(self._preimages.__getitem__, new)]

    def content_slot(self, slot: int) -> int:
        """Return the slot where the content of the list or text at `slot` begins."""
        content = self.contents.get(slot)
        if content is None:
            content = hashed(slot, None)
            self._remember(content, slot, None)
            self.contents[slot] = content
        return content

    def map_slot(self, slot: int, key: bytes) -> int:
        """Return the slot where the map at `slot` keeps the value of `key`."""
        item = self.mapped.get((slot, key))
        if item is None:
            item = hashed(slot, key)
            self._remember(item, slot, key)
            self.mapped[slot, key] = item
        return item

    def nested_slot(self, slot: int, outer: bytes, inner: bytes) -> int:
        """Return the slot of `inner` in the map that the map at `slot` keeps for `outer`."""
        item = self._nested.get((outer, inner, slot))
        if item is None:
            item = self.map_slot(self.map_slot(slot, outer), inner)
            self._nested[outer, inner, slot] = item
        return item

    def _remember(self, slot: int, parent: int, key: bytes | None) -> None:
        self._preimages[slot] = (parent, key)
        self._new.append(slot)
        if self._stored is not None:
            self._asked.append(slot)

    def nearest_hashed(self, slot: int) -> tuple[int, int] | None:
        """Return the last hashed slot up to `slot`, and the distance between them; None if none is near enough."""
        if slot < _SMALL:
            return None
        if self._origin is not None:
            self._take_over(self._origin.preimages)
        stored = 0 if self._sought is None else self._sought.nearest(slot)
        found = max(stored, self._nearest(slot))
        return (found, slot - found) if slot - found <= _FURTHEST else None

    def _nearest(self, slot: int) -> int:
        """Return the last hashed slot up to `slot` in memory, or 0."""
        rising = self._rising
        if len(self._new) > _FEW:
            rising += self._new
            rising.sort()
        else:
            for new in self._new:
                insort(rising, new)
        self._new.clear()
        index = bisect_right(rising, slot)
        return rising[index - 1] if index else 0

    def copy(self) -> Slots:
        """Return a copy for another chain. It takes over the slots known here on first use."""
        if self._origin is None:
            return Slots(self)
        duplicate = Slots(self._origin)
        duplicate._preimages, duplicate._new = self._preimages.copy(), self._new.copy()
        return duplicate


def hashed(parent: int, key: bytes | None) -> int:
    """Return the slot with a preimage."""
    return int.from_bytes(keccak((key or b"") + parent.to_bytes(32)))
