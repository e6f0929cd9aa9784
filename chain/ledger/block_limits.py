"""The number of blobs in a block. The machine checks its gas."""

from __future__ import annotations

from chain.errors import InvalidTransaction
from chain.ledger.blocks import Block
from chain.ledger.headers import blob_gas_of
from chain.machine.gas import PER_BLOB
from chain.machine.transaction import Transaction


def require_blob_room(tx: Transaction, block: Block) -> None:
    """Refuse a transaction with more blobs than the block has room for."""
    count = blob_gas_of(tx.raw or b"") // PER_BLOB
    room = block.fork.blobs.max - block.blob_gas_used // PER_BLOB
    if count > room:
        raise InvalidTransaction(f"{count} blobs are too many: the block has room for {room}")
