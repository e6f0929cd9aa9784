"""Sums of the rows in the tables that others read, by which it is told whether these still are as they were written.

A sum is of a stretch of a table and does not hang on the order of its rows, so rows come and go at the cost of each. The sums
stand among what the chain needs, each behind a seal. That of the stretch which a table ends in is written when the table goes
on to the next; until then one number in the row of now tells by how much the rows and the written sums differ.
"""

from __future__ import annotations

import marshal
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias
from zlib import crc32

from chain.ledger.file.checksum import (
    sealed,
    unsealed,
)
from chain.ledger.sql.table import quoted

_CHUNK: Final = 4096  # keys to a sum
_SCHEMA: Final = -1  # in place of a chunk: how the table was made
_MOST: Final = 32  # so many chunks are looked at when a file is opened
_WRAP: Final = (1 << 64) - 1

EXACT: Final = "exact_numbers"  # without a number for each row

Pending: TypeAlias = dict[tuple[str, int], int]  # by table and stretch


class Sums:
    """The sums of a file that is written to. `pending` is by how much the written ones are to change."""

    def __init__(self, connection: sqlite3.Connection, pending: Pending) -> None:
        self._connection = connection
        self._pending = dict(pending)
        self._is_new = True  # a stretch was begun: those before it are to be written

    @property
    def pending(self) -> int:
        """By how much the rows and the written sums differ."""
        return sum(self._pending.values()) & _WRAP

    def made(self, name: str) -> None:
        """A table was made, and is empty."""
        self.cleared(name)
        ((told,),) = self._connection.execute(
            "select sql from sqlite_master where name = ?", (name,)
        )
        self._put(name, _SCHEMA, told)

    def cleared(self, name: str) -> None:
        """All rows of a table were taken out."""
        self._drop(name, 0)

    def add(self, name: str, key: int, cells: Sequence[Any]) -> None:
        """A row was put in."""
        self._change(name, key // _CHUNK, _sum_of(key, cells))

    def take(self, name: str, key: int, cells: Sequence[Any]) -> None:
        """A row goes."""
        self._change(name, key // _CHUNK, -_sum_of(key, cells))

    def add_row(self, name: str, key: int) -> None:
        """A row that is there counts."""
        for cells in self._row(name, key):
            self.add(name, key, cells)

    def take_row(self, name: str, key: int) -> None:
        """A row that is there, if it is, counts no more."""
        for cells in self._row(name, key):
            self.take(name, key, cells)

    def _row(self, name: str, key: int) -> list[tuple[Any, ...]]:
        asked = f"select * from {quoted(name)} where rowid = ?"
        return self._connection.execute(asked, (key,)).fetchall()

    def cut(self, name: str, key: str, end: int) -> None:
        """All rows from a key on go."""
        stretch = end // _CHUNK
        asked = f"select {quoted(key)}, * from {quoted(name)} where {quoted(key)} >= ? and {quoted(key)} < ?"
        for number, *cells in self._connection.execute(asked, (end, (stretch + 1) * _CHUNK)):
            self.take(name, number, cells)
        self._drop(name, stretch + 1)

    def take_exact(self, condition: str, values: Sequence[Any]) -> None:
        """Numbers too large for their columns go, and out of the table they go here."""
        found = self._connection.execute(f"select * from {EXACT} where {condition}", values)
        for cells in found.fetchall():
            self.take(EXACT, 0, cells)
        self._connection.execute(f"delete from {EXACT} where {condition}", values)

    def save(self) -> None:
        """Write the sums of all stretches that have another behind them."""
        if not self._is_new:
            return
        ends: dict[str, int] = {}
        for name, chunk in self._pending:
            ends[name] = max(chunk, ends.get(name, self._end(name)))
        for key in [key for key in self._pending if key[1] < ends[key[0]]]:
            self._put(*key, (self._read(key) + self._pending.pop(key)) & _WRAP)
        self._is_new = False

    def _end(self, name: str) -> int:
        """The last stretch of a table of which a sum is written."""
        asked = 'select max(chunk) from "chain:sums" where name = ?'
        ((chunk,),) = self._connection.execute(asked, (name,))
        return int(chunk)

    def _change(self, name: str, chunk: int, by: int) -> None:
        key, pending = (name, chunk), self._pending
        if key not in pending:
            self._is_new = True
        pending[key] = pending.get(key, 0) + by

    def _read(self, key: tuple[str, int]) -> int:
        asked = 'select row from "chain:sums" where name = ? and chunk = ?'
        row = self._connection.execute(asked, key).fetchone()
        return 0 if row is None else int(unsealed("sums", key, row[0]))

    def _put(self, name: str, chunk: int, told: int | str) -> None:
        row = sealed("sums", (name, chunk), told)
        self._connection.execute(
            'insert or replace into "chain:sums" values (?, ?, ?)', (name, chunk, row)
        )

    def _drop(self, name: str, first: int) -> None:
        for key in [key for key in self._pending if key[0] == name and key[1] >= first]:
            del self._pending[key]
        self._connection.execute(
            'delete from "chain:sums" where name = ? and chunk >= ?', (name, first)
        )


def _sum_of(key: int, cells: Sequence[Any]) -> int:
    return crc32(marshal.dumps((key, *cells), 0))  # version 0: the same bytes for the same values


def pending_in(connection: sqlite3.Connection, pending: int, whole: bool) -> Pending | None:
    """By how much the written sums are to change, in all `pending`; None where the rows are not as they were written.

    Of long tables only the ends are looked at, unless `whole`.
    """
    told: dict[str, dict[int, Any]] = {}
    for name, chunk, row in connection.execute('select name, chunk, row from "chain:sums"'):
        told.setdefault(name, {})[chunk] = unsealed("sums", (name, chunk), row)
    there = dict(connection.execute("select name, sql from sqlite_master where type = 'table'"))
    is_long = sum(map(len, told.values())) > _MOST and not whole
    most = max(1, _MOST // len(told)) if is_long else 0
    found: Pending = {}
    for name, chunks in told.items():
        if name not in there or there[name] != chunks.pop(_SCHEMA, None):
            return None
        first = max([0, *sorted(chunks)[-most:][:1]]) if most else 0
        rows = _summed(connection, name, first)
        for chunk in {*rows, *(chunk for chunk in chunks if chunk >= first)}:
            found[name, chunk] = (rows.get(chunk, 0) - chunks.get(chunk, 0)) & _WRAP
    found = {key: by for key, by in found.items() if by}
    return found if sum(found.values()) & _WRAP == pending else None


def _summed(connection: sqlite3.Connection, name: str, first: int) -> dict[int, int]:
    """The sums of a table's rows, from a stretch on."""
    sums: dict[int, int] = {}
    for key, cells in _rows(connection, name, first):
        chunk = key // _CHUNK
        sums[chunk] = sums.get(chunk, 0) + _sum_of(key, cells)
    return sums


def _rows(
    connection: sqlite3.Connection, name: str, first: int
) -> Iterator[tuple[int, Sequence[Any]]]:
    if name == EXACT:
        yield from ((0, row) for row in connection.execute(f"select * from {EXACT}"))
        return
    condition = f" where rowid >= {first * _CHUNK}" if first else ""
    for key, *cells in connection.execute(f"select rowid, * from {quoted(name)}{condition}"):
        yield key, cells
