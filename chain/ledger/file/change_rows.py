"""The index of the changes in a chain's file: the former value of each account and word that a stretch of the timeline changed.

A row has the key of a row of the state, and the number of the stretch. The value at some time is in the first row from then on,
so a distant past state costs one search for each word that is read. Each row also names the previous stretch that changed the
same place, and a final row names the last one. So a missing row is noticed: its place does not seem unchanged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from chain.ledger.change_index import Place, first_values
from chain.ledger.file.chain_file import ChainFile
from chain.ledger.file.checksum import Damaged, add_checksum, verify_checksum
from chain.machine.state import ACCOUNT, Changes

_TABLE: Final = '"chain:changes"'
_ACCOUNT: Final = b""
_LAST: Final = 1 << 62  # in place of a stretch, in the last row of a place


class ChangeRows:
    """The rows of the first stretches, to be read."""

    def __init__(self, file: ChainFile, count: int) -> None:
        self._file, self.count = file, count

    def find(self, place: Place, first: int, end: int) -> tuple[Any] | None:
        key = _key(place)
        query = f"select stretch, row from {_TABLE} where address = ? and slot = ? and stretch >= ? order by stretch limit 1"
        with self._file.reading() as connection:
            found = connection.execute(query, (*key, first)).fetchone()
            if found is None:
                return None
            stretch, row = found
            value, previous = verify_checksum("changes", (*key, stretch), row)
            if previous is not None and previous >= first:
                raise Damaged(f'"chain:changes" lacks a row of stretch {previous}')
            return (value,) if stretch < end else None

    def places(self, first: int, end: int) -> Iterator[Place]:
        # Those of all last rows, too: a place whose other rows are missing is noticed when it is read.
        query = f"select distinct address, slot from {_TABLE} where stretch >= ?"
        with self._file.reading() as connection:
            found = connection.execute(query, (first,)).fetchall()
        return (
            (address, ACCOUNT if slot == _ACCOUNT else int.from_bytes(slot))
            for address, slot in found
        )


def write_stretch(connection: sqlite3.Connection, stretch: int, moments: Iterable[Changes]) -> int:
    """Write the rows of a stretch, and return how many more rows there are."""
    count = 0
    for place, value in first_values(moments).items():
        key = _key(place)
        previous = _last(connection, key)
        _put(connection, key, stretch, (value, previous))
        _put(connection, key, _LAST, (None, stretch))
        count += 1 + (previous is None)
    return count


def delete_stretches(connection: sqlite3.Connection, first: int) -> int:
    """Delete the stretches from `first` on, and return how many rows fewer there are."""
    query = f"select address, slot, min(stretch), row from {_TABLE} where stretch >= ? and stretch < ? group by address, slot"
    changed = connection.execute(query, (first, _LAST)).fetchall()
    count = connection.execute(
        f"delete from {_TABLE} where stretch >= ? and stretch < ?", (first, _LAST)
    ).rowcount
    for *key, stretch, row in changed:
        _, previous = verify_checksum("changes", (*key, stretch), row)
        if previous is not None:
            _put(connection, key, _LAST, (None, previous))
            continue
        count += connection.execute(
            f"delete from {_TABLE} where address = ? and slot = ? and stretch = ?", (*key, _LAST)
        ).rowcount
    return count


def _last(connection: sqlite3.Connection, key: Sequence[bytes]) -> int | None:
    """Return the last stretch that changed a place, as its last row names it."""
    query = f"select row from {_TABLE} where address = ? and slot = ? and stretch = ?"
    found = connection.execute(query, (*key, _LAST)).fetchone()
    last: int | None = found and verify_checksum("changes", (*key, _LAST), found[0])[1]
    return last


def _put(
    connection: sqlite3.Connection,
    key: Sequence[bytes],
    stretch: int,
    row: tuple[object, int | None],
) -> None:
    sealed = add_checksum("changes", (*key, stretch), row)
    connection.execute(
        f"insert or replace into {_TABLE} values (?, ?, ?, ?)", (*key, stretch, sealed)
    )


def _key(place: Place) -> tuple[bytes, bytes]:
    # Plain bytes: an Address or an Account would give another checksum.
    address, slot = place
    return bytes(address), _ACCOUNT if slot is ACCOUNT else slot.to_bytes(32)
