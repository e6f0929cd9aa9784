"""Self-destruction, leftover words, warmth and refunds, across messages of both kinds."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from chain import Address, Chain, Contract, Revert, call, init
from chain.crypto.hashing import create_address, keccak
from chain.ledger.receipts import Receipt
from chain.machine.transaction import Transaction
from chain.metering.program import program_of
from chain.simulator.handle import Handle
from chain.types import u256
from tests.chain.helpers import Code, Place

NOBODY = Address(b"\x0b" * 20)
ZERO = Address(bytes(20))
ANSWER = (0, "MSTORE", 32, 0, "RETURN")  # return the word on the stack
TO_ALL = (0, 0, 0, 0, 0)  # a call without output, input and value


class Hand(Contract):
    """Sends the messages that a test asks for."""

    word: u256

    @call(payable=True, nonreentrant=False)
    def send(self, to: Address, data: bytes, value: u256) -> bytes:
        child = self._frame.call(bytes(to), data, value)
        if child.failure is not None:
            raise Revert(f"{child.failure.kind}: {child.failure.text}")
        return child.output

    @call(nonreentrant=False)
    def send_and_fail(self, to: Address) -> None:
        self._frame.call(bytes(to), b"")
        raise Revert("Never mind")

    @call(payable=True)
    def build(self, initcode: bytes, value: u256) -> Address:
        """Make a contract, and send it a message."""
        child = self._frame.create(initcode, value)
        if child.failure is None:
            self._frame.call(child.address, b"")
        return Address(child.address if child.failure is None else ZERO)

    @call
    def build_and_regret(self, initcode: bytes) -> None:
        made = Address(self._frame.create(initcode).address)
        with suppress(Revert):
            self.at(Hand, self.address).send_and_fail(made)

    @call
    def last_cost(self, first: Address, second: Address) -> u256:
        """Return the gas of the second of two messages."""
        self._frame.call(bytes(first), b"")
        before = self._frame.gas
        self._frame.call(bytes(second), b"")
        return before - self._frame.gas

    @call
    def look_at(self, who: Address, to: Address) -> bytes:
        self._frame.balance_of(bytes(who))
        return self._frame.call(bytes(to), b"").output


class Keeper(Contract):
    """Counts from the value that it finds."""

    word: u256

    @init
    def begin(self) -> None:
        self.word += 1


KEEPER = program_of(Keeper)


def created_at(creator: bytes, initcode: bytes) -> bytes:
    """Return the address that CREATE2 with salt 0 gives a contract."""
    return keccak(b"\xff" + creator + bytes(32) + keccak(initcode))[12:]


def calldata(entry: str, *args: Any) -> bytes:
    return Hand.__spec__.entries[entry].encode_args(args, {})


@pytest.fixture
def chain() -> Chain:
    chain = Chain(guard=False)
    chain.declare(Keeper)
    return chain


@pytest.fixture
def hand(chain: Chain) -> Handle:
    return chain.deploy(Hand)


@pytest.fixture
def place(chain: Chain, evm: Code, initcode: Code) -> Place:
    """Puts bytecode on the chain."""
    return lambda *items: chain.send(None, initcode(evm(*items))).address


def number(receipt: Receipt) -> int:
    return int.from_bytes(receipt.output)


# Self-destruction


@pytest.fixture
def bomb(evm: Code, initcode: Code) -> bytes:
    """Init code of a contract that keeps a word, and destroys itself when it gets a message without value."""
    code = evm("CALLVALUE", 5, "JUMPI", "CALLER", "SELFDESTRUCT", "JUMPDEST", "STOP")
    return initcode(code, evm(5, 1, "SSTORE"))


@pytest.fixture
def maker(place: Place) -> Address:
    """Creates a contract from the init code it is sent, always at one address, calls it, and returns the address."""
    return place(
        "CALLDATASIZE", 0, 0, "CALLDATACOPY", 0, "CALLDATASIZE", 0, 0, "CREATE2",
        *TO_ALL, "DUP6", "GAS", "CALL", "POP", *ANSWER,
    )  # fmt: skip


def test_new_contracts_can_vanish(chain: Chain, hand: Handle, bomb: bytes) -> None:
    address = hand.build(bomb, 9, value=9).return_value
    assert (chain.code(address), chain.storage(address, 1), chain.nonce(address)) == (b"", 0, 0)
    assert (chain.balance(address), chain.balance(hand.address)) == (0, 9)


def test_old_contracts_only_pay(chain: Chain, hand: Handle, bomb: bytes) -> None:
    address = chain.send(None, bomb, value=9).address
    hand.send(address, b"", 0)
    assert (chain.code(address) != b"", chain.storage(address, 1)) == (True, 5)
    assert (chain.balance(address), chain.balance(hand.address)) == (0, 9)


def test_undone_destruction_leaves_the_contract(chain: Chain, hand: Handle, bomb: bytes) -> None:
    receipt = hand.build_and_regret(bomb)
    made = receipt.calls[0].address
    assert receipt.calls[1].calls[0].address == made
    assert (chain.code(made) != b"", chain.storage(made, 1)) == (True, 5)


def test_vanished_contracts_start_again(chain: Chain, maker: Address, bomb: bytes) -> None:
    with chain.block():
        made = Address(chain.send(maker, bomb).output[12:])
        seen = chain.storage(made, 1), chain.nonce(made)
        chain.send(made, value=3)
    assert (seen, chain.balance(made), chain.code(made)) == ((0, 0), 3, b"")
    assert chain.send(maker, bomb).output[12:] == made


def test_roots_know_the_vanished(bomb: bytes) -> None:
    asked, unasked = Chain(guard=False), Chain(guard=False)
    for _ in range(2):
        asked.deploy(Hand).build(bomb, 0)
        asked.state_root()
        unasked.deploy(Hand).build(bomb, 0)
    assert asked.state_root() == unasked.state_root()


def test_leftover_words_forbid_creation(chain: Chain, hand: Handle, maker: Address) -> None:
    by_python, by_bytecode = create_address(hand.address, 1), created_at(maker, KEEPER.initcode)
    for where in (by_python, by_bytecode):
        chain.set_storage(where, 0, 6)
    made = hand.build(KEEPER.initcode, 0).return_value, chain.send(maker, KEEPER.initcode).output
    assert made == (ZERO, bytes(32))
    assert [(chain.storage(each, 0), chain.code(each)) for each in (by_python, by_bytecode)] == [
        (6, b"")
    ] * 2


def test_collisions_take_all(chain: Chain, hand: Handle, evm: Code) -> None:
    chain.state.set_code(create_address(hand.address, 1), b"\x00")
    chain.state.close()
    receipt = hand.build(evm("STOP"), 0, gas=1_000_000)
    assert (receipt.return_value, chain.nonce(hand.address)) == (ZERO, 2)
    assert receipt.gas_used > 970_000


# Marks that both executors share


def test_warmth_is_shared(hand: Handle, place: Place) -> None:
    look = place(bytes(NOBODY), "BALANCE", "STOP")
    other = place(bytes(NOBODY), "BALANCE", "POP", "STOP")
    alone, after = (hand.last_cost(first, look).return_value for first in (ZERO, other))
    assert alone - after == 2_500


def test_python_warms_for_bytecode(hand: Handle, place: Place) -> None:
    gas_of_look = place("GAS", bytes(NOBODY), "BALANCE", "POP", "GAS", "SWAP1", "SUB", *ANSWER)
    cold, warm = (
        int.from_bytes(hand.look_at(who, gas_of_look).return_value) for who in (ZERO, NOBODY)
    )
    assert cold - warm == 2_500


@pytest.fixture
def clear(chain: Chain, evm: Code, initcode: Code) -> Address:
    """A contract that clears its word."""
    return chain.send(None, initcode(evm(0, 1, "SSTORE"), evm(1, 1, "SSTORE"))).address


def test_refunds_add_up(hand: Handle, clear: Address) -> None:
    cleared, nothing = (hand.send(clear, b"", 0).gas_used for _ in range(2))
    assert cleared == nothing + 2_800 - 4_800  # a change and its refund, in place of a look


def refunded(chain: Chain, to: Address, data: bytes) -> tuple[str | None, int]:
    """Why a transaction would fail, and the gas that it would get back."""
    sender = bytes(chain.accounts[0])
    tx = Transaction(sender, bytes(to), data, 0, 10**6, chain.nonce(sender), chain.head.base_fee)
    done = chain.rehearse(tx)
    failure = done.frame.failure
    return failure.text if failure else None, done.context.refund


def test_failed_refunds_are_lost(chain: Chain, hand: Handle, clear: Address) -> None:
    assert refunded(chain, hand.address, calldata("send_and_fail", clear)) == ("Never mind", 0)
    assert refunded(chain, clear, b"") == (None, 4_800)


# Accounts that hold nothing


def test_empty_accounts_are_removed(chain: Chain, place: Place) -> None:
    root = chain.state_root()
    chain.set_balance(NOBODY, 4)
    chain.set_balance(NOBODY, 0)
    chain.mine()
    assert chain.state_root() == root
    assert number(chain.send(place(bytes(NOBODY), "EXTCODEHASH", *ANSWER))) == 0
