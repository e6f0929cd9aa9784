"""What stays in a chain's file until it is needed: the present state, and the preimages of hashed slots.

The state is read from the table of words, as it was when the file was opened. It is the base of an overlay, which has every
place that has changed since; so later rows of the table do not matter. A slot is the hash of its preimage, so its row proves
itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chain.ledger.file.chain_file import ChainFile
from chain.ledger.ledger import Ledger
from chain.ledger.past_states import stored_account, stored_word
from chain.machine.state import Account
from chain.storage.slots import Preimage, hashed


class StoredState:
    """The state of a file at an index of the timeline, below the changes that came later."""

    def __init__(self, file: ChainFile, ledger: Ledger, moment: int) -> None:
        self._file, self._genesis, self._moment = file, ledger.genesis, moment

    def keep(self, end: int) -> None:
        """Look no further than `end` from now on: what changed after it has its former value in the overlay."""
        self._moment = min(self._moment, end)

    def account(self, address: bytes) -> Account | None:
        found = self._value(address, b"")
        return stored_account(found[0]) if found else self._genesis.get(address)

    def word(self, address: bytes, slot: int) -> int:
        found = self._value(address, slot.to_bytes(32))
        return stored_word(found[0]) if found else 0

    def addresses(self) -> Iterable[bytes]:
        return dict.fromkeys([*self._genesis, *self._each("address", "")])

    def slots_of(self, address: bytes) -> Iterable[int]:
        found = self._each("slot", "address = ? and", bytes(address))
        return [int.from_bytes(slot) for slot in found]

    def _each(self, column: str, condition: str, *values: object) -> list[bytes]:
        """Return the values of a column, from one to the next, however many rows each has. Some may have come later."""
        least = f'select min({column}) from "derived:words" where {condition} {column} >'
        question = f"""with recursive found(x) as (
            {least} x'' union all select ({least} found.x) from found where found.x is not null
        ) select x from found where x is not null"""
        with self._file.reading() as connection:
            return [x for (x,) in connection.execute(question, (*values, *values))]

    def _value(self, address: bytes, slot: bytes) -> Any:
        question = (
            'select value from "derived:words" where address = ? and slot = ? and moment < ?'
            " order by moment desc limit 1"
        )
        with self._file.reading() as connection:
            values = bytes(address), slot, self._moment
            return connection.execute(question, values).fetchone()


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
