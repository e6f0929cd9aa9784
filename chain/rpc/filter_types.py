"""Filters. A filter is a query that a client repeats; each time it gets the news since the last time."""

from __future__ import annotations

import sys
from typing import Any

from chain.ledger.ledger import Ledger
from chain.ledger.log_list import LogPlace
from chain.rpc.errors import bad_params
from chain.rpc.hex_values import data
from chain.rpc.json_format import log_jsons
from chain.rpc.limits import NO_LIMITS, Limits
from chain.rpc.log_criteria import LogCriteria


class Filter:
    """A reading position in blocks or transactions. It moves back when the chain does."""

    namespace = "eth"  # of the methods that subscribe to it

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._seen = self._length()

    def poll(self, most: int = sys.maxsize) -> list[object]:
        """Return the news since the last call, from at most this many blocks or transactions."""
        start = self._seen
        self._seen = min(self._length(), start + most)
        return self._between(start, self._seen)

    @property
    def is_behind(self) -> bool:
        return self._seen < self._length()

    def all_matches(self) -> list[object]:
        """Return all matches, old and new."""
        raise bad_params(
            "only a log filter can return all logs; use eth_getFilterChanges for this one"
        )

    def before_truncate(self, blocks: int, receipts: int) -> None:
        """Prepare for a truncation of the chain to this many blocks and receipts."""

    def on_truncate(self, blocks: int, receipts: int) -> None:
        """Move back after the chain was truncated to this many blocks and receipts."""
        self._seen = min(self._seen, blocks)

    def _length(self) -> int:
        return len(self._ledger.blocks)

    def _between(self, start: int, end: int) -> list[Any]:
        raise NotImplementedError


class BlockFilter(Filter):
    """The hashes of new blocks."""

    def _between(self, start: int, end: int) -> list[Any]:
        return [data(self._ledger.block_hash(number)) for number in range(start, end)]


class PendingFilter(Filter):
    """The hashes of new transactions, before their block is closed."""

    def on_truncate(self, blocks: int, receipts: int) -> None:
        self._seen = min(self._seen, receipts)

    def _length(self) -> int:
        return len(self._ledger.receipts)

    def _between(self, start: int, end: int) -> list[Any]:
        return [data(receipt.tx_hash) for receipt in self._ledger.receipts[start:end]]


class LogFilter(Filter):
    """The logs in new blocks that match `what`. `first` and `last` bound the blocks, if they are given."""

    def __init__(
        self,
        ledger: Ledger,
        what: LogCriteria,
        first: int | None = None,
        last: int | None = None,
        limits: Limits = NO_LIMITS,
    ) -> None:
        super().__init__(ledger)
        self._what, self._first, self._last, self._limits = what, first, last, limits
        self._made = self._seen

    def on_truncate(self, blocks: int, receipts: int) -> None:
        super().on_truncate(blocks, receipts)
        self._made = min(self._made, blocks)

    def all_matches(self) -> list[object]:
        return self._between(0, self._length(), self._limits)

    def _between(self, start: int, end: int, limits: Limits = NO_LIMITS) -> list[Any]:
        start = max(start, self._made if self._first is None else self._first)
        if self._last is not None:
            end = min(end, self._last + 1)
        return find_logs(self._ledger, self._what, start, end, limits)


def find_logs(
    ledger: Ledger, what: LogCriteria, start: int, end: int, limits: Limits = NO_LIMITS
) -> list[Any]:
    """Return the logs that match `what` in blocks `start` up to but not including `end`."""
    return log_jsons(ledger, find_places(ledger, what, start, end, limits))


def find_places(
    ledger: Ledger, what: LogCriteria, start: int, end: int, limits: Limits
) -> list[LogPlace]:
    """Return where these logs are."""
    if start >= end:
        return []
    first, last = ledger.blocks[start].first_receipt, ledger.blocks[end - 1].end_receipt
    places = what.find(ledger, first, last)
    limits.check("logs", len(places), "logs")
    return places
