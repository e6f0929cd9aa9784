"""Values as people and other programs write them, parsed by their type: the inverse of `chain.ledger.sql.json_values`.

An integer may be a number, decimal digits or `0x1f`; an Enum its name or its code; bytes hex after `0x`; an address hex or a
known name; a record an object or a list; None is null.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping
from typing import Any, Final

from chain.abi import field_name
from chain.schema.validation import accepts, expectation, short_repr
from chain.schema.value_types import (
    AddressType,
    BoolType,
    BytesType,
    EnumType,
    Field,
    ListType,
    OptionalType,
    StructType,
    ValueType,
)
from chain.types import Address, FixedBytes, Int

# Returns the address that a text stands for, or raises ValueError.
AddressResolver = Callable[[str], Address]

_LONGEST: Final = 200  # characters of an invalid value that are shown


class ParseError(ValueError):
    """A text is not a valid value of its type; the message says what is."""


def parse_value(kind: ValueType, value: Any, path: str, find: AddressResolver = Address) -> Any:
    """Parse a value from decoded JSON.

    `path` is its location in the input, for messages; `find` returns the address for a text.
    """
    match kind:
        case OptionalType(item=item):
            return None if value is None else parse_value(item, value, path, find)
        case ListType(item=item, make=make) if isinstance(value, list | tuple):
            return make(
                parse_value(item, part, f"{path}[{i}]", find) for i, part in enumerate(value)
            )
        case StructType(cls=cls, members=members) if isinstance(value, list | tuple | Mapping):
            parts = parse_members(members, value, path, find)
            return tuple(parts) if cls is None else cls(*parts)
        case Int() | BoolType() if type(value) is (bool if isinstance(kind, BoolType) else int):
            return _fitting(kind, value, path)
        case EnumType() if type(value) is int:
            return _member(kind, str(value), path)
        case ListType() | StructType() | BoolType():
            pass
        case _ if isinstance(value, str):
            return read_text(kind, value, path, find)
    raise ParseError(f"{path} = {_short_text(value)} {expectation(kind, value)}")


def read_text(kind: ValueType, text: str, path: str, find: AddressResolver = Address) -> Any:
    """Parse a value that has no parts from its text."""
    match kind:
        case Int():
            return _number(kind, text, path)
        case EnumType():
            return _member(kind, text, path)
        case AddressType():
            try:
                return find(text)
            except (ValueError, TypeError, LookupError) as problem:
                raise ParseError(f"{path}: {problem}") from None
        case BytesType() | FixedBytes():
            return _bytes(kind, text, path)
        case _:
            return text


def _number(kind: Int, word: str, path: str) -> int:
    try:
        number = int(word.replace("_", ""), 16 if "0x" in word.lower() else 10)
    except ValueError:
        raise ParseError(f"{path} = {word!r} {expectation(kind, word)}") from None
    return int(_fitting(kind, number, path))


def _fitting(kind: ValueType, value: Any, path: str) -> Any:
    """Return the value if it is in the range of its type, and refuse it otherwise, before a transaction is sent."""
    if not accepts(kind, value):
        raise ParseError(f"{path} = {short_repr(value)} {expectation(kind, value)}")
    return value


def _member(kind: EnumType, word: str, path: str) -> Any:
    by_code = {str(code): member for code, member in kind.member_of().items()}
    by_name = {member.name.lower(): member for member in kind.cls}
    member = by_code.get(word) or by_name.get(word.lower())
    if member is None:
        names = ", ".join(member.name for member in kind.cls)
        raise ParseError(f"{path} = {word!r} is not {kind.name}: it is one of {names}")
    return member


def _bytes(kind: ValueType, word: str, path: str) -> bytes:
    try:
        if not word.startswith("0x"):
            raise ValueError
        raw = bytes.fromhex(word[2:])
    except ValueError:
        raise ParseError(
            f"{path} = {word!r} {expectation(kind)}: write it as hex, 0x12ab"
        ) from None
    return bytes(_fitting(kind, raw, path))


def parse_members(
    members: tuple[Field, ...], value: Any, path: str, find: AddressResolver = Address
) -> list[Any]:
    """Parse the values of named members, from an object or from a list in their order."""
    names = [member.name for member in members]
    by_name = (
        by_field(value, names)
        if isinstance(value, Mapping)
        else dict(zip(names, value, strict=False))
    )
    if set(by_name) != set(names) or len(value) != len(names):
        raise ParseError(f"{path} = {_short_text(value)} is not whole: write {', '.join(names)}")
    return [
        parse_value(member.kind, by_name[member.name], f"{path}.{member.name}", find)
        for member in members
    ]


def by_field(told: Mapping[str, Any], known: Container[str]) -> dict[str, Any]:
    """Return the values by field name: the ABI's `from` is the field `from_`. `told` has the values by ABI name."""
    return {field_name(name, known): value for name, value in told.items()}


def _short_text(value: Any) -> str:
    try:
        return json.dumps(value)[:_LONGEST]
    except (TypeError, ValueError):
        return short_repr(value)
