"""What values there are: `u8 | None` stands for an `Option` of an `Int`, a frozen dataclass for a `Record`.

A kind is a plain description, which `chain.schema.annotations` makes from an annotation. `chain.abi` knows how each is written
for the outside, `chain.storage.layout` how each lies in storage words; both work by a table from kind to code, so a new kind
is one class here and one row in each table.
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
    """An Enum. Its code is the member's value where that is a small whole number, else its place in the list."""

    name: str
    cls: type[Enum]
    codes: tuple[int, ...] = field(repr=False)

    def code_of(self) -> dict[Enum, int]:
        return dict(zip(self.cls, self.codes, strict=True))

    def member_of(self) -> dict[int, Enum]:
        return dict(zip(self.codes, self.cls, strict=True))

    @property
    def zero(self) -> Enum:
        """What an unset place reads as: the member of code 0, or else the first."""
        return self.member_of().get(0, next(iter(self.cls)))


@dataclass(frozen=True, slots=True)
class OptionalType:
    """A value or None, with a flag that tells the two apart."""

    item: ValueType

    @property
    def name(self) -> str:
        return f"{self.item.name} | None"


@dataclass(frozen=True, slots=True)
class ListType:
    """Any number of values: `list[T]`, or `tuple[T, ...]` where the value must stay frozen."""

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
    name: str
    kind: ValueType


@dataclass(frozen=True, slots=True)
class StructType:
    """Named members side by side: a dataclass, or a fixed tuple whose members go by number."""

    name: str
    members: tuple[Field, ...]
    cls: Callable[..., Any] | None = None  # None: a fixed tuple
    array: bool = False  # members all alike, which the ABI writes `T[3]`

    def accessor_source(self, value: str, index: int) -> str:
        """Source text that reads member `index` of the record called `value`."""
        return f"{value}[{index}]" if self.cls is None else f"{value}.{self.members[index].name}"


ScalarType: TypeAlias = Int | FixedBytes | BoolType | AddressType | EnumType
ValueType: TypeAlias = ScalarType | StringType | BytesType | OptionalType | ListType | StructType


def default_value(kind: ValueType) -> Any:
    """What an unset place of this kind reads as."""
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
    """Whether values of this kind are or hold instances of an author's class."""
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
