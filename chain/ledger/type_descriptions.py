"""Types as plain data, and back: a chain file describes each class, so that its history can be read without the class.

A description consists of text, numbers and tuples. A dataclass or an Enum is restored as a class with its name and members,
created once for each description.
"""

from __future__ import annotations

from dataclasses import make_dataclass
from enum import Enum
from functools import cache
from typing import Any, Final, TypeAlias

from chain import types
from chain.storage.collection_layout import CollectionLayout
from chain.storage.collections import COLLECTIONS
from chain.storage.fields import Layout
from chain.values import (
    PLAIN,
    EnumType,
    Field,
    ListType,
    OptionalType,
    StructType,
    ValueType,
)

Parts: TypeAlias = tuple[Any, ...]  # texts, numbers, None and descriptions
Description: TypeAlias = str | Parts
Pairs: TypeAlias = tuple[tuple[str, Description], ...]

_MARKS: Final = [
    mark for hint in vars(types).values() for mark in getattr(hint, "__metadata__", ())
]
_SIZED: Final = [mark for mark in _MARKS if isinstance(mark, ValueType)]


@cache
def type_from_description(description: Description) -> ValueType:
    """Return the type that a description stands for."""
    match description:
        case ("option", item):
            return OptionalType(type_from_description(item))
        case ("list" | "tuple" as make, item):
            return ListType(type_from_description(item), list if make == "list" else tuple)
        case ("enum", name, members):
            values = [(member, code if value is None else value) for member, code, value in members]
            enum_class: object = Enum(name, values)  # type: ignore[misc]
            return EnumType(name, enum_class, tuple(code for _, code, _ in members))
        case ("record" | "array" | "members" as shape, name, pairs):
            cls = record_class(name, tuple(m for m, _ in pairs)) if shape == "record" else None
            return StructType(name, members_of(pairs), cls, shape == "array")
        case str():
            return {kind.name: kind for kind in (*_SIZED, *PLAIN.values())}[description]
        case _:
            raise KeyError(description)


def members_of(pairs: Pairs) -> tuple[Field, ...]:
    return tuple(Field(name, type_from_description(description)) for name, description in pairs)


@cache
def record_class(name: str, members: tuple[str, ...]) -> type:
    """Return a dataclass with that name and these members."""
    return make_dataclass(name, members, frozen=True)


def describe_layout(layout: Any) -> Description:
    """Return the layout of a contract field as plain data."""
    if isinstance(layout, CollectionLayout):
        return (layout.what, *map(describe_layout, layout.parts))
    described: Description = layout.description
    return described


def layout_from(name: str, description: Description) -> Layout:
    """Return the layout of the field `name` that has this description."""
    if isinstance(description, tuple) and description[0] in COLLECTIONS:
        what, *parts = description
        return COLLECTIONS[what].of(name, parts, type_from_description, layout_from)
    return type_from_description(description)
