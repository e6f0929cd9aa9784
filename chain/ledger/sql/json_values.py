"""Values in a portable form: for JSON, a column of SQL, or a cell of a CSV file.

An Enum is its name, an address its checksum text, bytes are hex after `0x`, and None is null. A record is an object with the
names of the ABI (`from`, where Python has `from_`); a list or a fixed tuple is a list. An integer is a number. In JSON it is
text with its decimal digits if it does not fit in 64 bits with its sign, which is the limit of most readers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, Final, TypeAlias

from chain.abi import abi_name
from chain.abi.json_abi import DecodedAbiEvent
from chain.crypto.hashing import checksum_address
from chain.ledger.sql.big_integers import is_large
from chain.schema.inputs import text
from chain.schema.value_types import (
    AddressType,
    BoolType,
    BytesType,
    EnumType,
    Field,
    ListType,
    OptionalType,
    StringType,
    StructType,
    ValueType,
)
from chain.types import Address, FixedBytes, Int

Portable: TypeAlias = Any  # None, bool, int, str, or lists and dicts of these
Cell: TypeAlias = int | str | None

_HALF: Final = 2**63
NUMBER: Final = "integer"
TEXT: Final = "text"
HEX: Final = "text collate nocase"  # matched in any case
ANY: Final = ""  # a number or a text, each stored as it is


@cache
def to_json_for(kind: ValueType) -> Callable[[Any], Portable]:
    """Return a function that makes values of a type portable."""
    match kind:
        case Int():
            return number
        case BoolType():
            return bool
        case EnumType():
            return attrgetter("name")
        case AddressType():
            return address_text
        case StringType():
            return lambda value: value if isinstance(value, str) else to_hex(value)  # a hashed key
        case BytesType() | FixedBytes():
            return to_hex
        case OptionalType(item=item):
            convert = to_json_for(item)
            return lambda value: None if value is None else convert(value)
        case ListType(item=item):
            convert = to_json_for(item)
            return lambda values: [convert(value) for value in values]
        case StructType(cls=None, members=members):
            converters = [to_json_for(member.kind) for member in members]
            return lambda values: [
                convert(value) for convert, value in zip(converters, values, strict=True)
            ]
        case StructType(members=members):
            return portable_members(members)


@cache
def top_level(kind: ValueType) -> Callable[[Any], Portable]:
    """Return the same for a value that is not inside JSON: an integer stays an integer."""
    match kind:
        case Int():
            return int
        case OptionalType(item=Int()):
            return lambda value: None if value is None else int(value)
        case _:
            return to_json_for(kind)


def portable_members(members: tuple[Field, ...]) -> Callable[[Any], dict[str, Portable]]:
    """Return a function that makes a JSON object of the members of a record, event or model."""
    converters = [
        (member.name, abi_name(member.name), to_json_for(member.kind)) for member in members
    ]
    return lambda value: {
        json_name: convert(getattr(value, name)) for name, json_name, convert in converters
    }


address_text: Final = lru_cache(maxsize=1 << 14)(checksum_address)


def to_hex(raw: bytes | bytearray) -> str:
    return f"0x{raw.hex()}"


def number(value: int) -> int | str:
    return int(value) if -_HALF <= value < _HALF else str(int(value))


def to_json_untyped(value: Any, whole: Callable[[int], Portable] = number) -> Portable:
    """Return a value of unknown type in portable form; `whole` converts its integers."""
    match value:
        case Enum():  # before str and int, since an Enum may be one of them
            return value.name
        case None | bool() | str() | float():
            return value
        case int():
            return whole(value)
        case Address():
            return address_text(value)
        case bytes() | bytearray():
            return to_hex(value)
        case Mapping():
            return {str(key): to_json_untyped(inner, whole) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return [to_json_untyped(inner, whole) for inner in value]
        case DecodedAbiEvent(values=values):
            return plain_members(values, whole)
        case _ if is_dataclass(value):
            member_values = {field.name: getattr(value, field.name) for field in fields(value)}
            return plain_members(member_values, whole)
        case _:
            return str(value)


def plain_members(
    values: Mapping[str, Any], whole: Callable[[int], Portable] = number
) -> dict[str, Portable]:
    """Return fields or arguments by their ABI names, in portable form."""
    return {abi_name(name): to_json_untyped(value, whole) for name, value in values.items()}


def to_json(value: Portable) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def column_type(kind: ValueType) -> str:
    """Return how SQLite compares values of a type."""
    match kind:
        case Int():
            return NUMBER if kind.lowest >= -_HALF and kind.highest < _HALF else ANY
        case BoolType():
            return NUMBER
        case AddressType() | BytesType() | FixedBytes():
            return HEX
        case OptionalType(item=item):
            return column_type(item)
        case _:
            return TEXT


def sql_cell(value: Portable) -> Cell:
    """Return a portable value as one cell: lists and objects as JSON."""
    if isinstance(value, bool):
        return int(value)
    return to_json(value) if isinstance(value, list | dict) else value


def kept_cell(value: Portable) -> Cell | float:
    """Return a cell of the tables in a chain's file: a number beyond 64 bits is rounded, as by SQLite."""
    value = sql_cell(value)
    return float(value) if isinstance(value, int) and is_large(value) else value


def parameter(value: Any) -> Cell | float:
    """Return a query parameter in the form of the columns."""
    value = getattr(value, "address", value)
    if value is None:
        return value
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, str):
        text(value, "a value")
    if isinstance(value, str | float | int):
        return value
    if isinstance(value, bytes):
        return address_text(value) if len(value) == 20 else to_hex(value)
    raise TypeError(
        f"{value!r} cannot be stored in a column: give a number, text, Enum, address or bytes"
    )
