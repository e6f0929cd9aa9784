"""Names of tables and columns are fixed when code is deployed; reading changes nothing."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chain import Address, Chain, Contract, Key, System, call, event, model
from chain.ledger.file.store import ChainStore
from chain.types import u8, u64


def make_first() -> type[Contract]:
    @event
    class Moved:
        player: Key[Address]
        to: u8

    class First(Contract):
        @call
        def move(self, to: u8) -> None:
            self.emit(Moved(self.caller, to))

    return First


def make_second() -> type[Contract]:
    @event
    class Moved:
        player: Key[Address]
        to: u64

    class Second(Contract):
        @call
        def move(self, to: u8) -> None:
            self.emit(Moved(self.caller, to))

    return Second


def make_third() -> type[Contract]:
    @event
    class Moved:
        player: Key[Address]
        to: u8

    class Third(Contract):
        @call
        def move(self, to: u8) -> None:
            self.emit(Moved(self.caller, to))

    return Third


First, Second, Third = make_first(), make_second(), make_third()


@event
class Stamped:
    timestamp: u64
    Receipt: u8
    event_timestamp: u8


@model
class Moved:
    player: Key[Address]
    world: u8


class Clock(System):
    @call
    def stamp(self) -> None:
        self.emit(Stamped(7, 8, 9))
        self.world.write(Moved(self.caller, 3))


def play(chain: Chain) -> None:
    for game in (First, Second):
        chain.deploy(game).move(4)
    world = chain.deploy_world("arcade", systems=[Clock], writers={Moved: [Clock]})
    world.system(Clock).stamp()


def names(path: Path) -> list[str]:
    return [name for name, *_ in in_file(path, "select name from tables")]


def in_file(path: Path, question: str) -> list[Any]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return connection.execute(question).fetchall()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Chain.open(tmp_path / "a.chain") as chain:
        play(chain)
    return tmp_path / "a.chain"


TABLES = ["receipts", "logs", "Moved", "Second_Moved", "WorldSpawned", "NamespaceRegistered", "WriterGranted",
          "WriterRevoked", "OwnerGranted", "OwnerRevoked", "SystemRegistered", "Stamped", "Clock_Moved", "models",
          "writes", "fields", "tables"]  # fmt: skip


@pytest.mark.parametrize("classes", [[], [First, Second, Clock], [Clock, Second, First], [Second]])
def test_names_are_the_same_for_every_opener(path: Path, classes: list[type[Contract]]) -> None:
    with Chain.open(path, contracts=classes) as chain:
        for each in (chain, chain.fork(), Chain.connect(chain.node)):
            assert [name for (name,) in each.sql("select name from tables")] == TABLES
            assert each.sql("select [to] from Moved") == [(4,)]
            assert each.sql("select [to] from Second_Moved") == [(4,)]
        chain.mine()
    assert names(path) == TABLES
    assert in_file(path, "select [to] from Second_Moved") == [(4,)]


def test_what_is_only_declared_comes_last(path: Path) -> None:
    with Chain.open(path, contracts=[Third, Second]) as chain:
        there = [name for (name,) in chain.sql("select name from tables")]
        assert there == [*TABLES[:-4], "Third_Moved", "models", "writes", "fields", "tables"]
        chain.mine()
    assert names(path) == TABLES


def digest_of(path: Path) -> str:
    return hashlib.md5(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("classes", [[], [First, Second, Clock], [Third]])
def test_reading_changes_no_byte(path: Path, classes: list[type[Contract]]) -> None:
    before = digest_of(path)
    with Chain.open(path, contracts=classes) as chain:
        chain.sql("select * from Moved")
        chain.activity()
        chain.node.request("chain_contracts")
        chain.at(2)
        chain.declare(Third)
    assert digest_of(path) == before
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name]


def test_table_of_tables_names_the_owners(path: Path) -> None:
    found = in_file(
        path, "select name, kind, contract, columns from tables where name like '%Moved'"
    )
    ours = "receipt, block, timestamp, address, log"
    assert found == [
        ("Moved", "event", "First", f"player, to, {ours}"),
        ("Second_Moved", "event", "Second", f"player, to, {ours}"),
        ("Clock_Moved", "model", "Clock", "player, model_world, namespace, world"),
    ]
    (told,) = in_file(path, "select declaration from tables where name = 'Stamped'")[0]
    assert told == f"{__name__}:Stamped Stamped(timestamp, Receipt, event_timestamp)"


def test_our_columns_keep_their_names(path: Path) -> None:
    (row,) = in_file(path, "select * from Stamped")
    block_time = in_file(path, "select timestamp from receipts order by position desc limit 1")
    assert row[:3] == (7, 8, 9)
    with Chain.open(path) as chain:
        (asked,) = chain.sql("select * from Stamped")
        assert list(asked.keys())[:3] == [
            "event_timestamp",
            "event_Receipt",
            "event_event_timestamp",
        ]
        assert [(asked["timestamp"],)] == block_time


def test_revert_shortens_every_table(path: Path) -> None:
    with Chain.open(path, contracts=[First]) as chain:
        snapshot = chain.snapshot()
        chain.handle(First, chain.receipts[0].address).move(5)
        assert isinstance(chain.driver.observer, ChainStore)
        chain.driver.observer.publish()
        assert in_file(path, "select [to] from Moved") == [(4,), (5,)]
        chain.revert(snapshot)
    assert in_file(path, "select [to] from Moved") == [(4,)]
    assert in_file(path, "select count(*) from logs where event = 'Moved'") == [(2,)]
