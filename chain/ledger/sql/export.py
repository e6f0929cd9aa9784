"""The receipt log as files for other programs: JSON lines and CSV, with the same bytes on every run.

A line of JSON is a receipt or an event with all its data. A CSV file is one of the SQL tables, with the column names in the
first line. In CSV a text is always quoted and a number never is, so an empty cell is null and `""` is an empty text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO, TypeAlias

from chain.abi.json_abi import JsonObject
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.event_types import decoded
from chain.ledger.ledger import Ledger
from chain.ledger.logs import Decoding, text_of
from chain.ledger.receipts import Receipt
from chain.ledger.sql import json_values as form
from chain.ledger.sql.tables import RECEIPT_COLUMNS, receipt_row, table_of
from chain.machine.state import LogRow
from chain.values.inputs import file_path

Target: TypeAlias = str | Path | TextIO


def write_jsonl(ledger: Ledger, target: Target, what: str) -> None:
    """Write one object per line: every receipt with its logs and events, or every declared event."""
    if not isinstance(what, str) or what not in _LINES:
        raise ValueError(f"JSON lines can have {' or '.join(_LINES)}, not {what!r}")
    with _opened(target) as file:
        for line in _LINES[what](ledger):
            file.write(form.json_line(line))


def write_csv(ledger: Ledger, target: Target, what: str | type) -> None:
    """Write one of the tables of `chain.sql`, given by its name or by the class of an event or model."""
    table = table_of(ledger, what)
    with _opened(target) as file:
        for row in (table.names, *ledger.store.view.rows(table)):
            file.write(",".join(_csv(form.sql_cell(_in_text(value))) for value in row) + "\n")


@contextmanager
def _opened(target: Target) -> Iterator[TextIO]:
    if (
        not isinstance(target, str | Path)
        and hasattr(target, "write")
        and not isinstance(target, type)
    ):
        yield target
    else:
        with file_path(target, "target").open("w", encoding="utf-8", newline="\n") as file:
            yield file


def _csv(value: form.Cell) -> str:
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    return "" if value is None else str(value)


def receipt_objects(ledger: Decoding, receipts: Iterable[Receipt]) -> Iterator[JsonObject]:
    """Yield receipts as JSON objects, with all their data."""
    describe = _event_decoder(ledger)
    names, account_name = [name for name, _ in RECEIPT_COLUMNS], AddressBook(ledger).account
    for receipt in receipts:
        row = receipt_row(receipt, account_name, receipt.ledger.time_of)
        yield {
            **dict(zip(names, map(_in_text, row), strict=True)),
            "logs": [text for text in map(text_of, receipt.log_rows) if text is not None],
            "events": describe(receipt.log_rows),
            "undone_events": describe(receipt.undone_log_rows),
        }


def _in_text(value: form.Portable) -> form.Portable:
    """Return a number beyond 64 bits as its digits, and any other value unchanged."""
    return form.portable(value) if type(value) is int else value


def event_objects(ledger: Ledger, places: Iterable[Sequence[int]]) -> Iterator[JsonObject]:
    """Yield the declared events among these logs as JSON objects.

    A place is the position among all logs, that of the receipt, and the index in the receipt.
    """
    describe = _event_decoder(ledger)
    for position, place, index in places:
        receipt = ledger.receipts[place]
        source = {
            "log": position, "receipt": place, "block": receipt.block_number, "timestamp": receipt.timestamp,
        }  # fmt: skip
        yield from (event | source for event in describe([receipt.log_rows[index]]))


def _all_receipts(ledger: Ledger) -> Iterator[JsonObject]:
    return receipt_objects(ledger, ledger.receipts)


def _all_events(ledger: Ledger) -> Iterator[JsonObject]:
    counted = (
        (receipt.position, i) for receipt in ledger.receipts for i in range(len(receipt.log_rows))
    )
    return event_objects(ledger, ((n, *place) for n, place in enumerate(counted)))


_LINES: Final[Mapping[str, Callable[[Ledger], Iterator[JsonObject]]]] = {
    "receipts": _all_receipts,
    "events": _all_events,
}


def _event_decoder(ledger: Decoding) -> Callable[[Sequence[LogRow]], list[JsonObject]]:
    """Return a function that makes JSON objects of the declared events among log rows."""

    def describe(rows: Sequence[LogRow]) -> Iterator[JsonObject]:
        for row in rows:
            meaning = ledger.event_types.meaning(row)
            event = None if meaning is None else decoded(row, meaning.spec)
            if meaning is not None and event is not None:
                address, fields = form.address_text(row[0]), form.portable(event)
                yield {"event": meaning.spec.name, "address": address, "fields": fields}

    return lambda rows: list(describe(rows))
