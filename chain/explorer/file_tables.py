"""SQL queries on the chain in a file, which another process may be writing.

They may take long while pages are served, so they run in a thread of their own, on the chain as it is watched a second time.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any, Final

from chain.ledger.sql.json_values import to_hex
from chain.ledger.sql.sql_view import QueryLimits
from chain.rpc.errors import refused
from chain.simulator.chain import Chain

_LIMITS: Final = QueryLimits(rows=10_000, bytes=8 << 20, steps=400_000_000)


class FileTables:
    """The tables of the chain in a file. Its contracts are known by what the file says of them."""

    def __init__(self, path: Path) -> None:
        self._path, self._turn = path, Lock()
        self._chain: Chain | None = None

    def query(self, question: str) -> dict[str, Any]:
        """Return the columns and rows of one query."""
        with self._turn:
            if self._chain is None:
                self._chain = Chain.watch(self._path)
            self._chain.settle()
            try:
                answer = self._chain.database.query(question, (), {}, _LIMITS)
            except ValueError as problem:
                raise refused(str(problem)) from None
        return {"columns": answer.columns, "rows": [list(map(_shown, row)) for row in answer]}


def _shown(cell: object) -> Any:
    return to_hex(cell) if isinstance(cell, bytes) else cell
