"""A transaction as the machine takes it, signed or not, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chain.code import Program
from chain.frame import Failure, Frame
from chain.machine.nesting import STEPS, on_fresh_stack
from chain.machine.state import Changes, LogRow


@dataclass(slots=True)
class Transaction:
    """Who asks what of whom, and what it may cost."""

    sender: bytes
    to: bytes | None  # None: make a contract
    data: bytes
    value: int
    gas: int
    nonce: int
    max_fee: int
    tip: int = 0
    type: int = 2  # as EIP-2718 numbers them; 2 is EIP-1559
    access_list: tuple[tuple[bytes, tuple[int, ...]], ...] = ()
    signed: Any = None  # py-evm's transaction, where one came in signed
    raw: bytes | None = None  # its bytes


@dataclass(slots=True)
class Call:
    """One message in a transaction's tree of calls, as it ended."""

    kind: str
    address: bytes
    caller: bytes
    program: Program | None
    data: bytes
    value: int
    output: bytes
    failure: Failure | None
    calls: tuple[Call, ...]


@dataclass(slots=True)
class Outcome:
    """What a transaction did."""

    frame: Frame
    gas_used: int
    gas_price: int
    changes: Changes
    logs: Sequence[LogRow]

    @property
    def calls(self) -> tuple[Call, ...]:
        """The messages that the first one sent."""
        return _calls_of(self.frame)


def call_of(frame: Frame) -> Call:
    """What is kept of a frame when its transaction is over."""
    calls = on_fresh_stack(_calls_of, frame) if frame.depth in STEPS else _calls_of(frame)
    return Call(
        frame.kind, frame.address, frame.caller, frame.program, frame.data, frame.value,
        frame.output, frame.failure, calls,
    )  # fmt: skip


def _calls_of(frame: Frame) -> tuple[Call, ...]:
    return tuple([call_of(child) for child in frame.children])
