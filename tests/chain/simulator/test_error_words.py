"""The words of a declared error: inside with the names of fields and accounts, outside with whole addresses."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from chain import Address, Chain, Contract, Revert, Reverted, call, error, view
from chain.rpc.errors import RpcError
from chain.simulator.handle import Handle
from chain.types import u8


@dataclass(frozen=True)
class Clue:
    colour: u8 | None
    rank: u8


class Seat(NamedTuple):
    row: u8
    who: Address


@error
class NotYourTurn(Revert):
    expected: Address
    clue: Clue


class Table(Contract):
    @call
    def tell(self, clue: Clue, seat: Seat) -> None:
        raise NotYourTurn(seat.who, clue)

    @view
    def look(self, who: Address) -> None:
        raise NotYourTurn(who, Clue(None, 1))


class Asker(Contract):
    @call
    def ask(self, table: Address, clue: Clue, seat: Seat) -> None:
        with suppress(Revert):
            self.at(Table, table).tell(clue, seat)

    @call
    def insist(self, table: Address, clue: Clue, seat: Seat) -> None:
        self.at(Table, table).tell(clue, seat)


INSIDE = "NotYourTurn(expected=bob, clue=Clue(colour=None, rank=2))"


@pytest.fixture
def table(chain: Chain) -> Handle[Table]:
    return chain.deploy(Table)


def test_a_receipt_names_fields_and_accounts(chain: Chain, table: Handle[Table]) -> None:
    bob = chain.accounts[1]
    failed = table.tell(Clue(None, 2), Seat(1, bob), check=False)
    assert failed.error is not None
    assert failed.error.text == INSIDE
    assert f"failed: {INSIDE} at" in chain.activity()
    assert f" failed: {INSIDE} at" in str(failed.trace)
    assert "Table.tell(Clue(colour=None, rank=2), Seat(row=1, who=bob))" in chain.activity()
    with pytest.raises(
        Reverted, match=r"^NotYourTurn\(expected=bob, clue=Clue\(colour=None, rank=1\)\) \("
    ):
        table.look(bob)


def test_other_programs_see_whole_addresses(chain: Chain, table: Handle[Table]) -> None:
    bob = chain.accounts[1]
    message = {"to": str(table.address), "data": "0x" + table.look.calldata(bob).hex()}
    with pytest.raises(RpcError) as caught:
        chain.node.request("eth_call", [message, "latest"])
    outside = f"NotYourTurn({Address(bob)}, Clue(colour=None, rank=1))"
    assert caught.value.message == f"execution reverted: {outside}"
    simulated = chain.node.request("eth_simulateV1", [{"blockStateCalls": [{"calls": [message]}]}])
    assert simulated[0]["calls"][0]["error"]["message"] == f"execution reverted: {outside}"


def test_a_table_of_sql_has_whole_addresses(chain: Chain, table: Handle[Table]) -> None:
    bob = chain.accounts[1]
    table.tell(Clue(3, 4), Seat(1, bob), check=False)
    reason = f"NotYourTurn(expected={Address(bob)}, clue=Clue(colour=3, rank=4))"
    asked = chain.sql("select error, error_kind from receipts where ok = 0")
    assert [tuple(row) for row in asked] == [(reason, "error")]


def test_an_inner_message_has_the_same_words(chain: Chain, table: Handle[Table]) -> None:
    asker = chain.deploy(Asker)
    (inner,) = asker.ask(table.address, Clue(None, 2), Seat(1, chain.accounts[1])).calls
    assert inner.error is not None
    assert inner.error.text == INSIDE
    passed_on = asker.insist(table.address, Clue(None, 2), Seat(1, chain.accounts[1]), check=False)
    assert str(passed_on.error).startswith(INSIDE)


def test_a_chain_in_a_file_keeps_the_words(tmp_path: Path) -> None:
    file = tmp_path / "table.chain"
    with Chain.open(file) as chain:
        chain.deploy(Table).tell(Clue(None, 2), Seat(1, chain.accounts[1]), check=False)
    with Chain.open(file, contracts=[Table]) as chain:
        assert str(chain.receipts[-1].error).startswith(INSIDE)
