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
class Bool:
    name: str = "bool"


@dataclass(frozen=True, slots=True)
class Text:
    name: str = "str"


@dataclass(frozen=True, slots=True)
class Blob:
    name: str = "bytes"


@dataclass(frozen=True, slots=True)
class Account:
    name: str = "Address"


@dataclass(frozen=True, slots=True)
class Choice:
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
class Option:
    """A value or None, with a flag that tells the two apart."""

    item: Kind

    @property
    def name(self) -> str:
        return f"{self.item.name} | None"


@dataclass(frozen=True, slots=True)
class Sequence:
    """Any number of values: `list[T]`, or `tuple[T, ...]` where the value must stay frozen."""

    item: Kind
    make: type[list[Any]] | type[tuple[Any, ...]] = list

    @property
    def word(self) -> str:
        return "tuple" if self.make is tuple else "list"

    @property
    def name(self) -> str:
        return f"{self.word} of {self.item.name}"


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Record:
    """Named members side by side: a dataclass, or a fixed tuple whose members go by number."""

    name: str
    members: tuple[Member, ...]
    cls: Callable[..., Any] | None = None  # None: a fixed tuple
    array: bool = False  # members all alike, which the ABI writes `T[3]`

    def reach(self, value: str, index: int) -> str:
        """Source text that reads member `index` of the record called `value`."""
        return f"{value}[{index}]" if self.cls is None else f"{value}.{self.members[index].name}"


Scalar: TypeAlias = Int | FixedBytes | Bool | Account | Choice
Kind: TypeAlias = Scalar | Text | Blob | Option | Sequence | Record


def zero(kind: Kind) -> Any:
    """What an unset place of this kind reads as."""
    match kind:
        case Int():
            return 0
        case Bool():
            return False
        case FixedBytes(size=size):
            return bytes(size)
        case Account():
            return Address(bytes(20))
        case Choice():
            return kind.zero
        case Text():
            return ""
        case Blob():
            return b""
        case Option():
            return None
        case Sequence(make=make):
            return make()
        case Record(cls=None, members=members):
            return tuple(zero(member.kind) for member in members)
        case Record(cls=build, members=members):
            assert build is not None
            return build(*(zero(member.kind) for member in members))


def holds_classes(kind: Kind) -> bool:
    """Whether values of this kind are or hold instances of an author's class."""
    match kind:
        case Choice():
            return True
        case Option(item=item) | Sequence(item=item):
            return holds_classes(item)
        case Record(cls=cls, members=members):
            return cls is not None or any(holds_classes(member.kind) for member in members)
    return False
