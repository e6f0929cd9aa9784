"""Types as plain data, and back: a chain file describes each class, so that its history can be read without the class.

A description consists of text, numbers and tuples. A dataclass or an Enum is restored as a class with its name and members,
created once for each description.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import make_dataclass
from enum import Enum
from functools import cache, partial
from typing import Any, Final, TypeAlias

from chain import types
from chain.ledger.imported_classes import classes_named
from chain.storage.collection import CollectionLayout
from chain.storage.collections import COLLECTIONS
from chain.storage.fields import Layout
from chain.values import (
    PLAIN,
    EnumType,
    Field,
    ListType,
    OptionalType,
    RemadeType,
    StructType,
    UnionType,
    ValueType,
)
from chain.values.annotations import type_of_annotation

Parts: TypeAlias = tuple[Any, ...]  # texts, numbers, None and descriptions
Description: TypeAlias = str | Parts
Pairs: TypeAlias = tuple[tuple[str, Description], ...]

_MARKS: Final = [
    mark for hint in vars(types).values() for mark in getattr(hint, "__metadata__", ())
]
_SIZED: Final = [mark for mark in _MARKS if isinstance(mark, ValueType)]
_LAYOUTS: Final = {layout.what: layout for layout in COLLECTIONS.values()}


def type_from_description(description: Description, home: str = "") -> ValueType:
    """Return the type that a description stands for, with the imported class that has it, looked for from module `home` on."""
    match description:
        case ("option", item):
            return OptionalType(type_from_description(item, home))
        case ("union", variants):
            return UnionType(tuple(type_from_description(each, home) for each in variants))  # type: ignore[misc]
        case ("list" | "tuple" as make, item):
            return ListType(type_from_description(item, home), list if make == "list" else tuple)
        case ("dict" | "set" as make, items):
            listed = type_from_description(items, home)
            assert isinstance(listed, ListType)
            return RemadeType(listed, dict if make == "dict" else set)
        case ("enum" | "record", name, _) if kind := imported_kind(name, home, description):
            return kind
        case ("enum", name, members):
            return EnumType(name, _enum_class(name, members), tuple(code for _, code, _ in members))
        case ("record" | "array" | "members" as shape, name, pairs):
            cls = record_class(name, tuple(m for m, _ in pairs)) if shape == "record" else None
            return StructType(name, members_of(pairs, home), cls, shape == "array")
        case str():
            return {kind.name: kind for kind in (*_SIZED, *PLAIN.values())}[description]
        case _:
            raise KeyError(description)


def imported_kind(name: str, home: str, description: Description) -> ValueType | None:
    """Return the type of an imported class of that name with this description; None if there is none."""
    for cls in classes_named(name, home):
        with suppress(TypeError):  # it is not the class of a value
            kind = type_of_annotation(cls)
            if kind.description == description:
                return kind
    return None


def members_of(pairs: Pairs, home: str = "") -> tuple[Field, ...]:
    return tuple(
        Field(name, type_from_description(description, home)) for name, description in pairs
    )


@cache
def _enum_class(name: str, members: Parts) -> Any:
    values = [(member, code if value is None else value) for member, code, value in members]
    return Enum(name, values)


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


def layout_from(name: str, description: Description, home: str = "") -> Layout:
    """Return the layout of the field `name` that has this description."""
    if isinstance(description, tuple) and description[0] in _LAYOUTS:
        what, *parts = description
        kind, layout = partial(type_from_description, home=home), partial(layout_from, home=home)
        return _LAYOUTS[what].of(name, parts, kind, layout)
    return type_from_description(description, home)
