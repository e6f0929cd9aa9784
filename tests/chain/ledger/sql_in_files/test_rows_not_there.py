"""SQL on a chain in a file whose tables lack rows, or are not to be believed."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, Key, System, call, model, require
from chain.foundation.atomic_steps import in_one_step
from chain.types import u8, u256
from tests.chain.game_folders import ROOT
from tests.chain.ledger.sql_in_files.plays import (
    Bank,
    Odd,
    Scoring,
    answers,
    counted,
    pay,
    stored,
)


def test_anchors_and_open_blocks_are_asked(path: Path) -> None:
    with Chain.open(path) as chain:
        bank = chain.deploy(Bank)
        bank.pay(2**64, 0)
        with chain.anchor():
            bank.pay(2**65, 0)
            assert counted(chain) == [3, 2, 2**65]
            with chain.block() as block:
                bank.pay(5, 0)
                assert counted(chain) == [4, 3, 2**65]
                (last,) = chain.sql(
                    "select block, timestamp from receipts order by position desc limit 1"
                )
                assert last == (block.number, block.timestamp)
        assert counted(chain) == [2, 1, 2**64]
        bank.pay(2**66, 0)
        assert counted(chain) == [3, 2, 2**66]


@pytest.mark.parametrize("is_published", [False, True])
def test_a_running_step_is_asked(path: Path, is_published: bool) -> None:
    """Its rows are not in the file until it ends, and may never be."""
    with Chain.open(path, contracts=[Bank]) as chain:
        bank, snapshot = chain.deploy(Bank), chain.snapshot()
        bank.pay(1, 0)
        if is_published:
            assert counted(chain) == [2, 1, 1]

        def act(fails: bool) -> None:
            chain.revert(snapshot)
            assert counted(chain) == [1, 0, None]
            bank.pay(2**65, 0)
            bank.pay(9, 0, check=False)
            assert counted(chain) == [3, 1, 2**65]
            require(not fails, "stopped")

        def grow() -> None:
            bank.pay(2**64, 0)
            assert counted(chain) == [3, 2, 2**64]
            require(False, "stopped")

        with pytest.raises(Exception, match="stopped"):
            in_one_step(chain, grow)
        assert counted(chain) == [2, 1, 1]
        with pytest.raises(Exception, match="stopped"):
            in_one_step(chain, act, True)
        assert counted(chain) == [2, 1, 1]
        in_one_step(chain, act, False)
        assert counted(chain) == [3, 1, 2**65]
    with Chain.open(path) as chain:
        assert counted(chain) == [3, 1, 2**65]


def test_models_of_a_running_step_are_asked(path: Path) -> None:
    def points() -> list[object]:
        return [value for (value,) in chain.sql("select points from Score")]

    def act() -> None:
        scoring.win(2**100)
        assert points() == [2**100]

    with Chain.open(path) as chain:
        world = chain.deploy_world("arcade", systems=[Scoring], writers={"arcade": [Scoring]})
        scoring = world.system(Scoring)
        scoring.win(5)
        assert points() == [5]
        in_one_step(chain, act)
        assert points() == [2**100]


@model
class Count:
    number: Key[u256]
    name: Key[str]
    count: u8


class Counting(System):
    @call
    def count(self, number: u256) -> None:
        count = self.world.read(Count, number, "a name").count
        self.world.write(Count(number, "a name", count + 1))


def counting(chain: Chain) -> Any:
    world = chain.deploy_world("arcade", systems=[Counting], writers={"arcade": [Counting]})
    return world.system(Counting)


@pytest.mark.parametrize("numbers", [(5, 7, 2**64), (5, 2**70, 2**70 + 1)])  # rounded to one
def test_models_of_an_opened_file_keep_their_rows(path: Path, numbers: tuple[int, ...]) -> None:
    memory = Chain()
    in_memory = counting(memory)
    with Chain.open(path) as chain:
        for each in (in_memory, counting(chain)):
            for number in numbers:
                each.count(number)
    for number in (*numbers[1:], 11):
        with Chain.open(path, contracts=[Counting], check=True) as chain:
            for each in (in_memory, chain.handle(Counting, chain.contracts[-1].address)):
                each.count(number)
            assert chain.sql("select * from Count") == memory.sql("select * from Count")


def test_a_watcher_sees_what_is_not_published(path: Path) -> None:
    with Chain.open(path) as chain, Chain.watch(path) as watching:
        pay(chain)
        stored(chain).publish()
        right = answers(chain)
        assert answers(watching) == right
        bank = chain.handle(Bank, chain.contracts[0].address)
        bank.pay(2**200, -1)
        watched = answers(watching)
        assert watched == answers(chain) != right


def test_a_watcher_writes_nothing(path: Path) -> None:
    with Chain.open(path) as chain:
        pay(chain)
        answers(chain)  # what few ask for is filled when it is first asked
    files = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    for opened in (Chain.watch, Chain.open):
        with opened(path) as chain:
            answers(chain)
        assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == files
    assert [*files] == [path.name]


KILLED = """
import os, signal, sys
from chain import Chain
from tests.chain.ledger.sql_in_files.plays import pay
chain = Chain.open(sys.argv[1])
pay(chain)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_with_rows_to_publish(path: Path) -> None:
    memory = Chain()
    pay(memory)
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        tables = {name for (name,) in connection.execute("select name from sqlite_master")}
    for opened in (Chain.watch, Chain.open):
        with opened(path) as chain:
            assert answers(chain) == answers(memory)
    assert "chain:receipts" in tables


def test_what_only_this_process_knows(path: Path) -> None:
    """An event of a class that is not deployed has a table, which no file has."""
    with Chain.open(path, contracts=[Odd]) as chain:
        chain.deploy(Bank).pay(1, 2)
        assert [
            name for (name,) in chain.sql("select name from tables where contract = 'Odd'")
        ] == ["Odd_Tables"]
        assert chain.sql("select count(*) from Odd_Tables") == [(0,)]
        assert chain.sql("select pot from Paid") == [(1,)]
