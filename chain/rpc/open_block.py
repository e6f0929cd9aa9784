"""Rollback within the open block: its items are dropped, replaced or run again with other block fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from typing import NamedTuple

from chain.errors import InvalidTransaction
from chain.ledger.blocks import Block, Head, change_block
from chain.ledger.headers import blob_gas_of
from chain.ledger.receipts import Receipt
from chain.ledger.reexecution import transaction_of
from chain.machine.state import ACCOUNT, NO_ACCOUNT, STORAGE, Changes, State, iter_changes
from chain.machine.transaction import BLOB_TYPE
from chain.rpc.queue import Queue
from chain.simulator.chain import Chain


def undo_from(chain: Chain, first: int) -> list[Receipt | Changes]:
    """Undo the open block back to before the receipt at position `first`, and return the undone items."""
    timeline_index = chain.ledger.timeline_index(chain.receipts[first])
    later, block = list(_open_block_items(chain, timeline_index)), copy(chain.pending)
    change_block(block, end_receipt=first)
    for receipt in chain.receipts[first:]:
        change_block(block, gas_used=block.gas_used - receipt.gas_used)
        if receipt.type == BLOB_TYPE:
            blob_gas = blob_gas_of(chain.ledger.envelope_of(receipt))
            change_block(block, blob_gas_used=block.blob_gas_used - blob_gas)
    chain.revert(_open_block_point(chain, timeline_index, first, block))
    return later


class OpenBlockPoint(NamedTuple):
    """A point to which a chain can go back, and how to rebuild it if the open block was started again meanwhile."""

    snapshot: Head
    interval: float  # seconds between blocks that the server mines; 0 for none
    queue: Queue
    start: Head | None = None  # the start of the block that was open
    acts: Sequence[Receipt | Changes] = ()  # the items of that block

    @classmethod
    def of(cls, chain: Chain, interval: float, queue: Queue) -> OpenBlockPoint:
        block = chain.ledger.open
        if block is None:
            return cls(chain.snapshot(), interval, queue)
        beginning = _open_block_point(chain, block.first_timeline_index, block.first_receipt, None)
        items = list(_open_block_items(chain, block.first_timeline_index))
        return cls(chain.snapshot(), interval, queue, beginning, items)

    @property
    def blocks(self) -> int:
        return self.snapshot.blocks

    def roll_back(self, chain: Chain) -> bool:
        """Go back to this point. Return False if that is no longer possible."""
        with suppress(ValueError):
            chain.revert(self.snapshot)
            return True
        if self.start is None:
            return False
        with suppress(ValueError):
            chain.revert(self.start)
            reapply(chain, self.acts)
            return True
        return False


def rebuild_open_block(chain: Chain, change: Callable[[], None]) -> None:
    """Change the properties of the next block. If it is already open, its items run again after the change."""
    block = chain.ledger.open
    if block is None:
        change()
        return
    items = list(_open_block_items(chain, block.first_timeline_index))
    chain.revert(_open_block_point(chain, block.first_timeline_index, block.first_receipt, None))
    change()
    reapply(chain, items)


def _open_block_items(chain: Chain, moment: int) -> Iterator[Receipt | Changes]:
    """Yield the items of the open block from a timeline index on: transactions, and the changes set between them."""
    ledger = chain.ledger
    for index in range(moment, len(ledger.timeline)):
        yield ledger.receipt_at_index(index) or ledger.timeline[index]


def _open_block_point(chain: Chain, moment: int, receipt: int, block: Block | None) -> Head:
    """Return a snapshot within the open block. `moment` is a timeline index, `receipt` a position."""
    blocks = len(chain.blocks)
    last = chain.ledger.last(blocks, moment)
    row = None if block is None else block.row
    return Head(blocks, moment, receipt, row, chain.mining, last)


def reapply(chain: Chain, acts: Sequence[Receipt | Changes]) -> None:
    """Run transactions, and make changes set between them, again."""
    for item in acts:
        if not isinstance(item, Receipt):
            _set_again(chain.state, item)
            chain.record_changes()
            continue
        with suppress(InvalidTransaction):  # it depended on a transaction that is gone
            chain.add_to_open_block(transaction_of(item))


def _set_again(state: State, changes: Changes) -> None:
    for address, slot, _, after in iter_changes(changes):
        if slot is ACCOUNT:
            state.set_account(address, after or NO_ACCOUNT)
        elif slot is STORAGE:
            state.delete_storage(address)
        else:
            state.set_word(address, slot, after or 0)
