"""Resolves the blocks that clients name, and the state at the end of a block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chain.ledger.blocks import Block
from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import data, to_hash, to_int
from chain.simulator.chain import Chain
from chain.simulator.past import scratch_chain
from chain.simulator.reader import ChainReader

LATEST: Final = "latest"
PENDING: Final = "pending"
_HEAD: Final = (None, LATEST, "safe", "finalized")
_TAGS: Final = "a number, a hash, latest, earliest, pending, safe or finalized"


def block_number_of(chain: Chain, block: object) -> int:
    """Return the number of a tag or a quantity. The block need not exist yet."""
    if block in _HEAD:
        return chain.head.number
    if block == "earliest":
        return 0
    if block == PENDING:
        return chain.head.number + 1
    if isinstance(block, str) and not block.startswith("0x"):
        raise bad_params(f"there is no block {block!r}; use {_TAGS}")
    return to_int(block, "the block", 64)


def find_block(chain: Chain, block: object) -> Block | None:
    """Return the block by tag, number, hash, or an object such as `{"blockHash": …}` (EIP-1898); None if there is none."""
    if block in _HEAD:
        return chain.head
    if isinstance(block, Mapping):
        block = block.get("blockHash", block.get("blockNumber"))
    if isinstance(block, bytes) or (isinstance(block, str) and len(block) == 66):
        number = chain.ledger.number_of(to_hash(block, "the block hash"))
        return None if number is None else chain.blocks[number]
    head, number = chain.head, block_number_of(chain, block)
    if number <= head.number:
        return head if number == head.number else chain.blocks[number]
    return chain.pending if block == PENDING else None


def require_block(chain: Chain, block: object) -> Block:
    found_block = find_block(chain, block)
    if found_block is None:
        shown = data(block) if isinstance(block, bytes) else block
        raise refused(f"block not found: there is no {shown}, the last is {chain.head.number}")
    return found_block


def state_at(chain: Chain, block: object, *, apart: bool = False) -> tuple[ChainReader, Block]:
    """Return a reader of the chain at the end of a block, and that block.

    With `apart` the state is separate from the chain, so the caller may change it.
    """
    ledger = chain.ledger
    if block in _HEAD and ledger.open is None and not apart:  # as nearly always
        return chain, chain.head
    found_block = require_block(chain, block)
    behind, open_block = ledger.blocks.head.number - found_block.number, ledger.open
    waits = open_block is not None and open_block.first_receipt < len(ledger.receipts)
    is_now = behind < 0 or (behind == 0 and not waits)
    if is_now and not apart:
        return chain, found_block
    if is_now:
        index = chain.timeline_index
    elif behind:
        index = found_block.end_timeline_index
    else:  # includes changes set since the block, up to the first pending transaction
        index = ledger.timeline_index(ledger.receipts[found_block.end_receipt])
    return scratch_chain(ledger.then(index), chain.machine, found_block, index), found_block
