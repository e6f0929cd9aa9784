"""The least gas with which a transaction has the same outcome as with plenty."""

from __future__ import annotations

from collections.abc import Callable

from chain.ledger.blocks import Block
from chain.machine.failure import Failure
from chain.machine.frame import Frame
from chain.machine.gas import CALL_STIPEND
from chain.machine.transaction import Transaction, TransactionResult
from chain.simulator.reader import ChainReader


def estimate_gas(chain: ChainReader, tx: Transaction, block: Block) -> tuple[int, Failure | None]:
    """Return the gas that a transaction needs in a block; or the gas that it was given, and why it fails with that."""
    plenty = min(tx.gas, block.max_transaction_gas)
    outcome = _rehearse(chain, tx, block, plenty)
    if outcome.frame.failure is not None:
        return plenty, outcome.frame.failure
    expected = _outcome_signature(outcome.frame)

    def is_enough(gas: int) -> bool:
        return _outcome_signature(_rehearse(chain, tx, block, gas).frame) == expected

    # The gas used before refunds. A message keeps a 64th of its gas from those below it, so more may be needed.
    least = max(plenty - outcome.frame.gas, outcome.gas_used)
    if outcome.frame.gas == outcome.frame.gas_limit and not outcome.context.ticks:
        return least, None  # as a transfer: no code used any
    return (least if is_enough(least) else _search(is_enough, least, plenty)), None


def without_fees(chain: ChainReader, tx: Transaction, gas: int) -> Transaction:
    """Return the transaction with this gas and the next nonce, and without fees."""
    nonce = chain.state.account(tx.sender)[0]
    return tx._replace(gas=gas, nonce=nonce, max_fee=0, tip=0, is_free=True)


def _rehearse(chain: ChainReader, tx: Transaction, block: Block, gas: int) -> TransactionResult:
    """Run a transaction and undo it."""
    return chain.rehearse(without_fees(chain, tx, gas), block)


def _outcome_signature(frame: Frame) -> tuple[object, ...]:
    """Return nested tuples of the success of a message and of all those below it."""
    return (frame.failure is None, *map(_outcome_signature, frame.children))


def _search(is_enough: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least sufficient number, above `low`, which is too little, and up to `high`, which is enough."""
    # The first probe adds the gas that one level of messages keeps from the next.
    probe = min(high, low + low // 63 + CALL_STIPEND + 1)
    while low + 1 < high:
        if is_enough(probe):
            high = probe
        else:
            low = probe
        probe = (low + high) // 2
    return high
