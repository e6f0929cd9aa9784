"""Limits on the requests of one client: the node has one process and one memory, and other clients wait.

In process nothing is limited. A server uses `Limits()`, and each number is an option (`boardchain node --help`).
"""

from __future__ import annotations

import sys
from dataclasses import field, fields
from typing import Any, Final

from chain.foundation.dataclass import dataclass
from chain.rpc.errors import too_much


def _most(number: float, of: str, *, is_size: bool = False) -> Any:
    return field(default=number, metadata={"help": f"{of}.", "is_size": is_size})


def _bytes(number: int, of: str) -> Any:
    return _most(number, of, is_size=True)


@dataclass(frozen=True)
class Limits:
    """The upper limit of each resource."""

    body: int = _bytes(8 << 20, "Bytes of one HTTP body or WebSocket message")
    head: int = _bytes(64 << 10, "Bytes of the head of one HTTP request")
    head_seconds: int = _most(10, "Seconds in which such a head must arrive")
    body_seconds: int = _most(60, "Seconds in which the body must then arrive")
    response: int = _bytes(32 << 20, "Bytes of one answer")
    batch: int = _most(1_000, "Requests in one batch")
    log_range: int = _most(100_000, "Blocks that one query for logs may cover")
    logs: int = _most(20_000, "Logs in one answer")
    mined: int = _most(100_000, "Blocks mined by one request")
    filters: int = _most(1_000, "Filters kept; the least recently used one is dropped")
    snapshots: int = _most(1_000, "Snapshots kept; the oldest is dropped")
    queued: int = _most(1_024, "Transactions that wait for those before them")
    subscriptions: int = _most(100, "Subscriptions of one connection")
    workers: int = _most(16, "Long requests that run in parallel with the others")
    seconds: float = _most(
        60, "Seconds of computing for one request; then it is stopped and undone"
    )
    memory: int = _bytes(
        1 << 30,
        "Bytes of memory for one request, in addition to the node's own",
    )
    waiting: int = _bytes(
        64 << 20, "Unread bytes that may wait for a connection; then it is closed"
    )

    def check(self, limit: str, number: int, what: str) -> None:
        """Refuse a number that exceeds the limit of this name. `what` names the counted things in the message."""
        highest: int = getattr(self, limit)
        if number > highest:
            raise too_much(f"{number} {what} are too many for one request: at most {highest}")


NO_LIMITS: Final = Limits(**{limit.name: sys.maxsize for limit in fields(Limits)})
