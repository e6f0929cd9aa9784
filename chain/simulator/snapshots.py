"""Snapshots of a chain, which `Chain.revert` takes back."""

from __future__ import annotations

from typing import NamedTuple

from chain.ledger.blocks import Block, Mining
from chain.schema.validation import short_repr


class Snapshot(NamedTuple):
    """The lengths of everything that grows. To revert is to truncate to them.

    >>> snapshot = chain.snapshot()
    >>> race.roll()
    <Receipt Race.roll in block 9: ok>
    >>> chain.revert(snapshot)
    """

    blocks: int  # how many blocks there are
    moments: int  # the length of the timeline
    receipts: int  # how many receipts there are
    open: Block | None  # the open block
    mining: Mining  # the mining settings
    # The last objects of the ledger at that time. Once undone, the same objects never come back.
    tail_identity: tuple[object, ...] = ()


def check_snapshot(thing: object) -> None:
    """Refuse anything that is not a snapshot."""
    if not isinstance(thing, Snapshot):
        raise TypeError(
            f"{short_repr(thing)} is not a snapshot: give back what chain.snapshot() gave"
        )
