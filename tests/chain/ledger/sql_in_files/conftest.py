"""The file of a chain, and the tables that are filled in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chain.ledger.sql.sql_view import SqlView


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.chain"


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables that get rows in memory."""
    names = list[str]()
    insert = SqlView._insert

    def noting(view: SqlView, table: Any, rows: Iterator[Any]) -> None:
        names.append(table.name)
        insert(view, table, rows)

    monkeypatch.setattr(SqlView, "_insert", noting)
    return names
