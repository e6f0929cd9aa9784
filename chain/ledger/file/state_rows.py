"""The state in a chain's file: accounts and storage words as of the end of a block, each a row with a checksum.

The rows are updated after a number of changes, with their net effect. The changes since then are redone when
the file is opened. How many rows there are, and the sum of their checksums, is written elsewhere, so that none can be missing
or out of date. The account itself is stored at the slot b"".
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from chain.ledger.file.checksum import add_checksum, verify_checksum
from chain.ledger.state_trie import gather
from chain.machine.state import Changes, State

EVERY: Final = 1024  # changes before the rows are updated
_ACCOUNT: Final = b""
_WRAP: Final = (1 << 64) - 1


class Cells(NamedTuple):
    """The number of rows, and the sum of their checksums in 64 bits."""

    number: int = 0
    total: int = 0


def load_cells(connection: sqlite3.Connection, state: State) -> Cells:
    """Fill an empty state."""
    count = total = 0
    for address, slot, row in connection.execute('select address, slot, row from "chain:cells"'):
        value = verify_checksum("cells", (address, slot), row)
        if slot == _ACCOUNT:
            state.accounts[address] = value
        else:
            state.storages[address][int.from_bytes(slot)] = value
        count, total = count + 1, total + _sum_of(row)
    return Cells(count, total & _WRAP)


def write_cells(connection: sqlite3.Connection, state: State, later: Sequence[Changes]) -> Cells:
    """Write a whole state, as it was before the changes `later`."""
    if later:
        state = state.copy()
        for changes in reversed(later):
            state.undo_changes(changes)
    connection.execute('delete from "chain:cells"')
    return _put(connection, Cells(), state.accounts, state.storages)


def change_cells(connection: sqlite3.Connection, had: Cells, moments: Iterable[Changes]) -> Cells:
    """Write the net effect of these changes on the rows `had`."""
    accounts, storages, wiped = gather(moments)
    for address in wiped:
        had = _delete(connection, had, "address = ? and slot > ?", (address, _ACCOUNT))
    return _put(connection, had, accounts, storages)


def _put(
    connection: sqlite3.Connection,
    had: Cells,
    accounts: Mapping[bytes, object],
    storages: Mapping[bytes, Mapping[int, int | None]],
) -> Cells:
    """Write accounts and words in place of those that there are; None is one that is gone."""
    # The keys are plain bytes: an Address or an Account would give another checksum.
    values = [((bytes(address), _ACCOUNT), account) for address, account in accounts.items()]
    for address, words in storages.items():
        holder = bytes(address)
        values += [((holder, slot.to_bytes(32)), word) for slot, word in words.items()]
    if had.number:
        for key, _ in values:
            had = _delete(connection, had, "address = ? and slot = ?", key)
    rows = [(*key, add_checksum("cells", key, value)) for key, value in values if value is not None]
    connection.executemany('insert into "chain:cells" values (?, ?, ?)', rows)
    total = had.total + sum(_sum_of(row) for _, _, row in rows)
    return Cells(had.number + len(rows), total & _WRAP)


def _delete(
    connection: sqlite3.Connection, had: Cells, condition: str, values: tuple[bytes, bytes]
) -> Cells:
    query = f'select row from "chain:cells" where {condition}'
    rows = connection.execute(query, values).fetchall()
    connection.execute(f'delete from "chain:cells" where {condition}', values)
    total = had.total - sum(_sum_of(row) for (row,) in rows)
    return Cells(had.number - len(rows), total & _WRAP)


def _sum_of(row: bytes) -> int:
    return int.from_bytes(row[:4])
