"""The tables of `chain.sql`: receipts, logs, models, values in storage, and one for every event and model.

All are views on the derived tables of the store (`chain.ledger.store`), in which the fields of an event or model are JSON.
The names of the tables come from `chain.ledger.sql.table_names`; the table `tables` lists what each one holds. A row has the
declared fields first, then our columns, which locate it: `receipt`, `block`, `timestamp`, `address` and `log` of an event,
`namespace` and `world` of a model. They have these names in every table; a field of such a name gets the prefix `event_` or
`model_`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from chain.abi import BadData, abi_name
from chain.abi.formatting import show_plain
from chain.ledger import decoded
from chain.ledger.artifacts import describe_record
from chain.ledger.decoded.writes import StorageLocation
from chain.ledger.event_types import UPGRADED, EventType
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.ledger.sql import json_values as form
from chain.ledger.sql.json_values import Portable
from chain.ledger.sql.table_names import ModelType, declared_on
from chain.machine.failure import Failure
from chain.metering.program import Program
from chain.spec.contracts import EntrySpec
from chain.values import AddressType, EnumType, Field, OptionalType, ValueType
from chain.values.kind import ANY, HEX, NUMBER, TEXT

TableRow: TypeAlias = tuple[Any, ...]

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


# The values are in `receipt_cells`.
RECEIPT_COLUMNS: Final = (
    ("position", NUMBER), ("block", NUMBER), ("idx", NUMBER), ("timestamp", NUMBER),
    ("sender", HEX), ("sender_name", TEXT), ("kind", TEXT), ("contract", TEXT),
    ("address", HEX), ("entry", TEXT), ("args", TEXT), ("result", ANY), ("value", ANY),
    ("nonce", ANY), ("gas_used", NUMBER), ("gas_price", ANY), ("ok", NUMBER),
    ("error", TEXT), ("error_kind", TEXT), ("error_place", TEXT),
)  # fmt: skip
VARIED: Final = (
    10,
    11,
    12,
    13,
    15,
    16,
)  # the columns that may hold more than texts and numbers of 64 bits


def receipt_cells(
    receipt: Receipt, account_name: Callable[[bytes], str | None], time_of: Callable[[int], int]
) -> TableRow:
    """Return the row of a receipt in the table of receipts. Files get one for every call, so it is made in one go."""
    row = receipt.row
    known = receipt._known if row.digest is None else receipt.ledger.program(row.digest)
    creates = row.to is None
    entry = known.spec.entry_for(row.data, creates=creates) if known else None
    error = None if row.failure is None else receipt.error
    return (
        row.position, row.block, row.index_in_block, time_of(row.block), form.address_text(row.sender),
        account_name(row.sender), "create" if creates else "call", known.spec.name if known else None,
        form.address_text(row.address), entry.name if entry else None,
        _args(known, entry, row.data, creates) if known and entry else None,
        None if creates or error else _result(entry, row.output),
        row.value, row.nonce, row.gas_used, row.gas_price, error is None,
        *((None, None, None) if error is None else (_reason(receipt, row.failure or error), error.kind, error.place or None)),
    )  # fmt: skip


def _reason(receipt: Receipt, failure: Failure) -> str:
    """Return why a transaction failed, with whole addresses: names may change."""
    return decoded.failure_text(receipt.ledger, failure, show_plain)


LOG_COLUMNS: Final = (
    ("position", NUMBER), ("receipt", NUMBER), ("idx", NUMBER), ("address", HEX),
    ("topic0", HEX), ("topic1", HEX), ("topic2", HEX), ("topic3", HEX), ("data", HEX),
    ("text", TEXT), ("event", TEXT), ("fields", TEXT),
)  # fmt: skip
_MODEL_COLUMNS: Final = tuple((name, TEXT) for name in ("model", "fields", "namespace", "world"))
_PLACE: Final = (
    ("address", HEX), ("contract", TEXT), ("model", TEXT), ("field", TEXT), ("keys", TEXT),
    ("member", TEXT),
)  # fmt: skip
_WRITE_COLUMNS: Final = (
    ("receipt", NUMBER), ("block", NUMBER), ("timestamp", NUMBER), *_PLACE, ("old", ANY),
    ("new", ANY),
)  # fmt: skip
_FIELD_COLUMNS: Final = (*_PLACE, ("value", ANY))
_TABLE_COLUMNS: Final = tuple((name, TEXT) for name in ("name", "kind", "contract", "declaration", "columns"))  # fmt: skip


# Tables as views


class Column(NamedTuple):
    """A column of a table."""

    name: str
    type: str  # how SQLite compares its values
    text: str  # its expression on the derived table
    kind: ValueType | None = None  # what it holds, if more spellings of that than one are read


class Table(NamedTuple):
    """A view on a derived table: its name, its columns, and which rows it shows."""

    name: str
    kind: str  # "chain", "event" or "model"
    columns: tuple[Column, ...]
    derived: str  # the table that it shows
    part: str  # what the store derives for it
    rows: str = ""  # the condition and the order of its rows
    key: str | None = None  # the column that rises along the chain
    type: EventType | ModelType | None = None

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def query(self, number: str = "", collations: Mapping[str, str] | None = None) -> str:
        """Return the query for its rows.

        `number` is the function for columns that may hold numbers beyond 64 bits, `collations` has those of columns by name.
        """
        collations = collations or {}
        cells = [
            f"{number}({column.text})" if number and column.type == ANY
            else f"{column.text} collate {quoted(collations[column.name])}" if column.name in collations
            else column.text
            for column in self.columns
        ]  # fmt: skip
        named = [f"{cell} as {quoted(name)}" for cell, name in zip(cells, self.names, strict=True)]
        return f"select {', '.join(named)} from {quoted(self.derived)} t{self.rows}"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def field_text(name: str, kind: str) -> str:
    """Return the expression for a member of the JSON object `fields`, compared as columns of that type are."""
    found = f"fields->>{literal('$.' + form.to_json(_abi_name(name)))}"
    if kind == ANY:
        return found
    affinity, _, collation = kind.partition(" ")
    return f"cast({found} as {affinity}) {collation}".rstrip()


_ADDRESS: Final = AddressType()
_OUR_ADDRESSES: Final = ("sender", "address", "world")


def _plain(columns: Iterable[tuple[str, str]]) -> tuple[Column, ...]:
    return tuple(
        Column(name, kind, name, _ADDRESS if name in _OUR_ADDRESSES else None)
        for name, kind in columns
    )


def _members(members: Iterable[Field], ours: Sequence[Column], prefix: str) -> tuple[Column, ...]:
    """Return the columns of the members, then `ours`.

    Ours keep their names; a member whose name is already taken has `prefix` before it.
    """
    taken = {column.name.casefold() for column in ours}
    columns = []
    for member in members:
        name, number = member.name, 1
        while name.casefold() in taken:
            name = f"{prefix}_{member.name}" if number == 1 else f"{prefix}_{member.name}_{number}"
            number += 1
        taken.add(name.casefold())
        item = member.kind.item if isinstance(member.kind, OptionalType) else member.kind
        kind = item.column
        spelled = item if isinstance(item, EnumType | AddressType) else None
        columns.append(Column(name, kind, field_text(member.name, kind), spelled))
    return (*columns, *ours)


_OF_EVENT: Final = (
    *_plain(_WRITE_COLUMNS[:3]), *_plain(_PLACE[:1]), Column("log", NUMBER, "position"),
)  # fmt: skip
_OF_MODEL: Final = _plain((("namespace", TEXT), ("world", HEX)))
RECEIPTS: Final = Table(
    "receipts", "chain", _plain(RECEIPT_COLUMNS), "derived:receipts", "receipts", key="position"
)
LOGS: Final = Table("logs", "chain", _plain(LOG_COLUMNS), "derived:logs", "logs", key="position")
MODELS: Final = Table(
    "models", "chain", _plain(_MODEL_COLUMNS), "derived:models", "models",
    " where t.fields is not null order by t.world, t.space, t.id",
)  # fmt: skip
WRITES: Final = Table("writes", "chain", _plain(_WRITE_COLUMNS), "derived:writes", "writes")
FIELDS: Final = Table(
    "fields", "chain", _plain(_FIELD_COLUMNS), "derived:fields", "fields", " order by t.address, t.rowid",
)  # fmt: skip
TABLES: Final = Table("tables", "chain", _plain(_TABLE_COLUMNS), "derived:tables", "tables")


def _table(name: str, type: EventType | ModelType) -> Table:
    if isinstance(type, ModelType):
        columns = _members(type.spec.record.members, _OF_MODEL, "model")
        rows = f" where t.view = {literal(name)} and t.fields is not null order by t.world, t.space, t.id"
        return Table(name, "model", columns, MODELS.derived, MODELS.part, rows, None, type)
    columns = _members(type.spec.members, _OF_EVENT, "event")
    rows = f" where t.view = {literal(name)}"
    return Table(name, "event", columns, LOGS.derived, LOGS.part, rows, columns[-1].name, type)


def place_row(place: StorageLocation) -> TableRow:
    """Return the columns that say where a value is."""
    keys = form.to_json(form.portable(list(place.keys))) if place.keys else None
    address = form.address_text(place.address)
    return address, place.contract, place.model, place.field, keys, place.member or None


def all_tables(ledger: Ledger, settled: bool = False) -> list[Table]:
    """Return all tables of a chain; if `settled`, only those whose names are final."""
    declared = [
        _table(*each)
        for each in declared_on(ledger)
        if (each.type.is_there or not settled)
        and (each.type.spec is not UPGRADED or ledger.event_types.has_upgrades())
    ]
    return [RECEIPTS, LOGS, *declared, MODELS, WRITES, FIELDS, TABLES]


def catalogue(tables: Iterable[Table]) -> Iterator[TableRow]:
    """Yield the rows of the table `tables`."""
    for table in tables:
        contract = declaration = None
        if table.type is not None:
            contract = table.type.contract
            name, full_name, members, *_ = table.type.key
            declaration = f"{name}({', '.join(member for member, _ in members)})"
            declaration = declaration if full_name is None else f"{full_name} {declaration}"
        yield table.name, table.kind, contract, declaration, ", ".join(table.names)


def table_of(ledger: Ledger, what: str | type) -> Table:
    """Return the table with that name, or of that event or model class."""
    tables = all_tables(ledger)
    for table in tables:
        if isinstance(what, str):
            if table.name.casefold() == what.casefold():
                return table
        elif table.type is not None and table.type.key in _keys_of(what):
            return table
    names = ", ".join(table.name for table in tables)
    raise ValueError(f"there is no table {getattr(what, '__name__', what)!r}; there are {names}")


def _keys_of(cls: type) -> list[object]:
    attributes = vars(cls) if isinstance(cls, type) else {}
    specs = [
        attributes[attribute] for attribute in ("__event__", "__model__") if attribute in attributes
    ]
    return [describe_record(spec.record) for spec in specs]
