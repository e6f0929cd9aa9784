"""The types of the shared fixtures, and the way out of types for tests that pass wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chain import Address
from chain.ledger.receipts import Receipt
from chain.machine.frame import Failure
from chain.simulator.handle import Handle

Code = Callable[..., bytes]  # of names of opcodes, numbers and bytes, or of code: bytecode
Deploy = Callable[..., Handle]
Place = Callable[..., Address]  # puts bytecode on the chain


def untyped(value: object) -> Any:
    """Return `value` as a caller without a type checker has it, to do with it what a checker would refuse."""
    return value


def failure_of(receipt: Receipt) -> Failure:
    """Return why the transaction failed, which it must have done."""
    assert receipt.error is not None
    return receipt.error
