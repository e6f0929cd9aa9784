"""Sums of the rows in the tables that others read, by which it is told whether these still are as they were written.

A sum is of a stretch of a table and does not hang on the order of its rows, so rows come and go at the cost of each. The sums
stand among what the chain needs, each behind a seal.
"""

from __future__ import annotations

import marshal
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Final
from zlib import crc32

from chain.ledger.seal import sealed, unsealed
from chain.ledger.table import quoted

_CHUNK: Final = 4096  # keys to a sum
_SCHEMA: Final = -1  # in place of a chunk: how the table was made
_MOST: Final = 32  # so many chunks are looked at when a file is opened
_WRAP: Final = (1 << 64) - 1

# Without a number for each row.
EXACT: Final = "exact_numbers"


class Sums:
    """The sums of a file that is written to."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[tuple[str, int], int] = {}
        self._changed: set[tuple[str, int]] = set()

    def forget(self) -> None:
        """What was written last was taken back: believe the database."""
        self._known.clear()
        self._changed.clear()

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
        """Write what has changed."""
        for name, chunk in self._changed:
            self._put(name, chunk, self._known[name, chunk])
        self._changed.clear()

    def _change(self, name: str, chunk: int, by: int) -> None:
        key = name, chunk
        known = self._known.get(key)
        if known is None:
            known = self._read(key)
        self._known[key] = (known + by) & _WRAP
        self._changed.add(key)

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
        for key in [key for key in self._known if key[0] == name and key[1] >= first]:
            del self._known[key]
            self._changed.discard(key)
        self._connection.execute(
            'delete from "chain:sums" where name = ? and chunk >= ?', (name, first)
        )


def _sum_of(key: int, cells: Sequence[Any]) -> int:
    return crc32(marshal.dumps((key, *cells), 0))  # version 0: the same bytes for the same values


def are_sound(connection: sqlite3.Connection, whole: bool = False) -> bool:
    """Whether the tables that others read are as they were written; of long ones only the ends, unless `whole`."""
    told: dict[str, dict[int, Any]] = {}
    for name, chunk, row in connection.execute('select name, chunk, row from "chain:sums"'):
        told.setdefault(name, {})[chunk] = unsealed("sums", (name, chunk), row)
    there = dict(connection.execute("select name, sql from sqlite_master where type = 'table'"))
    are_many = sum(map(len, told.values())) > _MOST
    most = max(1, _MOST // len(told)) if told and are_many and not whole else None
    return all(
        name in there and there[name] == chunks.pop(_SCHEMA, None) and _is_sound(connection, name, chunks, most)
        for name, chunks in told.items()
    )  # fmt: skip


def _is_sound(
    connection: sqlite3.Connection, name: str, chunks: dict[int, int], most: int | None
) -> bool:
    first = None if most is None else max([0, *sorted(chunks)[-most:][:1]])
    found: dict[int, int] = {}
    for key, cells in _rows(connection, name, first):
        chunk = key // _CHUNK
        found[chunk] = (found.get(chunk, 0) + _sum_of(key, cells)) & _WRAP
    wanted = {chunk: value for chunk, value in chunks.items() if chunk >= (first or 0)}
    return {k: v for k, v in found.items() if v} == {k: v for k, v in wanted.items() if v}


def _rows(
    connection: sqlite3.Connection, name: str, first: int | None
) -> Iterator[tuple[int, Sequence[Any]]]:
    if name == EXACT:
        yield from ((0, row) for row in connection.execute(f"select * from {EXACT}"))
        return
    condition = "" if first is None else f" where rowid >= {first * _CHUNK}"
    for key, *cells in connection.execute(f"select rowid, * from {quoted(name)}{condition}"):
        yield key, cells
