"""Real time for a chain, so that a front end's timer runs out without any transaction.

Only a node's chain uses it, and only on request: on all others time passes with blocks, the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class WallClock(NamedTuple):
    """A clock of the machine, and the number of seconds by which the chain is ahead of it."""

    read: Callable[[], float]
    ahead: int = 0

    @property
    def now(self) -> int:
        return int(self.read()) + self.ahead

    def at(self, time: int) -> WallClock:
        """Return a clock that shows this time now."""
        return WallClock(self.read, time - int(self.read()))
