"""The time of a block.

A block has the time of the chain's clock, if that is later than the block before; otherwise it follows that block after the
block interval. The clock stands still until it is set. Only in a node it may follow a clock of the machine, so that a front
end's timer runs out without any transaction. On all other chains time passes with blocks, the same on every machine.
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


def time_of_next_block(clock: int, last_block: int, interval: int) -> int:
    """Return the time of the block that follows a block of the time `last_block`."""
    return clock if clock > last_block else last_block + interval
