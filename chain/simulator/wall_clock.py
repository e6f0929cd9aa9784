"""Time that passes by itself, for a chain whose users wait for it: a front end's timer runs out without any transaction.

Only a node's chain has it, and only if it is told to: on all others time passes with blocks, the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class WallClock(NamedTuple):
    """A clock of the machine, and by how many seconds the chain is ahead of it."""

    read: Callable[[], float]
    ahead: int = 0

    @property
    def now(self) -> int:
        return int(self.read()) + self.ahead

    def at(self, time: int) -> WallClock:
        """Return the clock such that it is this time now."""
        return WallClock(self.read, time - int(self.read()))
