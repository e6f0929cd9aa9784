"""The timer that mines blocks at an interval, while the node has one (`evm_setIntervalMining`).

The wall clock decides only when a block is mined. Its timestamp follows the rule of the chain: the interval after its parent,
unless the chain's time was moved since, or follows the wall clock too.
"""

from __future__ import annotations

import asyncio
from typing import Final

from chain.foundation.atomic_steps import in_one_step
from chain.rpc.node import Node
from chain.rpc.server.app import App

_A_LITTLE: Final = 0.05  # seconds


class Clock:
    """Mines blocks for a node and then notifies its connections. It runs in the event loop that calls `update`."""

    def __init__(self, node: Node, app: App) -> None:
        self._node, self._app = node, app
        self._interval = 0.0
        self._next: asyncio.TimerHandle | None = None

    def update(self) -> None:
        """Start, stop or restart the timer if the node's interval has changed."""
        if self._node.interval != self._interval:
            self.stop()
            self._interval = self._node.interval
            self._wait()

    def stop(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self._interval = 0.0

    def _wait(self) -> None:
        if self._interval > 0:
            self._next = asyncio.get_running_loop().call_later(self._interval, self._tick)

    def _tick(self) -> None:
        if self._app.runner.is_held:  # by a transaction that needs the chain unchanged
            self._next = asyncio.get_running_loop().call_later(_A_LITTLE, self._tick)
            return
        try:
            in_one_step(self._node.chain, self._mine)
            self._app.publish()
        finally:
            self._wait()

    def _mine(self) -> None:
        chain = self._node.chain
        if chain.driver.wall is None and chain.now == chain.head.timestamp:
            chain.advance(round(self._interval))
        chain.mine()
