"""How much one client may ask of a node: it has one process and one memory, and others wait.

In process nothing is limited. A server sets `Limits()`, of which every number can be chosen (`boardchain node --help`).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from typing import Final

from chain.rpc.errors import too_much


@dataclass(frozen=True)
class Limits:
    """The most of everything."""

    body: int = 8 << 20  # bytes of one HTTP body or WebSocket message
    response: int = 32 << 20  # bytes of one answer
    batch: int = 1_000  # requests in one batch
    log_range: int = 100_000  # blocks that one question for logs looks at
    logs: int = 20_000  # logs in one answer
    mined: int = 100_000  # blocks mined by one request
    filters: int = 1_000  # kept for all clients; then the one unused for longest is forgotten
    subscriptions: int = 100  # of one connection
    waiting: int = 100_000  # messages that a connection has not taken yet; then it is closed

    def check(self, limit: str, number: int, what: str) -> None:
        """Refuse what is more than the limit of that name."""
        most: int = getattr(self, limit)
        if number > most:
            raise too_much(f"{number} {what} are too much for one request: at most {most}")


NO_LIMITS: Final = Limits(**{each.name: sys.maxsize for each in fields(Limits)})
