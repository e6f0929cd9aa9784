"""Methods for a chain that is used from afar (`Chain.connect`): it follows the ledger here, and sends what it is told to.

A follower says how much it has; it gets the next page of what came since, or is first told how far the chain went back. An
answer is CBOR in hex, the rows as in a chain's file. Nothing in that form is ever read from a follower.
"""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

from chain.crypto.cbor import encode
from chain.ledger.file.load_ledger import LedgerLengths
from chain.ledger.file.replication import (
    lengths_of,
    next_page,
)
from chain.ledger.ledger import Ledger
from chain.rpc.errors import bad_params, refused
from chain.rpc.hex_values import (
    data,
    quantity,
    to_address,
    to_bytes,
    to_int,
    to_object,
)
from chain.types import Address

if TYPE_CHECKING:
    from chain.rpc.node import Node

_MOST_CUTS: Final = 1000


class TruncationLog:
    """How far a ledger was taken back, time after time."""

    def __init__(self, ledger: Ledger) -> None:
        self.token = token_hex(8)  # of this very ledger: a node that began anew has another
        self._ledger = ledger
        self._cuts: list[tuple[int, int, int]] = []
        self._forgotten = 0
        ledger.on_truncated.append(self._cut)

    def _cut(self, blocks: int, receipts: int) -> None:
        self._cuts.append((blocks, len(self._ledger.timeline), receipts))
        # The older half as one: who was away so long goes back a bit further.
        if len(self._cuts) > _MOST_CUTS:
            half = len(self._cuts) // 2
            self._cuts[:half] = [_least(self._cuts[:half])]
            self._forgotten += half - 1

    def __len__(self) -> int:
        return self._forgotten + len(self._cuts)

    def since(self, seen: int) -> list[tuple[int, int, int]]:
        return self._cuts[max(0, seen - self._forgotten) :]


def _least(cuts: Sequence[tuple[int, int, int]]) -> tuple[int, int, int]:
    blocks, moments, receipts = (min(each) for each in zip(*cuts, strict=True))
    return blocks, moments, receipts


def cuts_of(node: Node) -> TruncationLog:
    """Those of the node's ledger, which are told of every cut from the first question on."""
    ledger = node.chain.ledger
    for watcher in ledger.on_truncated:
        owner = getattr(watcher, "__self__", None)
        if isinstance(owner, TruncationLog):
            return owner
    return TruncationLog(ledger)


# Following


def chain_config(node: Node) -> list[Any]:
    """With what the chain began, and the token of its ledger."""
    kept, first = node.chain.blocks.rules, node.chain.blocks[0]
    return [
        kept.chain_id, data(kept.seed), kept.gas_limit, kept.elastic_fees,
        first.timestamp, quantity(first.base_fee), cuts_of(node).token,
    ]  # fmt: skip


def pull_page(node: Node, token: Any, since: Any) -> str:
    """What came since: `[cuts, blocks, moments, receipts, codes, slots, keys, artifacts]` as the last answer had it."""
    if token != cuts_of(node).token:
        raise refused("this chain began anew: connect to it again")
    if not isinstance(since, list | tuple) or len(since) != 8:
        raise bad_params(
            "'since' is a list of eight numbers: as the last answer had it, or zeros with one block"
        )
    return data(encode(page_since(node, [to_int(each, "a length in 'since'") for each in since])))


def page_since(node: Node, since: Sequence[int]) -> tuple[Any, ...]:
    """The next page of what came since, with all that a follower must know besides."""
    chain, cuts = node.chain, cuts_of(node)
    seen, *given = since
    have = lengths_of(chain.ledger, chain.keys)
    back = cuts.since(seen)
    kept = _least([(given[0], given[1], given[2]), *back])
    had = LedgerLengths(*(min(pair) for pair in zip((*kept, *given[3:]), have, strict=True)))
    upto, page = next_page(chain.ledger, chain.keys, had)
    held = None if chain.ledger.open is None else chain.ledger.open.as_tuple
    return len(cuts), had[:3], upto, int(upto != have), (chain.mining, held), page


# Acting


def send(node: Node, fields: Any, token: Any, since: Any) -> list[Any]:
    """Send a transaction from any account, as `chain.send` does: the place of its receipt, and what came since."""
    given = to_object(fields, "the transaction")
    to, gas = given.get("to"), given.get("gas")
    receipt = node.chain.send(
        None if to is None else Address(to_address(to, "'to'")),
        to_bytes(given.get("data", "0x"), "'data'"),
        sender=Address(to_address(given.get("from"), "'from'")),
        value=to_int(given.get("value", 0), "'value'"),
        gas=None if gas is None else to_int(gas, "'gas'"),
    )
    return [receipt.position, pull_page(node, token, since)]
