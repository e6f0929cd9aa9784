"""Chains in files: their content after opening, refused files, the end of a process, and tables for other programs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chain import (
    Chain,
    Contract,
    Key,
    Map,
    System,
    call,
    event,
    model,
    require,
    view,
)
from chain.ledger.decoded.activity import activity_of
from chain.types import Address, u64
from tests.chain.helpers import failure_of
from tests.chain.plays import Inner

ROOT = Path(__file__).parents[3]


@event
class Added:
    by: Key[Address]
    word: Key[str]  # of which a log has only the hash
    count: u64


@model
class Score:
    player: Key[Address]
    points: u64
    note: str


class Counter(Contract):
    count: u64
    by: Map[str, u64]

    @call(payable=True)
    def add(self, n: u64) -> u64:
        self.count += n
        self.by[self.caller_id] += n
        self.emit(Added(self.caller, f"plus {n}", self.count))
        self.log(f"now {self.count}")
        require(n < 1000, "too much")
        return self.count

    @call
    def make(self, n: u64) -> Address:
        made = self.deploy(Inner)
        self.at(Inner, made).add(n)
        return made

    @call
    def pass_on(self, to: Address) -> u64:
        return self.at(Inner, to).add(1)

    @view
    def total(self) -> u64:
        return self.count


class Game(System):
    @call
    def play(self, points: u64) -> None:
        old = self.world.read(Score, self.caller)
        self.world.write(Score(self.caller, old.points + points, f"after {points}"))

    @call
    def leave(self) -> None:
        self.world.erase(self.world.read(Score, self.caller))


CONTRACTS = (Counter, Inner, Game)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "duel.chain"


@pytest.fixture
def opened(path: Path) -> Iterator[Callable[..., Chain]]:
    """Opens the file, after closing the chain that had it."""
    chains: list[Chain] = []

    def again(*contracts: type[Contract], **settings: Any) -> Chain:
        for chain in chains:
            chain.close()
        chains.append(Chain.open(path, contracts=contracts or CONTRACTS, **settings))
        return chains[-1]

    yield again
    for chain in chains:
        chain.close()


def play(chain: Chain) -> dict[str, Any]:
    """Do a bit of everything."""
    first = chain.account("first.testnet")
    counter = chain.deploy(Counter)
    counter.add(3, sender=first)
    counter.add(5000, check=False)
    made = counter.make(7).return_value
    counter.make(700, check=False)
    chain.set_balance(first, 10**20)
    chain.set_code(Address(b"\7" * 20), bytes.fromhex("60005460005260206000f3"))
    with chain.block():
        counter.add(1)
        chain.set_storage(counter.address, 99, 2**256 - 1)
        counter.add(2, sender=first, value=5)
    chain.mine(2)
    chain.advance(65)
    world = chain.deploy_world("duel", systems=[Game], writers={"duel": [Game]})
    game = world.system(Game)
    game.play(4)
    game.play(6, sender=first)
    game.leave()
    chain.advance(30)
    return {"counter": counter.address, "made": made, "world": world.address, "game": game.address}


def answers_of(chain: Chain) -> dict[str, Any]:
    """Return the answers to every question about a chain."""
    tables = ("receipts", "logs", "Added", "Score")
    return {
        "activity": activity_of(chain.ledger),
        "blocks": [chain.blocks.row(n) for n in range(len(chain.blocks))],
        "hashes": [chain.block_hash(n) for n in range(len(chain.blocks))],
        "roots": [chain.state_root(n) for n in range(len(chain.blocks))],
        "transactions": [receipt.tx_hash for receipt in chain.receipts],
        "envelopes": [chain.ledger.envelope_of(receipt) for receipt in chain.receipts],
        "events": [list(receipt.events) for receipt in chain.receipts],
        "undone": [list(receipt.undone_events) for receipt in chain.receipts],
        "results": [(receipt.return_value, receipt.args) for receipt in chain.receipts],
        "errors": [str(receipt.error) for receipt in chain.receipts],
        "writes": [[str(w) for w in r.writes + r.undone_writes] for r in chain.receipts],
        "tables": {name: list(chain.sql(f"select * from {name}")) for name in tables},
        "state": (chain.state.accounts, {a: w for a, w in chain.state.storages.items() if w}),
        "timeline": [tuple(changes) for changes in chain.ledger.timeline],
        "open": chain.ledger.open,
        "clock": chain.now,
    }


def published(path: Path, *names: str) -> dict[str, list[Any]]:
    """The tables as another program reads them."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return {n: connection.execute(f"select * from {n}").fetchall() for n in names}


# What comes back


def test_everything_is_restored(opened: Callable[..., Chain]) -> None:
    chain = opened()
    play(chain)
    before = answers_of(chain)
    assert answers_of(opened()) == before


def test_file_plays_as_memory(opened: Callable[..., Chain]) -> None:
    in_file, in_memory = opened(), Chain()
    play(in_file)
    play(in_memory)
    assert answers_of(in_file) == answers_of(in_memory)


def test_reopened_chain_continues(opened: Callable[..., Chain]) -> None:
    straight = Chain()
    play(straight)
    play(opened())
    chain = opened()
    for each in (straight, chain):
        play(each)
    assert answers_of(opened()) == answers_of(straight)


def test_past_and_calls_are_restored(opened: Callable[..., Chain]) -> None:
    chain = opened()
    at = play(chain)
    before = chain.ledger.receipts[3].calls
    again = opened()
    assert again.ledger.receipts[3].calls == before
    assert again.at(4).handle(Counter, at["counter"]).total() == 3
    assert [
        v.value and v.value.points
        for v in again.world(at["world"]).history(Score, again.accounts[0])
    ] == [4, None]


def test_failure_is_restored(opened: Callable[..., Chain]) -> None:
    play(opened())
    error = failure_of(opened().receipts[2])
    assert (error.kind, error.text, error.cause) == ("revert", "too much", None)
    assert error.place.startswith(
        ("test_chain_files.py:", "tests/chain/ledger/test_chain_files.py:")
    )


def test_wiped_storage_comes_back(opened: Callable[..., Chain]) -> None:
    chain = opened()
    at = play(chain)["counter"]
    chain.state.delete_account(at)
    chain.record_changes()
    chain.mine()
    before = answers_of(chain)
    assert answers_of(opened()) == before and chain.code(at) == b""


def test_named_account_still_signs(opened: Callable[..., Chain]) -> None:
    first = opened().account("first.testnet")
    again = opened()
    assert again.keys[first].key == first.key and again.account("first.testnet") == first


def test_open_block_is_restored(opened: Callable[..., Chain]) -> None:
    chain = opened()
    counter = chain.deploy(Counter)
    chain.automine = False
    counter.add(3)
    chain.set_balance(chain.accounts[3], 5)
    before = answers_of(chain)
    again = opened()
    assert answers_of(again) == before
    again.mine()
    assert len(again.blocks) == 3 and again.head.end_receipt == 2


def test_settings_stay_with_file(opened: Callable[..., Chain]) -> None:
    opened(chain_id=7, seed=5, elastic_fees=True)
    chain = opened()
    assert (chain.chain_id, chain.blocks.rules.elastic_fees) == (7, True)
    with pytest.raises(ValueError, match=r"duel\.chain was made with chain_id=7 and keeps it"):
        opened(chain_id=8)


def test_snapshots_are_dropped(opened: Callable[..., Chain]) -> None:
    chain = opened()
    play(chain)
    snapshot = chain.snapshot()
    with pytest.raises(ValueError, match="undone"):
        opened().revert(snapshot)


def test_empty_chain_is_restored(opened: Callable[..., Chain]) -> None:
    before = short_answers(opened())
    assert short_answers(opened()) == before == short_answers(Chain())


def short_answers(chain: Chain) -> tuple[Any, ...]:
    return chain.block_hash(), chain.now, len(chain.receipts)


# Going back


def test_revert_shortens_file(opened: Callable[..., Chain], path: Path) -> None:
    chain = opened()
    counter = chain.deploy(Counter)
    with chain.anchor():
        play(chain)
    counter.add(1)
    before = answers_of(opened())
    straight = Chain()
    straight.deploy(Counter)
    straight.handle(Counter, counter.address).add(1)
    assert before["hashes"] == hashes_of(straight)
    assert len(published(path, "receipts")["receipts"]) == 2


def hashes_of(chain: Chain) -> list[bytes]:
    return [chain.block_hash(n) for n in range(len(chain.blocks))]


def test_revert_into_open_block(opened: Callable[..., Chain]) -> None:
    chain = opened()
    counter = chain.deploy(Counter)
    chain.automine = False
    counter.add(1)
    snapshot = chain.snapshot()
    counter.add(2)
    chain.mine(3)
    chain.revert(snapshot)
    before = answers_of(chain)
    assert answers_of(opened()) == before and before["open"].gas_used > 0


# What others read


def test_tables_are_those_of_sql(opened: Callable[..., Chain], path: Path) -> None:
    chain = opened()
    play(chain)
    with chain.anchor():
        play(chain)
    names = ("receipts", "logs", "Added", "Score")
    expected = {name: [tuple(row) for row in chain.sql(f"select * from {name}")] for name in names}
    chain.close()
    assert published(path, *names) == expected and all(expected.values())


def test_tables_catch_up_when_declared(opened: Callable[..., Chain], path: Path) -> None:
    at = play(opened())
    chain = opened(Inner)
    chain.mine()
    chain.handle(Counter, at["counter"]).add(1)
    expected = [tuple(row) for row in chain.sql("select * from Added")]
    chain.close()
    assert published(path, "Added")["Added"] == expected and len(expected) == 4


def test_revert_reaches_undeclared_tables(opened: Callable[..., Chain], path: Path) -> None:
    chain = opened()
    counter = chain.deploy(Counter)
    snapshot = chain.snapshot()
    counter.add(1)
    chain.revert(snapshot)
    again = opened(Inner)
    again.mine()
    again.close()
    assert published(path, "Added")["Added"] == []


# Classes


def test_deployed_classes_need_not_be_declared(opened: Callable[..., Chain]) -> None:
    at = play(opened())
    counter = opened(Game).contract("Counter")
    assert counter.contract is Counter
    assert counter.pass_on(at["made"]).return_value == 8


def test_receipts_know_their_class_before_it_is_declared(opened: Callable[..., Chain]) -> None:
    play(opened())
    chain = opened(Game)
    receipt = chain.receipts[1]
    assert (receipt.contract, receipt.entry, len(receipt.events)) == ("Counter", "add", 1)
    assert chain.receipts[1].is_undeclared
    chain.declare(Counter)
    assert not chain.receipts[1].is_undeclared
    assert chain.events(Added, count=3).one().word == "plus 3"
