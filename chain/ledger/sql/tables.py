"""The tables, and how a record becomes a row: `receipts`, `logs`, `tables`, and one for every event and model.

The names of the tables come from `chain.ledger.sql.table_names`; the table `tables` lists what each one holds. A row has the
declared fields first, then our columns, which locate it: `receipt`, `block`, `timestamp`, `address` and `log` of an event,
`namespace` and `world` of a model. They have these names in every table; a field of such a name gets the prefix `event_` or
`model_`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import repeat
from typing import Final, TypeVar

from chain.abi import BadData, abi_name
from chain.ledger.artifacts import describe_record
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.worlds import StoredWorld, worlds_of
from chain.ledger.event_types import EventType, Source, decoded, decoded_members
from chain.ledger.ledger import Ledger
from chain.ledger.logs import text_of
from chain.ledger.receipts import Receipt
from chain.ledger.sql import json_values as form
from chain.ledger.sql.json_values import Portable
from chain.ledger.sql.table import AppendOnlyTable, Column, SqlTable, TableRow, columns_of
from chain.ledger.sql.table_names import ModelType, declared_on, model_key
from chain.machine.state import LogRow
from chain.metering.program import Program
from chain.spec.contracts import EntrySpec

T = TypeVar("T")
_PIECE: Final = 128  # rows


def _cells(members: Iterable[object]) -> list[Portable]:
    """Return the members of an event or model in portable form; a whole number stays one."""
    return [value if value.__class__ is int else form.portable(value) for value in members]


def _from(rows: Sequence[T], first: int) -> Iterator[T]:
    """Yield the items from a position on. Only some at a time are read from a file."""
    for start in range(first, len(rows), _PIECE):
        yield from rows[start : start + _PIECE]


# Receipts

_abi_name: Final = lru_cache(maxsize=1 << 12)(abi_name)


def _args(known: Program, entry: EntrySpec, data: bytes, creates: bool) -> Portable:
    try:
        values = entry.decode_args(known.args_of(data) if creates else data)
    except BadData:
        return None if entry.params else {}
    pairs = zip(entry.params, values, strict=True)
    return {_abi_name(param.name): form.portable(value) for param, value in pairs}


def _result(entry: EntrySpec | None, output: bytes) -> Portable:
    if entry is None:
        return form.to_hex(output) if output else None
    return form.top_level(entry.decode_result(output)) if entry.returns else None


# The values are in `receipt_row`. A change here is a new `FORMAT` of files (`chain.ledger.file.chain_file`), which have these
# tables.
_RECEIPT_COLUMNS: Final = (
    ("position", form.NUMBER), ("block", form.NUMBER), ("idx", form.NUMBER), ("timestamp", form.NUMBER),
    ("sender", form.HEX), ("sender_name", form.TEXT), ("kind", form.TEXT), ("contract", form.TEXT),
    ("address", form.HEX), ("entry", form.TEXT), ("args", form.TEXT), ("result", form.ANY), ("value", form.ANY),
    ("nonce", form.ANY), ("gas_used", form.NUMBER), ("gas_price", form.ANY), ("ok", form.NUMBER),
    ("error", form.TEXT), ("error_kind", form.TEXT), ("error_place", form.TEXT),
)  # fmt: skip


def receipt_row(
    receipt: Receipt, account_name: Callable[[bytes], str | None], time_of: Callable[[int], int]
) -> TableRow:
    """Return the row of a receipt in the table of receipts. Files get one for every call, so it is made in one go."""
    (
        position, block, index, _, sender, to, data, value, _, nonce, _, _, _, _, address, digest, output, failure,
        gas_used, gas_price, *_,
    ) = receipt.row  # fmt: skip
    known = receipt._known if digest is None else receipt.ledger.program(digest)
    creates = to is None
    entry = known.spec.entry_for(data, creates=creates) if known else None
    error = None if failure is None else receipt.error
    return (
        position, block, index, time_of(block), form.address_text(sender), account_name(sender),
        "create" if creates else "call", known.spec.name if known else None, form.address_text(address),
        entry.name if entry else None, _args(known, entry, data, creates) if known and entry else None,
        None if creates or error else _result(entry, output), value, nonce, gas_used, gas_price, error is None,
        *((None, None, None) if error is None else (error.text, error.kind, error.place or None)),
    )  # fmt: skip


class Receipts(AppendOnlyTable):
    """Every transaction."""

    name, key = "receipts", "position"
    columns = tuple(map(Column._make, ((*column, "") for column in _RECEIPT_COLUMNS)))
    varied = tuple(  # `args` is an object, `ok` a bool
        i
        for i, (name, kind) in enumerate(_RECEIPT_COLUMNS)
        if kind == form.ANY or name in ("args", "ok")
    )

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._receipts = ledger, ledger.receipts

    def end(self) -> int:
        return len(self._receipts)

    def rows(self, first: int = 0) -> Iterator[TableRow]:
        receipts = map(Receipt, repeat(self._ledger), _from(self._receipts._rows, first))
        names, times = cache(AddressBook(self._ledger).account), lru_cache(1)(self._ledger.time_of)
        return map(receipt_row, receipts, repeat(names), repeat(times))


# Logs and events


@lru_cache(maxsize=1 << 12)
def _topic_text(topic: int) -> str:
    return form.to_hex(topic.to_bytes(32))


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
        names = dict[Source, str]()
        receipts = self._log.receipts_from(first)
        before, start = (receipts[0], self._log.end_of(receipts[0])) if receipts else (-1, 0)
        for place, (receipt, row) in enumerate(
            zip(receipts, _from(self._log.rows, first), strict=True), first
        ):
            if receipt != before:
                before, start = receipt, place
            address, topics, data, *_ = row
            topic_texts = map(_topic_text, topics)
            yield (
                place, receipt, place - start, form.address_text(address), *topic_texts, *[None] * (4 - len(topics)),
                f"0x{data.hex()}", None if len(topics) > 1 else text_of(row), self._event(row, names),
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
        self.varied = range(len(self.spec.members))
        self.key = self.columns[-1].name

    def end(self) -> int:
        return len(self._log)

    def rows(self, first: int = 0) -> Iterator[TableRow]:
        positions = self._log.of_sources(self.spec.topic, self._is_of_type, first)
        rows, receipts = self._log.rows, self._log.receipts_from(first)
        ledger, before, block = self._ledger, -1, 0
        time_of = lru_cache(1)(ledger.time_of)
        for position in positions[bisect_left(positions, first) :]:
            row = rows[position]
            members = decoded_members(row, self.spec)
            if members is not None:
                receipt = receipts[position - first]
                if receipt != before:
                    before, block = receipt, ledger.receipts._block_of(receipt)
                yield (
                    *_cells(members), receipt, block, time_of(block), form.address_text(row[0]), position,
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
        self._members = [member.name for member in self.spec.record.members]
        self.varied = range(len(self.spec.record.members))

    def rows(self) -> Iterator[TableRow]:
        for world in worlds_of(self._ledger):
            for spec in world.models.values():
                if model_key(spec) == self.type.key:
                    models: list[object] = world.all(spec.record.cls)
                    yield from (self.row(world, model) for model in models)

    @property
    def key_columns(self) -> list[str]:
        """The names of the columns that identify a model."""
        keys = set(self.spec.record.key_members)
        named = zip(self.spec.record.members, self.names, strict=False)
        return [name for member, name in named if member in keys] + self.names[-2:]

    def key_cells(self, world: StoredWorld, key: bytes) -> list[object]:
        """Return the cells of these columns, as a file keeps them, for the model whose slot was hashed from `key`."""
        keys = [form.kept_cell(form.top_level(value)) for value in self.spec.decode_keys(key)]
        return [*keys, world.namespace, form.address_text(world.address)]

    def row(self, world: StoredWorld, model: object) -> TableRow:
        location = world.namespace, form.address_text(world.address)
        members = (getattr(model, name) for name in self._members)
        return (*_cells(members), *location)


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
