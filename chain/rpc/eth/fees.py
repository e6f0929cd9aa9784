"""Methods about base fees, tips and the fees of past blocks."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import Final, TypeGuard

from chain.ledger.blocks import Block
from chain.machine.gas import PER_BLOB
from chain.rpc.block_tags import LATEST, require_block
from chain.rpc.errors import bad_params
from chain.rpc.eth.blocks import receipts_in
from chain.rpc.hex_values import quantity, to_int
from chain.rpc.json_format import Json
from chain.rpc.node import Node

_LONGEST_HISTORY: Final = 1024
_MOST_PERCENTILES: Final = 100


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
