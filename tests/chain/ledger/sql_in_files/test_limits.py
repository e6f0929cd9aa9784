"""Limits, interrupts and refusals of SQL on a chain in a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chain import Chain
from chain.ledger.sql import sql_view
from chain.ledger.sql.sql_view import QueryLimits, SqlView, TooLong
from tests.chain.ledger.sql_in_files.plays import (
    counted,
    pay,
)


def test_limits_are_the_same(path: Path) -> None:
    with Chain.open(path) as chain:
        pay(chain)
        memory = chain.fork()
        endless = (
            "with recursive n (i) as (select 1 union all select i + 1 from n) select max(i) from n"
        )
        for question, limits, kind in (
            ("select * from receipts", QueryLimits(rows=2), ValueError),
            ("select args from receipts", QueryLimits(rows=99, bytes=20), ValueError),
            (endless, QueryLimits(steps=10_000), TooLong),
        ):
            refusals = []
            for each in (chain, memory):
                with pytest.raises(kind) as refused:
                    each.database.query(question, (), {}, limits)
                refusals.append(str(refused.value))
                assert each.sql("select count(*) from Paid") == [(4,)]
            assert refusals[0] == refusals[1]


def test_a_closed_file_is_not_asked(path: Path) -> None:
    with Chain.open(path) as chain:
        pay(chain)
        chain.sql("select * from receipts")
    with pytest.raises(ValueError, match="is closed: reopen it"):
        chain.sql("select * from receipts")
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of fork, where there are threads
def test_a_fork_of_the_process_is_refused(path: Path) -> None:
    with Chain.open(path) as chain:
        pay(chain)
        chain.sql("select * from receipts")
        child = os.fork()
        if not child:
            try:
                chain.sql("select * from receipts")
            except RuntimeError:
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert counted(chain) == counted(chain.fork())


def test_an_interrupted_query_leaves_the_file_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Chain.open(path) as chain:
        pay(chain)
        right = counted(chain)
        with monkeypatch.context() as patched:
            patched.setattr(sql_view, "_STRIDE", 1)

            def stopped(*_: object) -> str:
                raise KeyboardInterrupt

            patched.setattr(SqlView, "_authorize", stopped)
            with pytest.raises(KeyboardInterrupt):
                chain.sql("select * from receipts")
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    with Chain.open(path) as chain:
        assert counted(chain) == right
