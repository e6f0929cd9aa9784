"""Receipts and events as decoded JSON, and the queries for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from chain.abi import abi_name, field_name
from chain.ledger.decoded.activity import activity_of
from chain.ledger.event_source import EventSource, query_events
from chain.ledger.queries import Query
from chain.ledger.receipts import Receipt
from chain.rpc.chain.values import (
    address_resolver,
    answers,
    client_errors,
    compared,
    find_account,
    json_of,
    narrowed,
    require_known_fields,
)
from chain.rpc.errors import bad_params
from chain.rpc.hex_values import data, to_hash, to_int
from chain.rpc.json_format import Json
from chain.rpc.node import Node
from chain.values import ValueType
from chain.values.kind import FindAddress

_ACCOUNTS: Final = ("sender", "to", "address")
_NUMBERS: Final = ("value", "nonce", "gas_used", "gas_price")
_RANGE: Final = (
    "account",
    "fromBlock",
    "toBlock",
    "since",
    "until",
    "limit",
    "backwards",
    "before",
)
_RECEIPTS: Final = (*_ACCOUNTS, "contract", "entry", "ok", "error", *_NUMBERS)
_EVENTS: Final = ("where", "contract", *_RANGE)


# Receipts


def receipts(node: Node, filter: object = None) -> list[Json]:
    """Return the receipts that match the filter; the first hundred if it has no limit. A number may be `{"at_least": 5}` or
    `{"at_most": 9}`, a text `{"containing": "turn"}`, any value `{"one_of": […]}`. `account` finds what concerns an account."""
    chain, filter = node.chain, require_known_fields(filter, (*_RECEIPTS, *_RANGE), "the filter")
    query = query_receipts(node, {name: filter[name] for name in _RECEIPTS if name in filter})
    with client_errors():
        query = narrowed(chain, query, filter)
        found = (receipt for _, receipt in answers(query, filter))
        return [*map(json_of(chain.ledger).receipt, found)]


def query_receipts(node: Node, filter: object) -> Query[Receipt]:
    """Return a query for the receipts that match the filter, wherever they are on the chain."""
    values = dict(require_known_fields(filter, _RECEIPTS, "the filter"))
    for name in _ACCOUNTS:
        if values.get(name) is not None:
            values[name] = find_account(node.chain, values[name], f"'{name}'")
    with client_errors():
        values |= {
            name: compared(values[name], partial(to_int, what=f"'{name}'"))
            for name in _NUMBERS
            if name in values
        }
        for name in ("entry", "error"):
            if name in values:
                values[name] = compared(values[name])
        return node.chain.receipts.where(**values)


def receipt(node: Node, which: object) -> Json | None:
    """Return a receipt by the hash of its transaction, or by its position on the chain."""
    match = find_receipt(node, which)
    return None if match is None else json_of(node.chain.ledger).receipt(match)


def find_receipt(node: Node, which: object) -> Receipt | None:
    ledger = node.chain.ledger
    if isinstance(which, bytes) or (isinstance(which, str) and len(which) == 66):
        return ledger.find(to_hash(which))
    position = to_int(which, "the position")
    return ledger.receipts[position] if position < len(ledger.receipts) else None


def need_receipt(node: Node, which: object) -> Receipt:
    match = find_receipt(node, which)
    if match is None:
        raise bad_params(
            f"there is no transaction {data(which) if isinstance(which, bytes) else which}"
        )
    return match


def activity(node: Node, since: object = 0) -> str:
    """Return the activity as text, of all transactions or of those from a receipt's position on."""
    return activity_of(node.chain.ledger, to_int(since, "the position"))


# Events


def events(node: Node, event: object = None, filter: object = None) -> list[Json]:
    """Return the events of this name (or of all names) that match the filter, by the values of their fields."""
    chain, filter = node.chain, require_known_fields(filter, _EVENTS, "the filter")
    if event is not None and not isinstance(event, str):
        raise bad_params(f"events are queried by name, not by {event!r}")
    ledger = chain.ledger
    with client_errors():
        query = (
            query_events(ledger.logs, None, {}) if event is None else _named(node, event, filter)
        )
        query = narrowed(chain, query, filter)
        if filter.get("contract") is not None:
            query = query.by_contract(filter["contract"])
        shape, receipts = json_of(ledger), ledger.receipts
        return [
            shape.event(receipts[position], place, index)
            for (place, position, index), _ in answers(query, filter)
        ]


def _named(node: Node, event: str, filter: Mapping[str, object]) -> Query[Any]:
    """Return a query for the events of one name, by the values of their fields."""
    source = EventSource(node.chain.ledger.logs, event, by=filter.get("contract") is not None)
    field_types = source.fields
    names = tuple(dict.fromkeys([*map(abi_name, field_types), *field_types]))
    conditions = require_known_fields(filter.get("where"), names, f"event {event}")
    resolve = address_resolver(node.chain)
    fields = {field_name(name, field_types): value for name, value in conditions.items()}
    values = {
        name: compared(value, partial(_parsed, field_types[name], name, resolve))
        for name, value in fields.items()
    }
    return Query(source).where(**values)


def _parsed(kind: ValueType, name: str, resolve: FindAddress, value: object) -> Any:
    return kind.from_json(value, name, resolve)
