"""A query that is interrupted leaves the tables as they were."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chain import Chain
from chain.ledger.sql.spellings import Spellings
from chain.ledger.sql.sql_view import QueryLimits, SqlView
from tests.chain.interrupts import run
from tests.chain.toys import Bell


@pytest.fixture(params=["memory", "file"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Chain]:
    """A chain in memory, and one in a file."""
    if request.param == "memory":
        yield Chain()
        return
    with Chain.open(tmp_path / "a.chain") as chain:
        yield chain
    assert [each.name for each in tmp_path.iterdir()] == ["a.chain"]


def test_an_interrupted_query_leaves_nothing_behind(either: Chain) -> None:
    """This holds even if the cleanup is interrupted too."""
    chain = either
    chain.deploy(Bell).ring(1)
    question = (
        "select name(sender) who, count(*) n from receipts join logs on receipt = receipts.position"
    )
    bounds, right = QueryLimits(10**4, 10**7, 10**5), [tuple(row) for row in chain.sql(question)]

    def play(chain: Chain) -> None:
        chain.database.query(question, (), {}, bounds)

    play(chain)  # fills the tables
    lines = run(play, chain).count
    for first in range(lines // 2, lines):
        for then in range(1, 4):
            run(play, chain, (first, first + then))
            snapshot = chain.snapshot()
            chain.mine()
            chain.revert(snapshot)
            assert [tuple(row) for row in chain.sql(question)] == right, (first, then)


def test_interrupt_in_an_sqlite_callback_is_raised(chain: Chain, monkeypatch: Any) -> None:
    def interrupted(*_: Any) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SqlView, "_authorize", interrupted)
        with pytest.raises(KeyboardInterrupt):
            chain.sql("select * from receipts")
    assert chain.sql("select * from receipts") == []


def test_interrupt_in_a_comparison_is_raised(either: Chain, monkeypatch: Any) -> None:
    def interrupted(*_: Any) -> str:
        raise KeyboardInterrupt

    either.deploy(Bell)
    question = "select position from receipts where sender = 'alice'"
    with monkeypatch.context() as patched:
        patched.setattr(Spellings, "_usual", interrupted)
        with pytest.raises(KeyboardInterrupt):
            either.sql(question)
    assert either.sql(question) == [(0,)]
