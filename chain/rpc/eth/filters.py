"""Methods about logs and filters. A filter is a query that a client repeats; each time it gets what is new."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chain.ledger.ledger import Ledger
from chain.rpc.block_tags import LATEST, PENDING, block_number_of, require_block
from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import data, quantity, to_int, to_object
from chain.rpc.json_format import Json, log_jsons, logs_of
from chain.rpc.limits import NO_LIMITS, Limits
from chain.rpc.log_criteria import LogCriteria, parse_criteria
from chain.simulator.chain import Chain

if TYPE_CHECKING:
    from chain.rpc.node import Node


class Filter:
    """A reading position in blocks or transactions. It moves back when the chain does."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._seen = self._length()

    def poll(self, most: int = sys.maxsize) -> list[Any]:
        """Return the news since the last call, from at most this many blocks or transactions."""
        start = self._seen
        self._seen = min(self._length(), start + most)
        return self._between(start, self._seen)

    @property
    def is_behind(self) -> bool:
        return self._seen < self._length()

    def all_matches(self) -> list[Any]:
        """Return all matches, old and new."""
        raise bad_params("only a filter for logs has logs to give; ask for its changes")

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

    def all_matches(self) -> list[Any]:
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
    if start >= end:
        return []
    within = logs_of(ledger, ledger.blocks[start].first_receipt, ledger.blocks[end - 1].end_receipt)
    positions = list(what.find(ledger.events, within))
    limits.check("logs", len(positions), "logs")
    return log_jsons(ledger, positions)


# Methods


def get_logs(node: Node, criteria: Any) -> list[Json]:
    """Return the logs of a range of blocks, or of one block given by its hash."""
    criteria = to_object(criteria, "the filter")
    chain, log_criteria = node.chain, parse_criteria(criteria)
    if criteria.get("blockHash") is None:
        start, end = _range(chain, criteria)
    else:
        if criteria.keys() & {"fromBlock", "toBlock"}:
            raise bad_params("say 'blockHash', or 'fromBlock' and 'toBlock', not both")
        start = end = require_block(chain, criteria["blockHash"]).number
    end = min(end, chain.head.number)
    node.limits.check("log_range", end + 1 - start, "blocks")
    return find_logs(chain.ledger, log_criteria, start, end + 1, node.limits)


def _range(chain: Chain, criteria: Mapping[str, Any]) -> tuple[int, int]:
    """Return the first and the last block; by default the newest. A range that starts in future blocks is allowed."""
    start, end = (block_number_of(chain, criteria.get(name)) for name in ("fromBlock", "toBlock"))
    if start > end and (start <= chain.head.number or not _is_open(criteria.get("toBlock"))):
        raise bad_params(f"the range runs backwards: from block {start} to block {end}")
    return start, end


def _is_open(block: Any) -> bool:
    """Return True if this end of a range moves with the chain."""
    return block in (None, LATEST, PENDING)


def new_log_filter(node: Node, criteria: Any) -> str:
    chain, criteria = node.chain, to_object(criteria, "the filter")
    start, end = _range(chain, criteria)
    first = None if _is_open(criteria.get("fromBlock")) else start
    last = None if _is_open(criteria.get("toBlock")) else end
    return _install(
        node, LogFilter(chain.ledger, parse_criteria(criteria), first, last, node.limits)
    )


def new_block_filter(node: Node) -> str:
    return _install(node, BlockFilter(node.chain.ledger))


def new_pending_filter(node: Node) -> str:
    return _install(node, PendingFilter(node.chain.ledger))


def get_changes(node: Node, number: Any) -> list[Any]:
    return _find(node, number).poll()


def get_filter_logs(node: Node, number: Any) -> list[Any]:
    return _find(node, number).all_matches()


def uninstall(node: Node, number: Any) -> bool:
    return node.filters.pop(to_int(number, "the filter"), None) is not None


def _install(node: Node, made: Filter) -> str:
    number = next(node.numbers)
    node.filters[number] = made
    if len(node.filters) > node.limits.filters:
        del node.filters[next(iter(node.filters))]
    return quantity(number)


def _find(node: Node, number: Any) -> Filter:
    """Return the filter of this number, and mark it as the most recently used."""
    filter_id = to_int(number, "the filter")
    active_filter = node.filters.pop(filter_id, None)
    if active_filter is None:
        raise refused(f"filter not found: there is no {number}")
    node.filters[filter_id] = active_filter
    return active_filter
