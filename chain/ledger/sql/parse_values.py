"""Values as people and other programs write them, parsed by their type: the inverse of `chain.ledger.sql.json_values`.

An integer may be a number, decimal digits or `0x1f`; an Enum its name or its code; bytes hex after `0x`; an address hex or a
known name; a record an object or a list; None is null.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping
from typing import Any, Final

from chain.abi import field_name
from chain.schema.nesting import shallow
from chain.schema.validation import accepts, short_repr
from chain.schema.value_types import (
    AddressType,
    BoolType,
    BytesType,
    EnumType,
    Field,
    Int,
    ListType,
    OptionalType,
    Scalar,
    StringType,
    StructType,
    ValueType,
)
from chain.types import Address

# Returns the address that a text stands for, or raises ValueError.
AddressResolver = Callable[[str], Address]

_NOTHING: Final = ("null", "none")
_LONGEST: Final = 200  # characters of an invalid value that are shown


class ParseError(ValueError):
    """A text is not a valid value of its type; the message describes the valid ones."""


def parse_value(kind: ValueType, value: object, path: str, find: AddressResolver = Address) -> Any:
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
        case StructType() if isinstance(value, list | tuple | Mapping):
            return kind.build(parse_members(kind.members, value, path, find))
        case AddressType() if isinstance(value, str):
            return _address(value, path, find)
        case EnumType() if type(value) is int:
            return _parse(kind, str(value), path)
        case Scalar() | StringType() | BytesType() if isinstance(value, str):
            return _parse(kind, value, path)
        case Int() | BoolType() if type(value) is type(kind.zero):
            return _fitting(kind, value, path)
    raise ParseError(f"{path} = {_short_text(value)} {kind.expectation(value)}")


def parse_word(kind: ValueType, word: str, path: str, find: AddressResolver = Address) -> Any:
    """Parse a value from a word that a person typed: JSON for a list or a record, `null` for None, anything else as it is."""
    return parse_value(kind, json_of_word(kind, word, path), path, find)


def json_of_word(kind: ValueType, word: str, path: str) -> Any:
    """Return the JSON that a typed word stands for."""
    match kind:
        case OptionalType(item=item):
            return None if word.lower() in _NOTHING else json_of_word(item, word, path)
        case ListType() | StructType():
            try:
                return json.loads(shallow(word))
            except ValueError:
                remedy = f"{kind.expectation()}: write it as JSON"
                raise ParseError(f"{path} = {word!r} {remedy}") from None
        case _:
            return word


def _parse(kind: Scalar | StringType | BytesType, text: str, path: str) -> Any:
    try:
        value = kind.parse(text)
    except ValueError as error:
        remedy = f": {error}" if error.args else ""
        raise ParseError(f"{path} = {text!r} {kind.expectation(text)}{remedy}") from None
    return _fitting(kind, value, path)


def _address(text: str, path: str, find: AddressResolver) -> Address:
    try:
        return find(text)
    except (ValueError, TypeError, LookupError) as problem:
        raise ParseError(f"{path}: {problem}") from None


def _fitting(kind: ValueType, value: object, path: str) -> Any:
    """Return the value if it is in the range of its type, and refuse it otherwise, before a transaction is sent."""
    if not accepts(kind, value):
        raise ParseError(f"{path} = {short_repr(value)} {kind.expectation(value)}")
    return value


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
        raise ParseError(f"{path} = {_short_text(value)} is incomplete: write {', '.join(names)}")
    return [
        parse_value(member.kind, by_name[member.name], f"{path}.{member.name}", find)
        for member in members
    ]


def by_field(told: Mapping[str, object], known: Container[str]) -> dict[str, Any]:
    """Return the values by field name: the ABI's `from` is the field `from_`. `told` has the values by ABI name."""
    return {field_name(name, known): value for name, value in told.items()}


def _short_text(value: object) -> str:
    try:
        return json.dumps(value)[:_LONGEST]
    except (TypeError, ValueError):
        return short_repr(value)
