"""What tables there are, and how a record becomes a row: `receipts`, `logs`, one for every declared event and model.

A table is called like its event or model. Where that name is taken, capitals aside, by `receipts`, `logs` or what was
declared earlier, `_2`, `_3` … is put behind it; models come after events. So it is with columns: first come the declared
fields, then where the row stands (`receipt`, `block`, `timestamp`, `address`, `log` of an event; `namespace`, `world` of a
model), with a number behind it if a field is called so too. What a cell holds, `chain.ledger.portable` tells.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from chain.ledger import portable as form
from chain.ledger.logs import text_of
from chain.ledger.portable import Portable
from chain.ledger.table import Column, Growing, Row, Table, columns_of, distinct, readers
from chain.ledger.who import Who
from chain.ledger.worlds import StoredWorld, worlds_of
from chain.models import ModelSpec

if TYPE_CHECKING:
    from chain.foreign import ForeignEvent
    from chain.ledger.ledger import Ledger
    from chain.ledger.receipts import Receipt
    from chain.machine.state import LogRow
    from chain.records import EventSpec

# Receipts


def _args(receipt: Receipt) -> Portable:
    entry, args = receipt.entry_spec, receipt.args
    if entry is None or len(args) < len(entry.params):
        return None
    return {member.name: form.portable(member.kind)(args[member.name]) for member in entry.params}


def _result(receipt: Receipt) -> Portable:
    if receipt.to is None or not receipt.ok:
        return None
    entry = receipt.entry_spec
    if entry is None:
        return form.to_hex(receipt.output) if receipt.output else None
    return form.portable(entry.returns)(receipt.return_value) if entry.returns else None


RECEIPT: Final[tuple[tuple[Column, Callable[[Receipt], Portable]], ...]] = (
    (Column("position", form.NUMBER), attrgetter("position")),
    (Column("block", form.NUMBER), attrgetter("block_number")),
    (Column("idx", form.NUMBER), attrgetter("index")),
    (Column("timestamp", form.NUMBER), attrgetter("timestamp")),
    (Column("sender", form.HEX), lambda receipt: form.address_text(receipt.sender)),
    (Column("sender_name", form.TEXT), lambda receipt: Who(receipt.ledger).account(receipt.sender)),
    (Column("kind", form.TEXT), lambda receipt: "create" if receipt.to is None else "call"),
    (Column("contract", form.TEXT), attrgetter("contract")),
    (Column("address", form.HEX), lambda receipt: form.address_text(receipt.address)),
    (Column("entry", form.TEXT), attrgetter("entry")),
    (Column("args", form.TEXT), _args),
    (Column("result", form.ANY), _result),
    (Column("value", form.ANY), lambda receipt: form.number(receipt.value)),
    (Column("nonce", form.ANY), lambda receipt: form.number(receipt.nonce)),
    (Column("gas_used", form.NUMBER), attrgetter("gas_used")),
    (Column("gas_price", form.ANY), lambda receipt: form.number(receipt.gas_price)),
    (Column("ok", form.NUMBER), attrgetter("ok")),
    (Column("error", form.TEXT), lambda receipt: receipt.error and receipt.error.text),
    (Column("error_kind", form.TEXT), lambda receipt: receipt.error and receipt.error.kind),
    (Column("error_place", form.TEXT), lambda receipt: (receipt.error and receipt.error.place) or None),
)  # fmt: skip


class Receipts(Growing):
    """Every transaction."""

    name, key = "receipts", "position"
    columns = tuple(column for column, _ in RECEIPT)

    def __init__(self, ledger: Ledger) -> None:
        self._receipts = ledger.receipts

    def end(self) -> int:
        return len(self._receipts)

    def rows(self, first: int = 0) -> Iterator[Row]:
        for place in range(first, len(self._receipts)):
            receipt = self._receipts[place]
            yield tuple(read(receipt) for _, read in RECEIPT)


# Logs and events


class Logs(Growing):
    """Every log as it was written."""

    name, key = "logs", "position"
    columns = tuple(
        Column(name, kind)
        for name, kind in (
            ("position", form.NUMBER), ("receipt", form.NUMBER), ("idx", form.NUMBER), ("address", form.HEX),
            ("topic0", form.HEX), ("topic1", form.HEX), ("topic2", form.HEX), ("topic3", form.HEX),
            ("data", form.HEX), ("text", form.TEXT), ("event", form.TEXT),
        )
    )  # fmt: skip

    def __init__(self, ledger: Ledger) -> None:
        self._log = ledger.events
        self._names = {spec.topic: spec.name for spec in ledger.event_specs}

    def end(self) -> int:
        return len(self._log)

    def rows(self, first: int = 0) -> Iterator[Row]:
        for place in range(first, len(self._log)):
            yield self._row(place, self._log.rows[place])

    def _row(self, place: int, row: LogRow) -> Row:
        address, topics, data, _ = row
        receipt = self._log.receipt_of(place)
        index = place - self._log.end_of(receipt)
        hexed = [form.to_hex(topic.to_bytes(32)) for topic in topics]
        name = self._names.get(topics[0]) if topics else None
        return (
            place, receipt, index, form.address_text(address), *hexed, *[None] * (4 - len(hexed)),
            form.to_hex(data), text_of(row), name,
        )  # fmt: skip


class Events(Growing):
    """The events of one kind."""

    _WHERE: Final = (
        Column("receipt", form.NUMBER),
        Column("block", form.NUMBER),
        Column("timestamp", form.NUMBER),
        Column("address", form.HEX),
        Column("log", form.NUMBER),
    )

    def __init__(self, name: str, ledger: Ledger, spec: EventSpec | ForeignEvent) -> None:
        self.name, self.spec = name, spec
        self._ledger, self._log = ledger, ledger.events
        self.columns = columns_of(spec.members, self._WHERE)
        self.key = self.columns[-1].name
        self._reads = readers(spec.members)

    def end(self) -> int:
        return len(self._log)

    def rows(self, first: int = 0) -> Iterator[Row]:
        places = self._log.by_kind(self.spec.topic)
        for place in places[bisect_left(places, first) :]:
            row = self._log.rows[place]
            event = self._ledger.decode(row, self.spec)
            if event is not None:
                receipt = self._log.receipt(place)
                yield (
                    *[read(event) for read in self._reads], receipt.position, receipt.block_number,
                    receipt.timestamp, form.address_text(row[0]), place,
                )  # fmt: skip


# Models


class Models(Table):
    """The models of one class as they are now, in all worlds that keep them."""

    _WHERE: Final = (Column("namespace", form.TEXT), Column("world", form.HEX))

    def __init__(self, name: str, ledger: Ledger, spec: ModelSpec) -> None:
        self.name, self.spec = name, spec
        self._ledger = ledger
        self.columns = columns_of(spec.record.members, self._WHERE)
        self._reads = readers(spec.record.members)

    def rows(self) -> Iterator[Row]:
        for world in worlds_of(self._ledger):
            if self.spec in world.models.values():
                models: list[Any] = world.all(self.spec.record.cls)
                yield from (self.row(world, model) for model in models)

    def row(self, world: StoredWorld, model: Any) -> Row:
        where = world.namespace, form.address_text(world.address)
        return (*[read(model) for read in self._reads], *where)


# All of them


def declared_on(ledger: Ledger) -> list[EventSpec | ForeignEvent | ModelSpec]:
    """What there are tables for, beside receipts and logs."""
    models = [
        model for program in ledger.programs.values() for model in program.spec.models.values()
    ]
    return [*ledger.event_specs, *dict.fromkeys(models)]


def tables_of(ledger: Ledger) -> list[Table]:
    """All tables of a chain, as far as things are declared on it."""
    specs = declared_on(ledger)
    names = distinct([Receipts.name, Logs.name, *(spec.name for spec in specs)])
    tables: list[Table] = [Receipts(ledger), Logs(ledger)]
    for name, spec in zip(names[2:], specs, strict=True):
        if isinstance(spec, ModelSpec):
            tables.append(Models(name, ledger, spec))
        else:
            tables.append(Events(name, ledger, spec))
    return tables


def table_of(ledger: Ledger, what: str | type) -> Table:
    """The table of that name, or of the class of an event or model."""
    tables = tables_of(ledger)
    for table in tables:
        if isinstance(what, str):
            if table.name.casefold() == what.casefold():
                return table
        elif isinstance(table, Events | Models) and table.spec in _specs_of(what):
            return table
    names = ", ".join(table.name for table in tables)
    raise ValueError(f"there is no table of {getattr(what, '__name__', what)}; there are {names}")


def _specs_of(cls: type) -> list[Any]:
    marks = vars(cls) if isinstance(cls, type) else {}
    return [marks[mark] for mark in ("__event__", "__model__") if mark in marks]
