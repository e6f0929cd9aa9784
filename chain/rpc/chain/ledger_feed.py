"""Methods for a remote chain (`Chain.connect`): it follows this node's ledger, and sends its transactions here.

A follower reports how much it has. It gets the next page of news, preceded by the truncations of the ledger in the meantime.
An answer is MessagePack in hex, with rows as in a chain's file. Data in that form is never read from a follower.
"""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_hex
from typing import Any, Final

from chain.crypto.messagepack import encode
from chain.ledger.file.load_ledger import LedgerLengths
from chain.ledger.file.replication import lengths_of, next_page
from chain.ledger.ledger import Ledger
from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import data, quantity, to_address, to_bytes, to_int, to_object
from chain.rpc.node import Node
from chain.types import Address

_MOST_CUTS: Final = 1000


class TruncationLog:
    """The record of all truncations of a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.token = token_hex(8)  # identifies this ledger: a restarted node has another token
        self._ledger = ledger
        self._cuts: list[tuple[int, int, int]] = []
        self._forgotten = 0
        ledger.on_truncated.append(self._cut)

    def _cut(self, blocks: int, receipts: int) -> None:
        self._cuts.append((blocks, len(self._ledger.timeline), receipts))
        # Merge the older half: a follower that was away for that long is rolled back a bit further.
        if len(self._cuts) > _MOST_CUTS:
            half = len(self._cuts) // 2
            self._cuts[:half] = [_least(self._cuts[:half])]
            self._forgotten += half - 1

    def __len__(self) -> int:
        return self._forgotten + len(self._cuts)

    def since(self, seen: int) -> list[tuple[int, int, int]]:
        return self._cuts[max(0, seen - self._forgotten) :]


def _least(cuts: Sequence[tuple[int, int, int]]) -> tuple[int, int, int]:
    blocks, timeline_lengths, receipts = (min(column) for column in zip(*cuts, strict=True))
    return blocks, timeline_lengths, receipts


def cuts_of(node: Node) -> TruncationLog:
    """Return the truncation log of the node's ledger. It is created, and starts recording, on first use."""
    ledger = node.chain.ledger
    for watcher in ledger.on_truncated:
        owner = getattr(watcher, "__self__", None)
        if isinstance(owner, TruncationLog):
            return owner
    return TruncationLog(ledger)


# Following


def chain_config(node: Node) -> list[object]:
    """Return the configuration the chain began with, and the token of its ledger."""
    rules, first = node.chain.blocks.rules, node.chain.blocks[0]
    return [
        rules.chain_id, data(rules.seed), rules.gas_limit, rules.elastic_fees, rules.fork.name, rules.tx_gas_cap,
        first.timestamp, quantity(first.base_fee), cuts_of(node).token,
    ]  # fmt: skip


def pull_page(node: Node, token: object, since: object) -> str:
    """Return the news since `since`: `[cuts, blocks, moments, receipts, codes, slots, keys, artifacts]` of the last answer."""
    if token != cuts_of(node).token:
        raise refused("this chain was reset: connect to it again")
    if not isinstance(since, list | tuple) or len(since) != 8:
        raise bad_params(
            "'since' is a list of eight numbers: that of the last answer, or zeros with one block"
        )
    page = page_since(node, [to_int(length, "a length in 'since'") for length in since])
    *lengths, (mining, open_block), rows = page
    return data(encode((*lengths, (mining._replace(clock=node.chain.now), open_block), rows)))


def page_since(node: Node, since: Sequence[int]) -> tuple[Any, ...]:
    """Return the next page of news, with the lengths and mining state that a follower needs."""
    chain, cuts = node.chain, cuts_of(node)
    seen_truncations, *lengths = since
    available = lengths_of(chain.ledger, chain.keys)
    truncations = cuts.since(seen_truncations)
    common = _least([(lengths[0], lengths[1], lengths[2]), *truncations])
    start = LedgerLengths(
        *(min(pair) for pair in zip((*common, *lengths[3:]), available, strict=True))
    )
    end, page = next_page(chain.ledger, chain.keys, start)
    open_block = None if chain.ledger.open is None else chain.ledger.open.row
    return len(cuts), start[:3], end, int(end != available), (chain.mining, open_block), page


# Acting


def send(node: Node, fields: object, token: object, since: object) -> list[object]:
    """Send a transaction from any account, as `Chain.send` does. Return the position of its receipt, and the news."""
    message = to_object(fields, "the transaction")
    to, gas = message.get("to"), message.get("gas")
    receipt = node.chain.send(
        None if to is None else Address(to_address(to, "'to'")),
        to_bytes(message.get("data", "0x"), "'data'"),
        sender=Address(to_address(message.get("from"), "'from'")),
        value=to_int(message.get("value", 0), "'value'"),
        gas=None if gas is None else to_int(gas, "'gas'"),
    )
    return [receipt.position, pull_page(node, token, since)]
