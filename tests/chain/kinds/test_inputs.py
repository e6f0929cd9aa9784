"""What a person gives the chain: amounts and times are whole numbers, an account may have any form, all else is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chain import (  # fmt: skip
    Chain,
    Contract,
    InvalidTransaction,
    Key,
    World,
    call,
    event,
    init,
    view,
)
from chain.deployment import Deployment
from chain.machine.transaction import Transaction
from chain.simulator.handle import Handle
from chain.types import Address, u64, u256
from tests.chain.helpers import check_whole, untyped, wei_of
from tests.chain.toys import Score, Scoring

ETHER = 10**18
Do = Callable[[Any, Any], object]  # by a caller without types


@event
class Paid:
    who: Key[Address]
    amount: u256


@dataclass(frozen=True)
class Seat:
    player: Address
    place: u64


class Bank(Contract):
    owner: Address

    @init(payable=True)
    def open(self, owner: Address) -> None:
        self.owner = owner

    @call(payable=True)
    def pay(self) -> None:
        self.emit(Paid(self.caller, self.value))

    @view
    def who(self) -> Address:
        return self.owner

    @call
    def sit(self, seats: list[Seat], second: Address | None) -> Address:
        return second or seats[0].player


@pytest.fixture(params=["memory", "file", "node"])
def each(request: Any, tmp_path: Path) -> Iterator[Chain]:
    near = Chain()
    chain = {
        "memory": lambda: near,
        "file": lambda: Chain.open(tmp_path / "bank.chain"),
        "node": lambda: Chain.connect(near.node),
    }[request.param]()
    if request.param == "node":
        for contract in (World, Bank, Scoring):
            near.declare(contract)
    with chain:
        yield chain


@pytest.fixture
def bank(each: Chain) -> Handle:
    return each.deploy(Bank, each.accounts[1])


# Numbers


NUMBERS: dict[str, tuple[Do, str]] = {
    "call with negative value": (lambda c, b: b.pay(value=-5), "value = -5 is not in 0..2**256 - 1 wei"),
    "call with float value": (lambda c, b: b.pay(value=1e18), "value = 1e+18 is not a whole number of wei: write 10**18"),
    "call with half a wei": (lambda c, b: b.pay(value=0.5), "value = 0.5 is not a whole number of wei: one ether is 10**18"),
    "call with value in words": (lambda c, b: b.pay(value="1 ether"), "'1 ether' is not a whole number of wei: one ether is"),
    "call with digits": (lambda c, b: b.pay(value="5"), "value = '5' is not a whole number of wei: write 5, without quotes"),
    "call with True": (lambda c, b: b.pay(value=True), "value = True is not a whole number of wei: write 1"),
    "call with too much": (lambda c, b: b.pay(value=2**256), "is not in 0..2**256 - 1 wei"),
    "call with float gas": (lambda c, b: b.pay(gas=1e6), "gas = 1000000.0 is not a whole number: write 10**6"),
    "call with negative gas": (lambda c, b: b.pay(gas=-1), "gas = -1 is not in 0..2**63 - 1"),
    "call with check": (lambda c, b: b.pay(check="no"), "check = 'no' is neither True nor False"),
    "view with negative value": (lambda c, b: b.who(value=-5), "value = -5 is not in"),
    "view with float value": (lambda c, b: b.who.simulate(value=0.0), "value = 0.0 is not a whole number of wei: write 0"),
    "trace with float gas": (lambda c, b: b.pay.trace(gas=0.5), "gas = 0.5 is not a whole number"),
    "send negative": (lambda c, b: c.send(c.accounts[1], value=-5), "value = -5 is not in"),
    "send float": (lambda c, b: c.send(c.accounts[1], value=0.3), "value = 0.3 is not a whole number of wei"),
    "send text": (lambda c, b: c.send(c.accounts[1], "0x12"), "data = '0x12' is not bytes: write bytes.fromhex"),
    "deploy negative": (lambda c, b: c.deploy(Bank, c.accounts[1], value=-5), "value = -5 is not in"),
    "deploy float": (lambda c, b: c.deploy(Bank, c.accounts[1], value=1e18), "write 10**18"),
    "advance a fraction": (lambda c, b: c.advance(1.5), "seconds = 1.5 is not a whole number"),
    "advance backwards": (lambda c, b: c.advance(-1), "time does not run backwards"),
    "time of a float": (lambda c, b: c.set_time(c.now + 10.0), "timestamp = 1704067"),
    "time without end": (lambda c, b: c.set_time(2**60), "the greatest time is"),
    "mine a fraction": (lambda c, b: c.mine(0.5), "n = 0.5 is not a whole number"),
    "mine for ever": (lambda c, b: c.mine(10**30), "is not in"),
    "negative balance": (lambda c, b: c.set_balance(c.accounts[1], -1), "amount = -1 is not in"),
    "broken balance": (lambda c, b: c.set_balance(c.accounts[1], 1.5), "amount = 1.5 is not a whole number of wei"),
    "broken nonce": (lambda c, b: c.set_nonce(c.accounts[1], 2**64), "nonce = 18446744073709551616 is not in"),
    "code of text": (lambda c, b: c.set_code(c.accounts[1], "0x00"), "code = '0x00' is not bytes"),
    "negative slot": (lambda c, b: c.set_storage(b, -1, 0), "slot = -1 is not in"),
    "word too wide": (lambda c, b: c.set_storage(b, 0, 2**256), "word = a number of 257 bits is not in"),
    "slot of text": (lambda c, b: c.storage(b, "0"), "slot = '0' is not a whole number: write 0, without quotes"),
    "interval of nothing": (lambda c, b: setattr(c, "block_interval", 0), "block_interval = 0 is not in 1..1000000000 seconds"),
    "broken interval": (lambda c, b: setattr(c, "block_interval", 1.5), "block_interval = 1.5 is not a whole number"),
    "automine in words": (lambda c, b: setattr(c, "automine", "off"), "automine = 'off' is neither True nor False"),
    "negative prevrandao": (lambda c, b: c.set_next_block(prevrandao=-1), "prevrandao = -1 is not in"),
    "broken base fee": (lambda c, b: c.set_next_block(base_fee=0.5), "base_fee = 0.5 is not a whole number of wei"),
    "coinbase of text": (lambda c, b: c.set_next_block(coinbase="nobody"), "coinbase is 'nobody': this chain has no"),
    "block of text": (lambda c, b: c.block_hash("1"), "number = '1' is not a whole number"),
    "root of a fraction": (lambda c, b: c.state_root(0.5), "number = 0.5 is not a whole number"),
    "fork at True": (lambda c, b: c.fork(True), "there is no block True"),
    "past of True": (lambda c, b: c.at(True), "there is no block True"),
    "activity from before": (lambda c, b: c.activity(-1), "since = -1 is not in"),
    "range of one": (lambda c, b: c.receipts.between(blocks=3), "blocks = 3 is not a range: pass its two ends"),
    "range of texts": (lambda c, b: c.events(Paid).between(times=("a", None)), "times = 'a' is not a whole number"),
    "account of a number": (lambda c, b: c.account(5), "5 cannot name an account: a name is a text"),
    "account like an address": (lambda c, b: c.account("0x12"), "it would be read as an address"),
    "one loaded outcome": (lambda c, b: c.loaded(die=3).__enter__(), "the outcomes of 'die' are a list: write die=[3], not 3"),
}  # fmt: skip


@pytest.mark.parametrize(("do", "says"), NUMBERS.values(), ids=NUMBERS)
def test_wrong_number_is_reported_and_changes_nothing(
    each: Chain, bank: Handle, do: Do, says: str
) -> None:
    before, wei = len(each.blocks), wei_of(each)
    with pytest.raises((TypeError, ValueError)) as wrong:
        do(each, bank)
    assert says in str(wrong.value)
    assert (len(each.blocks), wei_of(each)) == (before, wei)
    check_whole(each)


OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"seed": "x"}, "seed = 'x' is not a whole number"),
    ({"seed": -1}, "seed = -1 is not in 0.."),
    ({"chain_id": 0}, "chain_id = 0 is not in 1.."),
    ({"genesis_time": 0.5}, "genesis_time = 0.5 is not a whole number"),
    ({"base_fee": -1}, "base_fee = -1 is not in"),
    ({"gas_limit": 20_000}, "gas_limit = 20000 is not in 21000..2**63 - 1"),
    ({"guard": 1}, "guard = 1 is neither True nor False"),
]


@pytest.mark.parametrize(("options", "says"), OPTIONS)
def test_wrong_option_of_a_chain_is_reported(
    options: dict[str, Any], says: str, tmp_path: Path
) -> None:
    for make in (Chain, lambda **named: Chain.open(tmp_path / "new.chain", **named)):
        with pytest.raises((TypeError, ValueError)) as wrong:
            make(**options)
        assert says in str(wrong.value)
    assert not (tmp_path / "new.chain").exists()


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("value", -5, InvalidTransaction),
        ("value", 2**256, InvalidTransaction),
        ("value", 0.5, TypeError),
        ("gas", 1e6, TypeError),
        ("nonce", 0.0, TypeError),
        ("max_fee", 1e9, TypeError),
        ("tip", -1, InvalidTransaction),
        ("type", 3, InvalidTransaction),
        ("sender", b"ab", ValueError),
        ("to", "alice", TypeError),
        ("data", "", TypeError),
        ("access_list", 5, TypeError),
    ],
)
def test_transaction_made_by_hand_is_checked(
    chain: Chain, field: str, value: Any, error: type[Exception]
) -> None:
    alice, bob = chain.accounts[:2]
    tx = Transaction(bytes(alice), bytes(bob), b"", 0, 100_000, 0, 10**9)._replace(**{field: value})
    for send in (chain.send_transaction, chain.add_to_open_block, chain.rehearse):
        with pytest.raises(error, match=field):
            send(tx)
    assert not chain.receipts
    check_whole(chain)


# Accounts


def test_account_is_accepted_in_every_form(each: Chain, bank: Handle) -> None:
    bob = each.accounts[1]
    forms: list[Any] = [bob, bytes(bob), str(bob), str(bob).lower(), bob.hex(), "bob"]
    for form in forms:
        each.set_balance(form, 7 * ETHER)
        each.set_nonce(form, 3)
        assert (each.balance(form), each.nonce(form), each.code(form)) == (7 * ETHER, 3, b"")
        receipt = bank.pay(sender=form, value=5)
        assert (receipt.sender, [*each.events(Paid, who=form)][-1].who) == (bob, bob)
        assert each.receipts.where(sender=form).count() == each.receipts.where(sender=bob).count()
        assert each.deploy(Bank, form).who() == bob
        assert bank.sit([Seat(form, 1)], None).return_value == bob
        assert bank.sit([], form).return_value == bob
        each.send(form, value=1)
        each.set_nonce(form, 0)
        assert each.at(len(each.blocks) - 1).balance(form) == each.balance(bob)


def test_contract_is_accepted_in_every_form(each: Chain, bank: Handle) -> None:
    for form in (bank, bank.address, str(bank.address), "Bank"):
        each.set_balance(form, 9)
        assert (each.balance(form), each.handle(Bank, form).balance) == (9, 9)
        assert each.code(form) == each.code(bank.address)
        assert each.receipts.where(to=form).count() == each.receipts.where(to=bank.address).count()
        assert each.deploy(Bank, form).who() == bank.address
    other = each.deploy(Bank, bank)
    assert other.sit([Seat(untyped(bank), 1)], each.account("first.testnet")).ok


def test_key_of_a_model_is_an_account_too(each: Chain) -> None:
    world = each.deploy_world("game", systems=[Scoring], writers={"game": [Scoring]}, sender="bob")
    bob = each.accounts[1]
    world.system(Scoring).win(3, sender="bob")
    for form in (bob, str(bob), "bob"):
        assert world.read(Score, form).points == 3
        assert world.exists(Score, form) and len(world.history(Score, form)) == 1
        assert world.is_owner("game", form)
    with pytest.raises(ValueError, match=r"Score\.player is 'bert': this chain has no account"):
        world.read(Score, "bert")


NOBODY: list[tuple[Any, str]] = [
    ("bert", "is 'bert': this chain has no account of that name"),
    ("0x12", "an address is 20 bytes, these are 1"),
    ("0xzz", "write 0x and 40 hex digits"),
    ("0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "its capitals are the checksum of another address, so a digit may be wrong"),
    (5, " = 5 is not an account: give an account, a handle, an Address, its text 0x… or a name"),
    (b"ab", "= b'ab' has 2 bytes: an address has 20"),
    (None, " = None is not an account"),
]  # fmt: skip


@pytest.mark.parametrize(("who", "says"), NOBODY)
def test_invalid_account_is_reported(each: Chain, bank: Handle, who: Any, says: str) -> None:
    wei, alice = wei_of(each), each.accounts[0]
    plan = Deployment(each)
    ways: list[Callable[[], object]] = [
        lambda: each.balance(who),
        lambda: each.nonce(who),
        lambda: each.code(who),
        lambda: each.storage(who, 0),
        lambda: each.set_balance(who, 5),
        lambda: each.set_nonce(who, 5),
        lambda: each.set_code(who, b""),
        lambda: each.set_storage(who, 0, 0),
        lambda: each.world(who),
        lambda: each.at(0).balance(who),
        lambda: plan.address_of(who),
    ]
    if who is not None:
        ways += [
            lambda: bank.pay(sender=who),
            lambda: bank.who(sender=who),
            lambda: each.send(who),
            lambda: each.send(alice, sender=who),
            lambda: each.handle(Bank, who),
            lambda: each.receipts.where(sender=who),
            lambda: plan.send(alice, sender=who),
        ]
    for way in ways:
        with pytest.raises((TypeError, ValueError)) as wrong:
            way()
        text = str(wrong.value)
        assert says in text or "this chain has no account" in text
    assert wei_of(each) == wei
    check_whole(each)


def test_argument_that_is_not_an_account_is_reported(each: Chain, bank: Handle) -> None:
    for who, says in (
        ("bert", "sit: seats[0].player is 'bert': this chain has"),
        (5, "is not an Address"),
    ):
        with pytest.raises((TypeError, ValueError)) as wrong:
            bank.sit([Seat(who, 1)], None)  # type: ignore[arg-type]
        assert says in str(wrong.value)


def test_well_known_names_are_the_well_known_accounts(each: Chain, bank: Handle) -> None:
    assert each.account("bob") == each.accounts[1] == bank.pay(sender="bob").sender


def test_sender_without_wei_is_reported_what_gives_some(each: Chain, bank: Handle) -> None:
    poor = each.accounts[5]
    each.set_balance(poor, 0)
    with pytest.raises(InvalidTransaction, match=r"has 0 wei, .* set_balance gives it more"):
        bank.pay(sender=poor)
    each.set_balance(poor, ETHER)
    assert bank.pay(sender=poor).ok


def test_handle_needs_a_contract(each: Chain, bank: Handle) -> None:
    alice = each.accounts[0]
    with pytest.raises(
        ValueError, match=f"there is no contract at {alice}, so Bank cannot be called there"
    ):
        each.handle(Bank, alice)
    with pytest.raises(ValueError, match="there is no contract at"):
        each.at(0).handle(bank)


@pytest.mark.parametrize("ask", ["pay", "who"])
def test_handle_of_an_undone_contract_is_refused(each: Chain, ask: str) -> None:
    with each.anchor():
        bank = each.deploy(Bank, each.accounts[1])
    entry = getattr(bank, ask)
    for act in (entry, entry.simulate, entry.trace):
        with pytest.raises(ValueError, match="there is no contract at"):
            act()
    assert not each.receipts


def test_step_with_a_wrong_value_is_refused(each: Chain) -> None:
    plan = Deployment(each)
    bank = plan.deploy(Bank, "bob", sender="alice")
    bank.pay(value=5, sender=plan.account("first.testnet"))
    with pytest.raises(TypeError, match=r"value = 0\.5 is not a whole number of wei"):
        bank.pay(value=untyped(0.5))
    assert [status.step.value for status in plan.steps] == [0, 5]
