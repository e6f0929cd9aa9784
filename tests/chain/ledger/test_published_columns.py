"""The columns of the published tables, which are written many rows at a time: the cells that each row alone would have."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chain import Chain
from chain.ledger.file import published_tables
from chain.ledger.sql.json_values import kept_cell, kept_column
from chain.ledger.sql.table import Column, SqlTable, TableRow
from tests.chain.plays import Counter

numbers = st.integers() | st.sampled_from([2**63 - 1, 2**63, -(2**63), -(2**63) - 1])
objects = st.dictionaries(st.text(), numbers | st.text() | st.none() | st.booleans())
KINDS: list[st.SearchStrategy[Any]] = [
    st.text(), numbers, st.booleans(), st.none(), objects, st.lists(numbers), st.text() | st.none(),
    st.one_of(st.text(), numbers, st.booleans(), st.none(), objects),
]  # fmt: skip


@example([0, -(2**63) - 1])
@example([0, 2**63])
@given(st.one_of([st.lists(kind, min_size=1) for kind in KINDS]))
def test_column_holds_the_cells_of_its_rows(values: list[Any]) -> None:
    assert list(map(repr, kept_column(values))) == [repr(kept_cell(value)) for value in values]


class Varied(SqlTable):
    name, varied = "varied", (1,)
    columns = Column("left", "text"), Column('a "b"', ""), Column("none", "text")

    def rows(self) -> Iterator[TableRow]:
        yield from (("x", {"n": 1}, None), ("y", 2**70, None))


def test_columns_are_those_of_the_kept_rows() -> None:
    table = Varied()
    kept = [*map(table.kept, table.rows())]
    assert [*map(list, zip(*table.kept_columns([*table.rows()]), strict=True))] == kept


def test_rows_are_inserted_by_the_columns_that_are_given() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        table = Varied()
        connection.execute(table.create())
        connection.execute(table.insert_into([1, 2]), (5, "z"))
        connection.execute(table.insert_into([0], 2), ("x", "y"))
        inserted = connection.execute("select * from varied").fetchall()
        assert inserted == [(None, 5, "z"), ("x", None, None), ("y", None, None)]


@pytest.mark.parametrize("cells", [1, 60, 4000])
def test_all_rows_are_inserted_however_many_at_once(
    cells: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_tables, "_CELLS", cells)
    path = tmp_path / "a.chain"
    with Chain.open(path, contracts=[Counter]) as chain:
        counter = chain.deploy(Counter)
        for n in range(10):
            counter.add(n)
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("select n, log from Added").fetchall()
        assert rows == [(n, 2 * n) for n in range(10)]  # each call also logs a text
        assert connection.execute("select count(*) from receipts").fetchone() == (11,)
