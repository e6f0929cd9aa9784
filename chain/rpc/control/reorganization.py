"""The method that reorganizes the chain from some block on, to test how a client handles that."""

from __future__ import annotations

from chain.crypto.hashing import keccak
from chain.rpc.errors import bad_params
from chain.rpc.eth.transactions import parse_sent
from chain.rpc.hex_values import to_bytes, to_int, to_list
from chain.rpc.node import Node
from chain.rpc.transaction_fields import parse_signed


def reorganize(node: Node, depth: object, placed: object = ()) -> None:
    """Undo the last `depth` blocks, and mine as many others at the same times, with the transactions of `placed`.

    `placed` is a list of pairs: a transaction, as fields or signed, and the index of its new block, from 0. The old
    transactions are gone.
    """
    chain, count = node.chain, to_int(depth, "the depth")
    if not 0 < count <= chain.head.number:
        raise bad_params(f"{count} blocks cannot be replaced: there are {chain.head.number}")
    sent = [_placed(pair, count) for pair in to_list(placed, "the transactions")]
    first = chain.head.number + 1 - count
    replaced = [(block.timestamp, chain.block_hash(block.number)) for block in chain.blocks[first:]]
    chain.revert(chain.snapshot_at_end_of(first - 1))
    wall = chain.driver.wall
    for index, (timestamp, block_hash) in enumerate(replaced):
        chain.set_time(timestamp)
        # A different random number makes it a different block, even if both are empty.
        chain.set_next_block(prevrandao=int.from_bytes(keccak(block_hash)))
        for what, place in sent:
            if place == index:
                _include(node, what)
        chain.mine()
    chain.driver.wall = wall


def _placed(pair: object, count: int) -> tuple[object, int]:
    """Return a transaction and the index of its block."""
    items = to_list(pair, "a transaction and its block")
    if len(items) != 2:
        raise bad_params(f"expected a transaction and its block, not {len(items)} items")
    index = to_int(items[1], "the block")
    if index >= count:
        raise bad_params(f"there is no new block {index}: the first of {count} is 0")
    return items[0], index


def _include(node: Node, what: object) -> None:
    is_signed = isinstance(what, str | bytes)
    tx = parse_signed(node.chain, to_bytes(what, "a transaction")) if is_signed else parse_sent(node, what)  # fmt: skip
    node.chain.add_to_open_block(tx)
