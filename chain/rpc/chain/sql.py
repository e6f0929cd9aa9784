"""SQL queries over the wire: read only, and bounded in cost."""

from __future__ import annotations

from typing import Final

from chain.foundation.watchdog import TimeUp
from chain.ledger.sql.json_values import JsonStyle
from chain.ledger.sql.sql_view import QueryLimits, TooLong
from chain.rpc.chain.values import client_errors, plain
from chain.rpc.errors import bad_params
from chain.rpc.hex_values import to_bool
from chain.rpc.json_format import Json
from chain.rpc.node import Node

_BOUNDS: Final = QueryLimits(rows=10_000, bytes=8 * 2**20, steps=20_000_000)
_AT_ONCE: Final = _BOUNDS._replace(steps=500_000)  # what a node does while others wait
_SLICE: Final = 0.02  # seconds
_EXACT: Final = JsonStyle(-(1 << 512), 1 << 512).show


def sql(node: Node, question: object, values: object = (), exact: object = False) -> Json:
    """Return the columns and rows of a query. `values` is a list for `?`, or an object for `:name`.

    With `exact` all whole numbers are numbers, for readers that hold any.
    """
    if not isinstance(question, str) or not isinstance(values, list | tuple | dict):
        raise bad_params("a query is a text, and its values a list or an object")
    named = values if isinstance(values, dict) else {}
    limits = _AT_ONCE if node.is_hasty else _BOUNDS
    with client_errors():
        try:
            answer = node.chain.database.query(question, () if named else [*values], named, limits)
        except TooLong:
            if node.is_hasty:
                raise TimeUp from None
            raise
    show = _EXACT if to_bool(exact, "'exact'") else plain
    return {"columns": answer.columns, "rows": [show(list(row)) for row in answer]}


def fill(node: Node, question: object) -> bool:
    """Fill the tables that a query names for a short time; return True if they are up to date."""
    return not isinstance(question, str) or node.chain.database.fill(question, _SLICE)
