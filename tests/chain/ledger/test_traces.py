"""Traces: what a transaction did, message by message, found by running it again on the state before it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from chain import (
    Address,
    Chain,
    Contract,
    Key,
    Map,
    Revert,
    Vector,
    call,
    error,
    event,
    require,
    view,
)
from chain.crypto.accounts import ACCOUNTS
from chain.ledger.decoded.trace import LogStep, Trace
from chain.ledger.decoded.writes import Reading, Write
from chain.simulator.handle import Handle
from chain.types import u8, u64
from tests.chain.toys import Score, Scoring

ALICE, BOB = ACCOUNTS[:2]


@event
class Sold:
    to: Key[Address]
    price: u64


@error
class SoldOut(Revert):
    left: u64


class Shop(Contract):
    stock: u64
    price: u64
    owners: Map[Address, u64]
    names: Vector[str]
    marks: Vector[u8]

    @call
    def fill(self, stock: u64, price: u64) -> None:
        self.stock, self.price = stock, price

    @call
    def buy(self, buyer: Address) -> u64:
        if not self.stock:
            raise SoldOut(0)
        self.stock -= 1
        self.owners[buyer] += 1
        self.emit(Sold(buyer, self.price))
        self.log("sold")
        return self.price

    @call
    def rename(self, name: str) -> None:
        self.names.append(name)

    @call
    def reword(self, name: str, keep: bool) -> None:
        self.names[0] = name
        require(keep, "never mind")

    @call
    def restock(self) -> None:
        self.stock = 9
        self.stock = 4

    @call
    def spill(self) -> None:
        self.stock = 0
        raise Revert("spilt")

    @call
    def mark(self, code: u8) -> None:
        self.marks.append(code)

    @view
    def mark_of(self, index: u64) -> u8:
        return self.marks[index]

    @call
    def roll(self) -> u8:
        return self.random.below(6, tag="die")

    @view
    def left(self) -> u64:
        return self.stock


class Buyer(Contract):
    bought: u64

    @call
    def go(self, shop: Address) -> u64:
        other = self.at(Shop, shop)
        if other.left() == 0:
            return 0
        self.bought += other.buy(self.caller)
        with suppress(Revert):
            other.spill()
        return self.bought

    @call
    def reword(self, shop: Address, undone: str, kept: str) -> None:
        with suppress(Revert):
            self.at(Shop, shop).reword(undone, False)
        self.at(Shop, shop).reword(kept, True)

    @call
    def make(self) -> Address:
        return self.deploy(Shop)


class Diver(Contract):
    @call(nonreentrant=False)
    def dive(self, depth: u64) -> u64:
        return self.at(Diver, self.address).dive(depth - 1) if depth else 0


@pytest.fixture
def shop(chain: Chain) -> Handle:
    made = chain.deploy(Shop)
    made.fill(2, 5)
    return made


@pytest.fixture
def buyer(chain: Chain) -> Handle:
    return chain.deploy(Buyer)


def lines(trace: Trace) -> list[str]:
    return str(trace).split("\n")


def steps_of(trace: Trace, kind: type) -> list[str]:
    return [str(step) for step in trace.steps if isinstance(step, kind)]


def test_steps_are_in_contract_words(shop: Handle) -> None:
    assert lines(shop.buy(BOB, sender=ALICE).trace) == [
        "alice: Shop.buy(bob) -> 5 [51831 gas]",
        "    reads Shop.stock = 2",
        "    reads Shop.price = 5",
        "    reads Shop.owners[bob] = 0",
        "    writes Shop.stock: 2 -> 1",
        "    writes Shop.owners[bob]: 0 -> 1",
        "    emits Sold(to=bob, price=5)",
        "    | sold",
    ]


def test_items_of_a_list_share_a_line(shop: Handle) -> None:
    for code in range(5):
        shop.mark(code)
    assert lines(shop.mark_of.trace(4))[1:] == [
        "    reads Shop.marks.length = 5",
        f"    reads Shop.marks[0…31] = 0, 1, 2, 3, 4{27 * ', 0'}",
    ]


def test_messages_form_a_tree(shop: Handle, buyer: Handle) -> None:
    trace = buyer.go(shop.address).trace
    assert [each.name for each in trace.walk()] == [
        "Buyer.go",
        "Shop.left",
        "Shop.buy",
        "Shop.spill",
    ]
    assert [each.kind for each in trace.calls] == ["static", "call", "call"]
    assert (trace.calls[1].args, trace.calls[1].result) == ({"buyer": ALICE}, 5)
    assert [type(each) for each in trace.steps] == [Trace, Reading, Trace, Write, Trace]


def test_undone_steps_are_reported(shop: Handle, buyer: Handle) -> None:
    spilt = buyer.go(shop.address).trace.calls[2]
    assert (spilt.ok, spilt.error and spilt.error.text) == (False, "spilt")
    assert steps_of(spilt, Write) == ["Shop.stock: 1 -> 0"]


def test_after_an_undone_message_words_are_back(shop: Handle, buyer: Handle) -> None:
    buyer.go(shop.address)
    again = buyer.go(shop.address).trace
    assert steps_of(again.calls[1], Write)[0] == "Shop.stock: 1 -> 0"


def test_undone_value_is_not_the_old_value_of_a_later_write(shop: Handle, buyer: Handle) -> None:
    old, undone, kept = "x" * 80, "y" * 80, "x" * 40 + "z" * 40
    shop.rename(old)
    first, second = buyer.reword(shop.address, undone, kept).trace.calls
    assert steps_of(first, Write) == [f"Shop.names[0]: '{old}' -> '{undone}'"]
    assert steps_of(second, Write) == [f"Shop.names[0]: '{old}' -> '{kept}'"]


def test_writes_are_reported_in_total(shop: Handle) -> None:
    assert steps_of(shop.restock().trace, Write) == ["Shop.stock: 2 -> 4"]


def test_failures_keep_their_steps(shop: Handle) -> None:
    shop.fill(0, 1)
    trace = shop.buy(BOB, check=False).trace
    assert steps_of(trace, Reading)[0] == "Shop.stock = 0"
    assert lines(trace)[0].startswith("alice: Shop.buy(bob) failed: SoldOut(left=0) at ")


def test_gas_is_that_of_the_receipt(shop: Handle, buyer: Handle) -> None:
    receipt = buyer.go(shop.address)
    assert receipt.trace.gas_used == receipt.gas_used and receipt.trace.gas == receipt.gas
    assert all(0 < each.gas_used <= each.gas for each in receipt.trace.walk())


def test_long_texts_are_complete(shop: Handle) -> None:
    name = "x" * 99
    assert f"Shop.names[0]: '' -> '{name}'" in steps_of(shop.rename(name).trace, Write)


def test_creations_are_named(chain: Chain, buyer: Handle) -> None:
    made = buyer.make().trace.calls[0]
    assert (made.kind, made.contract) == ("create", "Shop")
    assert lines(buyer.make().trace)[1].startswith("    deploy Shop() as Shop#2 [")


def test_models_are_named(chain: Chain) -> None:
    world = chain.deploy_world("arcade", systems=[Scoring], writers={Score: [Scoring]})
    trace = world.system(Scoring).win(3, sender=BOB).trace
    assert "Score(bob).points: 0 -> 3" in steps_of(trace, Write)


def test_bytecode_is_in_the_same_tree(chain: Chain, shop: Handle, forwarder: Address) -> None:
    data = bytes(12) + shop.address + shop.buy.calldata(BOB)
    trace = chain.send(forwarder, data).trace
    assert steps_of(trace, Reading) == [f"{forwarder}.slot 0x3 = 0"]
    assert steps_of(trace, Write) == [f"{forwarder}.slot 0x3: 0 -> 1"]
    assert (trace.calls[0].name, trace.calls[0].result) == ("Shop.buy", 5)
    assert [each.event for each in trace.calls[0].logs if each.event] == [Sold(BOB, 5)]


def test_python_calls_into_bytecode(chain: Chain, shop: Handle, forwarder: Address) -> None:
    inner = bytes(12) + shop.address + shop.spill.calldata()
    trace = chain.send(forwarder, bytes(12) + forwarder + inner).trace
    assert [each.name for each in trace.walk()] == [str(forwarder), str(forwarder), "Shop.spill"]
    assert [each.ok for each in trace.walk()] == [False, False, False]


def test_deep_trees_are_complete(chain: Chain) -> None:
    trace = chain.deploy(Diver).dive(300).trace
    assert len(list(trace.walk())) == len(lines(trace)) == 301


def test_calls_are_rehearsed(chain: Chain, shop: Handle, buyer: Handle) -> None:
    root, seen = chain.block_hash(), buyer.go.trace(shop.address, sender=BOB)
    assert lines(seen)[0].startswith("bob: Buyer.go(Shop) -> 5 [")
    assert "Shop.stock: 2 -> 1" in steps_of(seen.calls[1], Write)
    assert (shop.left(), chain.block_hash()) == (2, root)
    assert lines(buyer.go(shop.address, sender=BOB).trace)[1:] == lines(seen)[1:]


def test_views_are_traced_in_the_past(chain: Chain, shop: Handle) -> None:
    before = chain.head.number
    shop.buy(BOB)
    seen = chain.at(block=before).handle(shop).left.trace()
    assert steps_of(seen, Reading) == ["Shop.stock = 2", "Shop.price = 5"]  # they share a word
    assert (seen.result, shop.left()) == (2, 1)


def test_rehearsed_chance_is_not_used_up(chain: Chain, shop: Handle) -> None:
    with chain.loaded(die=[3]):
        assert shop.roll.trace().result == 3
        assert shop.roll().return_value == 3


def test_the_past_is_run_again(chain: Chain, shop: Handle) -> None:
    first = shop.buy(BOB)
    told_then, root = str(first.trace), chain.state_root()
    chain.set_balance(ALICE, 5 * 10**18)
    shop.fill(9, 9)
    assert str(first.trace) == told_then and shop.left() == 9
    assert chain.state_root(first.block_number) == root


def test_the_open_block_is_run_again(chain: Chain, shop: Handle) -> None:
    with chain.block():
        first, second = shop.buy(BOB), shop.buy(BOB)
        assert steps_of(first.trace, Write)[0] == "Shop.stock: 2 -> 1"
        assert steps_of(second.trace, Write)[0] == "Shop.stock: 1 -> 0"


def test_forced_outcomes_are_repeated(chain: Chain, shop: Handle) -> None:
    with chain.loaded(die=[3, 5]):
        receipts = [shop.roll(), shop.roll()]
    assert [receipt.trace.result for receipt in receipts] == [3, 5]


def test_randomness_by_rule_is_repeated(shop: Handle) -> None:
    receipt = shop.roll()
    assert receipt.trace.result == receipt.return_value


def test_undone_is_not_run_again(chain: Chain, shop: Handle) -> None:
    with chain.anchor():
        receipt = shop.buy(BOB)
    with pytest.raises(LookupError, match="was undone"):
        _ = receipt.trace


def test_other_rules_are_noticed(chain: Chain, shop: Handle, monkeypatch: Any) -> None:
    receipt = shop.fill(3, 3)
    invoke = property(lambda spec: lambda contract, _: (spec.function(contract, 4, 4), b""))
    monkeypatch.setattr(Shop.__spec__.entries["fill"].__class__, "invoke", invoke)
    with pytest.raises(LookupError, match=r"ran differently this time: .*, such as a debugger"):
        _ = receipt.trace


def test_logs_carry_their_event(shop: Handle) -> None:
    sold, text = (step for step in shop.buy(BOB).trace.steps if isinstance(step, LogStep))
    assert (sold.event, text.text, sold.address) == (Sold(BOB, 5), "sold", shop.address)
