"""Receipts and events as JSON, decoded, and the questions for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from chain.abi import abi_name, field_name
from chain.ledger.decoded.activity import transcript_of
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.logs import text_of
from chain.ledger.queries import Query
from chain.ledger.sql.json_values import (
    address_text,
    to_hex,
)
from chain.ledger.sql.parse_values import parse_value
from chain.rpc.boardchain.values import (
    Json,
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
from chain.rpc.hex_values import (
    data,
    to_hash,
    to_int,
    word,
)

if TYPE_CHECKING:
    from chain.ledger.decoded.writes import (
        StorageLocation,
        Write,
    )
    from chain.ledger.ledger import Ledger
    from chain.ledger.receipts import Receipt
    from chain.machine.frame import Failure
    from chain.machine.state import LogRow
    from chain.rpc.node import Node

_ACCOUNTS: Final = ("sender", "to", "address")
_RANGE: Final = ("fromBlock", "toBlock", "limit", "backwards")
_RECEIPTS: Final = (*_ACCOUNTS, "contract", "entry", "ok", *_RANGE)
_EVENTS: Final = ("where", "contract", *_RANGE)


# Receipts


def receipts(node: Node, filter: Any = None) -> list[Json]:
    """Receipts by what they say of themselves; the first hundred if no limit is given."""
    chain, filter = node.chain, require_known_fields(filter, _RECEIPTS, "the filter")
    values = {name: filter[name] for name in _RECEIPTS if name in filter and name not in _RANGE}
    for name in _ACCOUNTS:
        if values.get(name) is not None:
            values[name] = find_account(chain, values[name], f"'{name}'")
    with client_errors():
        query = limit_blocks(chain, chain.receipts.where(**values), filter)
        return [receipt_json(chain.ledger, receipt) for _, receipt in answers(query, filter)]


def receipt(node: Node, which: Any) -> Json | None:
    """A receipt by the hash of its transaction, or by its position on the chain."""
    found = find_receipt(node, which)
    return None if found is None else receipt_json(node.chain.ledger, found)


def find_receipt(node: Node, which: Any) -> Receipt | None:
    ledger = node.chain.ledger
    if isinstance(which, bytes) or (isinstance(which, str) and len(which) == 66):
        return ledger.find(to_hash(which))
    position = to_int(which, "the position")
    return ledger.receipts[position] if position < len(ledger.receipts) else None


def need_receipt(node: Node, which: Any) -> Receipt:
    found = find_receipt(node, which)
    if found is None:
        raise bad_params(
            f"there is no transaction {data(which) if isinstance(which, bytes) else which}"
        )
    return found


def transcript(node: Node, since: Any = 0) -> str:
    """What happened, to be read: all transactions, or those from a receipt's position on."""
    return transcript_of(node.chain.ledger, to_int(since, "the position"))


def receipt_json(ledger: Ledger, receipt: Receipt) -> Json:
    """All that a receipt knows."""
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


def error_json(ledger: Ledger, failure: Failure) -> Json:
    """Why a message failed: its words, and the declared error with its fields."""
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
    """The fields of a declared error."""
    members = type(error).__error__.record.members
    return plain_members({member.name: getattr(error, member.name) for member in members})


def logs_json(ledger: Ledger, rows: Sequence[LogRow]) -> list[Json]:
    return [log_json(ledger, row) for row in rows]


def log_json(ledger: Ledger, row: LogRow) -> Json:
    """A log as its bytes, its text if it is one, and the declared event in it."""
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
    """A place in storage."""
    return {
        "address": address_text(place.address),
        "contract": place.contract,
        "model": place.model,
        "field": place.field,
        "keys": plain(place.keys),
        "member": place.member,
    }


# Events


def events(node: Node, event: Any, filter: Any = None) -> list[Json]:
    """Events of one kind, by the values of their fields."""
    chain, filter = node.chain, require_known_fields(filter, _EVENTS, "the filter")
    if not isinstance(event, str):
        raise bad_params(f"an event is asked for by its name, not {event!r}")
    log = chain.ledger.events
    with client_errors():
        of = log.of(event, by=filter.get("contract") is not None)
        kinds = of.fields
        names = tuple(dict.fromkeys([*map(abi_name, kinds), *kinds]))
        wanted = require_known_fields(filter.get("where"), names, f"event {event}")
        find = address_resolver(chain)
        fields = {field_name(name, kinds): value for name, value in wanted.items()}
        values = {
            name: parse_value(kinds[name], value, name, find) for name, value in fields.items()
        }
        query = limit_blocks(chain, Query(of).where(**values), filter)
        if filter.get("contract") is not None:
            query = query.by_contract(filter["contract"])
        return [
            event_json(log.receipt(place), place, log_json(chain.ledger, log.rows[place]))
            for place, _ in answers(query, filter)
        ]


def event_json(receipt: Receipt, place: int, shown: Json) -> Json:
    return {
        **shown,
        "log": place,
        "receipt": receipt.position,
        "hash": to_hex(receipt.tx_hash),
        "block": receipt.block_number,
        "timestamp": receipt.timestamp,
    }
