"""Declarations as a Python programmer writes them first."""

# mypy: disable-error-code="no-untyped-def, empty-body, arg-type"

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import pytest

from chain import Address, Chain, Contract, DeclarationError, call, view
from chain.testing import reverts
from chain.types import u8, u64


class Phase(Enum):
    WAITING = "waiting"
    PLAYING = "playing"


class Place(NamedTuple):
    x: u8
    y: u8


@dataclass
class Player:
    name: str
    told: dict[u8, list[str]] = field(default_factory=dict)
    seen: set[Place] = field(default_factory=set)


class Table(Contract):
    total: u64
    owner: Address
    phase: Phase = Phase.PLAYING
    clues: u8 = 8
    deck: list[u8] = [1, 2, 3]  # noqa: RUF012
    players: dict[Address, Player]
    marks: dict[Place, u8]

    def __init__(self, total: u64 = 3):
        self.total, self.owner = total, self.caller

    @call(payable=True)
    def receive(self):
        self.total += self.value

    @call
    def add(self, n: u64):
        assert n > 0, "n is positive"
        self.total += n

    @call
    def join(self, name: str):
        self.players[self.caller] = player = Player(name)
        player.told.setdefault(3, []).append("three")
        player.seen.add(Place(1, 2))
        self.marks[Place(3, 4)] = 1

    @view
    def shown(self):
        return self.total

    def may_upgrade(self) -> bool:
        return self.caller == self.owner


class Guest(Contract):
    table: Address

    def __init__(self, table: Address) -> None:
        self.table = table

    @call
    def go(self) -> None:
        Table(self.table).add(4)

    @call(payable=True)
    def pay(self) -> None:
        self.transfer(self.table, self.value)


class LaterTable(Table):
    clues = 5
    lamps: u8 = 9


@pytest.fixture
def table(chain: Chain) -> Any:
    return chain.deploy(Table, 5)


def test_initializer_is_the_constructor(chain: Chain, alice: Any) -> None:
    assert chain.deploy(Table).fields.total == 3
    assert chain.deploy(Table, 5, sender=alice).fields.owner == alice


def test_fields_have_their_defaults(table: Any) -> None:
    fields = table.fields
    assert (fields.phase, fields.clues, fields.deck) == (Phase.PLAYING, 8, [1, 2, 3])


def test_subclass_has_another_default(chain: Chain) -> None:
    assert chain.deploy(LaterTable).fields.clues == 5


def test_default_that_does_not_fit_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"Wrong\.clues: its default: 300 does not fit u8"):

        class Wrong(Contract):
            clues: u8 = 300


def test_upgrade_sets_the_defaults_of_new_fields(chain: Chain, table: Any, alice: Any) -> None:
    chain.upgrade(table, LaterTable, sender=alice)
    fields = chain.handle(LaterTable, table.address).fields
    assert (fields.lamps, fields.clues, fields.total) == (9, 8, 5)


def test_contract_says_who_may_upgrade(chain: Chain, table: Any, bob: Any) -> None:
    with reverts("Table.may_upgrade refuses"):
        chain.upgrade(table, LaterTable, sender=bob)


def test_assert_is_a_revert_with_its_text(table: Any) -> None:
    with reverts("n is positive"):
        table.add(0)
    assert table.chain.receipts[-1].error.kind == "revert"


def test_class_with_an_address_is_a_contract(chain: Chain, table: Any) -> None:
    chain.deploy(Guest, table.address).go()
    assert table.fields.total == 9


def test_class_outside_of_a_contract_is_no_handle(table: Any) -> None:
    with pytest.raises(TypeError, match=r"use chain\.deploy\(Table\)"):
        Table(table.address)


def test_receive_takes_plain_wei(chain: Chain, table: Any, alice: Any) -> None:
    chain.deploy(Guest, table.address).pay(value=10)
    chain.send(table.address, value=7, sender=alice)
    assert (table.fields.total, chain.balance(table.address)) == (22, 17)
    assert {"type": "receive", "stateMutability": "payable"} in Table.__spec__.abi


def test_result_without_a_type_is_explained(table: Any) -> None:
    with reverts("5 is not None, and the entry has no other return type: write '-> …'"):
        table.shown()


def test_records_hold_dicts_and_sets(table: Any, alice: Any) -> None:
    table.join("ann", sender=alice)
    assert table.fields.players[alice] == Player("ann", {3: ["three"]}, {Place(1, 2)})


def test_dicts_are_refused_where_the_abi_has_no_type() -> None:
    with pytest.raises(DeclarationError, match="for which the ABI has no type; write a list of"):

        class Wrong(Contract):
            @view
            def all(self) -> dict[u8, u8]: ...
