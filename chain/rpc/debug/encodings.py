"""Methods that return blocks, receipts and transactions in the encoding of their hashes and roots."""

from __future__ import annotations

from chain.ledger.blocks import Block
from chain.ledger.headers import encode_block, encode_receipts
from chain.rpc.block_tags import require_block
from chain.rpc.errors import refused
from chain.rpc.eth import blocks, transactions
from chain.rpc.hex_values import data
from chain.rpc.json_format import is_pending
from chain.rpc.node import Node


def get_raw_header(node: Node, block: object) -> str:
    """Return the RLP of a header."""
    return data(node.chain.ledger.header(_closed(node, block).number).encoded)


def get_raw_block(node: Node, block: object) -> str:
    """Return the RLP of a block."""
    ledger, found_block = node.chain.ledger, _closed(node, block)
    envelopes = map(ledger.envelope_of, blocks.receipts_in(node, found_block))
    return data(encode_block(ledger.header(found_block.number), envelopes))


def get_raw_receipts(node: Node, block: object) -> list[str]:
    """Return the encoded receipts of a block."""
    return [data(raw) for raw in encode_receipts(blocks.receipts_in(node, _closed(node, block)))]


def get_raw_transaction(node: Node, tx_hash: object) -> str:
    """Return the signed bytes of a transaction, none if there is no such transaction."""
    return transactions.get_raw_transaction(node, tx_hash) or data(b"")


def get_bad_blocks(node: Node) -> list[object]:
    """Return no blocks: this node makes all of its blocks, so none of them is bad."""
    return []


def _closed(node: Node, block: object) -> Block:
    """Return a block that has a header."""
    found_block = require_block(node.chain, block)
    if is_pending(node.chain.ledger, found_block.number):
        raise refused("the pending block has no header yet")
    return found_block
