"""The preimages of hashed slots, which stay in a chain's file until they are needed.

A slot is the hash of its preimage, so its row proves itself.
"""

from __future__ import annotations

from typing import Any

from chain.ledger.file.chain_file import ChainFile
from chain.storage.slots import Preimage, hashed


class StoredSlots:
    """The slots of a file, of which the first `count` were there when it was opened."""

    def __init__(self, file: ChainFile, count: int) -> None:
        self._file, self.count = file, count

    def since(self, first: int) -> list[Preimage]:
        """Return the preimages from a place on."""
        question = 'select slot, parent, key from "chain:slots" where place >= ? and place < ? order by place'
        found = self._ask(question, first, self.count)
        if len(found) != self.count - first:
            raise self._file.damage(f'"chain:slots" lacks rows from place {first} on')
        return [self._checked(*row) for row in found]

    def place(self, slot: int) -> int | None:
        """Return the place of a slot, or None."""
        found = self._ask('select place from "chain:slots" where slot = ?', slot.to_bytes(32))
        return found[0][0] if found and found[0][0] < self.count else None

    def preimage(self, slot: int) -> Preimage:
        """Return the preimage of a slot."""
        question = 'select slot, parent, key from "chain:slots" where slot = ?'
        for row in self._ask(question, slot.to_bytes(32)):
            return self._checked(*row)
        raise KeyError(slot)

    def nearest(self, slot: int) -> int:
        """Return the last slot up to `slot`, or 0."""
        question = 'select max(slot) from "chain:slots" where slot <= ?'
        ((found,),) = self._ask(question, slot.to_bytes(32))
        return 0 if found is None else int.from_bytes(found)

    def _checked(self, slot: bytes, parent: bytes, key: bytes | None) -> Preimage:
        preimage = int.from_bytes(parent), key
        if hashed(*preimage) != int.from_bytes(slot):
            raise self._file.damage(f'row 0x{slot.hex()} of "chain:slots" is not as it was written')
        return preimage

    def _ask(self, question: str, *values: object) -> list[Any]:
        with self._file.reading() as connection:
            return connection.execute(question, values).fetchall()
