"""The state in a chain's file: accounts and storage words as of the end of a block, each a row with a checksum.

The rows are updated once there have been enough changes, with the net effect of these. The changes since then are redone when
the file is opened, and the state root of the last block proves that nothing is missing. The account itself is stored at the
slot b"".
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

from chain.ledger.file.checksum import add_checksum, verify_checksum
from chain.ledger.state_trie import gather
from chain.machine.state import Changes, State

EVERY: Final = 1024  # changes before the rows are updated
_ACCOUNT: Final = b""


def load_cells(connection: sqlite3.Connection, state: State) -> int:
    """Fill an empty state, and return the number of rows."""
    count = 0
    for address, slot, row in connection.execute('select address, slot, row from "chain:cells"'):
        value = verify_checksum("cells", (address, slot), row)
        if slot == _ACCOUNT:
            state.accounts[address] = value
        else:
            state.storages[address][int.from_bytes(slot)] = value
        count += 1
    return count


def write_cells(connection: sqlite3.Connection, state: State, later: Sequence[Changes]) -> None:
    """Write a whole state, as it was before the changes `later`."""
    if later:
        state = state.copy()
        for changes in reversed(later):
            state.undo_changes(changes)
    connection.execute('delete from "chain:cells"')
    for address, account in state.accounts.items():
        _put(connection, address, _ACCOUNT, account)
    for address, words in state.storages.items():
        for slot, word in words.items():
            _put(connection, address, slot.to_bytes(32), word)


def change_cells(connection: sqlite3.Connection, moments: Iterable[Changes]) -> None:
    """Write the net effect of these changes."""
    accounts, storages, wiped = gather(moments)
    for address in wiped:
        connection.execute(
            'delete from "chain:cells" where address = ? and slot > ?', (address, _ACCOUNT)
        )
    for address, account in accounts.items():
        _put(connection, address, _ACCOUNT, account)
    for address, words in storages.items():
        for slot, word in words.items():
            _put(connection, address, slot.to_bytes(32), word)


def _put(connection: sqlite3.Connection, address: bytes, slot: bytes, value: object) -> None:
    if value is None:
        connection.execute(
            'delete from "chain:cells" where address = ? and slot = ?', (address, slot)
        )
    else:
        row = add_checksum("cells", (address, slot), value)
        connection.execute(
            'insert or replace into "chain:cells" values (?, ?, ?)', (address, slot, row)
        )
