"""Methods about blocks and their receipts."""

from __future__ import annotations

from typing import Final

from chain.ledger.blocks import Block
from chain.ledger.receipts import Receipt
from chain.rpc.block_tags import find_block
from chain.rpc.hex_values import quantity
from chain.rpc.json_format import Json, block_json, is_pending, receipt_json
from chain.rpc.node import Node

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
