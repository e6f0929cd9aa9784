"""Subscriptions: filters that push their news over an open connection.

The chain calls nothing while it runs. After each request the server lets every connection check for news, as a filter does.
When the chain is rolled back, subscribers are notified: `logs` repeats every undone log, the last one first, with `removed`,
and `newHeads` repeats the block that is now the last.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Final

from chain.ledger.ledger import Ledger
from chain.rpc.chain.subscriptions import ReceiptSubscription
from chain.rpc.errors import METHOD_UNAVAILABLE, RpcError, bad_params, too_much
from chain.rpc.filter_types import BlockFilter, Filter, LogFilter, PendingFilter
from chain.rpc.hex_values import quantity, to_int, to_object
from chain.rpc.json_format import Json, block_json, transaction_json
from chain.rpc.log_criteria import parse_criteria
from chain.rpc.node import Node

_KINDS: Final = ("newHeads", "logs", "newPendingTransactions", "syncing")
_AT_ONCE: Final = 100  # blocks or transactions
_NOT_OF_HEADS: Final = ("transactions", "uncles", "withdrawals", "size")


class HeadSubscription(BlockFilter):
    """The headers of new blocks, and of the last block after a rollback."""

    def on_truncate(self, blocks: int, receipts: int) -> None:
        if blocks < self._seen:
            self._seen = blocks - 1

    def _between(self, start: int, end: int) -> list[object]:
        return [_head(self._ledger, number) for number in range(start, end)]


def _head(ledger: Ledger, number: int) -> Json:
    shown = block_json(ledger, ledger.blocks[number], False)
    return {name: value for name, value in shown.items() if name not in _NOT_OF_HEADS}


class LogSubscription(LogFilter):
    """The logs of new blocks, and those that were sent and then undone."""

    def __init__(self, ledger: Ledger, criteria: Mapping[str, object]) -> None:
        super().__init__(ledger, parse_criteria(criteria))
        self._undone: list[Json] = []
        self._going: list[Json] | None = None  # the logs that the truncation in progress undoes

    def before_truncate(self, blocks: int, receipts: int) -> None:
        if self._going is None:
            undone = super()._between(blocks, self._seen)
            self._going = [{**log, "removed": True} for log in reversed(undone)]

    def on_truncate(self, blocks: int, receipts: int) -> None:
        super().on_truncate(blocks, receipts)
        undone, self._going = self._going or [], None
        self._undone += undone

    def poll(self, most: int = sys.maxsize) -> list[object]:
        undone, self._undone = self._undone, []
        return undone + super().poll(most)


class FullPendingSubscription(PendingFilter):
    """New transactions in full, before their block is closed."""

    def _between(self, start: int, end: int) -> list[object]:
        ledger = self._ledger
        return [transaction_json(ledger, receipt) for receipt in ledger.receipts[start:end]]


class SyncSubscription(Filter):
    """No news: a chain of one node is never behind."""

    def poll(self, most: int = sys.maxsize) -> list[object]:
        return []

    @property
    def is_behind(self) -> bool:
        return False


def _feed(node: Node, kind: object, wish: object) -> Filter:
    ledger = node.chain.ledger
    match kind:
        case "newHeads":
            return HeadSubscription(ledger)
        case "logs":
            return LogSubscription(ledger, to_object(wish or {}, "the filter"))
        case "newPendingTransactions":
            return (FullPendingSubscription if wish is True else PendingFilter)(ledger)
        case "syncing":
            return SyncSubscription(ledger)
    raise bad_params(f"there is no subscription {kind!r}: there are {', '.join(_KINDS)}")


class Subscriptions:
    """The subscriptions of one connection. `tell` sends a message, and returns False if the client is gone."""

    def __init__(self, node: Node, tell: Callable[[Json], bool]) -> None:
        self._node, self._tell = node, tell
        self._feeds: dict[int, Filter] = {}
        self.methods: dict[str, Callable[..., object]] = {
            "eth_subscribe": self._subscribe,
            "eth_unsubscribe": self._unsubscribe,
            "chain_subscribe": self._subscribe_decoded,
            "chain_unsubscribe": self._unsubscribe,
        }

    def publish(self) -> None:
        """Send all news in pieces, because it may be more than the client reads."""
        for number, feed in self._feeds.items():
            while self._notify_all(feed.namespace, quantity(number), feed.poll(_AT_ONCE)):
                if not feed.is_behind:
                    break
            else:
                return

    def _notify_all(self, namespace: str, subscription: str, items: list[object]) -> bool:
        """Send the items. Return False if the client is gone."""
        for item in items:
            params = {"subscription": subscription, "result": item}
            method = f"{namespace}_subscription"
            if not self._tell({"jsonrpc": "2.0", "method": method, "params": params}):
                return False
        return True

    def close(self) -> None:
        self._node.feeds -= set(self._feeds.values())
        self._feeds.clear()

    def _subscribe(self, node: Node, kind: object, wish: object = None) -> str:
        return self._add(node, _feed(node, kind, wish))

    def _subscribe_decoded(self, node: Node, kind: object, wish: object = None) -> str:
        if kind != "receipts":
            raise bad_params(f"there is no subscription {kind!r}: there is receipts")
        return self._add(node, ReceiptSubscription(node, wish))

    def _add(self, node: Node, feed: Filter) -> str:
        limit = node.limits.subscriptions
        if len(self._feeds) >= limit:
            raise too_much(f"a connection has at most {limit} subscriptions: end one first")
        number = next(node.numbers)
        self._feeds[number] = feed
        node.feeds.add(feed)
        return quantity(number)

    def _unsubscribe(self, node: Node, number: object) -> bool:
        feed = self._feeds.pop(to_int(number, "the subscription"), None)
        if feed is not None:
            node.feeds.discard(feed)
        return feed is not None


def requires_websocket(node: Node, *_: object) -> None:
    """Refuse a subscription: over HTTP nothing can be sent later."""
    raise RpcError(
        METHOD_UNAVAILABLE, "subscriptions need a WebSocket; over HTTP there is eth_newFilter"
    )
