"""Methods about waiting transactions. Here none wait: with automine off a transaction runs at once, in the open block.

So the pool of other nodes is the open block here. To drop or replace a transaction, the open block is undone back to before it,
and the later transactions run again. A request is one step, so either all of that happens or none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chain.crypto.hashing import checksum_address
from chain.errors import InvalidTransaction
from chain.ledger.blocks import Block
from chain.ledger.receipts import Receipt
from chain.ledger.reexecution import transaction_of
from chain.machine.state import ACCOUNT, NO_ACCOUNT, STORAGE, Changes, State, iter_changes
from chain.machine.transaction import Transaction
from chain.rpc.errors import refused
from chain.rpc.hex_values import data, quantity, to_address, to_hash
from chain.rpc.json_format import transaction_json
from chain.simulator.chain import Chain, Snapshot

if TYPE_CHECKING:
    from chain.rpc.node import Node

Json = dict[str, Any]
_MORE: Final = 110  # per cent of the old fees, as in Ethereum's pools


# Reading


def status(node: Node) -> Json:
    return {"pending": quantity(len(_waiting(node.chain))), "queued": "0x0"}


def content(node: Node) -> Json:
    """Return the transactions of the open block, by sender and nonce."""
    ledger, by_sender = node.chain.ledger, dict[str, Json]()
    for receipt in _waiting(node.chain):
        of_sender = by_sender.setdefault(checksum_address(receipt.sender), {})
        of_sender[str(receipt.nonce)] = transaction_json(ledger, receipt)
    return {"pending": by_sender, "queued": {}}


def content_from(node: Node, address: Any) -> Json:
    """Return the transactions of one sender in the open block."""
    pending = content(node)["pending"]
    return {"pending": pending.get(checksum_address(to_address(address)), {}), "queued": {}}


def transactions(node: Node) -> list[Json]:
    """Return the transactions of the open block in order."""
    return [transaction_json(node.chain.ledger, receipt) for receipt in _waiting(node.chain)]


def inspect(node: Node) -> Json:
    """Return the transactions of the open block, by sender and nonce, as one line each."""
    by_sender = dict[str, dict[str, str]]()
    for receipt in _waiting(node.chain):
        of_sender = by_sender.setdefault(checksum_address(receipt.sender), {})
        to = "contract creation" if receipt.to is None else data(receipt.to)
        of_sender[str(receipt.nonce)] = (
            f"{to}: {receipt.value} wei + {receipt.gas} gas × {receipt.max_fee} wei"
        )
    return {"pending": by_sender, "queued": {}}


def _waiting(chain: Chain) -> list[Receipt]:
    block = chain.ledger.open
    return [] if block is None else chain.receipts[block.first_receipt :]


# Dropping


def drop(node: Node, tx_hash: Any) -> bool:
    """Remove a transaction from the open block. Return True if it was in it."""
    chain, receipt = node.chain, node.chain.ledger.find(to_hash(tx_hash))
    if receipt is None or receipt not in _waiting(chain):
        return False
    _drop(chain, {receipt})
    return True


def drop_all(node: Node) -> None:
    _drop(node.chain, set(_waiting(node.chain)))


def drop_sender(node: Node, address: Any) -> None:
    """Remove all transactions of one sender."""
    sender = to_address(address)
    _drop(node.chain, {receipt for receipt in _waiting(node.chain) if receipt.sender == sender})


def _drop(chain: Chain, dropped: set[Receipt]) -> None:
    """Undo the open block back to before the first of these, and redo the later items except the dropped ones."""
    if dropped:
        later = _undo_from(chain, min(receipt.position for receipt in dropped))
        _reapply(chain, [item for item in later if item not in dropped])


# Replacing


def apply(chain: Chain, tx: Transaction) -> Receipt:
    """Send a transaction. It replaces one of the open block with the same sender and nonce."""
    if chain.ledger.open is not None and tx.nonce < chain.state.account(tx.sender)[0]:
        for receipt in _waiting(chain):
            if (receipt.sender, receipt.nonce) == (tx.sender, tx.nonce):
                return _replace(chain, receipt, tx)
    return chain.send_transaction(tx)


def _replace(chain: Chain, old: Receipt, tx: Transaction) -> Receipt:
    for new_fee, fee in ((tx.max_fee, old.max_fee), (tx.tip, old.tip)):
        if new_fee * 100 < fee * _MORE:
            raise refused("replacement transaction underpriced: it pays a tenth more in each fee")
    _, *later = _undo_from(chain, old.position)
    receipt = chain.add_to_open_block(tx)
    _reapply(chain, later)
    return receipt


def _undo_from(chain: Chain, first: int) -> list[Receipt | Changes]:
    """Undo the open block back to before the receipt at position `first`, and return the undone items."""
    timeline_index = chain.ledger.timeline_index(chain.receipts[first])
    later, block = list(_open_block_items(chain, timeline_index)), copy(chain.pending)
    block.gas_used -= sum(receipt.gas_used for receipt in chain.receipts[first:])
    chain.revert(_open_block_point(chain, timeline_index, first, block))
    return later


# Changing the open block


class OpenBlockPoint(NamedTuple):
    """A point to which a chain can go back, and how to rebuild it if the open block was started again meanwhile."""

    snapshot: Snapshot
    interval: float  # seconds between blocks that the server mines; 0 for none
    start: Snapshot | None = None  # the start of the block that was open
    acts: Sequence[Receipt | Changes] = ()  # the items of that block

    @classmethod
    def of(cls, node: Node) -> OpenBlockPoint:
        chain = node.chain
        block = chain.ledger.open
        if block is None:
            return cls(chain.snapshot(), node.interval)
        beginning = _open_block_point(chain, block.first_timeline_index, block.first_receipt, None)
        items = list(_open_block_items(chain, block.first_timeline_index))
        return cls(chain.snapshot(), node.interval, beginning, items)

    @property
    def blocks(self) -> int:
        return self.snapshot.blocks

    def roll_back(self, node: Node) -> bool:
        """Go back to this point. Return False if that is no longer possible."""
        is_done = self._roll_back(node.chain)
        if is_done:
            node.interval = self.interval
        return is_done

    def _roll_back(self, chain: Chain) -> bool:
        with suppress(ValueError):
            chain.revert(self.snapshot)
            return True
        if self.start is None:
            return False
        with suppress(ValueError):
            chain.revert(self.start)
            _reapply(chain, self.acts)
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
    _reapply(chain, items)


def _open_block_items(chain: Chain, moment: int) -> Iterator[Receipt | Changes]:
    """Yield the items of the open block from a timeline index on: transactions, and the changes set between them."""
    ledger = chain.ledger
    for index in range(moment, len(ledger.timeline)):
        yield ledger.receipt_at_index(index) or ledger.timeline[index]


def _open_block_point(chain: Chain, moment: int, receipt: int, block: Block | None) -> Snapshot:
    """Return a snapshot within the open block. `moment` is a timeline index, `receipt` a position."""
    blocks = len(chain.blocks)
    last = chain.ledger.last(blocks, moment)
    return Snapshot(blocks, moment, receipt, block, chain.mining, last)


def _reapply(chain: Chain, acts: Sequence[Receipt | Changes]) -> None:
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
