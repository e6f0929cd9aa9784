"""A contract that calls bytecode, and the bytecode that calls it back, by its ABI."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from chain import (
    Address,
    Chain,
    Contract,
    Key,
    Revert,
    call,
    error,
    event,
    init,
    view,
)  # fmt: skip
from chain.abi.json_abi import functions_from_json
from chain.ledger.receipts import Receipt
from chain.types import u64, u256

ZERO = Address(bytes(20))


def function(name: str, inputs: str = "", outputs: str = "") -> dict[str, object]:
    sides = {"inputs": inputs, "outputs": outputs}
    return {
        "type": "function",
        "name": name,
        **{
            side: [{"type": kind} for kind in kinds.split(",") if kind]
            for side, kinds in sides.items()
        },
    }


FUNCTIONS = """
word::uint256 put:uint256 relay:address,bytes:bytes attempt:address,bytes:bool,bytes look:address,bytes:bytes
lend:address,bytes:bytes make:bytes:address try_make:bytes,bytes32:address hold:uint256 held::uint256 refuse spin
"""


ABI = [function(*line.split(":")) for line in FUNCTIONS.split()]


@event
class Said:
    what: Key[u64]


@error
class Broke(Revert):
    needed: u256


class Asker(Contract):
    """Sends and receives messages, in Python."""

    relay: Address
    count: u256

    @init
    def begin(self, relay: Address) -> None:
        self.relay = relay

    @property
    def it(self) -> Any:
        return self.abi(self.relay, ABI)

    @call
    def put(self, word: u256) -> u256:
        self.emit(Said(1))
        self.it.put(word)
        self.emit(Said(3))
        kept: u256 = self.it.word()
        return kept

    @call(payable=True, nonreentrant=False)
    def add(self, step: u256) -> u256:
        self.count += step
        self.emit(Said(step))
        return self.count

    @call(nonreentrant=False)
    def fail(self, how: u256) -> None:
        self.add(99)
        if how == 0:
            raise Revert("No more")
        if how == 1:
            raise Broke(5)
        [].pop()

    @call(nonreentrant=False)
    def spin(self) -> None:
        while True:
            self.count += 1

    @call
    def around(self, data: bytes) -> bytes:
        """Call this contract back through the relay."""
        self.count += 1
        answer: bytes = self.it.relay(self.address, data)
        return answer

    @call
    def attempt(self, data: bytes) -> str:
        """Let the relay send itself a message, which may fail."""
        self.count += 1
        try:
            self.abi(self.relay, ABI, gas=200_000).relay(self.relay, data)
        except Revert as no:
            return no.text
        return "done"

    @call
    def expect_broke(self) -> u256:
        try:
            self.it.relay(self.address, asker_call("fail", 1))
        except Broke as broke:
            return broke.needed
        return 0

    @call(payable=True)
    def pay(self, amount: u256) -> u256:
        self.abi(self.relay, ABI, value=amount).relay(self.address, asker_call("add", 1))
        return self.balance

    @view
    def peek(self) -> u256:
        word: u256 = self.it.word()
        return word

    @view
    def sneak(self) -> None:
        self.it.put(1)

    @call(nonreentrant=False)
    def hold_and_fail(self, note: u256) -> None:
        self.it.hold(note)
        raise Revert("Never mind")

    @call
    def hold(self, note: u256) -> u256:
        self.it.hold(note)
        self.it.attempt(self.address, asker_call("hold_and_fail", note + 1))
        held: u256 = self.it.held()
        return held

    @call(payable=True)
    def build(self, initcode: bytes, value: u256) -> Address:
        child = self._frame.create(initcode, value)
        return Address(child.address) if child.failure is None else ZERO


def asker_call(entry: str, *args: Any) -> bytes:
    return Asker.__spec__.entries[entry].encode_args(args, {})


class Foreign:
    """A contract known by its JSON ABI, called from outside."""

    def __init__(self, chain: Chain, address: Address) -> None:
        self.chain, self.address = chain, address

    def __getattr__(self, name: str) -> Callable[..., Receipt]:
        def send(*args: Any, **options: Any) -> Receipt:
            return self.chain.send(self.address, relay_call(name, *args), **options)

        return send


def relay_call(name: str, *args: Any) -> bytes:
    return functions_from_json(ABI)[name].encode_args(args, {})


def answered(name: str, receipt: Receipt) -> Any:
    return functions_from_json(ABI)[name].decode_result(receipt.output)


def line_with(text: str) -> int:
    lines = Path(__file__).read_text("utf-8").splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)
