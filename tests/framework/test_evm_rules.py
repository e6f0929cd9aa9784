"""What bytecode may rely on: marks, self-destruction, creation, types of transactions, the block around it."""

from __future__ import annotations

import pytest
import rlp
from eth.vm.forks.cancun.transactions import UnsignedBlobTransaction
from eth.vm.forks.prague.transactions import (
    Authorization, PragueTransactionBuilder, UnsignedSetCodeTransaction,
)  # fmt: skip
from eth_keys import keys

from chain import Address, Chain, Contract, InvalidTransaction, Revert, call, view
from chain.hashing import keccak
from chain.machine.state import entries
from chain.machine.transaction import Transaction
from chain.types import u256

NOBODY = Address(b"\x0b" * 20)
ZERO = Address(bytes(20))
SHA256 = Address(bytes(19) + b"\x02")
ANSWER = (0, "MSTORE", 32, 0, "RETURN")  # return the word on the stack
TO_ALL = (0, 0, 0, 0, 0)  # a call without output, input and value


class Hand(Contract):
    """Sends what it is told to send."""

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
    def last_cost(self, first: Address, second: Address) -> u256:
        """What the second of two messages cost."""
        self._frame.call(bytes(first), b"")
        before = self._frame.gas
        self._frame.call(bytes(second), b"")
        return before - self._frame.gas

    @call
    def look_at(self, who: Address, to: Address) -> bytes:
        self._frame.balance_of(bytes(who))
        return self._frame.call(bytes(to), b"").output

    @call(nonreentrant=False)
    def down(self, to: Address) -> u256:
        """How many messages of its own can be sent inside one another, by way of `to`."""
        child = self._frame.call(bytes(to), b"")
        return 1 + int.from_bytes(child.output[:32]) if child.failure is None else 0

    @view
    def stop(self) -> None:
        raise KeyboardInterrupt

    @call
    def halt(self) -> None:
        self.word = 1
        raise KeyboardInterrupt


def told(entry, *args):
    return Hand.__spec__.entries[entry].encode_args(args, {})


@pytest.fixture
def chain():
    return Chain()


@pytest.fixture
def hand(chain):
    return chain.deploy(Hand)


@pytest.fixture
def place(chain, evm, initcode):
    """Puts bytecode on the chain."""
    return lambda *items: chain.send(None, initcode(evm(*items))).address


def number(receipt):
    return int.from_bytes(receipt.output)


# Self-destruction


@pytest.fixture
def bomb(evm, initcode):
    """Init code of a contract that keeps a word, and destroys itself when it gets a message without value."""
    code = evm("CALLVALUE", 5, "JUMPI", "CALLER", "SELFDESTRUCT", "JUMPDEST", "STOP")
    return initcode(code, evm(5, 1, "SSTORE"))


@pytest.fixture
def maker(place):
    """Makes what it is sent the init code of, always at one address, sends that a message, and answers the address."""
    return place(
        "CALLDATASIZE", 0, 0, "CALLDATACOPY", 0, "CALLDATASIZE", 0, 0, "CREATE2",
        *TO_ALL, "DUP6", "GAS", "CALL", "POP", *ANSWER,
    )  # fmt: skip


def test_new_contracts_can_vanish(chain, hand, bomb):
    address = hand.build(bomb, 9, value=9).return_value
    assert (chain.code(address), chain.storage(address, 1), chain.nonce(address)) == (b"", 0, 0)
    assert (chain.balance(address), chain.balance(hand.address)) == (0, 9)


def test_old_contracts_only_pay(chain, hand, bomb):
    address = chain.send(None, bomb, value=9).address
    hand.send(address, b"", 0)
    assert (chain.code(address) != b"", chain.storage(address, 1)) == (True, 5)
    assert (chain.balance(address), chain.balance(hand.address)) == (0, 9)


def test_undone_destruction_is_none(chain, hand, place, bomb, evm, initcode):
    """A contract makes a bomb, and has it lit by a Python message that then fails."""
    light = told("send_and_fail", ZERO)[:4]
    address = place(
        "CALLDATASIZE", 0, 0, "CALLDATACOPY", "CALLDATASIZE", 0, 0, "CREATE",
        "DUP1", 4, "MSTORE", light, 0xE0, "SHL", "DUP2", "POP", 0, "MSTORE", "DUP1", 4, "MSTORE",
        0, 0, 36, 0, 0, bytes(hand.address), "GAS", "CALL", "POP", *ANSWER,
    )  # fmt: skip
    made = Address(chain.send(address, bomb).output[12:])
    assert (chain.code(made) != b"", chain.storage(made, 1)) == (True, 5)


def test_vanished_contracts_start_anew(chain, maker, bomb):
    with chain.block():
        made = Address(chain.send(maker, bomb).output[12:])
        seen = chain.storage(made, 1), chain.nonce(made)
        chain.send(made, value=3)
    assert (seen, chain.balance(made), chain.code(made)) == ((0, 0), 3, b"")
    assert chain.send(maker, bomb).output[12:] == made


def test_roots_know_the_vanished(evm, initcode, bomb):
    asked, unasked = Chain(), Chain()
    for chain in (asked, unasked):
        for _ in range(2):
            Hand_ = chain.deploy(Hand)
            Hand_.build(bomb, 0)
            chain is asked and chain.state_root()
    assert asked.state_root() == unasked.state_root()


def test_leftover_words_are_swept(chain, maker, evm, initcode):
    keeper = initcode(evm(1, "SLOAD", *ANSWER))
    with chain.anchor():
        made = chain.send(maker, keeper).output[12:]
    chain.state.set_word(made, 1, 6)
    chain.state.close()
    chain.send(maker, keeper)
    assert (chain.storage(made, 1), number(chain.send(made))) == (0, 0)


def test_swept_words_come_back(chain, maker, evm):
    with chain.anchor():
        made = chain.send(maker, evm("STOP")).output[12:]
    chain.state.set_word(made, 1, 6)
    chain.state.close()
    chain.send(maker, evm(0, 0, "REVERT"))
    assert chain.storage(made, 1) == 6
