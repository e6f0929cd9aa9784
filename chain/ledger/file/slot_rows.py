"""The preimages of hashed slots in a chain's file: read by their places, or found by their hashes.

The rows of "chain:slots" are in the order in which the slots were first computed. Among the rows of the state are the places of
the first ones, by their hashes; the others are few, and read at once.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from chain.ledger.file.chain_file import ChainFile
from chain.ledger.file.checksum import Damaged
from chain.ledger.file.state_rows import SLOTS, slot_key
from chain.ledger.file.stored_state import StoredRows
from chain.storage.slots import Preimage, hashed


class SlotRows:
    """The first `count` slots of a file; the places of `indexed` of them are in `rows`."""

    def __init__(self, file: ChainFile, rows: StoredRows, count: int, indexed: int) -> None:
        self._file, self._rows, self.count, self._indexed = file, rows, count, indexed

    def since(self, first: int) -> list[Preimage]:
        """Return the preimages from a place on."""
        with self._file.reading():
            rows = self._file.rows("slots", first, self.count)
        return [(int.from_bytes(parent), key) for parent, key in rows]

    def place(self, slot: int) -> int | None:
        """Return the place of a slot, or None."""
        place = self._rest.get(slot)
        if place is None and self._indexed:
            place = self._rows.value(slot_key(slot))
        return None if place is None or place >= self.count else place

    def preimage(self, slot: int) -> Preimage:
        """Return the preimage of a slot."""
        place = self.place(slot)
        if place is None:
            raise KeyError(slot)
        with self._file.reading():
            parent, key = self._file.row("slots", place)
            found = int.from_bytes(parent), key
            if hashed(*found) != slot:
                raise Damaged(f'row {place} of "chain:slots" is not as it was written')
        return found

    def nearest(self, slot: int) -> int:
        """Return the last slot up to `slot`, or 0."""
        index = bisect_right(self._rising, slot)
        found = self._rising[index - 1] if index else 0
        key = slot_key(slot)
        while self._indexed:
            loaded = self._rows.at(key)
            near = [other for other in loaded.rows if SLOTS < other <= key]
            if near:
                return max(found, int.from_bytes(near[-1][1:]))
            if loaded.first <= SLOTS:
                break
            key = (int.from_bytes(loaded.first) - 1).to_bytes(len(key))
        return found

    @cached_property
    def _rest(self) -> dict[int, int]:
        """The places of the slots that are not among the rows of the state."""
        rest = enumerate(self.since(self._indexed), self._indexed)
        return {hashed(parent, key): place for place, (parent, key) in rest}

    @cached_property
    def _rising(self) -> list[int]:
        return sorted(self._rest)
