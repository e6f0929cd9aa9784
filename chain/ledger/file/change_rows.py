"""The index of the changes in a chain's file: the former value of each account and word that a stretch of the timeline changed.

A row has the key of a row of the state, and the number of the stretch. The value at some time is in the first row from then on,
so a distant past state costs one search for each word that is read. Each row also says when in the stretch the place changed,
and names the previous stretch that changed the same place; a final row names the last one. So a missing row is noticed: its
place does not seem unchanged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from chain.ledger.change_index import Place, changed_in
from chain.ledger.file.chain_file import ChainFile
from chain.ledger.file.checksum import Damaged, add_checksum, verify_checksum
from chain.machine.state import ACCOUNT, Changes

_TABLE: Final = '"chain:changes"'
_PUT: Final = f"insert or replace into {_TABLE} values (?, ?, ?, ?)"
_ACCOUNT: Final = b""
_LAST: Final = 1 << 62  # in place of a stretch, in the last row of a place

_StoredRow: TypeAlias = tuple[bytes, bytes, int, bytes]


class ChangeRows:
    """The rows of the first stretches, to be read."""

    def __init__(self, file: ChainFile, count: int) -> None:
        self._file, self.count = file, count

    def find(self, place: Place, first: int, end: int) -> _Row | None:
        found = self._next(_key(place), first)
        return found if found is not None and found.stretch < end else None

    def backwards(self, place: Place, end: int) -> Iterator[_Row]:
        key = _key(place)
        found = self._next(key, end)
        if found is None and self._next(key, 0) is not None:
            found = self._at(key, _LAST)  # which is missing
        while found is not None and found.previous is not None:
            found = self._at(key, found.previous)
            yield found

    def places(self, first: int, end: int) -> Iterator[Place]:
        # Those of all last rows, too: a place whose other rows are missing is noticed when it is read.
        query = f"select distinct address, slot from {_TABLE} where stretch >= ?"
        with self._file.reading() as connection:
            found = connection.execute(query, (first,)).fetchall()
        return (
            (address, ACCOUNT if slot == _ACCOUNT else int.from_bytes(slot))
            for address, slot in found
        )

    def _next(self, key: tuple[bytes, bytes], first: int) -> _Row | None:
        """Return the first row of a place from a stretch on."""
        query = f"select stretch, row from {_TABLE} where address = ? and slot = ? and stretch >= ? order by stretch limit 1"
        with self._file.reading() as connection:
            found = connection.execute(query, (*key, first)).fetchone()
            if found is None:
                return None
            row = _Row.read(key, *found)
            if row.previous is not None and row.previous >= first:
                raise Damaged(f'"chain:changes" lacks a row of stretch {row.previous}')
            return row

    def _at(self, key: tuple[bytes, bytes], stretch: int) -> _Row:
        query = f"select row from {_TABLE} where address = ? and slot = ? and stretch = ?"
        with self._file.reading() as connection:
            found = connection.execute(query, (*key, stretch)).fetchone()
            if found is None:
                raise Damaged(f'"chain:changes" lacks a row of stretch {stretch}')
            return _Row.read(key, stretch, found[0])


class _Row(NamedTuple):
    """What was at a place before a stretch changed it, the stretch before that changed it, and when this one did."""

    stretch: int
    value: Any
    previous: int | None
    offsets: bytes

    @classmethod
    def read(cls, key: Sequence[bytes], stretch: int, sealed: object) -> _Row:
        return cls(stretch, *verify_checksum("changes", (*key, stretch), sealed))


def write_stretches(
    connection: sqlite3.Connection, first: int, stretches: Iterable[Iterable[Changes]]
) -> int:
    """Write the rows of the stretches from number `first` on, and return how many more rows there are."""
    rows: list[_StoredRow] = []
    last: dict[tuple[bytes, bytes], int] = {}
    new = 0
    for stretch, moments in enumerate(stretches, first):
        for place, (value, offsets) in changed_in(moments).items():
            key = _key(place)
            previous = last[key] if key in last else _last(connection, key)
            new += 1 + (previous is None)
            rows.append(_stored(key, stretch, (value, previous, bytes(offsets))))
            last[key] = stretch
    rows += [_stored(key, _LAST, (None, stretch, b"")) for key, stretch in last.items()]
    connection.executemany(_PUT, rows)
    return new


def delete_stretches(connection: sqlite3.Connection, first: int) -> int:
    """Delete the stretches from `first` on, and return how many rows fewer there are."""
    query = f"select address, slot, min(stretch), row from {_TABLE} where stretch >= ? and stretch < ? group by address, slot"
    changed = connection.execute(query, (first, _LAST)).fetchall()
    count = connection.execute(
        f"delete from {_TABLE} where stretch >= ? and stretch < ?", (first, _LAST)
    ).rowcount
    for *key, stretch, row in changed:
        previous = _Row.read(key, stretch, row).previous
        if previous is not None:
            connection.execute(_PUT, _stored(key, _LAST, (None, previous, b"")))
            continue
        count += connection.execute(
            f"delete from {_TABLE} where address = ? and slot = ? and stretch = ?", (*key, _LAST)
        ).rowcount
    return count


def _last(connection: sqlite3.Connection, key: Sequence[bytes]) -> int | None:
    """Return the last stretch that changed a place, as its last row names it."""
    query = f"select row from {_TABLE} where address = ? and slot = ? and stretch = ?"
    found = connection.execute(query, (*key, _LAST)).fetchone()
    return None if found is None else _Row.read(key, _LAST, found[0]).previous


def _stored(
    key: Sequence[bytes], stretch: int, row: tuple[object, int | None, bytes]
) -> _StoredRow:
    address, slot = key
    return address, slot, stretch, add_checksum("changes", (address, slot, stretch), row)


def _key(place: Place) -> tuple[bytes, bytes]:
    # Plain bytes: an Address or an Account would give another checksum.
    address, slot = place
    return bytes(address), _ACCOUNT if slot is ACCOUNT else slot.to_bytes(32)
