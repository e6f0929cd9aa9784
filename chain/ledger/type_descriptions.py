"""Types as plain data, and back: what a chain's file says of a class, so that its history can be read without the class.

A description is text, numbers and tuples. A dataclass or an Enum comes back as a class of its name with its members, made
once for each description.
"""

from __future__ import annotations

from dataclasses import make_dataclass
from enum import Enum
from functools import cache
from typing import Any, Final, TypeAlias

from chain import types
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
from chain.storage.collections import (
    MapLayout,
    SetLayout,
    VectorLayout,
)
from chain.storage.layout import (
    Layout,
    OptionLayout,
    layout_for,
)
from chain.types import FixedBytes, Int

Description: TypeAlias = Any  # text, or a tuple of texts, numbers and descriptions
Pairs: TypeAlias = tuple[tuple[str, Description], ...]

_INTS: Final[list[ValueType]] = [
    kind
    for hint in vars(types).values()
    for kind in getattr(hint, "__metadata__", ())
    if isinstance(kind, Int)
]
_OTHERS: Final[list[ValueType]] = [BoolType(), StringType(), BytesType(), AddressType()]
_PLAIN: Final = {kind.name: kind for kind in (*_INTS, *_OTHERS)}


def describe(kind: ValueType) -> Description:
    """A type as plain data."""
    match kind:
        case OptionalType(item=item):
            return "option", describe(item)
        case ListType(item=item, make=make):
            return make.__name__, describe(item)
        case EnumType():
            return (
                "enum",
                kind.name,
                tuple((e.name, c, _plain(e)) for e, c in kind.code_of().items()),
            )
        case StructType(name=name, members=members, cls=cls, array=array):
            what = "record" if cls is not None else "array" if array else "members"
            return what, name, describe_members(members)
        case FixedBytes(name=name, size=size):
            return "fixed", name, size
        case _:
            return kind.name


def _plain(member: Enum) -> str | int | None:
    """The value of an Enum's member, where it is a text or a number."""
    value = member.value
    return value if type(value) is str or (type(value) is int and value >= 0) else None


def describe_members(members: tuple[Field, ...]) -> Pairs:
    return tuple((member.name, describe(member.kind)) for member in members)


@cache
def kind_of(description: Description) -> ValueType:
    """The type that a description tells."""
    match description:
        case ("option", item):
            return OptionalType(kind_of(item))
        case ("list" | "tuple" as make, item):
            return ListType(kind_of(item), list if make == "list" else tuple)
        case ("enum", name, members):
            values = [(each, code if value is None else value) for each, code, value in members]
            made: Any = Enum(name, values)  # type: ignore[misc]
            return EnumType(name, made, tuple(code for _, code, _ in members))
        case ("record" | "array" | "members" as what, name, pairs):
            cls = record_class(name, tuple(each for each, _ in pairs)) if what == "record" else None
            return StructType(name, members_of(pairs), cls, what == "array")
        case ("fixed", name, size):
            return FixedBytes(name, size)
        case _:
            return _PLAIN[description]


def members_of(pairs: Pairs) -> tuple[Field, ...]:
    return tuple(Field(name, kind_of(description)) for name, description in pairs)


@cache
def record_class(name: str, members: tuple[str, ...]) -> type:
    """A dataclass of that name with these members."""
    return make_dataclass(name, members, frozen=True)


def describe_layout(layout: Any) -> Description:
    """What lies in a field of a contract, as plain data."""
    match layout:
        case VectorLayout(item=item):
            return "Vector", describe_layout(item)
        case SetLayout(key=key):
            return "Set", describe(key)
        case MapLayout(key=key, value=value, optional=optional):
            return "Map", describe(key), describe_layout(value), int(optional)
        case OptionLayout(item=item):
            return "option", describe_layout(item)
        case _:
            return describe(layout.kind)


def layout_from(name: str, description: Description) -> Layout:
    """How a field called `name` lies that is described so."""
    match description:
        case ("Vector", item):
            return VectorLayout(name, layout_from(name, item))
        case ("Set", key):
            return SetLayout(name, kind_of(key))
        case ("Map", key, value, optional):
            return MapLayout(name, kind_of(key), layout_from(f"{name}[…]", value), bool(optional))
        case _:
            return layout_for(kind_of(description))
