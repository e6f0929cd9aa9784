"""Methods about waiting transactions. Here none wait: with automine off a transaction runs at once, in the open block.

So the pool of other nodes is the open block here. To drop or replace a transaction, the open block is undone back to before it,
and the later transactions run again. A request is one step, so either all of that happens or none of it.
"""

from __future__ import annotations

from typing import Any, Final

from chain.crypto.hashing import checksum_address, keccak
from chain.ledger.receipts import Receipt
from chain.machine.transaction import Transaction
from chain.rpc.errors import refused
from chain.rpc.hex_values import data, quantity, to_address, to_hash
from chain.rpc.json_format import transaction_json
from chain.rpc.node import Node
from chain.rpc.open_block import reapply, undo_from
from chain.simulator.chain import Chain

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


def content_from(node: Node, address: object) -> Json:
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


def drop(node: Node, tx_hash: object) -> bool:
    """Remove a transaction from the open block. Return True if it was in it."""
    chain, receipt = node.chain, node.chain.ledger.find(to_hash(tx_hash))
    if receipt is None or receipt not in _waiting(chain):
        return False
    _drop(chain, {receipt})
    return True


def drop_all(node: Node) -> None:
    _drop(node.chain, set(_waiting(node.chain)))


def drop_sender(node: Node, address: object) -> None:
    """Remove all transactions of one sender."""
    sender = to_address(address)
    _drop(node.chain, {receipt for receipt in _waiting(node.chain) if receipt.sender == sender})


def _drop(chain: Chain, dropped: set[Receipt]) -> None:
    """Undo the open block back to before the first of these, and redo the later items except the dropped ones."""
    if dropped:
        later = undo_from(chain, min(receipt.position for receipt in dropped))
        reapply(chain, [item for item in later if item not in dropped])


# Replacing


def apply(chain: Chain, tx: Transaction) -> Receipt:
    """Send a transaction. It replaces one of the open block with the same sender and nonce."""
    if chain.ledger.open is not None and tx.nonce < chain.state.account(tx.sender)[0]:
        for receipt in _waiting(chain):
            if (receipt.sender, receipt.nonce) == (tx.sender, tx.nonce):
                if tx.raw is not None and keccak(tx.raw) == receipt.tx_hash:
                    raise refused(f"already known: {data(receipt.tx_hash)} is in the open block")
                return _replace(chain, receipt, tx)
    return chain.send_transaction(tx)


def _replace(chain: Chain, old: Receipt, tx: Transaction) -> Receipt:
    for new_fee, fee in ((tx.max_fee, old.max_fee), (tx.tip, old.tip)):
        if new_fee * 100 < fee * _MORE:
            raise refused("replacement transaction underpriced: it pays a tenth more in each fee")
    _, *later = undo_from(chain, old.position)
    receipt = chain.add_to_open_block(tx)
    reapply(chain, later)
    return receipt
