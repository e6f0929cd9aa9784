"""All that happened on a chain, done again on a fresh one: the same transactions in the same blocks, the same acts between.

Whatever a contract looked at that is not of the chain (a clock, the order of a set, chance of the machine) shows here: a
receipt comes out differently, and the first one that does is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from chain.ledger.blocks import Block
from chain.ledger.receipts import Receipt
from chain.ledger.rows import pack
from chain.machine.transaction import Transaction
from chain.rpc.reading import read_envelope
from chain.simulator import Chain
from chain.transcript import Transcript

Watch = Callable[
    [Iterable[Receipt]], Iterable[Receipt]
]  # goes through receipts, and may show how far it is

_FAILURE = 17  # where it stands in a row


def replay(chain: Chain, watch: Watch = iter) -> tuple[Chain, str | None]:
    """A fresh chain on which all was done again, up to the first receipt that differs, and how it differs."""
    again = chain.fork(at=0)
    again.ledger.open = None
    acts = _Acts(chain, again)
    for receipt in watch(chain.ledger.receipts):
        difference = acts.redo(receipt)
        if difference is not None:
            return again, difference
    acts.finish()
    if again.state.accounts != chain.state.accounts or again.blocks.head != chain.head:
        return again, "all receipts are the same, but the chains do not end alike"
    return again, None


class _Acts:
    """Goes through a chain's timeline and does on another what stands there."""

    def __init__(self, chain: Chain, again: Chain) -> None:
        self._chain, self._again = chain, again
        self._held = iter([*chain.blocks[1:], *filter(None, [chain.ledger.open])])
        self._block = next(self._held, None)

    def redo(self, receipt: Receipt) -> str | None:
        ledger, again = self._again.ledger, self._again
        while self._block is not None and self._block.number < receipt.block_number:
            self._close()
        block = self._opened()
        self._note(self._chain.ledger.moment_of(receipt))
        tx = _transaction(again, receipt)
        made = ledger.append(tx, again.machine.transact(tx, block), block)
        return _difference(receipt, made)

    def finish(self) -> None:
        blocks = len(self._chain.blocks)
        while self._block is not None and self._block.number < blocks:
            self._close()
        self._note(len(self._chain.ledger.timeline))

    def _opened(self) -> Block:
        """The block that is under way, as it was when it began."""
        block, ledger = self._block, self._again.ledger
        if block is None:
            raise ValueError("a receipt stands in no block")
        if ledger.open is None:
            moment, receipt = block.first_moment, block.first_receipt
            ledger.open = replace(block, end_moment=moment, end_receipt=receipt, gas_used=0)
        return ledger.open

    def _close(self) -> None:
        block = self._opened()
        assert self._block is not None
        self._note(self._block.end_moment)
        self._again.ledger.close(block)
        self._again.ledger.open = None
        self._block = next(self._held, None)

    def _note(self, upto: int) -> None:
        """What was changed between transactions, up to that moment."""
        theirs, ours = self._chain.ledger, self._again.ledger
        for moment in range(len(ours.timeline), upto):
            changes = theirs.timeline[moment]
            self._again.state.put_back(changes)
            ours.note(changes)


def _transaction(chain: Chain, receipt: Receipt) -> Transaction:
    """What was sent."""
    if receipt.raw is not None:
        return read_envelope(chain, receipt.raw)
    return Transaction(
        bytes(receipt.sender), None if receipt.to is None else bytes(receipt.to),
        receipt.data, receipt.value, receipt.gas, receipt.nonce,
        receipt.max_fee, receipt.tip, receipt.type, receipt.access_list,
    )  # fmt: skip


def _difference(before: Receipt, after: Receipt) -> str | None:
    if _comparable(before) == _comparable(after):
        return None
    was, now = (Transcript(each.ledger).lines(each) for each in (before, after))
    lines = [*(f"- {line}" for line in was), *(f"+ {line}" for line in now)]
    return "\n".join([f"receipt {before.position} came out differently", *lines])


def _comparable(receipt: Receipt) -> list[Any]:
    """A receipt's row, apart from where in the source a failure arose."""
    row: list[Any] = list(pack(receipt.row))
    if row[_FAILURE] is not None:
        row[_FAILURE] = row[_FAILURE][:3]
    return row
