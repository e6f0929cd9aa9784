"""What tables there are, and how a record becomes a row: `receipts`, `logs`, `tables`, one for every event and model.

What a table is called `chain.ledger.sql.table_names` tells, and the table `tables` says what is whose. First come the declared
fields, then our columns, where the row stands: `receipt`, `block`, `timestamp`, `address`, `log` of an event, `namespace`,
`world` of a model. They have these names in every table; a field of such a name has `event_` or `model_` before it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from chain.abi import abi_name
from chain.ledger.artifacts import describe_record
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.worlds import (
    StoredWorld,
    worlds_of,
)
from chain.ledger.event_types import EventType, Source, decoded
from chain.ledger.logs import text_of
from chain.ledger.sql import json_values as form
from chain.ledger.sql.json_values import Portable
from chain.ledger.sql.table import (
    AppendOnlyTable,
    Column,
    Row,
    Table,
    columns_of,
    field_readers,
)
from chain.ledger.sql.table_names import (
    ModelType,
    declared_on,
    model_key,
)

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger
    from chain.ledger.receipts import Receipt
    from chain.machine.state import LogRow

# Receipts


def _args(receipt: Receipt) -> Portable:
    entry, args = receipt.entry_spec, receipt.args
    if entry is None or len(args) < len(entry.params):
        return None
    return {abi_name(m.name): form.to_json_for(m.kind)(args[m.name]) for m in entry.params}


def _result(receipt: Receipt) -> Portable:
    if receipt.to is None or not receipt.ok:
        return None
    entry = receipt.entry_spec
    if entry is None:
        return form.to_hex(receipt.output) if receipt.output else None
    return form.top_level(entry.returns)(receipt.return_value) if entry.returns else None


RECEIPT: Final[tuple[tuple[Column, Callable[[Receipt], Portable]], ...]] = (
    (Column("position", form.NUMBER), attrgetter("position")),
    (Column("block", form.NUMBER), attrgetter("block_number")),
    (Column("idx", form.NUMBER), attrgetter("index")),
    (Column("timestamp", form.NUMBER), attrgetter("timestamp")),
    (Column("sender", form.HEX), lambda receipt: form.address_text(receipt.sender)),
    (Column("sender_name", form.TEXT), lambda receipt: AddressBook(receipt.ledger).account(receipt.sender)),
    (Column("kind", form.TEXT), lambda receipt: "create" if receipt.to is None else "call"),
    (Column("contract", form.TEXT), attrgetter("contract")),
    (Column("address", form.HEX), lambda receipt: form.address_text(receipt.address)),
    (Column("entry", form.TEXT), attrgetter("entry")),
    (Column("args", form.TEXT), _args),
    (Column("result", form.ANY), _result),
    (Column("value", form.ANY), attrgetter("value")),
    (Column("nonce", form.ANY), attrgetter("nonce")),
    (Column("gas_used", form.NUMBER), attrgetter("gas_used")),
    (Column("gas_price", form.ANY), attrgetter("gas_price")),
    (Column("ok", form.NUMBER), attrgetter("ok")),
    (Column("error", form.TEXT), lambda receipt: receipt.error and receipt.error.text),
    (Column("error_kind", form.TEXT), lambda receipt: receipt.error and receipt.error.kind),
    (Column("error_place", form.TEXT), lambda receipt: (receipt.error and receipt.error.place) or None),
)  # fmt: skip


class Receipts(AppendOnlyTable):
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


class Logs(AppendOnlyTable):
    """Every log as it was written."""

    name, key = "logs", "position"
    columns = tuple(
        Column(name, kind, "receipts (position)" if name == "receipt" else "")
        for name, kind in (
            ("position", form.NUMBER), ("receipt", form.NUMBER), ("idx", form.NUMBER), ("address", form.HEX),
            ("topic0", form.HEX), ("topic1", form.HEX), ("topic2", form.HEX), ("topic3", form.HEX),
            ("data", form.HEX), ("text", form.TEXT), ("event", form.TEXT),
        )
    )  # fmt: skip

    def __init__(self, ledger: Ledger) -> None:
        self._log = ledger.events
        self._ledger = ledger

    def end(self) -> int:
        return len(self._log)

    def rows(self, first: int = 0) -> Iterator[Row]:
        for place in range(first, len(self._log)):
            yield self._row(place, self._log.rows[place])

    def _row(self, place: int, row: LogRow) -> Row:
        address, topics, data, *_ = row
        receipt = self._log.receipt_of(place)
        index = place - self._log.end_of(receipt)
        hexed = [form.to_hex(topic.to_bytes(32)) for topic in topics]
        return (
            place, receipt, index, form.address_text(address), *hexed, *[None] * (4 - len(hexed)),
            form.to_hex(data), text_of(row), self._event(row),
        )  # fmt: skip

    def _event(self, row: LogRow) -> str | None:
        meaning = self._ledger.event_types.meaning(row)
        if meaning is None or decoded(row, meaning.spec) is None:
            return None
        return meaning.spec.name


class Events(AppendOnlyTable):
    """The events of one type."""

    _WHERE: Final = (
        Column("receipt", form.NUMBER, "receipts (position)"),
        Column("block", form.NUMBER),
        Column("timestamp", form.NUMBER),
        Column("address", form.HEX),
        Column("log", form.NUMBER, "logs (position)"),
    )

    def __init__(self, name: str, ledger: Ledger, type: EventType) -> None:
        self.name, self.type, self.spec = name, type, type.spec
        self._ledger, self._log = ledger, ledger.events
        self.columns = columns_of(self.spec.members, self._WHERE, "event")
        self.key = self.columns[-1].name
        self._reads = field_readers(self.spec.members)

    def end(self) -> int:
        return len(self._log)

    def rows(self, first: int = 0) -> Iterator[Row]:
        places = self._log.of_sources(self.spec.topic, self._is_of_type, first)
        for place in places[bisect_left(places, first) :]:
            row = self._log.rows[place]
            event = decoded(row, self.spec)
            if event is not None:
                receipt = self._log.receipt(place)
                yield (
                    *[read(event) for read in self._reads], receipt.position, receipt.block_number,
                    receipt.timestamp, form.address_text(row[0]), place,
                )  # fmt: skip

    def _is_of_type(self, source: Source) -> bool:
        meaning = self._ledger.event_types.of_source(source)
        return meaning is not None and meaning.type.key == self.type.key


# Models


class Models(Table):
    """The models of one type as they are now, in all worlds that keep them."""

    _WHERE: Final = (Column("namespace", form.TEXT), Column("world", form.HEX))

    def __init__(self, name: str, ledger: Ledger, type: ModelType) -> None:
        self.name, self.type, self.spec = name, type, type.spec
        self._ledger = ledger
        self.columns = columns_of(self.spec.record.members, self._WHERE, "model")
        self._reads = field_readers(self.spec.record.members)

    def rows(self) -> Iterator[Row]:
        for world in worlds_of(self._ledger):
            for spec in world.models.values():
                if model_key(spec) == self.type.key:
                    models: list[Any] = world.all(spec.record.cls)
                    yield from (self.row(world, model) for model in models)

    def row(self, world: StoredWorld, model: Any) -> Row:
        where = world.namespace, form.address_text(world.address)
        return (*[read(model) for read in self._reads], *where)


# All of them


class Tables(Table):
    """What is whose."""

    name = "tables"
    columns = tuple(Column(name, form.TEXT) for name in ("name", "kind", "contract", "declaration", "columns"))  # fmt: skip

    def __init__(self, others: Sequence[Table]) -> None:
        self._others = others

    def rows(self) -> Iterator[Row]:
        for table in (*self._others, self):
            columns = ", ".join(table.names)
            if isinstance(table, Events | Models):
                kind = "event" if isinstance(table, Events) else "model"
                yield table.name, kind, table.type.contract, _declaration(table), columns
            else:
                yield table.name, "chain", None, None, columns


def _declaration(table: Events | Models) -> str:
    """The full name of the class, and what it declares."""
    name, full_name, members, *_ = table.type.key
    told = f"{name}({', '.join(each for each, _ in members)})"
    return told if full_name is None else f"{full_name} {told}"


def all_tables(ledger: Ledger, settled: bool = False) -> list[Table]:
    """All tables of a chain; if `settled`, only those whose names stay."""
    tables: list[Table] = [Receipts(ledger), Logs(ledger)]
    for name, type in declared_on(ledger):
        if settled and not type.is_there:
            continue
        if isinstance(type, ModelType):
            tables.append(Models(name, ledger, type))
        else:
            tables.append(Events(name, ledger, type))
    return [*tables, Tables(tables)]


def table_of(ledger: Ledger, what: str | type) -> Table:
    """The table of that name, or of the class of an event or model."""
    tables = all_tables(ledger)
    for table in tables:
        if isinstance(what, str):
            if table.name.casefold() == what.casefold():
                return table
        elif isinstance(table, Events | Models) and table.type.key in _keys_of(what):
            return table
    names = ", ".join(table.name for table in tables)
    raise ValueError(f"there is no table of {getattr(what, '__name__', what)}; there are {names}")


def _keys_of(cls: type) -> list[Any]:
    marks = vars(cls) if isinstance(cls, type) else {}
    specs = [marks[mark] for mark in ("__event__", "__model__") if mark in marks]
    return [describe_record(spec.record) for spec in specs]
