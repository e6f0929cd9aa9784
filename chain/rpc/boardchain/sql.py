"""SQL queries over the wire: read only, and bounded in cost."""

from __future__ import annotations

from typing import Final

from chain.ledger.sql.sql_view import QueryLimits
from chain.rpc.boardchain.values import client_errors, plain
from chain.rpc.errors import bad_params
from chain.rpc.json_format import Json
from chain.rpc.node import Node

_BOUNDS: Final = QueryLimits(rows=10_000, bytes=8 * 2**20, steps=20_000_000)


def sql(node: Node, question: object, values: object = ()) -> Json:
    """Return the columns and rows of a query. `values` is a list for `?`, or an object for `:name`."""
    if not isinstance(question, str) or not isinstance(values, list | tuple | dict):
        raise bad_params("a query is a text, and its values a list or an object")
    named = values if isinstance(values, dict) else {}
    with client_errors():
        answer = node.chain.database.query(question, () if named else [*values], named, _BOUNDS)
    return {"columns": answer.columns, "rows": [plain(list(row)) for row in answer]}
