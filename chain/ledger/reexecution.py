"""Running a transaction again on the state before it, under observation.

A state aside is walked back along the timeline to that moment, and the transaction runs there, in its block, as it did then.
The chain is deterministic, so what comes out is what came out then: that is checked, and where something else had a hand in
it, it is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chain.errors import InvalidTransaction
from chain.machine.frame import BlockContext
from chain.machine.recording import RecordingMachine
from chain.machine.state import Changes, iter_changes
from chain.machine.transaction import Transaction, TransactionResult
from chain.runtime.forced_random import RecordedOutcomes

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger
    from chain.ledger.receipts import Receipt


def recording_machine(ledger: Ledger) -> RecordingMachine:
    """A machine on the ledger's state, with all contracts known to it, that notes every step."""
    made = RecordingMachine(ledger.state)
    for program in ledger.programs.values():
        made.declare(program)
    made.block_hash = ledger.block_hash
    return made


def replay_transaction(
    ledger: Ledger, receipt: Receipt, machine: RecordingMachine
) -> tuple[Ledger, TransactionResult]:
    """What the transaction of a receipt did, and the ledger on the state as it left that, on which the machine now stands."""
    if not ledger.receipts.holds(receipt):
        raise LookupError("this transaction was taken back: it cannot be run again")
    machine.loaded = RecordedOutcomes(receipt.forced_random) if receipt.forced_random else None
    then = ledger.then(ledger.timeline_index(receipt))
    machine.state = then.state
    try:
        outcome = machine.transact(transaction_of(receipt), block_of(ledger, receipt))
    except InvalidTransaction as no:
        raise LookupError(f"this transaction cannot be run again: {no}") from None
    _require_same_outcome(receipt, outcome)
    return then, outcome


def block_of(ledger: Ledger, receipt: Receipt) -> BlockContext:
    block = ledger.open
    if block is not None and block.number == receipt.block_number:
        return block
    return ledger.blocks[receipt.block_number]


def transaction_of(receipt: Receipt) -> Transaction:
    """The transaction as it was asked."""
    return Transaction(
        bytes(receipt.sender), None if receipt.to is None else bytes(receipt.to), receipt.data, receipt.value,
        receipt.gas, receipt.nonce, receipt.max_fee, receipt.tip, receipt.type, receipt.access_list, None, receipt.raw,
    )  # fmt: skip


def _require_same_outcome(receipt: Receipt, outcome: TransactionResult) -> None:
    """That it went as it did then."""
    same = outcome.gas_used == receipt.gas_used and _net(outcome.changes) == _net(receipt.changes)
    if not same or outcome.frame.output != receipt.output:
        raise LookupError(
            "this transaction goes another way than it did: what it does hangs on something besides the chain,"
            " as on a debugger that read fields while it ran, or on what a test changed since"
        )


def _net(changes: Changes) -> dict[Any, list[Any]]:
    """By place, what stood there before and after: both roads come to that, each by steps of its own."""
    found: dict[Any, list[Any]] = {}
    for address, slot, before, after in iter_changes(changes):
        found.setdefault((address, slot), [before, after])[1] = after
    return found
