"""Events and texts, newest first; those of one type by the values of their fields."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from starlette.requests import Request

from chain.abi import abi_name
from chain.abi.formatting import PythonStyle
from chain.explorer import equivalent_queries, page
from chain.explorer.page import Page, PageProblem
from chain.explorer.pages.transaction import Emitted, emitted
from chain.explorer.site import Site
from chain.foundation.dataclass import dataclass
from chain.ledger.event_source import EventSource
from chain.ledger.queries import Query
from chain.ledger.receipts import Receipt
from chain.ledger.sql import json_values
from chain.ledger.sql.table_names import declared_on
from chain.ledger.sql.tables import table_of
from chain.rpc.chain.values import plain
from chain.types import Address

ROWS: Final = 50
_MOST_READ: Final = 1_000  # transactions to read, most of which may have no events


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event in its list."""

    key: str
    receipt: Receipt
    emitted: Emitted


@dataclass(frozen=True, slots=True)
class EventField:
    """A field of the chosen event, and what was typed for it."""

    name: str
    kind: str
    is_key: bool
    typed: str


def events(site: Site, request: Request) -> Page:
    name = page.word(request, "event")
    data: dict[str, object] = {
        "names": list(dict.fromkeys(site.event_names.values())),
        "name": name,
        "fields": [],
        "question": None,
    }
    before = page.number(request, "before")
    blocks = page.number(request, "from"), page.number(request, "to")
    if name:
        data |= _chosen(site, request, name, before, blocks)
    else:
        data |= _all(site, before)
    data |= {
        "from": page.word(request, "from"),
        "to": page.word(request, "to"),
        "is_first": before is None,
    }
    return Page("events.html", name or "Events", data, "/events")


def _all(site: Site, before: int | None) -> dict[str, object]:
    """The logs of the last transactions before a receipt. They need no list of all logs."""
    receipts = site.ledger.receipts
    position = len(receipts) if before is None else min(before, len(receipts))
    last, rows = max(0, position - _MOST_READ), list[EventRow]()
    while position > last and len(rows) < ROWS:
        position -= 1
        receipt = receipts[position]
        rows += [
            EventRow(f"{position}.{i}", receipt, emitted(site, receipt.log_rows[i]))
            for i in reversed(range(len(receipt.log_rows)))
        ]
    return {"rows": rows, "older": position or None}


def _chosen(
    site: Site,
    request: Request,
    name: str,
    before: int | None,
    blocks: tuple[int | None, int | None],
) -> dict[str, object]:
    try:
        source = EventSource(site.ledger.logs, name)
        kinds = source.fields
        typed = {field: page.word(request, f"f.{abi_name(field)}") for field in kinds}
        find = site.chain.address_of
        values = {
            field: kinds[field].from_word(text, abi_name(field), lambda word: find(word))
            for field, text in typed.items()
            if text
        }
        query = Query(source).where(**values)
        if blocks != (None, None):
            query = query.between(blocks=blocks)
        found = [row for row, _ in islice(query.found(True, before, ROWS + 1), ROWS + 1)]
    except (TypeError, ValueError, LookupError) as error:
        raise PageProblem(str(error), 400) from None
    spec = source.meanings[0].spec
    rows = [
        EventRow(str(place), receipt, emitted(site, receipt.log_rows[index]))
        for place, receipt, index in (
            (place, site.ledger.receipts[position], index)
            for place, position, index in found[:ROWS]
        )
    ]
    return {
        "rows": rows,
        "older": found[ROWS - 1][0] if len(found) > ROWS else None,
        "fields": [
            EventField(abi_name(field), kind.name, field in spec.keys, typed[field])
            for field, kind in kinds.items()
        ],
        "question": _question(site, name, values, blocks),
    }


class _Literals(PythonStyle):
    """Values as they are written in a script."""

    def member(self, value: Any) -> str:
        return f"{type(value).__name__}.{value.name}"

    def address(self, value: Address) -> str:
        return repr(str(value))

    def raw(self, value: bytes | bytearray) -> str:
        return repr(bytes(value))


def _question(
    site: Site, name: str, values: dict[str, object], blocks: tuple[int | None, int | None]
) -> equivalent_queries.Question:
    show = _Literals().show
    arguments = ", ".join(
        [repr(name), *(f"{field}={show(value)}" for field, value in values.items())]
    )
    first, last = blocks
    between = f".between(blocks=({first}, {last}))" if blocks != (None, None) else ""
    filter: dict[str, object] = {
        "where": {abi_name(field): plain(value) for field, value in values.items()}
    }
    filter |= {} if first is None else {"fromBlock": first}
    filter |= {} if last is None else {"toBlock": last}
    return equivalent_queries.Question(
        f"chain.events({arguments}){between}.page(limit={ROWS})",
        _sql(site, name, values, blocks),
        equivalent_queries.rpc_text(
            "chain_events", name, {**filter, "limit": ROWS, "backwards": True}
        ),
    )


def _sql(
    site: Site, name: str, values: dict[str, object], blocks: tuple[int | None, int | None]
) -> str:
    """The same query in SQL: on the table of the event, or on several if its versions have several."""
    key = EventSource(site.ledger.logs, name).meanings[0].type.key
    table = next(found.table for found in declared_on(site.ledger) if found.type.key == key)
    columns = table_of(site.ledger, table).columns
    count = len(columns) - 5  # the last five locate the event
    spec = EventSource(site.ledger.logs, name).meanings[0].spec
    names = dict(zip((member.name for member in spec.members), columns[:count], strict=True))
    conditions = [
        equivalent_queries.sql_equals(
            names[field].name, json_values.sql_cell(json_values.portable(value))
        )
        for field, value in values.items()
    ]
    first, last = blocks
    conditions += [] if first is None else [f"block >= {first}"]
    conditions += [] if last is None else [f"block <= {last}"]
    return equivalent_queries.select(table, conditions, "log", ROWS)
