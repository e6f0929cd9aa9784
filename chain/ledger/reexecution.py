"""Re-execution: runs a transaction again on the state before it, and records its steps.

A scratch copy of the state is undone along the timeline to the index of the transaction, which then runs in its block as it
did before. The chain is deterministic, so the outcome must be the same: this is checked, and a difference, which must come
from outside the chain, is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from chain.errors import InvalidTransaction
from chain.ledger.receipts import Receipt
from chain.machine.block_context import BlockContext
from chain.machine.forced_random import RecordedOutcomes
from chain.machine.recording import RecordingMachine
from chain.machine.state import Changes, iter_changes
from chain.machine.transaction import Transaction, TransactionResult

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

R = TypeVar("R", bound="Ledger")


def recording_machine(ledger: Ledger) -> RecordingMachine:
    """Return a machine on the ledger's state that has all its contracts declared and records every step."""
    machine = RecordingMachine(ledger.state)
    for program in ledger.programs.values():
        machine.declare(program)
    machine.programs.find_as(ledger.programs)
    machine.block_hash = ledger.block_hash
    return machine


def replay_transaction(
    ledger: R, receipt: Receipt, machine: RecordingMachine
) -> tuple[R, TransactionResult]:
    """Run the transaction of a receipt again; return its outcome, and the ledger on the state that it left.

    That state is also the state of `machine` afterwards.
    """
    if not ledger.receipts.contains(receipt):
        raise LookupError("this transaction was undone: it cannot be run again")
    machine.loaded = RecordedOutcomes(receipt.forced_random) if receipt.forced_random else None
    ledger_then = ledger.then(ledger.timeline_index(receipt))
    machine.state = ledger_then.state
    try:
        outcome = machine.transact(transaction_of(receipt), block_of(ledger, receipt))
    except InvalidTransaction as error:
        raise LookupError(f"this transaction cannot be run again: {error}") from None
    _require_same_outcome(receipt, outcome)
    return ledger_then, outcome


def block_of(ledger: Ledger, receipt: Receipt) -> BlockContext:
    block = ledger.open
    if block is not None and block.number == receipt.block_number:
        return block
    return ledger.blocks[receipt.block_number]


def transaction_of(receipt: Receipt) -> Transaction:
    """Return the transaction as it was sent."""
    return Transaction(
        bytes(receipt.sender), None if receipt.to is None else bytes(receipt.to), receipt.data, receipt.value,
        receipt.gas, receipt.nonce, receipt.max_fee, receipt.tip, receipt.type, receipt.access_list, None, receipt.raw,
        is_free=receipt.raw is None and receipt.max_fee == 0,
    )  # fmt: skip


def _require_same_outcome(receipt: Receipt, outcome: TransactionResult) -> None:
    """Check that the outcome is the one in the receipt."""
    same = outcome.gas_used == receipt.gas_used and _net(outcome.changes) == _net(receipt.changes)
    if not same or outcome.frame.output != receipt.output:
        raise LookupError(
            "this transaction ran differently this time: it depends on something outside the chain, "
            "such as a debugger that read fields while it ran, or a change that a test has made "
            "since"
        )


def _net(changes: Changes) -> dict[Any, list[object]]:
    """Return the first and last value at each location. Both executors agree on these, though their steps may differ."""
    values: dict[object, list[object]] = {}
    for address, slot, before, after in iter_changes(changes):
        values.setdefault((address, slot), [before, after])[1] = after
    return values
