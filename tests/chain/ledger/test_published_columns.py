"""The columns of the published tables, which are written many rows at a time: the cells that each row alone would have."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from chain import Chain
from chain.ledger.sql.json_values import kept_cell, kept_column
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


def test_all_rows_are_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.chain"
    with Chain.open(path, contracts=[Counter]) as chain:
        counter = chain.deploy(Counter)
        for n in range(10):
            counter.add(n)
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("select n, log from Added").fetchall()
        assert rows == [(n, 2 * n) for n in range(10)]  # each call also logs a text
        assert connection.execute("select count(*) from receipts").fetchone() == (11,)
