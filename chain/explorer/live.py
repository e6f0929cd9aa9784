"""News for open pages: a line of an event stream when the chain has grown, at most a few a second.

A page is notified of news, and then fetches its content. The first news goes out immediately; later news waits, so an open
page costs a busy node no more than a few requests.
"""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from typing import Final

from chain.ledger.ledger import Ledger

MOST: Final = 16  # pages that listen at a time
_PAUSE: Final = 0.3  # seconds between two pieces of news


class Feeds(ABC):
    """The pages that listen, whatever for."""

    def __init__(self) -> None:
        self._feeds: set[asyncio.Event] = set()
        self._told: Mapping[str, int] | None = None
        self._waits: asyncio.TimerHandle | None = None
        self._is_over = False

    @property
    def has_room(self) -> bool:
        return len(self._feeds) < MOST

    @property
    def has_listeners(self) -> bool:
        return bool(self._feeds)

    @property
    @abstractmethod
    def state(self) -> Mapping[str, int]:
        """The message to open pages: `block` is the last block, and a page starts over when `cuts` changes."""

    def publish(self) -> None:
        """Wake the pages if there is news, now or after the pause."""
        if self._feeds and self._waits is None and self.state != self._told:
            self._wake()
            self._waits = asyncio.get_running_loop().call_later(_PAUSE, self._after_pause)

    def close(self) -> None:
        self._is_over = True
        self._wake()
        if self._waits is not None:
            self._waits.cancel()

    async def feed(self) -> AsyncIterator[str]:
        """Yield the state whenever it changes."""
        woken = asyncio.Event()
        self._feeds.add(woken)
        told = None
        try:
            while not self._is_over:
                woken.clear()
                if told == self.state:
                    await woken.wait()
                    continue
                told = self.state
                yield f"data: {json.dumps(told)}\n\n"
        finally:
            self._feeds.discard(woken)

    def _wake(self) -> None:
        self._told = self.state
        for feed in self._feeds:
            feed.set()

    def _after_pause(self) -> None:
        self._waits = None
        self.publish()


class Live(Feeds):
    """The pages that listen to a chain."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__()
        self._ledger = ledger
        self._cuts = 0  # how often the chain went back
        ledger.on_truncated.append(self._went_back)

    @property
    def state(self) -> Mapping[str, int]:
        receipts, block = len(self._ledger.receipts), len(self._ledger.blocks) - 1
        return {"receipts": receipts, "block": block, "cuts": self._cuts}

    def _went_back(self, blocks: int, receipts: int) -> None:
        self._cuts += 1
