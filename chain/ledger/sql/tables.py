"""The tables, and how a record becomes a row: `receipts`, `logs`, `tables`, and one for every event and model.

The names of the tables come from `chain.ledger.sql.table_names`; the table `tables` lists what each one holds. A row has the
declared fields first, then our columns, which locate it: `receipt`, `block`, `timestamp`, `address` and `log` of an event,
`namespace` and `world` of a model. They have these names in every table; a field of such a name gets the prefix `event_` or
`model_`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from chain.ledger.artifacts import describe_record
from chain.ledger.calls import named_args
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.worlds import StoredWorld, worlds_of
from chain.ledger.event_types import EventType, Source, decoded
from chain.ledger.ledger import Ledger
from chain.ledger.logs import text_of
from chain.ledger.receipts import Receipt
from chain.ledger.sql import json_values as form
from chain.ledger.sql.json_values import Portable
from chain.ledger.sql.table import AppendOnlyTable, Column, SqlTable, TableRow, columns_of
from chain.ledger.sql.table_names import ModelType, declared_on, model_key
from chain.machine.state import LogRow
from chain.schema.value_types import Field
from chain.spec.contracts import EntrySpec


def _cells(record: object, members: Iterable[Field]) -> list[Portable]:
    """Return the members of an event or model in portable form."""
    return [form.top_level(getattr(record, member.name)) for member in members]


# Receipts


def _args(receipt: Receipt, entry: EntrySpec | None) -> Portable:
    args = named_args(receipt._known, entry, receipt.data, creates=receipt._creates)
    if entry is None or len(args) < len(entry.params):
        return None
    return form.PORTABLE.members(args)


def _result(receipt: Receipt, entry: EntrySpec | None) -> Portable:
    if receipt._to is None or not receipt.ok:
        return None
    if entry is None:
        return form.to_hex(receipt.output) if receipt.output else None
    return form.top_level(entry.decode_result(receipt.output)) if entry.returns else None


class ReceiptColumn(NamedTuple):
    """A column of the table of receipts: its name, its type, and its value for a receipt that called an entry."""

    name: str
    type: str
    value: Callable[[Receipt, EntrySpec | None], Portable]


# A change here is a new `FORMAT` of files (`chain.ledger.file.chain_file`), which have these tables.
_RECEIPT_COLUMNS: Final = tuple(map(ReceiptColumn._make, (
    ("position", form.NUMBER, lambda receipt, _: receipt.position),
    ("block", form.NUMBER, lambda receipt, _: receipt.block_number),
    ("idx", form.NUMBER, lambda receipt, _: receipt.index),
    ("timestamp", form.NUMBER, lambda receipt, _: receipt.timestamp),
    ("sender", form.HEX, lambda receipt, _: form.address_text(receipt._sender)),
    ("sender_name", form.TEXT, lambda receipt, _: AddressBook(receipt.ledger).account(receipt._sender)),
    ("kind", form.TEXT, lambda receipt, _: "create" if receipt._to is None else "call"),
    ("contract", form.TEXT, lambda receipt, _: receipt.contract),
    ("address", form.HEX, lambda receipt, _: form.address_text(receipt._address)),
    ("entry", form.TEXT, lambda _, entry: entry and entry.name),
    ("args", form.TEXT, _args),
    ("result", form.ANY, _result),
    ("value", form.ANY, lambda receipt, _: receipt.value),
    ("nonce", form.ANY, lambda receipt, _: receipt.nonce),
    ("gas_used", form.NUMBER, lambda receipt, _: receipt.gas_used),
    ("gas_price", form.ANY, lambda receipt, _: receipt.gas_price),
    ("ok", form.NUMBER, lambda receipt, _: receipt.ok),
    ("error", form.TEXT, lambda receipt, _: receipt.error and receipt.error.text),
    ("error_kind", form.TEXT, lambda receipt, _: receipt.error and receipt.error.kind),
    ("error_place", form.TEXT, lambda receipt, _: (receipt.error and receipt.error.place) or None),
)))  # fmt: skip
_RECEIPT_VALUES: Final = [column.value for column in _RECEIPT_COLUMNS]


def receipt_row(receipt: Receipt) -> TableRow:
    """Return the row of a receipt in the table of receipts."""
    entry = receipt.entry_spec
    return tuple([value(receipt, entry) for value in _RECEIPT_VALUES])


class Receipts(AppendOnlyTable):
    """Every transaction."""

    name, key = "receipts", "position"
    columns = tuple(Column(column.name, column.type) for column in _RECEIPT_COLUMNS)

    def __init__(self, ledger: Ledger) -> None:
        self._receipts = ledger.receipts

    def end(self) -> int:
        return len(self._receipts)

    def rows(self, first: int = 0) -> Iterator[TableRow]:
        return map(receipt_row, map(self._receipts.item, range(first, len(self._receipts))))


# Logs and events


class Logs(AppendOnlyTable):
    """Every log, as it was written."""

    name, key = "logs", "position"
    columns = tuple(
        Column(name, column_type, "receipts (position)" if name == "receipt" else "")
        for name, column_type in (
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

    def rows(self, first: int = 0) -> Iterator[TableRow]:
        rows, names = self._log.rows, dict[Source, str]()
        before = start = -1
        for place, receipt in enumerate(self._log.receipts_from(first), first):
            if receipt != before:
                before, start = receipt, self._log.end_of(receipt)
            row = rows[place]
            address, topics, data, *_ = row
            topic_texts = [form.to_hex(topic.to_bytes(32)) for topic in topics]
            yield (
                place, receipt, place - start, form.address_text(address), *topic_texts, *[None] * (4 - len(topics)),
                form.to_hex(data), text_of(row), self._event(row, names),
            )  # fmt: skip

    def _event(self, row: LogRow, names: dict[Source, str]) -> str | None:
        """Return the name of the event in a log. Those that are certain by their source are collected in `names`."""
        _, topics, _, _, digest = row
        if not topics:
            return None
        source = digest, topics[0], len(topics)
        if source in names:
            return names[source]
        types = self._ledger.event_types
        meaning = types.meaning(row)
        if meaning is None:
            return None
        if types.is_certain(source):
            return names.setdefault(source, meaning.spec.name)
        return None if decoded(row, meaning.spec) is None else meaning.spec.name


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

    def end(self) -> int:
        return len(self._log)

    def rows(self, first: int = 0) -> Iterator[TableRow]:
        positions = self._log.of_sources(self.spec.topic, self._is_of_type, first)
        rows, receipts = self._log.rows, self._log.receipts_from(first)
        for position in positions[bisect_left(positions, first) :]:
            row = rows[position]
            event = decoded(row, self.spec)
            if event is not None:
                receipt = self._ledger.receipts[receipts[position - first]]
                yield (
                    *_cells(event, self.spec.members), receipt.position, receipt.block_number,
                    receipt.timestamp, form.address_text(row[0]), position,
                )  # fmt: skip

    def _is_of_type(self, source: Source) -> bool:
        meaning = self._ledger.event_types.of_source(source)
        return meaning is not None and meaning.type.key == self.type.key


# Models


class Models(SqlTable):
    """The models of one type as they are now, in all worlds and namespaces that store them."""

    _WHERE: Final = (Column("namespace", form.TEXT), Column("world", form.HEX))

    def __init__(self, name: str, ledger: Ledger, type: ModelType) -> None:
        self.name, self.type, self.spec = name, type, type.spec
        self._ledger = ledger
        self.columns = columns_of(self.spec.record.members, self._WHERE, "model")

    def rows(self) -> Iterator[TableRow]:
        for world in worlds_of(self._ledger):
            for spec in world.models.values():
                if model_key(spec) == self.type.key:
                    models: list[object] = world.all(spec.record.cls)
                    yield from (self.row(world, model) for model in models)

    def row(self, world: StoredWorld, model: object) -> TableRow:
        location = world.namespace, form.address_text(world.address)
        return (*_cells(model, self.spec.record.members), *location)


# All of them


class Tables(SqlTable):
    """The list of all tables, with the event or model and the contract of each."""

    name = "tables"
    columns = tuple(Column(name, form.TEXT) for name in ("name", "kind", "contract", "declaration", "columns"))  # fmt: skip

    def __init__(self, others: Sequence[SqlTable]) -> None:
        self._others = others

    def rows(self) -> Iterator[TableRow]:
        for table in (*self._others, self):
            columns = ", ".join(table.names)
            if isinstance(table, Events | Models):
                record_type = "event" if isinstance(table, Events) else "model"
                yield table.name, record_type, table.type.contract, _declaration(table), columns
            else:
                yield table.name, "chain", None, None, columns


def _declaration(table: Events | Models) -> str:
    """Return the full name of the class, and its declared members."""
    name, full_name, members, *_ = table.type.key
    declaration = f"{name}({', '.join(member for member, _ in members)})"
    return declaration if full_name is None else f"{full_name} {declaration}"


def all_tables(ledger: Ledger, settled: bool = False) -> list[SqlTable]:
    """Return all tables of a chain; if `settled`, only those whose names are final."""
    tables: list[SqlTable] = [Receipts(ledger), Logs(ledger)]
    for name, type in declared_on(ledger):
        if settled and not type.is_there:
            continue
        if isinstance(type, ModelType):
            tables.append(Models(name, ledger, type))
        else:
            tables.append(Events(name, ledger, type))
    return [*tables, Tables(tables)]


def table_of(ledger: Ledger, what: str | type) -> SqlTable:
    """Return the table with that name, or of that event or model class."""
    tables = all_tables(ledger)
    for table in tables:
        if isinstance(what, str):
            if table.name.casefold() == what.casefold():
                return table
        elif isinstance(table, Events | Models) and table.type.key in _keys_of(what):
            return table
    names = ", ".join(table.name for table in tables)
    raise ValueError(f"there is no table {getattr(what, '__name__', what)!r}; there are {names}")


def _keys_of(cls: type) -> list[object]:
    attributes = vars(cls) if isinstance(cls, type) else {}
    specs = [
        attributes[attribute] for attribute in ("__event__", "__model__") if attribute in attributes
    ]
    return [describe_record(spec.record) for spec in specs]
