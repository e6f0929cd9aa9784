"""Methods that control mining, the clock and rollback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from chain.ledger.blocks import Mining
from chain.rpc.chain.values import client_errors
from chain.rpc.control.account_state import parse_bool
from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import quantity, to_int, to_object
from chain.rpc.json_format import Json, block_json
from chain.rpc.node import Node
from chain.rpc.open_block import OpenBlockPoint, rebuild_open_block
from chain.rpc.queue import Queue
from chain.values.inputs import INTERVAL


def mine(node: Node, how: object = None) -> str:
    """Mine one block; `n` blocks; one block at a given time; or `{"blocks": n, "timestamp": t}`."""
    chain, blocks, time = node.chain, 1, None
    if isinstance(how, dict):
        blocks, time = to_int(how.get("blocks", 1), "'blocks'"), how.get("timestamp")
    elif how is not None:
        # Tools send a count or a time; a number from the first block's timestamp on is a time.
        number = to_int(how, "the number")
        blocks, time = (number, None) if number < chain.blocks[0].timestamp else (1, number)
    node.limits.check("mined", blocks, "blocks")
    if time is not None:
        _set_time(node, to_int(time, "the time"))
    chain.mine(blocks)
    return "0x0"


def mine_detailed(node: Node, how: object = None) -> list[Json]:
    """Mine like `mine`, and return the new blocks in full."""
    first = len(node.chain.blocks)
    mine(node, how)
    return [block_json(node.chain.ledger, block, full=True) for block in node.chain.blocks[first:]]


def mine_with_interval(node: Node, blocks: object = 1, interval: object = None) -> str:
    """Mine `blocks` blocks, the later ones `interval` seconds apart."""
    chain, count = node.chain, to_int(blocks, "the number of blocks")
    node.limits.check("mined", count, "blocks")
    seconds = None if interval is None else to_int(interval, "the interval")
    if count:
        chain.mine()
    for _ in range(count - 1):
        if seconds:
            _set_time(node, chain.head.timestamp + seconds)
        chain.mine()
    return "0x0"


def set_automine(node: Node, on: object) -> bool:
    """Set whether each transaction is mined immediately, or waits for `evm_mine`."""
    node.chain.automine = parse_bool(on, "automine")
    return True


def get_automine(node: Node) -> bool:
    """Return whether each transaction is mined immediately."""
    return node.chain.automine


def set_interval_mining(node: Node, seconds: object) -> bool:
    """Let a server mine a block every `seconds`, 0 for never. Transactions wait for it."""
    interval = to_int(seconds, "the number of seconds")
    if interval > INTERVAL:
        raise bad_params(f"blocks can be {INTERVAL} seconds apart at most, not {interval}")
    node.interval = float(interval)
    node.chain.automine = not interval
    return True


def get_interval_mining(node: Node) -> int | None:
    """Return the seconds between blocks that a server mines; null if it mines none."""
    return round(node.interval) or None


def set_block_interval(node: Node, seconds: object) -> bool:
    """Set the time between a block and its parent, for as long as nothing moves the clock."""
    interval = to_int(seconds, "the number of seconds")
    with client_errors():
        node.chain.block_interval = interval
    return True


def remove_block_interval(node: Node) -> bool:
    """Set the time between a block and its parent to one second."""
    node.chain.block_interval = 1
    return True


def increase_time(node: Node, seconds: object) -> int:
    """Move the clock, and return the number of seconds by which it is ahead of the last block."""
    chain, number = node.chain, to_int(seconds, "the number of seconds")
    with _refuse_bad_times():
        rebuild_open_block(chain, lambda: chain.advance(number))
    return chain.now - chain.head.timestamp


def set_next_timestamp(node: Node, timestamp: object) -> str:
    """Set the time of the next block."""
    time = to_int(timestamp, "the time")
    _set_time(node, time)
    return str(time)


def set_clock(node: Node, timestamp: object) -> int:
    """Set the clock, and return the number of seconds by which it is ahead of the last block."""
    _set_time(node, to_int(timestamp, "the time"))
    return node.chain.now - node.chain.head.timestamp


def time_travel(node: Node, timestamp: object) -> None:
    """Mine a block at this time."""
    _set_time(node, to_int(timestamp, "the time"))
    node.chain.mine()


def _set_time(node: Node, time: int) -> None:
    with _refuse_bad_times():
        rebuild_open_block(node.chain, lambda: node.chain.set_time(time))


@contextmanager
def _refuse_bad_times() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise bad_params(str(error)) from None


def snapshot(node: Node) -> str:
    """Return the number of a new snapshot, for `evm_revert`."""
    number = next(node.numbers)
    node.snapshots[number] = OpenBlockPoint.of(node.chain, node.interval, node.queue)
    if len(node.snapshots) > node.limits.snapshots:
        del node.snapshots[next(iter(node.snapshots))]
    return quantity(number)


def revert(node: Node, number: object) -> bool:
    """Go back to a snapshot. It and all later snapshots are used up."""
    number = to_int(number, "the snapshot")
    point = node.snapshots.get(number)
    if point is None or not point.roll_back(node.chain):
        return False
    node.chain.driver.resume()
    node.interval, node.queue = point.interval, point.queue
    node.snapshots = {key: value for key, value in node.snapshots.items() if key < number}
    return True


def rollback(node: Node, depth: object = 1) -> bool:
    """Undo the last `depth` blocks."""
    _undo(node, to_int(depth, "the number of blocks"))
    return True


def set_head(node: Node, number: object) -> None:
    """Undo all blocks after that of this number."""
    _undo(node, node.chain.head.number - to_int(number, "the block"))


def _undo(node: Node, count: int) -> None:
    chain = node.chain
    if not 0 <= count <= chain.head.number:
        raise bad_params(f"{count} blocks cannot be undone: there are {chain.head.number}")
    chain.revert(chain.snapshot_at_end_of(chain.head.number - count))
    chain.driver.resume()


def reset(node: Node, forking: object = None) -> bool:
    """Go back to the first block, end all impersonation, drop waiting transactions, and turn automine on."""
    if forking and to_object(forking, "the state to reset to").get("forking"):
        raise refused("this node cannot fork another chain")
    chain = node.chain
    genesis = chain.snapshot_at_end_of(0)
    chain.revert(genesis._replace(mining=Mining(genesis.mining.clock)))
    chain.driver.resume()
    chain.machine.loaded = None
    node.impersonated.clear()
    node.snapshots, node.queue = {}, Queue()
    node.impersonates_all, node.interval = False, 0.0
    return True
