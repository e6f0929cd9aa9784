"""What takes long is read or computed in slices, so that other requests run in between: states, hashes and headers.

Each is done once. Changes that a chain's file has indexed, and hashes that it holds, cost nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final

from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt

SLICE: Final = 0.01  # seconds
_HASHES: Final = 64


async def approach(ledger: Ledger) -> None:
    """Load the data for the states of the past."""
    while not ledger.store.catch_up(("words",), SLICE):
        await asyncio.sleep(0)


async def block_hash(ledger: Ledger, number: int) -> bytes:
    """Return the hash of a block."""
    await _in_turns(ledger, ledger.headers.steps(number))
    return ledger.block_hash(number)


async def find_transaction(ledger: Ledger, tx_hash: bytes) -> Receipt | None:
    """Return the receipt of the transaction with that hash, or None."""
    await _in_turns(ledger, iter(lambda: ledger.envelopes.search(tx_hash, _HASHES), True))
    return ledger.find(tx_hash)


async def _in_turns(ledger: Ledger, steps: Iterator[object]) -> None:
    is_over = object()
    while True:
        with ledger.lock:
            if next(steps, is_over) is is_over:
                return
        await asyncio.sleep(0)
