"""Moving to a state of the distant past, in small steps.

The chain reuses a released past state and moves it to the next requested one, at the cost of the changes in between. A jump
over a million transactions takes seconds; in small steps other requests can run in between.
"""

from __future__ import annotations

import asyncio
from typing import Final

from chain.simulator.chain import Chain

HOP: Final = 1_000  # transactions


class Approach:
    """Moves the past of one chain."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._last = len(chain.ledger.receipts)  # its last position

    async def to(self, position: int) -> None:
        """Bring the past near a transaction."""
        receipts = self._chain.ledger.receipts
        at = min((len(receipts), self._last), key=lambda start: abs(start - position))
        while abs(at - position) > HOP:
            at += HOP if position > at else -HOP
            self._chain.before(receipts[at])
            await asyncio.sleep(0)
        self._last = position
