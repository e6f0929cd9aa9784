"""The limits of a block: the number of blobs, and its size in bytes. The machine checks its gas."""

from __future__ import annotations

from typing import Final

from chain.crypto.accounts import Account
from chain.errors import InvalidTransaction
from chain.ledger.blocks import Block
from chain.ledger.headers import blob_gas_of
from chain.ledger.ledger import Ledger
from chain.ledger.signing import encode_signed
from chain.machine.gas import FLOOR_PER_TOKEN, PER_BLOB
from chain.machine.transaction import BLOB_TYPE, Transaction

_HEADER: Final = 1_024  # the maximum number of bytes of a block without its transactions
_LISTED: Final = 40  # the maximum number of bytes of an access list entry


def require_room(ledger: Ledger, tx: Transaction, block: Block, key: Account | None) -> None:
    """Refuse a transaction for which the block has no room; `key` is the account that signs it, if it is known."""
    if tx.type == BLOB_TYPE:
        _require_blobs(tx, block)
    if block.rules.has_large_blocks:
        _require_bytes(ledger, tx, block, key)


def _require_blobs(tx: Transaction, block: Block) -> None:
    count = blob_gas_of(tx.raw or b"") // PER_BLOB
    room = block.fork.blobs.max - block.blob_gas_used // PER_BLOB
    if count > room:
        raise InvalidTransaction(f"{count} blobs are too many: the block has room for {room}")


def _require_bytes(ledger: Ledger, tx: Transaction, block: Block, key: Account | None) -> None:
    """Refuse a transaction with which the block is larger than its fork allows (EIP-7934)."""
    limit = block.fork.max_block_size
    # A byte costs ten gas or more, so the gas used limits the present size of the block.
    if limit is None or block.gas_used // FLOOR_PER_TOKEN + _largest_size(tx) <= limit:
        return
    raw = tx.raw or encode_signed(tx, block.chain_id, key)
    earlier = ledger.receipts[block.first_receipt :]
    size = _HEADER + len(raw) + sum(len(ledger.envelope_of(receipt)) for receipt in earlier)
    if size > limit:
        raise InvalidTransaction(
            f"block RLP-encoded size exceeds maximum: with it the block would be larger than {limit} bytes"
        )


def _largest_size(tx: Transaction) -> int:
    """Return an upper bound of the size of a block with only this transaction."""
    listed = sum(1 + len(slots) for _, slots in tx.access_list)
    return 2 * _HEADER + (len(tx.data) + _LISTED * listed if tx.raw is None else len(tx.raw))
