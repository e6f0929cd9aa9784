"""Receipts, events and what is in them as JSON: one form for `Receipt.as_dict`, exports, `--json` and JSON-RPC.

The names are those of a receipt's attributes in Python. Whole numbers beyond the range of the style are text with their digits.
"""

from __future__ import annotations

from collections.abc import Iterable

from chain.abi.json_abi import JsonObject
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.failures import named_failure
from chain.ledger.decoded.writes import StorageLocation, Write
from chain.ledger.logs import Decoding, text_of
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import PORTABLE, JsonStyle, address_text, to_hex
from chain.machine.failure import Failure
from chain.machine.state import LogRow


class JsonObjects:
    """Makes JSON objects of what a ledger holds."""

    def __init__(self, ledger: Decoding, style: JsonStyle = PORTABLE) -> None:
        self._ledger, self._style, self._show = ledger, style, style.show
        self._account_name = AddressBook(ledger).account

    def receipt(self, receipt: Receipt, *, hashed: bool = True) -> JsonObject:
        """Return a receipt; if `hashed`, with the hash of its transaction, which takes a signature."""
        show = self._show
        return {
            "position": receipt.position,
            **self._hash(receipt, hashed),
            "block": receipt.block_number,
            "index": receipt.index,
            "timestamp": receipt.timestamp,
            "type": receipt.type,
            "sender": address_text(receipt.sender),
            "sender_name": self._account_name(receipt.sender),
            "to": None if receipt.to is None else address_text(receipt.to),
            "address": address_text(receipt.address),
            "contract": receipt.contract,
            "entry": receipt.entry,
            "args": self._style.members(receipt.args),
            "data": to_hex(receipt.data),
            "value": show(receipt.value),
            "nonce": show(receipt.nonce),
            "gas": receipt.gas,
            "gas_used": receipt.gas_used,
            "gas_price": show(receipt.gas_price),
            "ok": receipt.ok,
            "output": to_hex(receipt.output),
            "result": show(receipt.return_value),
            "error": None if receipt.error is None else self.error(receipt.error),
            "logs": self.logs(receipt.log_rows),
            "writes": [self.write(write) for write in receipt.writes],
            "undone_logs": self.logs(receipt.undone_log_rows),
            "undone_writes": [self.write(write) for write in receipt.undone_writes],
        }

    def _hash(self, receipt: Receipt, hashed: bool) -> JsonObject:
        return {"hash": to_hex(receipt.tx_hash)} if hashed else {}

    def error(self, failure: Failure) -> JsonObject:
        """Return the error of a failed message: its text, and the declared error with its fields."""
        error, failure = (
            self._ledger.decode_error(failure.data),
            named_failure(self._ledger, failure),
        )
        return {
            "kind": failure.kind,
            "text": failure.text,
            "data": to_hex(failure.data),
            "name": None if error is None else type(error).__name__,
            "fields": None if error is None else self.fields_of(error),
            "file": failure.file,
            "line": failure.line,
            "place": failure.place or None,
        }

    def fields_of(self, error: object) -> JsonObject:
        """Return the fields of a declared error."""
        members = type(error).__error__.record.members  # type: ignore[attr-defined]
        return self._style.members({each.name: getattr(error, each.name) for each in members})

    def logs(self, rows: Iterable[LogRow]) -> list[JsonObject]:
        return [self.log(row) for row in rows]

    def log(self, row: LogRow) -> JsonObject:
        """Return a log: its bytes, its text if it has one, and its declared event."""
        address, topics, data, *_ = row
        event, meaning = self._ledger.decode(row), self._ledger.event_types.meaning(row)
        return {
            "address": address_text(address),
            "topics": [f"0x{topic:064x}" for topic in topics],
            "data": to_hex(data),
            "text": text_of(row),
            "event": None if event is None or meaning is None else meaning.spec.name,
            "fields": self._show(event),
        }

    def event(
        self, receipt: Receipt, position: int, index: int, *, hashed: bool = True
    ) -> JsonObject:
        """Return an event by its position among all logs, its receipt and its index there."""
        return {
            **self.log(receipt.log_rows[index]),
            "log": position,
            "receipt": receipt.position,
            **self._hash(receipt, hashed),
            "block": receipt.block_number,
            "timestamp": receipt.timestamp,
        }

    def write(self, write: Write) -> JsonObject:
        values = {"old": self._show(write.old), "new": self._show(write.new)}
        return {**self.place(write), **values, "text": str(write)}

    def place(self, place: StorageLocation) -> JsonObject:
        """Return a storage location."""
        return {
            "address": address_text(place.address),
            "contract": place.contract,
            "model": place.model,
            "field": place.field,
            "keys": self._show(place.keys),
            "member": place.member,
        }
