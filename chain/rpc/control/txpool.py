"""Methods about transactions that wait. Here none do: with automine off a transaction runs at once, in the open block.

So what other nodes keep in a pool is here what stands in the open block, and to drop or replace a transaction is to take the
open block back to before it and run again what came after. A request is one step, so either all of that happens or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chain.crypto.hashing import checksum_address
from chain.errors import InvalidTransaction
from chain.ledger.receipts import Receipt
from chain.ledger.reexecution import transaction_of
from chain.machine.state import ACCOUNT, NO_ACCOUNT, STORAGE, Changes, State, iter_changes
from chain.machine.transaction import Transaction
from chain.rpc.errors import refused
from chain.rpc.hex_values import (
    data,
    quantity,
    to_address,
    to_hash,
)
from chain.rpc.json_format import transaction_json
from chain.simulator.chain import Snapshot

if TYPE_CHECKING:
    from chain.ledger.blocks import Block
    from chain.rpc.node import Node
    from chain.simulator.chain import Chain

Json = dict[str, Any]
_MORE: Final = 110  # per cent of the old fees, as Ethereum's pools have it


# Looking


def status(node: Node) -> Json:
    return {"pending": quantity(len(_waiting(node.chain))), "queued": "0x0"}


def content(node: Node) -> Json:
    """The transactions of the open block, by sender and nonce."""
    ledger, found = node.chain.ledger, dict[str, Json]()
    for receipt in _waiting(node.chain):
        of_sender = found.setdefault(checksum_address(receipt.sender), {})
        of_sender[str(receipt.nonce)] = transaction_json(ledger, receipt)
    return {"pending": found, "queued": {}}


def content_from(node: Node, address: Any) -> Json:
    """Those of one sender."""
    pending = content(node)["pending"]
    return {"pending": pending.get(checksum_address(to_address(address)), {}), "queued": {}}


def transactions(node: Node) -> list[Json]:
    """The transactions of the open block in their order."""
    return [transaction_json(node.chain.ledger, each) for each in _waiting(node.chain)]


def inspect(node: Node) -> Json:
    """The same in a line each."""
    found = dict[str, dict[str, str]]()
    for receipt in _waiting(node.chain):
        of_sender = found.setdefault(checksum_address(receipt.sender), {})
        to = "contract creation" if receipt.to is None else data(receipt.to)
        of_sender[str(receipt.nonce)] = (
            f"{to}: {receipt.value} wei + {receipt.gas} gas × {receipt.max_fee} wei"
        )
    return {"pending": found, "queued": {}}


def _waiting(chain: Chain) -> list[Receipt]:
    block = chain.ledger.open
    return [] if block is None else chain.receipts[block.first_receipt :]


# Dropping


def drop(node: Node, tx_hash: Any) -> bool:
    """Take a transaction out of the open block; whether it was there."""
    chain, found = node.chain, node.chain.ledger.find(to_hash(tx_hash))
    if found is None or found not in _waiting(chain):
        return False
    _drop(chain, {found})
    return True


def drop_all(node: Node) -> None:
    _drop(node.chain, set(_waiting(node.chain)))


def drop_sender(node: Node, address: Any) -> None:
    """Take out all transactions of one sender."""
    who = to_address(address)
    _drop(node.chain, {each for each in _waiting(node.chain) if each.sender == who})


def _drop(chain: Chain, dropped: set[Receipt]) -> None:
    """Take the open block back to before the first of these, and do again what came after, but for them."""
    if dropped:
        later = _undo_from(chain, min(each.position for each in dropped))
        _reapply(chain, [act for act in later if act not in dropped])


# Replacing


def apply(chain: Chain, tx: Transaction) -> Receipt:
    """Send a transaction, in the place of a waiting one if it has the same sender and number."""
    if chain.ledger.open is not None and tx.nonce < chain.state.account(tx.sender)[0]:
        for each in _waiting(chain):
            if (each.sender, each.nonce) == (tx.sender, tx.nonce):
                return _replace(chain, each, tx)
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
    """Take the open block back to before the receipt at that place; what it held from there on."""
    moment = chain.ledger.timeline_index(chain.receipts[first])
    later, block = list(_open_block_items(chain, moment)), copy(chain.pending)
    block.gas_used -= sum(each.gas_used for each in chain.receipts[first:])
    chain.revert(_place(chain, moment, first, block))
    return later


# Changing the open block


class OpenBlockPoint(NamedTuple):
    """Where a chain can be taken back to, and how to get there again if the open block has begun anew meanwhile."""

    snapshot: Snapshot
    interval: float  # after which the node's server mined a block by itself
    beginning: Snapshot | None = None  # of the block that was open
    acts: Sequence[Receipt | Changes] = ()  # that were in it

    @classmethod
    def of(cls, node: Node) -> OpenBlockPoint:
        chain = node.chain
        block = chain.ledger.open
        if block is None:
            return cls(chain.snapshot(), node.interval)
        beginning = _place(chain, block.first_moment, block.first_receipt, None)
        acts = list(_open_block_items(chain, block.first_moment))
        return cls(chain.snapshot(), node.interval, beginning, acts)

    @property
    def blocks(self) -> int:
        return self.snapshot.blocks

    def go_back(self, node: Node) -> bool:
        """Whether that is still possible."""
        is_done = self._go_back(node.chain)
        if is_done:
            node.interval = self.interval
        return is_done

    def _go_back(self, chain: Chain) -> bool:
        with suppress(ValueError):
            chain.revert(self.snapshot)
            return True
        if self.beginning is None:
            return False
        with suppress(ValueError):
            chain.revert(self.beginning)
            _reapply(chain, self.acts)
            return True
        return False


def rebuild_open_block(chain: Chain, change: Callable[[], None]) -> None:
    """Change what the next block will be. If it is open already, what it holds runs again, as if it had waited."""
    block = chain.ledger.open
    if block is None:
        change()
        return
    acts = list(_open_block_items(chain, block.first_moment))
    chain.revert(_place(chain, block.first_moment, block.first_receipt, None))
    change()
    _reapply(chain, acts)


def _open_block_items(chain: Chain, moment: int) -> Iterator[Receipt | Changes]:
    """What the open block holds from a moment on: transactions, and what was set between them."""
    ledger = chain.ledger
    for at in range(moment, len(ledger.timeline)):
        yield ledger.receipt_at_index(at) or ledger.timeline[at]


def _place(chain: Chain, moment: int, receipt: int, block: Block | None) -> Snapshot:
    """A place within the open block."""
    blocks = len(chain.blocks)
    last = chain.ledger.last(blocks, moment)
    return Snapshot(blocks, moment, receipt, block, chain.mining, last)


def _reapply(chain: Chain, acts: Sequence[Receipt | Changes]) -> None:
    for act in acts:
        if not isinstance(act, Receipt):
            _set_again(chain.state, act)
            chain.record_changes()
            continue
        with suppress(InvalidTransaction):  # it built on one that is gone
            chain.add_to_open_block(transaction_of(act))


def _set_again(state: State, changes: Changes) -> None:
    for address, slot, _, after in iter_changes(changes):
        if slot is ACCOUNT:
            state.set_account(address, after or NO_ACCOUNT)
        elif slot is STORAGE:
            state.delete_storage(address)
        else:
            state.set_word(address, slot, after or 0)
