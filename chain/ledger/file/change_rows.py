"""The index of the changes in a chain's file: what was in each account and word before a stretch of the timeline changed it.

A row has the key of a row of the state, and the number of the stretch. So what was at a place at some time is in the first row
from there on, and a state of the far past costs a search for each word that is read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, Final

from chain.ledger.change_index import Place, first_values
from chain.ledger.file.chain_file import ChainFile
from chain.ledger.file.checksum import add_checksum, verify_checksum
from chain.machine.state import ACCOUNT, Changes

_TABLE: Final = '"chain:changes"'
_ACCOUNT: Final = b""


class ChangeRows:
    """The rows of the first stretches, to be read."""

    def __init__(self, file: ChainFile, count: int) -> None:
        self._file, self.count = file, count

    def find(self, place: Place, first: int, end: int) -> tuple[Any] | None:
        key = _key(place)
        query = f"select stretch, row from {_TABLE} where address = ? and slot = ? and stretch >= ? and stretch < ? limit 1"
        with self._file.reading() as connection:
            found = connection.execute(query, (*key, first, end)).fetchone()
            return found and (verify_checksum("changes", (*key, found[0]), found[1]),)

    def places(self, first: int, end: int) -> Iterator[Place]:
        query = f"select distinct address, slot from {_TABLE} where stretch >= ? and stretch < ?"
        with self._file.reading() as connection:
            found = connection.execute(query, (first, end)).fetchall()
        return (
            (address, ACCOUNT if slot == _ACCOUNT else int.from_bytes(slot))
            for address, slot in found
        )


def write_stretch(connection: sqlite3.Connection, stretch: int, moments: Iterable[Changes]) -> int:
    """Write the rows of a stretch, and return how many there are."""
    keys = ((*_key(place), stretch, value) for place, value in first_values(moments).items())
    rows = [(*key, add_checksum("changes", tuple(key), value)) for *key, value in keys]
    connection.executemany(f"insert into {_TABLE} values (?, ?, ?, ?)", rows)
    return len(rows)


def delete_stretches(connection: sqlite3.Connection, first: int) -> int:
    """Delete the stretches from `first` on, and return how many rows these had."""
    return connection.execute(f"delete from {_TABLE} where stretch >= ?", (first,)).rowcount


def _key(place: Place) -> tuple[bytes, bytes]:
    # Plain bytes: an Address or an Account would give another checksum.
    address, slot = place
    return bytes(address), _ACCOUNT if slot is ACCOUNT else slot.to_bytes(32)
