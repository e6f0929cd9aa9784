"""Methods about past blocks, transactions, receipts and fees."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import Final, TypeGuard

from chain.ledger.blocks import Block
from chain.ledger.receipts import Receipt
from chain.machine.gas import PER_BLOB
from chain.rpc.block_tags import LATEST, find_block, require_block
from chain.rpc.control.txpool import queued_json
from chain.rpc.errors import bad_params
from chain.rpc.hex_values import data, quantity, to_address, to_hash, to_int
from chain.rpc.json_format import Json, block_json, is_pending, receipt_json, transaction_json
from chain.rpc.node import Node
from chain.rpc.queue import raw_bytes_of
from chain.types import Address

_LONGEST_HISTORY: Final = 1024
_MOST_PERCENTILES: Final = 100
_BODY: Final = ("size", "transactions", "uncles", "withdrawals")


# Blocks


def block_number(node: Node) -> str:
    """Return the number of the last block."""
    return quantity(node.chain.head.number)


def get_block(node: Node, block: object, full: bool = False) -> Json | None:
    """Return a block, with its transactions as hashes or in full."""
    found_block = find_block(node.chain, block)
    return None if found_block is None else block_json(node.chain.ledger, found_block, full)


def get_header(node: Node, block: object) -> Json | None:
    """Return a block without its contents."""
    shown = get_block(node, block)
    return shown and {name: value for name, value in shown.items() if name not in _BODY}


def count_transactions(node: Node, block: object) -> str | None:
    """Return how many transactions a block has."""
    found_block = find_block(node.chain, block)
    return None if found_block is None else quantity(len(receipts_in(node, found_block)))


def count_uncles(node: Node, block: object) -> str | None:
    """Return zero for every block: there are no uncles on this chain."""
    return None if find_block(node.chain, block) is None else "0x0"


def get_uncle(node: Node, block: object, index: object) -> None:
    """Return None: there are no uncles on this chain."""


def get_block_receipts(node: Node, block: object) -> list[Json] | None:
    """Return the receipts of a block, or None while it is open."""
    found_block = find_block(node.chain, block)
    if found_block is None or is_pending(node.chain.ledger, found_block.number):
        return None
    return [receipt_json(node.chain.ledger, receipt) for receipt in receipts_in(node, found_block)]


def receipts_in(node: Node, block: Block) -> list[Receipt]:
    """Return the receipts of a block, which may be the open one."""
    ledger = node.chain.ledger
    end = None if is_pending(ledger, block.number) else block.end_receipt
    return ledger.receipts[block.first_receipt : end]


# Transactions


def get_transaction(node: Node, tx_hash: object) -> Json | None:
    """Return a transaction, which may still wait for those before it."""
    chain, raw_hash = node.chain, to_hash(tx_hash)
    queued = node.queue.find(chain, raw_hash)
    if queued is not None:
        return queued_json(chain, queued)
    receipt = chain.ledger.find(raw_hash)
    return None if receipt is None else transaction_json(chain.ledger, receipt)


def get_raw_transaction(node: Node, tx_hash: object) -> str | None:
    """Return the signed bytes of a transaction."""
    chain, raw_hash = node.chain, to_hash(tx_hash)
    queued = node.queue.find(chain, raw_hash)
    if queued is not None:
        return data(raw_bytes_of(chain, queued))
    receipt = chain.ledger.find(raw_hash)
    return None if receipt is None else data(chain.ledger.envelope_of(receipt))


def get_transaction_in(node: Node, block: object, index: object) -> Json | None:
    """Return a transaction of a block by its index."""
    receipt = _receipt_in(node, block, index)
    return None if receipt is None else transaction_json(node.chain.ledger, receipt)


def get_raw_transaction_in(node: Node, block: object, index: object) -> str | None:
    """Return the signed bytes of a transaction of a block by its index."""
    receipt = _receipt_in(node, block, index)
    return None if receipt is None else data(node.chain.ledger.envelope_of(receipt))


def get_transaction_of(node: Node, sender: object, nonce: object) -> Json | None:
    """Return the transaction with this sender and nonce, the last one if the nonce was reset."""
    chain, account, number = (
        node.chain,
        Address(to_address(sender)),
        to_int(nonce, "the nonce"),
    )
    queued = node.queue.items.get((account, number))
    if queued is not None and number >= chain.nonce(account):
        return queued_json(chain, queued)
    receipt = chain.receipts.where(
        lambda candidate: candidate.nonce == number, sender=account
    ).last()
    return None if receipt is None else transaction_json(chain.ledger, receipt)


def _receipt_in(node: Node, block: object, index: object) -> Receipt | None:
    found_block, position = find_block(node.chain, block), to_int(index, "the index")
    receipts = [] if found_block is None else receipts_in(node, found_block)
    return receipts[position] if position < len(receipts) else None


def get_transaction_receipt(node: Node, tx_hash: object) -> Json | None:
    """Return the receipt, or None while the transaction's block is open."""
    ledger = node.chain.ledger
    receipt = ledger.find(to_hash(tx_hash))
    if receipt is None or is_pending(ledger, receipt.block_number):
        return None
    return receipt_json(ledger, receipt)


# Fees


def base_fee(node: Node) -> str:
    """Return the base fee of the next block. It is also the gas price, since no tip is needed."""
    return quantity(node.chain.pending.base_fee)


def blob_base_fee(node: Node) -> str:
    """Return the price of a unit of blob gas in the next block."""
    return quantity(node.chain.pending.blob_base_fee)


def fee_history(
    node: Node, count: object, newest: object = LATEST, percentiles: object = None
) -> Json:
    """Return base fees and gas use of the last `count` blocks, and the tips paid at each of the percentiles."""
    chain = node.chain
    last = min(require_block(chain, newest).number, chain.head.number)
    count = min(to_int(count, "the number of blocks"), _LONGEST_HISTORY, last + 1)
    blocks = chain.blocks[last + 1 - count : last + 1]
    next_block = chain.blocks[last + 1] if last < chain.head.number else chain.pending
    history = {
        "oldestBlock": quantity(last + 1 - count),
        "baseFeePerGas": [quantity(block.base_fee) for block in [*blocks, next_block]],
        "gasUsedRatio": [block.gas_used / block.gas_limit for block in blocks],
        "baseFeePerBlobGas": [quantity(block.blob_base_fee) for block in [*blocks, next_block]],
        "blobGasUsedRatio": [
            block.blob_gas_used / (block.fork.blobs.max * PER_BLOB) for block in blocks
        ],
    }
    if percentiles:
        if not _are_percentiles(percentiles):
            raise bad_params(
                f"percentiles are increasing numbers from 0 to 100, not {percentiles!r}"
            )
        history["reward"] = [_tips(node, block, percentiles) for block in blocks]
    return history


def _are_percentiles(values: object) -> TypeGuard[list[float]]:
    if not isinstance(values, list | tuple) or len(values) > _MOST_PERCENTILES:
        return False
    if not all(isinstance(value, int | float) and 0 <= value <= 100 for value in values):
        return False
    return list(values) == sorted(values)


def _tips(node: Node, block: Block, percentiles: list[float]) -> list[str]:
    """For each percentile of the block's gas, return the tip paid there, with transactions ordered by tip."""
    paid = sorted(
        (receipt.gas_price - block.base_fee, receipt.gas_used)
        for receipt in receipts_in(node, block)
    )
    cumulative_gas = list(accumulate(gas_used for _, gas_used in paid))
    indexes = [
        bisect_left(cumulative_gas, block.gas_used * percentile / 100) for percentile in percentiles
    ]
    return [quantity(paid[index][0]) if paid else "0x0" for index in indexes]


def max_priority_fee(node: Node) -> str:
    """Return zero: every block has room, so no tip is needed."""
    return "0x0"
