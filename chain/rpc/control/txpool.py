"""Methods about waiting transactions.

The pending transactions of other nodes are those of the open block here: with automine off a transaction runs immediately, in
that block. To drop or replace one, the open block is undone back to before it, and the later transactions run again. A
request is one step, so all of this happens or none of it. The queued transactions are in the node's `Queue`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial

from chain.crypto.hashing import checksum_address, keccak
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.machine.transaction import Transaction
from chain.rpc.hex_values import data, quantity, to_address, to_hash
from chain.rpc.json_format import Json, signed_json, transaction_json
from chain.rpc.node import Node
from chain.rpc.open_block import reapply, undo_from
from chain.rpc.queue import Queue, hash_of, raw_bytes_of, require_higher_fees
from chain.simulator.chain import Chain

# Reading


def status(node: Node) -> Json:
    """Return the number of transactions in the open block, and of those that wait for earlier ones."""
    chain = node.chain
    pending, queued = len(_waiting(chain)), len(node.queue.waiting(chain.state))
    return {"pending": quantity(pending), "queued": quantity(queued)}


def content(node: Node) -> Json:
    """Return the transactions of the open block and those of the queue, by sender and nonce."""
    return _by_sender(node, transaction_json, queued_json)


def content_from(node: Node, address: object) -> Json:
    """Return the waiting transactions of one sender."""
    sender = checksum_address(to_address(address))
    return {kind: of_sender.get(sender, {}) for kind, of_sender in content(node).items()}


def inspect(node: Node) -> Json:
    """Return the transactions of the open block and those of the queue, by sender and nonce, as one line each."""
    return _by_sender(node, _line, _line)


def _line(_: object, tx: Receipt | Transaction) -> str:
    to = "contract creation" if tx.to is None else data(tx.to)
    return f"{to}: {tx.value} wei + {tx.gas} gas × {tx.max_fee} wei"


def _by_sender(
    node: Node, shown: Callable[[Ledger, Receipt], object], shown_queued: Callable[[Chain, Transaction], object]
) -> Json:  # fmt: skip
    chain, pending, queued = node.chain, dict[str, Json](), dict[str, Json]()
    for receipt in _waiting(chain):
        of_sender = pending.setdefault(checksum_address(receipt.sender), {})
        of_sender[str(receipt.nonce)] = shown(chain.ledger, receipt)
    for tx in node.queue.waiting(chain.state):
        of_sender = queued.setdefault(checksum_address(tx.sender), {})
        of_sender[str(tx.nonce)] = shown_queued(chain, tx)
    return {"pending": pending, "queued": queued}


def queued_json(chain: Chain, tx: Transaction) -> Json:
    """Return a transaction that waits for those before it. It has no block yet."""
    nowhere = ("blockHash", "blockNumber", "transactionIndex", "blockTimestamp")
    shown = signed_json(tx, raw_bytes_of(chain, tx), chain.chain_id)
    return {"from": data(tx.sender), **shown, **dict.fromkeys(nowhere)}


def transactions(node: Node) -> list[Json]:
    """Return the transactions of the open block in order."""
    return [transaction_json(node.chain.ledger, receipt) for receipt in _waiting(node.chain)]


def _waiting(chain: Chain) -> list[Receipt]:
    block = chain.ledger.open
    return [] if block is None else chain.receipts[block.first_receipt :]


# Dropping


def drop(node: Node, tx_hash: object) -> bool:
    """Remove a transaction from the open block or from the queue. Return True if it was there."""
    chain, dropped_hash = node.chain, to_hash(tx_hash)
    queued = node.queue.find(chain, dropped_hash)
    if queued is not None:
        node.queue = node.queue.without(partial(operator.is_, queued))
        return True
    receipt = chain.ledger.find(dropped_hash)
    if receipt is None or receipt not in _waiting(chain):
        return False
    _drop(chain, {receipt})
    return True


def drop_all(node: Node) -> None:
    """Remove all transactions from the open block and from the queue."""
    node.queue = Queue()
    _drop(node.chain, set(_waiting(node.chain)))


def drop_sender(node: Node, address: object) -> None:
    """Remove all transactions of one sender."""
    sender = to_address(address)
    node.queue = node.queue.without(lambda tx: tx.sender == sender)
    _drop(node.chain, {receipt for receipt in _waiting(node.chain) if receipt.sender == sender})


def _drop(chain: Chain, dropped: set[Receipt]) -> None:
    """Undo the open block back to before the first of these, and redo the later items except the dropped ones."""
    if dropped:
        later = undo_from(chain, min(receipt.position for receipt in dropped))
        reapply(chain, [item for item in later if item not in dropped])


# Sending


def submit(node: Node, tx: Transaction) -> bytes:
    """Send a transaction, or let it wait if its nonce is ahead. Return its hash."""
    chain = node.chain
    if tx.nonce <= chain.state.account(tx.sender)[0]:
        return apply(chain, tx).tx_hash
    node.queue = node.queue.with_transaction(chain, tx, node.limits.queued)
    return hash_of(chain, tx)


def apply(chain: Chain, tx: Transaction) -> Receipt:
    """Send a transaction. It replaces one of the open block with the same sender and nonce."""
    if chain.ledger.open is not None and tx.nonce < chain.state.account(tx.sender)[0]:
        for receipt in _waiting(chain):
            if (receipt.sender, receipt.nonce) == (tx.sender, tx.nonce):
                return _replace(chain, receipt, tx)
    return chain.send_transaction(tx)


def _replace(chain: Chain, old: Receipt, tx: Transaction) -> Receipt:
    is_known = tx.raw is not None and keccak(tx.raw) == old.tx_hash
    require_higher_fees(tx, old, is_known=is_known)
    _, *later = undo_from(chain, old.position)
    receipt = chain.add_to_open_block(tx)
    reapply(chain, later)
    return receipt
