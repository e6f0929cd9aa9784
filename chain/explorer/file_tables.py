"""SQL queries on the public tables of a chain's file itself: nothing is read into memory first.

Another process writes the file, and the tables may lag slightly behind its last steps. Whole numbers beyond 64 bits are
rounded in their columns; they are combined with their digits again, so a query sees them as in `chain.sql`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from chain.explorer.equivalent_queries import sql_literal
from chain.ledger.file.table_sums import EXACT
from chain.ledger.sql.big_integers import LargeNumbers
from chain.ledger.sql.sql_view import QueryLimits
from chain.ledger.sql.table import quoted
from chain.rpc.errors import refused

_LIMITS: Final = QueryLimits(rows=10_000, bytes=8 << 20, steps=400_000_000)
_ALLOWED: Final = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)


def query(path: Path, question: str, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the columns and rows of one query. `names` are those of accounts and contracts by address."""
    place = f"{path.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(place, uri=True, check_same_thread=False)) as connection:
        numbers = _large_numbers(connection, question)
        connection.create_function("name", 1, names.get)
        connection.set_authorizer(_authorize)
        try:
            with _LIMITS.applied(connection):
                cursor = connection.execute(numbers.rewritten(question))
                rows = _LIMITS.fetch(cursor)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as problem:
            raise refused(_explained(str(problem))) from None
        columns = [column[0] for column in cursor.description or ()]
    return {
        "columns": columns,
        "rows": [[_shown(numbers.number(cell)) for cell in row] for row in rows],
    }


def _large_numbers(connection: sqlite3.Connection, question: str) -> LargeNumbers:
    """Put views with the numbers beyond 64 bits before the tables that a question names and that have some."""
    numbers, text = LargeNumbers(), question.casefold()
    columns: dict[str, list[str]] = {}
    has_some = connection.execute("select 1 from sqlite_master where name = ?", (EXACT,)).fetchone()
    pairs = f"select distinct name, column from {EXACT}"
    for table, column in connection.execute(pairs) if has_some else ():
        if table.casefold() in text:
            columns.setdefault(table, []).append(column)
    for table in columns:
        digits = f"select distinct digits from {EXACT} where name = ?"
        numbers.extend(int(each) for (each,) in connection.execute(digits, (table,)))
    connection.create_function("exact", 1, lambda digits: numbers.real(int(digits)), deterministic=True)  # fmt: skip
    numbers.register_functions(connection)
    for table, rounded in columns.items():
        connection.execute(_view(connection, table, rounded))
    return numbers


def _view(connection: sqlite3.Connection, table: str, rounded: Sequence[str]) -> str:
    """Return the statement that makes the view of a table."""
    name, shown = quoted(table), []
    for _, column, *_ in connection.execute(f"pragma main.table_info({name})"):
        cell = f"held.{quoted(column)}"
        if column in rounded:
            where = f"name = {sql_literal(table)} and row = held.rowid and column = {sql_literal(column)}"
            cell = f"coalesce((select exact(digits) from {EXACT} where {where}), {cell})"
        shown.append(f"{cell} as {quoted(column)}")
    return f"create temp view {name} as select {', '.join(shown)} from main.{name} held"


def _authorize(action: int, what: str | None, *_: str | None) -> int:
    """Allow reading the public tables, and nothing else. The chain's own tables have a colon in their names."""
    is_public = action == sqlite3.SQLITE_READ and not (what or "").startswith("chain:")
    return sqlite3.SQLITE_OK if is_public or action in _ALLOWED else sqlite3.SQLITE_DENY


def _explained(wrong: str) -> str:
    if wrong == "interrupted":
        return "the query takes too long: narrow it"
    if "prohibited" in wrong or "not authorized" in wrong:
        return "the tables are a record of what happened, and read-only"
    return wrong


def _shown(cell: object) -> Any:
    return f"0x{cell.hex()}" if isinstance(cell, bytes) else cell
