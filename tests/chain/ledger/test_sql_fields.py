"""Values in storage as tables: who changed which from what to what, and what is there now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chain import Chain, Contract, Key, Map, System, call, model
from chain.simulator.handle import Handle
from chain.types import Address, u8, u64, u256


@model
class Hand:
    player: Key[Address]
    cards: tuple[u8, ...]


class Table(Contract):
    round: u8
    pot: u256
    deck: list[u8]
    seats: Map[u8, Address]

    @call
    def play(self, card: u8, seat: u8) -> None:
        self.round += 1
        self.pot += 2**70
        self.deck = [*self.deck, card]
        self.seats[seat] = self.caller


class Dealing(System):
    @call
    def deal(self, count: u64) -> None:
        self.world.write(Hand(self.caller, tuple(range(1, count + 1))))


@pytest.fixture(params=["memory", "file"])
def chain(request: pytest.FixtureRequest, tmp_path: Path) -> Chain:
    return Chain() if request.param == "memory" else Chain.open(tmp_path / "a.chain")


@pytest.fixture
def table(chain: Chain) -> Handle:
    return chain.deploy(Table)


def rows(chain: Chain, question: str, *values: Any) -> list[tuple[object, ...]]:
    return [tuple(row) for row in chain.sql(question, *values)]


def test_who_wrote_a_field(chain: Chain, table: Handle) -> None:
    bob = chain.accounts[1]
    table.play(7, 1)
    table.play(9, 1, sender=bob)
    question = "select name(sender), old, new from writes join receipts on position = receipt where field = ?"
    assert rows(chain, question, "round") == [("alice", 0, 1), ("bob", 1, 2)]
    assert rows(chain, question, "pot") == [("alice", 0, 2**70), ("bob", 2**70, 2**71)]
    seat = "select new from writes where field = 'seats' and keys = '[1]' and block > 2"
    assert rows(chain, seat) == [(str(bob),)]


def test_what_is_there_now(chain: Chain, table: Handle) -> None:
    def now(field: str) -> list[tuple[object, ...]]:
        return rows(
            chain, "select keys, member, value from fields where field = ? order by 1, 2", field
        )

    table.play(7, 1)
    table.play(9, 2)
    assert now("round") == [(None, None, 2)] and now("pot") == [(None, None, 2**71)]
    assert now("deck") == [(None, "length", 2), ("[0]", None, 7), ("[1]", None, 9)]
    with chain.anchor():
        table.play(5, 1)
        assert now("deck")[-1] == ("[2]", None, 5) and now("round") == [(None, None, 3)]
    assert now("deck")[-1] == ("[1]", None, 9) and now("round") == [(None, None, 2)]
    assert rows(chain, "select count(*) from writes where field = 'round'") == [(2,)]


def test_models_are_among_them(chain: Chain) -> None:
    world = chain.deploy_world("game", systems=[Dealing], writers={"game": [Dealing]})
    world.system(Dealing).deal(3)
    hand = f'["{chain.accounts[0]}"]'
    question = "select member, value from fields where model = 'Hand' and keys = ? and member like 'cards%' order by 1"
    assert rows(chain, question, hand) == [
        ("cards.length", 3), ("cards[0]", 1), ("cards[1]", 2), ("cards[2]", 3),
    ]  # fmt: skip


def test_a_file_goes_on_where_it_was(tmp_path: Path) -> None:
    path, question = (
        tmp_path / "b.chain",
        "select max(receipt), count(*) from writes where field = 'round'",
    )
    with Chain.open(path) as chain:
        table = chain.deploy(Table)
        table.play(1, 1)
        assert rows(chain, question) == [(1, 1)]
    with Chain.open(path, contracts=[Table]) as chain:
        chain.handle(Table, table.address).play(2, 1)
        assert rows(chain, question) == [(2, 2)]
        with Chain.watch(path) as watching:
            assert rows(watching, question) == [(2, 2)]
