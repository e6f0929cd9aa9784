"""Sums over the rows of the public tables, which show whether those are still as they were written.

A sum covers a stretch of a table and does not depend on the order of its rows, so a change of a row costs only that row. The
sums are stored among the data that the chain needs, each with a checksum. The sum of the last stretch of a table is written
once the table continues in the next. Until then one number in the row `NOW` records by how much the rows and the written sums
differ.
"""

from __future__ import annotations

import marshal
import sqlite3
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, Final, TypeAlias
from zlib import crc32

from chain.ledger.file.checksum import add_checksum, verify_checksum
from chain.ledger.sql.big_integers import EXACT
from chain.ledger.sql.table import quoted

_CHUNK: Final = 4096  # keys per sum
_SCHEMA: Final = -1  # in place of a chunk: the schema of the table
_MOST: Final = 8  # chunks that are checked when a file is opened
_WRAP: Final = (1 << 64) - 1

Pending: TypeAlias = dict[tuple[str, int], int]  # by table and stretch


class Sums:
    """The sums of a file that is being written. `pending` holds by how much the written sums are to change."""

    def __init__(self, connection: sqlite3.Connection, pending: Pending) -> None:
        self._connection = connection
        self._pending = dict(pending)
        self._is_new = True  # a stretch was begun: the sums before it must be written

    @property
    def pending(self) -> int:
        """The total by which the rows and the written sums differ."""
        return sum(self._pending.values()) & _WRAP

    def rebuild(self, name: str) -> None:
        """Record that a table was created and is empty."""
        self.cleared(name)
        ((schema,),) = self._connection.execute(
            "select sql from sqlite_master where name = ?", (name,)
        )
        self._put(name, _SCHEMA, schema)

    def cleared(self, name: str) -> None:
        """Record that all rows of a table were deleted."""
        self._drop(name, 0)

    def add(self, name: str, key: int, cells: Sequence[object]) -> None:
        """Record that a row was inserted."""
        self._change(name, key // _CHUNK, _sum_of(key, cells))

    def add_all(self, name: str, rows: list[tuple[Any, ...]]) -> None:
        """Record that rows were inserted, each after its key. The keys rise."""
        for chunk, total in _by_chunk(rows):
            self._change(name, chunk, total)

    def take(self, name: str, key: int, cells: Sequence[object]) -> None:
        """Record that a row is removed."""
        self._change(name, key // _CHUNK, -_sum_of(key, cells))

    def add_row(self, name: str, key: int) -> None:
        """Add an existing row to the sum."""
        for cells in self._row(name, key):
            self.add(name, key, cells)

    def take_row(self, name: str, key: int) -> None:
        """Subtract a row from the sum, if it exists."""
        for cells in self._row(name, key):
            self.take(name, key, cells)

    def _row(self, name: str, key: int) -> list[tuple[object, ...]]:
        query = f"select * from {quoted(name)} where rowid = ?"
        return self._connection.execute(query, (key,)).fetchall()

    def truncate(self, name: str, key: str, end: int) -> None:
        """Subtract all rows from the key `end` on; `key` is the name of the key column."""
        stretch = end // _CHUNK
        query = f"select {quoted(key)}, * from {quoted(name)} where {quoted(key)} >= ? and {quoted(key)} < ?"
        for number, *cells in self._connection.execute(query, (end, (stretch + 1) * _CHUNK)):
            self.take(name, number, cells)
        self._drop(name, stretch + 1)

    def take_exact(self, condition: str, values: Sequence[object]) -> None:
        """Delete the exact numbers that match a condition from their table, and subtract them."""
        selected = self._connection.execute(f"select * from {EXACT} where {condition}", values)
        for cells in selected.fetchall():
            self.take(EXACT, 0, cells)
        self._connection.execute(f"delete from {EXACT} where {condition}", values)

    def save(self) -> None:
        """Write the sums of all stretches that are followed by another."""
        if not self._is_new:
            return
        ends: dict[str, int] = {}
        for name, chunk in self._pending:
            ends[name] = max(chunk, ends.get(name, self._end(name)))
        for key in [key for key in self._pending if key[1] < ends[key[0]]]:
            self._put(*key, (self._read(key) + self._pending.pop(key)) & _WRAP)
        self._is_new = False

    def _end(self, name: str) -> int:
        """Return the last stretch of a table whose sum is written."""
        query = 'select max(chunk) from "chain:sums" where name = ?'
        ((chunk,),) = self._connection.execute(query, (name,))
        return int(chunk)

    def _change(self, name: str, chunk: int, by: int) -> None:
        key, pending = (name, chunk), self._pending
        if key not in pending:
            self._is_new = True
        pending[key] = pending.get(key, 0) + by

    def _read(self, key: tuple[str, int]) -> int:
        query = 'select row from "chain:sums" where name = ? and chunk = ?'
        row = self._connection.execute(query, key).fetchone()
        return 0 if row is None else int(verify_checksum("sums", key, row[0]))

    def _put(self, name: str, chunk: int, told: int | str) -> None:
        row = add_checksum("sums", (name, chunk), told)
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


def _by_chunk(rows: list[tuple[Any, ...]]) -> Iterator[tuple[int, int]]:
    """Yield the sums of rows in the order of their keys, which come first in them."""
    while rows:
        chunk = rows[0][0] // _CHUNK
        end = bisect_left(rows, ((chunk + 1) * _CHUNK,))
        # The bytes of `_sum_of`, without a step of Python for each row.
        yield chunk, sum(map(crc32, map(marshal.dumps, rows[:end], repeat(0))))
        rows = rows[end:]


def pending_in(connection: sqlite3.Connection, pending: int, whole: bool) -> Pending | None:
    """Return by how much the written sums are to change, by table and stretch; None if the rows were altered.

    `pending` is the total that must come out. Of long tables only the ends are checked, unless `whole`.
    """
    written: dict[str, dict[int, Any]] = {}
    for name, chunk, row in connection.execute('select name, chunk, row from "chain:sums"'):
        written.setdefault(name, {})[chunk] = verify_checksum("sums", (name, chunk), row)
    schemas = dict(connection.execute("select name, sql from sqlite_master where type = 'table'"))
    is_long = sum(map(len, written.values())) > _MOST and not whole
    chunks_per_table = max(1, _MOST // len(written)) if is_long else 0
    differences: Pending = {}
    for name, chunks in written.items():
        if name not in schemas or schemas[name] != chunks.pop(_SCHEMA, None):
            return None
        first = max([0, *sorted(chunks)[-chunks_per_table:][:1]]) if chunks_per_table else 0
        rows = _summed(connection, name, first)
        for chunk in {*rows, *(chunk for chunk in chunks if chunk >= first)}:
            differences[name, chunk] = (rows.get(chunk, 0) - chunks.get(chunk, 0)) & _WRAP
    differences = {key: difference for key, difference in differences.items() if difference}
    return differences if sum(differences.values()) & _WRAP == pending else None


def _summed(connection: sqlite3.Connection, name: str, first: int) -> dict[int, int]:
    """Return the sums of a table's rows, from the stretch `first` on."""
    sums: dict[int, int] = {}
    for rows in _batches(connection, name, first):
        for chunk, total in _by_chunk(rows):
            sums[chunk] = sums.get(chunk, 0) + total
    return sums


def _batches(
    connection: sqlite3.Connection, name: str, first: int
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a table, each with its number, from the stretch `first` on."""
    condition = f" where rowid >= {first * _CHUNK}" if first else ""
    number = 0 if name == EXACT else "rowid"
    found = connection.execute(f"select {number}, * from {quoted(name)}{condition}")
    while rows := found.fetchmany(_CHUNK):
        yield rows
