"""`chain_sql`: queries with values, and the limits of a query."""

from __future__ import annotations

from typing import Any

import pytest


def test_sql_takes_named_values(rpc: Any) -> None:
    assert rpc("chain_sql", "select :n + 1 as m", {"n": 2})["rows"] == [[3]]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("delete from receipts", "read-only"),
        ("select 1; select 2", "one query at a time"),
        ("attach 'x.db' as x", "read-only"),
        ("select load_extension('x')", "not authorized"),
        ("select nobody from receipts", "no such column"),
        (
            "with recursive t(n) as (select 1 union all select n + 1 from t) select sum(n) from t",
            "takes too long",
        ),
        (
            "with recursive t(n) as (select 1 union all select n + 1 from t) select n from t",
            "at most 10000 rows",
        ),
        ("select zeroblob(100000000)", "too big"),
        ("select hex(randomblob(8000000))", "too big"),
    ],
)
def test_sql_is_bounded(rpc: Any, question: str, words: str) -> None:
    assert words in str(rpc.refusal("chain_sql", question))
