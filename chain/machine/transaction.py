"""A transaction as the machine takes it, signed or not, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from chain.code import Program
from chain.frame import Failure, Frame, Log
from chain.machine.state import Changes
from chain.types import Address


@dataclass(slots=True)
class Transaction:
    """Who asks what of whom, and what it may cost."""

    sender: Address
    to: Address | None  # None: make a contract
    data: bytes
    value: int
    gas: int
    nonce: int
    max_fee: int
    tip: int = 0
    type: int = 2  # as EIP-2718 numbers them; 2 is EIP-1559
    access_list: tuple[tuple[Address, tuple[int, ...]], ...] = ()
    signed: Any = None  # py-evm's transaction, where one came in signed
    raw: bytes | None = None  # its bytes


@dataclass(slots=True)
class Call:
    """One message in a transaction's tree of calls, as it ended."""

    kind: str
    address: Address
    caller: Address
    program: Program | None
    entry: Any
    data: bytes
    value: int
    output: bytes
    failure: Failure | None
    calls: list[Call]


@dataclass(slots=True)
class Outcome:
    """What a transaction did."""

    address: Address  # whom it reached, or the contract it made
    program: Program | None
    entry: Any
    output: bytes
    result: Any  # what a Python entry returned, before encoding
    failure: Failure | None
    gas_used: int
    gas_price: int
    changes: Changes
    logs: list[Log]
    undone_changes: Changes
    undone_logs: list[Log]
    calls: list[Call] = field(default_factory=list)


def call_of(frame: Frame) -> Call:
    """What is kept of a frame when its transaction is over."""
    return Call(
        frame.kind, frame.address, frame.caller, frame.program, frame.entry, frame.data, frame.value,
        frame.output, frame.failure, [call_of(child) for child in frame.children],
    )  # fmt: skip


def outcome_of(frame: Frame, gas_used: int, changes: Changes, logs: list[Log]) -> Outcome:
    context = frame.context
    return Outcome(
        frame.address, frame.program, frame.entry, frame.output, frame.result, frame.failure, gas_used,
        context.gas_price, changes, logs, context.undone_changes, context.undone_logs,
        [call_of(child) for child in frame.children] if frame.children else [],
    )  # fmt: skip
