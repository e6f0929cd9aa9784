"""The receipt log as files for other programs: JSON lines and CSV, with the same bytes on every run.

A line of JSON is a receipt or an event as `Receipt.as_dict` has it, but for the hash, which takes a signature. A CSV file is
one of the SQL tables, with the column names in the first line. In CSV a text is always quoted and a number never is, so
an empty cell is null and `""` is an empty text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO, TypeAlias

from chain.abi.json_abi import JsonObject
from chain.ledger.decoded.json_objects import JsonObjects
from chain.ledger.event_source import query_events
from chain.ledger.ledger import Ledger
from chain.ledger.sql import json_values as form
from chain.ledger.sql.tables import table_of
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


def _in_text(value: form.Portable) -> form.Portable:
    """Return a number beyond 64 bits as its digits, and any other value unchanged."""
    return form.portable(value) if type(value) is int else value


def _receipts(ledger: Ledger) -> Iterator[JsonObject]:
    shape = JsonObjects(ledger)
    return (shape.receipt(receipt, hashed=False) for receipt in ledger.receipts)


def _events(ledger: Ledger) -> Iterator[JsonObject]:
    shape, receipts = JsonObjects(ledger), ledger.receipts
    places = (row for row, _ in query_events(ledger.logs, None, {}).found())
    return (shape.event(receipts[n], place, index, hashed=False) for place, n, index in places)


_LINES: Final[Mapping[str, Callable[[Ledger], Iterator[JsonObject]]]] = {
    "receipts": _receipts,
    "events": _events,
}
