"""Snapshots of a chain, for `Chain.revert`."""

from __future__ import annotations

from typing import NamedTuple

from chain.ledger.blocks import Block, Mining
from chain.values import short_repr


class Snapshot(NamedTuple):
    """The lengths of everything that grows. To revert is to truncate to them.

    >>> snapshot = chain.snapshot()
    >>> race.roll()
    <Receipt Race.roll in block 9: ok>
    >>> chain.revert(snapshot)
    """

    blocks: int  # the number of blocks
    moments: int  # the length of the timeline
    receipts: int  # the number of receipts
    open: Block | None  # the open block
    mining: Mining  # the mining settings
    # The last objects of the ledger at that time. Once undone, the same objects never come back.
    tail_identity: tuple[object, ...] = ()

    def __repr__(self) -> str:
        return f"<Snapshot at block {self.blocks - 1}>"


def check_snapshot(thing: object) -> None:
    """Refuse anything that is not a snapshot."""
    if not isinstance(thing, Snapshot):
        raise TypeError(f"{short_repr(thing)} is not a snapshot: pass a result of chain.snapshot()")
