"""Methods about what has happened: blocks, transactions, receipts, fees."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from chain.ledger.headers import blob_gas_of
from chain.rpc.block_tags import (
    LATEST,
    find_block,
    require_block,
)
from chain.rpc.errors import bad_params
from chain.rpc.hex_values import (
    data,
    quantity,
    to_address,
    to_hash,
    to_int,
)
from chain.rpc.json_format import (
    Json,
    block_json,
    is_pending,
    receipt_json,
    transaction_json,
)
from chain.types import Address

if TYPE_CHECKING:
    from chain.ledger.blocks import Block
    from chain.ledger.receipts import Receipt
    from chain.rpc.node import Node

_LONGEST_HISTORY: Final = 1024
_MOST_PERCENTILES: Final = 100
_BODY: Final = ("size", "transactions", "uncles", "withdrawals")
_MOST_BLOB_GAS: Final = 9 * 131_072  # in a block of the Prague fork


# Blocks


def block_number(node: Node) -> str:
    return quantity(node.chain.head.number)


def get_block(node: Node, block: Any, full: bool = False) -> Json | None:
    found = find_block(node.chain, block)
    return None if found is None else block_json(node.chain.ledger, found, full)


def get_header(node: Node, block: Any) -> Json | None:
    """A block without what it holds."""
    shown = get_block(node, block)
    return shown and {name: value for name, value in shown.items() if name not in _BODY}


def count_transactions(node: Node, block: Any) -> str | None:
    found = find_block(node.chain, block)
    return None if found is None else quantity(len(receipts_in(node, found)))


def count_uncles(node: Node, block: Any) -> str | None:
    return None if find_block(node.chain, block) is None else "0x0"


def get_uncle(node: Node, block: Any, index: Any) -> None:
    """There are none on this chain."""


def get_block_receipts(node: Node, block: Any) -> list[Json] | None:
    found = find_block(node.chain, block)
    if found is None:
        return None
    return [receipt_json(node.chain.ledger, receipt) for receipt in receipts_in(node, found)]


def receipts_in(node: Node, block: Block) -> list[Receipt]:
    """The receipts of a block, also of the open one."""
    ledger = node.chain.ledger
    end = None if is_pending(ledger, block.number) else block.end_receipt
    return ledger.receipts[block.first_receipt : end]


# Transactions


def get_transaction(node: Node, tx_hash: Any) -> Json | None:
    found = node.chain.ledger.find(to_hash(tx_hash))
    return None if found is None else transaction_json(node.chain.ledger, found)


def get_raw_transaction(node: Node, tx_hash: Any) -> str | None:
    found = node.chain.ledger.find(to_hash(tx_hash))
    return None if found is None else data(node.chain.ledger.envelope_of(found))


def get_transaction_in(node: Node, block: Any, index: Any) -> Json | None:
    found = _receipt_in(node, block, index)
    return None if found is None else transaction_json(node.chain.ledger, found)


def get_raw_transaction_in(node: Node, block: Any, index: Any) -> str | None:
    found = _receipt_in(node, block, index)
    return None if found is None else data(node.chain.ledger.envelope_of(found))


def get_transaction_of(node: Node, sender: Any, nonce: Any) -> Json | None:
    """The transaction to which a sender gave this number; the last of them, if the number was set back."""
    chain, who, number = node.chain, Address(to_address(sender)), to_int(nonce, "the nonce")
    found = chain.receipts.where(lambda sent: sent.nonce == number, sender=who).last()
    return None if found is None else transaction_json(chain.ledger, found)


def _receipt_in(node: Node, block: Any, index: Any) -> Receipt | None:
    found, place = find_block(node.chain, block), to_int(index, "the index")
    receipts = [] if found is None else receipts_in(node, found)
    return receipts[place] if place < len(receipts) else None


def get_transaction_receipt(node: Node, tx_hash: Any) -> Json | None:
    """The receipt, once the transaction's block is closed."""
    ledger = node.chain.ledger
    found = ledger.find(to_hash(tx_hash))
    if found is None or is_pending(ledger, found.block_number):
        return None
    return receipt_json(ledger, found)


# Fees


def gas_price(node: Node) -> str:
    return quantity(node.chain.pending.base_fee)


def fee_history(node: Node, count: Any, newest: Any = LATEST, percentiles: Any = None) -> Json:
    """Base fees and fullness of the last `count` blocks; with percentiles, also what tips were paid."""
    chain = node.chain
    last = min(require_block(chain, newest).number, chain.head.number)
    count = min(to_int(count, "the number of blocks"), _LONGEST_HISTORY, last + 1)
    blocks = chain.blocks[last + 1 - count : last + 1]
    after = chain.blocks[last + 1] if last < chain.head.number else chain.pending
    history = {
        "oldestBlock": quantity(last + 1 - count),
        "baseFeePerGas": [quantity(block.base_fee) for block in [*blocks, after]],
        "gasUsedRatio": [block.gas_used / block.gas_limit for block in blocks],
        "baseFeePerBlobGas": ["0x1"] * (count + 1),
        "blobGasUsedRatio": [_blob_share(node, block) for block in blocks],
    }
    if percentiles:
        if not _are_percentiles(percentiles):
            raise bad_params(
                f"percentiles are numbers that rise from 0 to 100, not {percentiles!r}"
            )
        history["reward"] = [_tips(node, block, percentiles) for block in blocks]
    return history


def _blob_share(node: Node, block: Block) -> float:
    ledger = node.chain.ledger
    receipts = ledger.receipts[block.first_receipt : block.end_receipt]
    return sum(blob_gas_of(ledger, receipt) for receipt in receipts) / _MOST_BLOB_GAS


def _are_percentiles(values: Any) -> bool:
    if not isinstance(values, list | tuple) or len(values) > _MOST_PERCENTILES:
        return False
    if not all(isinstance(value, int | float) and 0 <= value <= 100 for value in values):
        return False
    return list(values) == sorted(values)


def _tips(node: Node, block: Block, percentiles: list[float]) -> list[str]:
    """For each percentile of the block's gas, the tip that the transaction there paid, by rising tips."""
    paid = sorted((r.gas_price - block.base_fee, r.gas_used) for r in receipts_in(node, block))
    reached = list(accumulate(gas_used for _, gas_used in paid))
    places = [bisect_left(reached, block.gas_used * percentile / 100) for percentile in percentiles]
    return [quantity(paid[place][0]) if paid else "0x0" for place in places]


def max_priority_fee(node: Node) -> str:
    """Nobody need tip: there is room in every block."""
    return "0x0"
