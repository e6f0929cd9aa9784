"""Receipts and events as decoded JSON, and the queries for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chain.abi import abi_name, field_name
from chain.ledger.decoded.activity import activity_of
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.writes import StorageLocation, Write
from chain.ledger.event_source import EventSource, query_events
from chain.ledger.ledger import Ledger
from chain.ledger.logs import Decoding, text_of
from chain.ledger.queries import Query
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import address_text, to_hex
from chain.machine.failure import Failure
from chain.machine.state import LogRow
from chain.rpc.chain.values import (
    address_resolver,
    answers,
    client_errors,
    find_account,
    limit_blocks,
    plain,
    plain_members,
    require_known_fields,
)
from chain.rpc.errors import bad_params
from chain.rpc.hex_values import data, to_hash, to_int, word
from chain.rpc.json_format import Json
from chain.rpc.node import Node

_ACCOUNTS: Final = ("sender", "to", "address")
_RANGE: Final = ("fromBlock", "toBlock", "limit", "backwards", "before")
_RECEIPTS: Final = (*_ACCOUNTS, "contract", "entry", "ok")
_EVENTS: Final = ("where", "contract", *_RANGE)


# Receipts


def receipts(node: Node, filter: object = None) -> list[Json]:
    """Return the receipts that match the filter; the first hundred if it has no limit."""
    chain, filter = node.chain, require_known_fields(filter, (*_RECEIPTS, *_RANGE), "the filter")
    query = query_receipts(node, {name: filter[name] for name in _RECEIPTS if name in filter})
    with client_errors():
        query = limit_blocks(chain, query, filter)
        return [receipt_json(chain.ledger, receipt) for _, receipt in answers(query, filter)]


def query_receipts(node: Node, filter: object) -> Query[Receipt]:
    """Return a query for the receipts that match the filter, wherever they are on the chain."""
    values = dict(require_known_fields(filter, _RECEIPTS, "the filter"))
    for name in _ACCOUNTS:
        if values.get(name) is not None:
            values[name] = find_account(node.chain, values[name], f"'{name}'")
    with client_errors():
        return node.chain.receipts.where(**values)


def receipt(node: Node, which: object) -> Json | None:
    """Return a receipt by the hash of its transaction, or by its position on the chain."""
    match = find_receipt(node, which)
    return None if match is None else receipt_json(node.chain.ledger, match)


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


def receipt_json(ledger: Ledger, receipt: Receipt) -> Json:
    """Return all fields of a receipt as JSON."""
    return {
        "position": receipt.position,
        "hash": data(receipt.tx_hash),
        "block": receipt.block_number,
        "index": receipt.index,
        "timestamp": receipt.timestamp,
        "type": receipt.type,
        "sender": address_text(receipt.sender),
        "senderName": AddressBook(ledger).account(receipt.sender),
        "to": None if receipt.to is None else address_text(receipt.to),
        "address": address_text(receipt.address),
        "contract": receipt.contract,
        "entry": receipt.entry,
        "args": plain_members(receipt.args),
        "data": data(receipt.data),
        "value": plain(receipt.value),
        "nonce": receipt.nonce,
        "gas": receipt.gas,
        "gasUsed": receipt.gas_used,
        "gasPrice": plain(receipt.gas_price),
        "ok": receipt.ok,
        "output": data(receipt.output),
        "result": plain(receipt.return_value),
        "error": None if receipt.error is None else error_json(ledger, receipt.error),
        "logs": logs_json(ledger, receipt.log_rows),
        "writes": [write_json(write) for write in receipt.writes],
        "undoneLogs": logs_json(ledger, receipt.undone_log_rows),
        "undoneWrites": [write_json(write) for write in receipt.undone_writes],
    }


def error_json(ledger: Decoding, failure: Failure) -> Json:
    """Return the error of a failed message: its text, and the declared error with its fields."""
    error = ledger.decode_error(failure.data)
    return {
        "kind": failure.kind,
        "text": failure.text,
        "data": data(failure.data),
        "name": None if error is None else type(error).__name__,
        "fields": None if error is None else fields_of(error),
        "file": failure.file,
        "line": failure.line,
        "place": failure.place or None,
    }


def fields_of(error: Any) -> Json:
    """Return the fields of a declared error."""
    members = type(error).__error__.record.members
    return plain_members({member.name: getattr(error, member.name) for member in members})


def logs_json(ledger: Decoding, rows: Sequence[LogRow]) -> list[Json]:
    return [log_json(ledger, row) for row in rows]


def log_json(ledger: Decoding, row: LogRow) -> Json:
    """Return a log: its bytes, its text if it has one, and its declared event."""
    address, topics, raw, *_ = row
    event, meaning = ledger.decode(row), ledger.event_types.meaning(row)
    return {
        "address": address_text(address),
        "topics": [word(topic) for topic in topics],
        "data": data(raw),
        "text": text_of(row),
        "event": None if event is None or meaning is None else meaning.spec.name,
        "fields": plain(event),
    }


def write_json(write: Write) -> Json:
    values = {"old": plain(write.old), "new": plain(write.new)}
    return {**named_json(write), **values, "text": str(write)}


def named_json(place: StorageLocation) -> Json:
    """Return a storage location as JSON."""
    return {
        "address": address_text(place.address),
        "contract": place.contract,
        "model": place.model,
        "field": place.field,
        "keys": plain(place.keys),
        "member": place.member,
    }


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
        query = limit_blocks(chain, query, filter)
        if filter.get("contract") is not None:
            query = query.by_contract(filter["contract"])
        return [
            event_json(receipt, place, log_json(ledger, receipt.log_rows[index]))
            for place, receipt, index in (
                (place, ledger.receipts[position], index)
                for (place, position, index), _ in answers(query, filter)
            )
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
        name: field_types[name].from_json(value, name, resolve) for name, value in fields.items()
    }
    return Query(source).where(**values)


def event_json(receipt: Receipt, place: int, shown: Json) -> Json:
    return {
        **shown,
        "log": place,
        "receipt": receipt.position,
        "hash": to_hex(receipt.tx_hash),
        "block": receipt.block_number,
        "timestamp": receipt.timestamp,
    }
