"""Operations on words, logs and accounts cost in Python what they cost in bytecode, by the meter of py-evm."""

from __future__ import annotations

from typing import Any

import pytest
import vyper
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Address, Chain, Contract, Key, call, event, init
from chain.crypto.hashing import keccak
from chain.machine.frame import Frame
from chain.machine.state import DELEGATION
from chain.machine.transaction import Transaction
from chain.types import u256
from tests.chain.helpers import Code

NOBODY = Address(b"\x0b" * 20)
SHA256 = Address(bytes(19) + b"\x02")
STOPPER, BORROWER, SPENDER = (Address(bytes([n]) * 20) for n in (0x0C, 0x0D, 0x0E))
GO = keccak(b"go()")[:4]
ROOM: list[Deed] = []  # what a `Doer` is to do


class Doer(Contract):
    """Does the operations of a test directly on its frame."""

    @init
    def begin(self, puts: list[tuple[u256, u256]]) -> None:
        for slot, word in puts:
            self._frame.sstore(slot, word)

    @call
    def go(self) -> None:
        for deed in ROOM:
            deed.do(self._frame)


class Deed:
    """One operation on a frame, and the same in bytecode."""

    def __init__(self, name: str, *args: Any) -> None:
        self.name, self.args = name, args

    def __repr__(self) -> str:
        return f"{self.name}{self.args}"

    def do(self, frame: Frame) -> None:
        match self.name, *self.args:
            case "put", slot, word:
                frame.sstore(slot, word)
            case "get", slot:
                frame.sload(slot)
            case "log", size, *topics:
                frame.emit(tuple(topics), bytes(size))
            case "balance", who:
                frame.balance_of(bytes(who))
            case "call", to, value, gas:
                frame.call(bytes(to), b"", value, gas)
            case "create", value:
                frame.create(b"", value)

    @property
    def items(self) -> tuple[int | str | bytes, ...]:
        match self.name, *self.args:
            case "put", slot, word:
                return word, slot, "SSTORE"
            case "get", slot:
                return slot, "SLOAD", "POP"
            case "log", size, *topics:
                return *topics, size, 0, f"LOG{len(topics)}"
            case "balance", who:
                return bytes(who), "BALANCE", "POP"
            case "call", to, value, gas:
                return 0, 0, 0, 0, value, bytes(to), gas, "CALL", "POP"
            case "create", value:
                return 0, 0, value, "CREATE", "POP"
        raise ValueError(self.name)

    @property
    def saying(self) -> int:
        """The gas for pushing the arguments of the operation and popping its result."""
        costs = [
            2 if item in (0, "POP") else 0 if isinstance(item, str) else 3 for item in self.items
        ]
        return sum(costs)


WHO = [NOBODY, SHA256, STOPPER, BORROWER, Chain().accounts[1]]
PUTS = [Deed("put", slot, word) for slot in range(2) for word in range(3)]
DEEDS = [
    *PUTS * 8,
    *(Deed("get", slot) for slot in range(3)),
    *(Deed("log", size, *topics) for size in (0, 5, 32) for topics in ((), (1,), (1, 2, 3, 4))),
    *(Deed("balance", who) for who in WHO),
    *(Deed("call", who, value, gas) for who in WHO for value in range(3) for gas in (0, 60, 10**9)),
    *(Deed("create", value) for value in range(3)),
]


class Twins:
    """A Python and a bytecode contract that do the same."""

    def __init__(self, evm: Code, initcode: Code, before: list[Deed], deeds: list[Deed]) -> None:
        self.chain = chain = Chain(guard=False)
        self.deeds = deeds
        chain.state.set_code(STOPPER, evm("STOP"))
        chain.state.set_code(BORROWER, DELEGATION + STOPPER)
        chain.state.close()
        first, code = (b"".join(evm(*deed.items) for deed in some) for some in (before, deeds))
        self.bytecode = chain.send(None, initcode(evm(0, 0, "MSTORE") + code, first)).address
        self.python = chain.deploy(Doer, [deed.args for deed in before]).address
        for address in (self.python, self.bytecode):
            chain.set_balance(address, 4)

    def look(self, gas: int = 10_000_000) -> tuple[Frame, Frame]:
        """Both finished frames. Bytecode also gets the gas that its instructions take."""
        ROOM[:] = self.deeds
        ours, _ = self.chain.call(self.python, GO, gas=gas)
        law, _ = self.chain.call(self.bytecode, b"", gas=gas + self.saying)
        return ours, law

    def refund(self, to: Address, data: bytes) -> int:
        """Return the refund of a transaction for what it clears."""
        chain, sender = self.chain, bytes(self.chain.accounts[0])
        tx = Transaction(
            sender, bytes(to), data, 0, 10_000_000, chain.nonce(sender), chain.head.base_fee
        )
        return chain.rehearse(tx).context.refund

    @property
    def saying(self) -> int:
        # 10 for the memory that logs are taken from.
        return 10 + sum(deed.saying for deed in self.deeds)


@settings(max_examples=300, deadline=None)
@given(
    before=st.lists(st.sampled_from(PUTS), max_size=4),
    deeds=st.lists(st.sampled_from(DEEDS), max_size=12),
)
def test_operations_cost_what_bytecode_costs(
    evm: Code, initcode: Code, before: list[Deed], deeds: list[Deed]
) -> None:
    twins = Twins(evm, initcode, before, deeds)
    ours, law = twins.look()
    assert ours.failure is law.failure is None
    assert ours.gas == law.gas
    assert twins.refund(twins.python, GO) == twins.refund(twins.bytecode, b"")


COLD, WARM, SET, RESET, CLEARED = 2_100, 100, 20_000, 2_900, 4_800  # EIP-2929, EIP-3529
WRITES: list[tuple[int, list[int], int, int]] = [
    (0, [0], COLD + WARM, 0),
    (0, [1], COLD + SET, 0),
    (0, [1, 2], COLD + SET + WARM, 0),
    (0, [1, 0], COLD + SET + WARM, SET - WARM),
    (1, [1], COLD + WARM, 0),
    (1, [2], COLD + RESET, 0),
    (1, [2, 3], COLD + RESET + WARM, 0),
    (1, [2, 1], COLD + RESET + WARM, RESET - WARM),
    (1, [2, 0], COLD + RESET + WARM, CLEARED),
    (1, [0], COLD + RESET, CLEARED),
    (1, [0, 2], COLD + RESET + WARM, 0),
    (1, [0, 1], COLD + RESET + WARM, RESET - WARM),
    (1, [0, 1, 0], COLD + RESET + WARM + RESET, RESET - WARM + CLEARED),
]


@pytest.mark.parametrize(("before", "words", "gas", "refund"), WRITES)
def test_writes_cost_and_refund_what_the_rules_say(
    evm: Code, initcode: Code, before: int, words: list[int], gas: int, refund: int
) -> None:
    """Python contracts and most bytecode share these prices, so to compare them with each other is not enough."""
    twins = Twins(evm, initcode, [Deed("put", 0, before)], [Deed("put", 0, word) for word in words])
    ours, _ = twins.look(1_000_000)
    assert (1_000_000 - ours.gas, twins.refund(twins.python, GO)) == (gas, refund)


@pytest.mark.parametrize("gas", [1, 22_099, 22_100, 22_101])
def test_gas_runs_out_as_in_bytecode(evm: Code, initcode: Code, gas: int) -> None:
    ours, law = Twins(evm, initcode, [], [Deed("put", 0, 1)]).look(gas)
    assert (ours.failure is None, ours.gas) == (law.failure is None, law.gas)


@pytest.mark.parametrize(("gas", "ends"), [(2_100 + 2_300, False), (2_100 + 2_301, True)])
def test_writes_need_a_gas_reserve(evm: Code, initcode: Code, gas: int, ends: bool) -> None:
    twins = Twins(evm, initcode, [], [Deed("get", 0), Deed("put", 0, 0)])
    assert [frame.failure is None for frame in twins.look(gas)] == [ends, ends]


def test_messages_keep_a_64th_of_the_gas(evm: Code, initcode: Code) -> None:
    twins = Twins(evm, initcode, [], [Deed("call", SPENDER, 0, 10**9)])
    twins.chain.state.set_code(SPENDER, b"\xfe")
    twins.chain.state.close()
    ours, law = twins.look(gas=66_600)
    assert (ours.gas, law.gas) == (1_000, 998)  # to drop what CALL leaves comes after it


VYPER = """
event Put:
    by: indexed(address)
    word: uint256

word: uint256

@external
def put(word: uint256) -> uint256:
    before: uint256 = self.word
    self.word = word
    log Put(by=msg.sender, word=word)
    return before
"""


@event
class Put:
    by: Key[Address]
    word: u256


class Putter(Contract):
    """The same in Python."""

    word: u256

    @call
    def put(self, word: u256) -> u256:
        before = self.word
        self.word = word
        self.emit(Put(self.caller, word))
        return before


def test_only_computing_is_extra() -> None:
    """Vyper's contract pays more, by the EVM's price of computing, which is the same in every call."""
    chain = Chain(guard=False)
    ours, code = chain.deploy(Putter), vyper.compile_code(VYPER)["bytecode"]
    law = chain.send(None, bytes.fromhex(code[2:])).address
    extra = set()
    for word in (1, 2, 2, 0, 0, 3, 0):
        receipt, same = ours.put(word), chain.send(law, ours.put.calldata(word))
        assert (receipt.output, receipt.log_rows[0][1:3]) == (same.output, same.log_rows[0][1:3])
        extra.add(same.gas_used - receipt.gas_used)
    assert len(extra) == 1 and 0 < extra.pop() < 300
