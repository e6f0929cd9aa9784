"""What is read of a distant past: in slices, so that other requests run in between."""

from __future__ import annotations

import asyncio
from typing import Final

from chain.ledger.ledger import Ledger

SLICE: Final = 0.01  # seconds


async def approach(ledger: Ledger) -> None:
    """Load the data for the states of the past."""
    while not ledger.store.catch_up(("words",), SLICE):
        await asyncio.sleep(0)
