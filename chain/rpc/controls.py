"""Methods with which a test holds the chain: mining, the clock, going back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chain.rpc.errors import bad_params
from chain.rpc.values import quantity, to_int

if TYPE_CHECKING:
    from chain.rpc.node import Node


def mine(node: Node, how: Any = None) -> str:
    """Mine one block; `n` for so many; a time for one block at that time; or `{"blocks": n, "timestamp": t}`."""
    chain, blocks, time = node.chain, 1, None
    if isinstance(how, dict):
        blocks, time = to_int(how.get("blocks", 1), "'blocks'"), how.get("timestamp")
    elif how is not None:
        number = to_int(
            how, "the number"
        )  # tools differ in what they mean by it; no one mines a billion blocks
        blocks, time = (number, None) if number < chain.blocks[0].timestamp else (1, number)
    node.limits.check("mined", blocks, "blocks")
    if time is not None:
        _set_time(node, to_int(time, "the time"))
    chain.mine(blocks)
    return "0x0"


def set_automine(node: Node, on: Any) -> bool:
    """Whether each transaction is mined at once, or waits for `evm_mine`."""
    if not isinstance(on, bool):
        raise bad_params(f"automine is true or false, not {on!r}")
    node.chain.automine = on
    return True


def increase_time(node: Node, seconds: Any) -> int:
    """Move the clock; answers by how much it now is ahead of the last block."""
    chain = node.chain
    _set_time(node, chain.now + to_int(seconds, "the number of seconds"))
    return chain.now - chain.head.timestamp


def set_next_timestamp(node: Node, timestamp: Any) -> str:
    time = to_int(timestamp, "the time")
    _set_time(node, time)
    return str(time)


def time_travel(node: Node, timestamp: Any) -> None:
    """Mine a block at that time."""
    _set_time(node, to_int(timestamp, "the time"))
    node.chain.mine()


def _set_time(node: Node, time: int) -> None:
    try:
        node.chain.set_time(time)
    except ValueError as no:
        raise bad_params(str(no)) from None


def snapshot(node: Node) -> str:
    number = next(node.numbers)
    node.snapshots[number] = node.chain.snapshot()
    return quantity(number)


def revert(node: Node, number: Any) -> bool:
    """Go back to a snapshot, which is then used up, as are those taken after it."""
    number = to_int(number, "the snapshot")
    taken = node.snapshots.get(number)
    if taken is None:
        return False
    node.chain.revert(taken)
    node.snapshots = {key: value for key, value in node.snapshots.items() if key < number}
    return True
