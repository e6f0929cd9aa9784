"""Checks that a chain's file is intact, and the rows to copy when only its public tables are damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final

from chain.ledger.file.checksum import Damaged, opened
from chain.ledger.file.table_sums import Pending, pending_in

# Up to this size SQLite checks a file quickly. In a larger file each row is checked when it is read.
_LONG: Final = 1 << 26


def check_schema(connection: sqlite3.Connection, tables: dict[str, str]) -> None:
    """Check that the tables that the chain needs exist, with the schema that is written here."""
    existing = dict(connection.execute("select name, sql from sqlite_master where type = 'table'"))
    for name, statement in tables.items():
        if existing.get(name) != statement.replace("create table", "CREATE TABLE", 1):
            raise Damaged(f'table "{name}" is missing, or was altered')


def is_well_formed(connection: sqlite3.Connection, size: int) -> bool:
    """True if SQLite finds no error in the file."""
    with suppress(sqlite3.DatabaseError):
        return size > _LONG or connection.execute("pragma quick_check(1)").fetchone()[0] == "ok"
    return False


def sums_in(
    connection: sqlite3.Connection, pending: int, is_new: bool, whole: bool
) -> Pending | None:
    """Return the pending changes to the sums of the public tables; None if those are not as they were written.

    `pending` is the total that the file recorded; if `whole`, all stretches are checked.
    """
    with suppress(sqlite3.DatabaseError, ValueError, TypeError, OverflowError):
        receipt_sums = connection.execute(
            "select count(*) from \"chain:sums\" where name = 'receipts'"
        )
        if is_new or receipt_sums.fetchone()[0]:
            return pending_in(connection, pending, whole)
    return None


def truth_in(
    connection: sqlite3.Connection, counts: Mapping[str, int]
) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield every row that the chain needs, with its table; refuse a row that is missing or was altered.

    `counts` says how many rows each table must have.
    """
    for table, expected in counts.items():
        count = 0
        for row in connection.execute(f'select * from "chain:{table}"'):
            *key, stored = row
            opened(table, key[0] if len(key) == 1 else tuple(key), stored)
            yield table, row
            count += 1
        if count != expected:
            raise Damaged(f'"chain:{table}" has {count} rows that can be read, and had {expected}')
