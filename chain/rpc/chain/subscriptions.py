"""Subscriptions to decoded data: receipts, as `chain_receipts` returns them."""

from __future__ import annotations

import sys
from itertools import takewhile

from chain.rpc.chain.receipts import query_receipts
from chain.rpc.chain.values import json_of
from chain.rpc.filter_types import PendingFilter
from chain.rpc.node import Node


class ReceiptSubscription(PendingFilter):
    """New receipts that match a filter. `{"undone": position}` means that the chain was rolled back: the receipts from there
    on are gone."""

    namespace = "chain"

    def __init__(self, node: Node, filter: object) -> None:
        super().__init__(node.chain.ledger)
        self._query = query_receipts(node, filter)
        self._undone: int | None = None

    def on_truncate(self, blocks: int, receipts: int) -> None:
        if receipts < self._seen:
            self._undone = receipts
        super().on_truncate(blocks, receipts)

    def poll(self, most: int = sys.maxsize) -> list[object]:
        undone, self._undone = self._undone, None
        told: list[object] = [] if undone is None else [{"undone": undone}]
        return told + super().poll(most)

    def _between(self, start: int, end: int) -> list[object]:
        newest = self._query.matches(backwards=True, before=end)
        found = [receipt for place, receipt in takewhile(lambda found: found[0] >= start, newest)]
        return [*map(json_of(self._ledger).receipt, reversed(found))]
