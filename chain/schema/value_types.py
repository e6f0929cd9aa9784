"""Value types: `u8 | None` becomes an `OptionalType` of an `Int`, a frozen dataclass becomes a `StructType`.

A value type is a plain description, made from an annotation by `chain.schema.annotations`. `chain.abi` encodes each type for
the outside, `chain.storage.layout` lays it out in storage words. Both use a table from type to code, so a new type is one class
here and one row in each table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from chain.types import Address, FixedBytes, Int


@dataclass(frozen=True, slots=True)
class BoolType:
    name: str = "bool"


@dataclass(frozen=True, slots=True)
class StringType:
    name: str = "str"


@dataclass(frozen=True, slots=True)
class BytesType:
    name: str = "bytes"


@dataclass(frozen=True, slots=True)
class AddressType:
    name: str = "Address"


@dataclass(frozen=True, slots=True)
class EnumType:
    """An Enum, stored and encoded as the code of a member.

    `codes` are the values of the members if these are small whole numbers, otherwise their positions.
    """

    name: str
    cls: type[Enum]
    codes: tuple[int, ...] = field(repr=False)

    def code_of(self) -> dict[Enum, int]:
        """Return the code of each member."""
        return dict(zip(self.cls, self.codes, strict=True))

    def member_of(self) -> dict[int, Enum]:
        """Return the member of each code."""
        return dict(zip(self.codes, self.cls, strict=True))

    @property
    def zero(self) -> Enum:
        """The value of an unset Enum: the member of code 0, or else the first."""
        return self.member_of().get(0, next(iter(self.cls)))


@dataclass(frozen=True, slots=True)
class OptionalType:
    """A value or None, with a flag to distinguish them."""

    item: ValueType

    @property
    def name(self) -> str:
        return f"{self.item.name} | None"


@dataclass(frozen=True, slots=True)
class ListType:
    """A list of any length: `list[T]`, or `tuple[T, ...]` where the value must stay frozen."""

    item: ValueType
    make: type[list[Any]] | type[tuple[Any, ...]] = list

    @property
    def word(self) -> str:
        return "tuple" if self.make is tuple else "list"

    @property
    def name(self) -> str:
        return f"{self.word} of {self.item.name}"


@dataclass(frozen=True, slots=True)
class Field:
    """A named member and its type."""

    name: str
    kind: ValueType


@dataclass(frozen=True, slots=True)
class StructType:
    """Named members side by side: a dataclass, or a fixed tuple whose members are named by number."""

    name: str
    members: tuple[Field, ...]
    cls: Callable[..., Any] | None = None  # None: a fixed tuple
    array: bool = False  # all members have one type; the ABI writes `T[3]`

    def accessor_source(self, value: str, index: int) -> str:
        """Return source that reads member `index` of the record called `value`."""
        return f"{value}[{index}]" if self.cls is None else f"{value}.{self.members[index].name}"


ScalarType: TypeAlias = Int | FixedBytes | BoolType | AddressType | EnumType
ValueType: TypeAlias = ScalarType | StringType | BytesType | OptionalType | ListType | StructType


def default_value(kind: ValueType) -> Any:
    """Return the value of an unset slot of this type."""
    match kind:
        case Int():
            return 0
        case BoolType():
            return False
        case FixedBytes(size=size):
            return bytes(size)
        case AddressType():
            return Address(bytes(20))
        case EnumType():
            return kind.zero
        case StringType():
            return ""
        case BytesType():
            return b""
        case OptionalType():
            return None
        case ListType(make=make):
            return make()
        case StructType(cls=None, members=members):
            return tuple(default_value(member.kind) for member in members)
        case StructType(cls=build, members=members):
            assert build is not None
            return build(*(default_value(member.kind) for member in members))


def contains_author_classes(kind: ValueType) -> bool:
    """Return True if values of this type are or contain instances of an author's class."""
    match kind:
        case EnumType():
            return True
        case OptionalType(item=item) | ListType(item=item):
            return contains_author_classes(item)
        case StructType(cls=cls, members=members):
            return cls is not None or any(
                contains_author_classes(member.kind) for member in members
            )
    return False
