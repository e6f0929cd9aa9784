"""The query behind a list, in Python, in SQL and over JSON-RPC. All three return the rows of the page."""

from __future__ import annotations

import json

from chain.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """One query in three languages."""

    python: str
    sql: str
    rpc: str


def rpc_text(method: str, *params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})


def python_args(values: dict[str, object]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def sql_literal(value: object) -> str:
    """Return the SQL literal of a column's value."""
    if value is None:
        return "null"
    if isinstance(value, bool | int):
        return str(int(value))
    return "'" + str(value).replace("'", "''") + "'"


def sql_equals(column: str, value: object) -> str:
    return f"{column} {'is' if value is None else '='} {sql_literal(value)}"


def select(table: str, conditions: list[str], order: str, limit: int) -> str:
    where = f" where {' and '.join(conditions)}" if conditions else ""
    return f"select * from {table}{where} order by {order} desc limit {limit}"
