"""Preparing a state of the distant past: the changes since then are read in slices, so that other requests run in between.

This is done once. Changes that a chain's file has indexed need not be read at all.
"""

from __future__ import annotations

import asyncio
from typing import Final

from chain.ledger.change_index import end_of_stretch
from chain.ledger.ledger import Ledger

SLICE: Final = 1_000  # moments


async def approach(ledger: Ledger, position: int) -> None:
    """Load the data for the states before and after a transaction."""
    index, timeline = ledger.past.index, ledger.timeline
    if end_of_stretch(timeline.moment_of(position)) < len(timeline):
        for end in range(index.done + SLICE, len(timeline), SLICE):
            index.read(min(end, len(timeline)))  # it may have been cut in between
            await asyncio.sleep(0)
