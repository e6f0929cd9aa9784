"""The table with the digits of numbers beyond 64 bits, which are rounded in their own columns."""

from __future__ import annotations

import sqlite3

from chain.ledger.file.table_sums import Sums
from chain.ledger.sql.big_integers import EXACT, is_large
from chain.ledger.sql.table import SqlTable, TableRow

CREATE = (
    f"create table {EXACT} (name text collate nocase, row integer, column text, digits text not null,"
    " primary key (name, row, column)) without rowid"
)


def write_exactly(
    connection: sqlite3.Connection, sums: Sums, table: SqlTable, number: int, row: TableRow
) -> None:
    """Store the digits of the rounded numbers of a row."""
    for i in table.roomy:
        value = row[i]
        if isinstance(value, int) and is_large(value):
            exact = table.name, number, table.columns[i].name, str(value)
            connection.execute(f"insert into {EXACT} values (?, ?, ?, ?)", exact)
            sums.add(EXACT, 0, exact)
