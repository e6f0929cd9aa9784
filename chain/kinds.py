"""What an annotation stands for: `u8 | None` is an `Option` of an `Int`, a frozen dataclass is a `Record`.

A kind is a plain description. `chain.abi` knows how each is written for the outside, `chain.layout` how each lies in
storage words; both work by a table from kind to code, so a new kind is one class here and one row in each table.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from chain.types import Address, FixedBytes, Int, KeyMark


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
    def name(self) -> str:
        return f"{self.make.__name__} of {self.item.name}"


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

    def reach(self, value: str, index: int) -> str:
        """Source text that reads member `index` of the record called `value`."""
        return f"{value}[{index}]" if self.cls is None else f"{value}.{self.members[index].name}"

    def read(self, value: Any, index: int) -> Any:
        return value[index] if self.cls is None else getattr(value, self.members[index].name)


Scalar: TypeAlias = Int | FixedBytes | Bool | Account | Choice
Kind: TypeAlias = Scalar | Text | Blob | Option | Sequence | Record


class UnknownKind(TypeError):
    """An annotation that names no kind of value; the text says what would be right."""


def kind_of(annotation: Any) -> Kind:
    """The kind that `annotation` names, or `UnknownKind`."""
    bare, marks = _strip(annotation)
    for mark in marks:
        if isinstance(mark, Int | FixedBytes):
            return mark
    origin = typing.get_origin(bare)
    if origin is typing.Union or origin is types.UnionType:
        return _option(bare)
    if origin is list:
        return Sequence(kind_of(typing.get_args(bare)[0]))
    if origin is tuple:
        return _tuple(typing.get_args(bare))
    if isinstance(bare, type):
        return _class(bare)
    raise UnknownKind(f"{_show(annotation)} is not a type the chain knows")


def is_key(annotation: Any) -> bool:
    return any(isinstance(mark, KeyMark) for mark in _strip(annotation)[1])


def _strip(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    if typing.get_origin(annotation) is typing.Annotated:
        return annotation.__origin__, annotation.__metadata__
    return annotation, ()


def _option(bare: Any) -> Option:
    items = [item for item in typing.get_args(bare) if item is not types.NoneType]
    if len(items) != 1 or len(typing.get_args(bare)) != 2:
        raise UnknownKind(f"{_show(bare)} mixes types: only 'T | None' can be stored and sent")
    item = kind_of(items[0])
    if isinstance(item, Option):
        raise UnknownKind(f"{_show(bare)} has None twice over")
    return Option(item)


def _tuple(items: tuple[Any, ...]) -> Kind:
    if len(items) == 2 and items[1] is Ellipsis:
        return Sequence(kind_of(items[0]), tuple)
    if items in ((), ((),)):
        raise UnknownKind("an empty tuple holds nothing: leave it out")
    kinds = [kind_of(item) for item in items]
    name = "(" + ", ".join(kind.name for kind in kinds) + ")"
    return Record(name, tuple(Member(str(i), kind) for i, kind in enumerate(kinds)))


_PLAIN: dict[type, Kind] = {bool: Bool(), str: Text(), bytes: Blob(), Address: Account()}


def _class(cls: type) -> Kind:
    if cls in _PLAIN:
        return _PLAIN[cls]
    if cls is int:
        raise UnknownKind("'int' has no width: write u8, u64, i32, u256, felt252 …")
    if cls is float:
        raise UnknownKind("'float' is not exact on every machine: write whole numbers, such as u64")
    if cls in (list, tuple):
        raise UnknownKind(f"'{cls.__name__}' does not say of what: write {cls.__name__}[u8] …")
    if cls in (dict, set, frozenset):
        raise UnknownKind(
            f"'{cls.__name__}' has no order of its own: write list[T], or Map or Set in storage"
        )
    if issubclass(cls, Enum):
        return _choice(cls)
    if dataclasses.is_dataclass(cls):
        return _record(cls)
    raise UnknownKind(f"'{cls.__name__}' is not a type the chain knows: make it a frozen dataclass")


def _choice(cls: type[Enum]) -> Choice:
    values = [member.value for member in cls]
    if not values or len(values) > 256:
        raise UnknownKind(f"'{cls.__name__}' must have 1 to 256 members")
    if all(type(value) is int and 0 <= value < 256 for value in values):
        return Choice(cls.__name__, cls, tuple(values))
    return Choice(cls.__name__, cls, tuple(range(len(values))))


def _record(cls: type) -> Record:
    hints = typing.get_type_hints(cls, include_extras=True)
    members = []
    for item in dataclasses.fields(cls):
        try:
            members.append(Member(item.name, kind_of(hints[item.name])))
        except UnknownKind as unknown:
            raise UnknownKind(f"{cls.__name__}.{item.name}: {unknown}") from None
    if not members:
        raise UnknownKind(f"'{cls.__name__}' has no fields, so it holds nothing")
    return Record(cls.__name__, tuple(members), cls)


def _show(annotation: Any) -> str:
    return f"'{getattr(annotation, '__name__', str(annotation).replace('typing.', ''))}'"


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
            return kind.member_of().get(0, next(iter(kind.cls)))
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
