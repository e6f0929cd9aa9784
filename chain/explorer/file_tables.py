"""SQL queries on the public tables of a chain's file itself: nothing is read into memory first.

Another process writes the file, and the tables may lag slightly behind its last steps. Whole numbers beyond 64 bits are
rounded there, unlike in `chain.sql`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from chain.ledger.sql.sql_view import QueryLimits
from chain.rpc.errors import refused

_LIMITS: Final = QueryLimits(rows=10_000, bytes=8 << 20, steps=400_000_000)
_ALLOWED: Final = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)


def query(path: Path, question: str, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the columns and rows of one query. `names` are those of accounts and contracts by address."""
    place = f"{path.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(place, uri=True, check_same_thread=False)) as connection:
        connection.create_function("name", 1, names.get)
        connection.set_authorizer(_authorize)
        try:
            with _LIMITS.applied(connection):
                cursor = connection.execute(question)
                rows = _LIMITS.fetch(cursor)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as problem:
            raise refused(_explained(str(problem))) from None
        columns = [column[0] for column in cursor.description or ()]
    return {"columns": columns, "rows": [[_shown(cell) for cell in row] for row in rows]}


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


def _shown(cell: Any) -> Any:
    return f"0x{cell.hex()}" if isinstance(cell, bytes) else cell
