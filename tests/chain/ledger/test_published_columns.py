"""The columns of the published tables, which are written many rows at a time: the cells that each row alone would have."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from chain.ledger.sql.json_values import kept_cell, kept_column
from chain.ledger.sql.table import Column, SqlTable, TableRow

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


def test_row_is_inserted_by_the_columns_that_are_given() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        table = Varied()
        connection.execute(table.create())
        connection.execute(table.insert_into([1, 2]), (5, "z"))
        assert connection.execute("select * from varied").fetchall() == [(None, 5, "z")]
