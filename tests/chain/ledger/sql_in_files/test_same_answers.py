"""SQL on a chain in a file: the file's own tables answer as those of the same chain in memory."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chain import Chain
from tests.chain.ledger.sql_in_files.plays import (
    PLAYS,
    Bank,
    Scoring,
    answers,
    pay,
    stored,
)


@pytest.mark.parametrize("name", ["rowid", "oid", "_rowid_"])
def test_a_table_in_a_file_has_no_row_numbers(name: str, tmp_path: Path) -> None:
    with Chain.open(tmp_path / "x.chain") as chain:
        pay(chain)
        for question in (f"select {name} from receipts", f"select * from Paid where {name} = 1"):
            with pytest.raises(ValueError, match=r"no such column: rowid; \w+ has "):
                chain.sql(question)
        assert len([*chain.sql("select value from json_each('[1, 2]')")]) == 2


def other_table(path: Path) -> None:
    """Another program writes a table of its own to the file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table other (x)")


@pytest.mark.parametrize("name", PLAYS)
def test_a_file_answers_as_memory(name: str, path: Path) -> None:
    memory = Chain()
    PLAYS[name](memory)
    right = answers(memory)
    with Chain.open(path) as chain:
        PLAYS[name](chain)
        other_table(path)
        assert answers(chain) == right
        with Chain.watch(path) as watching:
            assert answers(watching) == right
        assert answers(chain.fork()) == right
    for opened in (Chain.open, Chain.watch):
        with opened(path) as chain:
            assert answers(chain) == right
    with Chain.open(path) as chain:
        for each in (memory, chain):
            each.mine()
            each.send(each.accounts[1], value=2**64)
        assert answers(chain) == answers(memory)


ACTS = (
    "pay",
    "many",
    "win",
    "overtake",
    "lose",
    "mine",
    "save",
    "back",
    "block",
    "publish",
    "ask",
    "reopen",
)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 3)), max_size=14))
@example([("win", 0), ("publish", 0), ("back", 0)])
@example([("pay", 0), ("ask", 0), ("back", 0), ("pay", 0), ("publish", 0), ("pay", 0)])
@example([("overtake", 0), ("win", 1), ("reopen", 0), ("lose", 0), ("reopen", 0), ("win", 0)])
@example([("win", 0), ("save", 0), ("lose", 0), ("publish", 0), ("ask", 3), ("back", 1)])
def test_any_play_is_answered_alike(acts: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.chain"
        memory = Chain()
        with Chain.open(path) as chain:
            for each in (memory, chain):
                each.deploy(Bank)
                for name in ("arcade", "bar"):
                    each.deploy_world(name, systems=[Scoring], writers={name: [Scoring]})
        with Chain.watch(path) as watching:
            play_alike(path, memory, watching, acts)


TABLES = ("receipts", "logs", "Paid", "Score", "models", "writes")


def play_alike(path: Path, memory: Chain, watching: Chain, acts: list[tuple[str, int]]) -> None:
    """Act on the chain in the file and on that in memory, and compare what they and a watcher answer."""
    with Chain.open(path, contracts=[Bank, Scoring], check=True) as chain:
        both = (memory, chain)
        saved = [[each.snapshot()] for each in both]
        for place, (act, number) in enumerate(acts):
            if act == "ask":
                compare(chain, watching, memory, TABLES[number])
            elif act == "publish":
                stored(chain).publish()
            elif act == "reopen":
                chain.close()
                play_alike(path, memory, watching, acts[place + 1 :])
                return
            elif act == "back":
                for each, snapshots in zip(both, saved, strict=True):
                    del snapshots[number + 1 :]
                    each.revert(snapshots[-1])
            else:
                for each, snapshots in zip(both, saved, strict=True):
                    do(each, act, number, snapshots)
        for table in TABLES:
            compare(chain, watching, memory, table)


def do(chain: Chain, act: str, number: int, snapshots: list[Any]) -> None:
    bank = chain.handle(Bank, chain.contracts[0].address)
    if act == "pay":
        bank.pay(2**63 + 10 * number, -(2**64), sender=chain.accounts[number])
    elif act == "many":
        with chain.block():
            for n in range(5):
                bank.pay(n, number)
    elif act == "block":
        chain.automine = not chain.automine
    elif act in ("win", "overtake", "lose"):
        scoring = chain.handle(Scoring, chain.contracts[-1 - 2 * (number // 2)].address)
        values = {"win": (2**70 + number,), "overtake": (chain.accounts[number ^ 1],), "lose": ()}
        getattr(scoring, act)(*values[act], sender=chain.accounts[number], check=False)
    elif act == "mine":
        chain.mine()
    else:
        snapshots.append(chain.snapshot())


def compare(chain: Chain, watching: Chain, memory: Chain, table: str) -> None:
    question = f"select * from {table}"
    right = memory.sql(question)
    assert watching.sql(question) == right
    assert chain.sql(question) == right
    assert watching.sql(question) == right
