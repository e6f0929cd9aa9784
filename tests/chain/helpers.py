"""Types of the shared fixtures, untyped values for tests that pass wrong types, and properties of every chain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chain import Address, Chain
from chain.ledger.receipts import Receipt
from chain.machine.failure import Failure
from chain.simulator.handle import Handle

Code = Callable[..., bytes]  # of names of opcodes, numbers and bytes, or of code: bytecode
Deploy = Callable[..., Handle]
Place = Callable[..., Address]  # puts bytecode on the chain


def untyped(value: object) -> Any:
    """Return `value` without its type, for uses that a type checker would refuse."""
    return value


def failure_of(receipt: Receipt) -> Failure:
    """Return why the transaction failed, which it must have done."""
    assert receipt.error is not None
    return receipt.error


def wei_of(chain: Chain) -> int:
    """Return the total of all balances and of the burnt fees, in wei."""
    burnt = sum(
        r.gas_used * min(r.gas_price, chain.blocks[r.block_number].base_fee) for r in chain.receipts
    )
    return burnt + sum(balance for _, balance, _ in chain.state.accounts.values())


def check_whole(chain: Chain) -> None:
    """Check that every figure is a whole number, and that roots and hashes can be computed."""
    assert all(type(n) is int and n >= 0 for row in chain.state.accounts.values() for n in row[:2])
    chain.mine()
    assert (len(chain.state_root()), len(chain.block_hash())) == (32, 32)
