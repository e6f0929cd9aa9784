"""Whether a chain's file is whole, and a fresh copy of one of which only the tables for others are damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from chain.ledger.file.checksum import (
    Damaged,
    opened,
)
from chain.ledger.file.table_sums import (
    Pending,
    pending_in,
)

# SQLite looks through a file of this size in a moment; in a longer one each row is looked at when it is read.
_LONG: Final = 1 << 28


def check_schema(connection: sqlite3.Connection, tables: dict[str, str]) -> None:
    """What the chain needs must be there, made as it is made here."""
    there = dict(connection.execute("select name, sql from sqlite_master where type = 'table'"))
    for name, statement in tables.items():
        if there.get(name) != statement.replace("create table", "CREATE TABLE", 1):
            raise Damaged(f'table "{name}" is not there, or not as it was made')


def is_well_formed(connection: sqlite3.Connection, size: int) -> bool:
    """Whether SQLite finds nothing wrong."""
    with suppress(sqlite3.DatabaseError):
        return size > _LONG or connection.execute("pragma quick_check(1)").fetchone()[0] == "ok"
    return False


def sums_in(
    connection: sqlite3.Connection, pending: int, is_new: bool, whole: bool
) -> Pending | None:
    """What is pending in the sums of the tables for others; None where these are not as they were written."""
    with suppress(sqlite3.DatabaseError, ValueError, TypeError, OverflowError):
        known = connection.execute("select count(*) from \"chain:sums\" where name = 'receipts'")
        if is_new or known.fetchone()[0]:
            return pending_in(connection, pending, whole)
    return None


def truth_in(
    connection: sqlite3.Connection, counts: Mapping[str, int]
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """All rows that the chain needs, each with its table; one that is not as it was written, or not there, is refused."""
    for table, wanted in counts.items():
        count = 0
        for row in connection.execute(f'select * from "chain:{table}"'):
            *key, sealed = row
            opened(table, key[0] if len(key) == 1 else tuple(key), sealed)
            yield table, row
            count += 1
        if count != wanted:
            raise Damaged(f'"chain:{table}" has {count} rows that can be read, and had {wanted}')
