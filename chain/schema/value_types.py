"""Value types: `u8 | None` becomes an `OptionalType` of an `Int`, a frozen dataclass becomes a `StructType`.

A value type is made from an annotation by `chain.schema.annotations`. `scalars` has the types of one word; here are texts and
bytes, and the types that are made of others. A new type is one class, and a row in `PLAIN` if Python has a class for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Final, TypeAlias

from chain.crypto.address import Address
from chain.foundation.dataclass import dataclass, is_generated
from chain.schema.base import Part, ValueType
from chain.schema.integers import Int
from chain.schema.scalars import AddressType, BoolType, EnumType, FixedBytes, Scalar, hex_bytes

__all__ = [
    "PLAIN", "AddressType", "BoolType", "BytesType", "EnumType", "Field", "FixedBytes", "Int", "KeyMark", "ListType",
    "OptionalType", "Part", "Scalar", "StringType", "StructType", "ValueType",
]  # fmt: skip

_TOO_BIG: Final = 33  # bytes, more than a word has
Convert: TypeAlias = Callable[[ValueType], ValueType]


@dataclass(frozen=True, slots=True)
class KeyMark:
    """The mark of the keys of a model and of the indexed fields of an event."""


class Dynamic(ValueType):
    """A value type without a fixed size."""

    __slots__ = ()
    is_dynamic = True


@dataclass(frozen=True, slots=True)
class StringType(Dynamic):
    name: str = "str"

    zero, abi_type = "", "string"

    def fits(self, value: object) -> bool:
        return isinstance(value, str) and bool(value.encode() or True)

    def expectation(self, value: object = 0) -> str:
        return "is not text that UTF-8 can encode" if isinstance(value, str) else "is not str"

    def parse(self, text: str) -> str:
        return text


@dataclass(frozen=True, slots=True)
class BytesType(Dynamic):
    name: str = "bytes"

    zero, abi_type = b"", "bytes"

    def fits(self, value: object) -> bool:
        return isinstance(value, bytes | bytearray)

    def parse(self, text: str) -> bytes:
        return hex_bytes(text)


@dataclass(frozen=True, slots=True)
class ListType(Dynamic):
    """A list of any length: `list[T]`, or `tuple[T, ...]` where the value must stay frozen."""

    item: ValueType
    make: type[list[object]] | type[tuple[object, ...]] = list

    @property
    def word(self) -> str:
        return "tuple" if self.make is tuple else "list"

    @property
    def name(self) -> str:
        return f"{self.word} of {self.item.name}"

    @property
    def parts(self) -> tuple[ValueType, ...]:
        return (self.item,)

    def map(self, convert: Convert) -> ListType:
        return ListType(convert(self.item), self.make)

    def split(self, value: object) -> list[Part] | None:
        if not isinstance(value, list | tuple):
            return None
        return [(f"[{i}]", self.item, item) for i, item in enumerate(value)]

    @property
    def zero(self) -> object:
        return self.make()

    @property
    def abi_type(self) -> str:
        return f"{self.item.abi_type}[]"


@dataclass(frozen=True, slots=True)
class Field:
    """A named member and its type."""

    name: str
    kind: ValueType


class TupleLike(ValueType):
    """Members side by side, which is a tuple in the ABI, and packed in storage if it fits into a word."""

    __slots__ = ()

    @property
    def packed_size(self) -> int | None:
        size = sum(part.packed_size or _TOO_BIG for part in self.parts)
        return size if size < _TOO_BIG else None

    @property
    def abi_type(self) -> str:
        return f"({','.join(part.abi_type for part in self.parts)})"

    @property
    def body_size(self) -> int:
        return sum(part.head_size for part in self.parts)


@dataclass(frozen=True, slots=True)
class OptionalType(TupleLike):
    """A value or None, with a flag to distinguish them."""

    item: ValueType

    zero = None

    @property
    def name(self) -> str:
        return f"{self.item.name} | None"

    @property
    def parts(self) -> tuple[ValueType, ...]:
        return BoolType(), self.item

    def map(self, convert: Convert) -> OptionalType:
        return OptionalType(convert(self.item))

    def split(self, value: object) -> list[Part] | None:
        return [] if value is None else [("", self.item, value)]


@dataclass(frozen=True, slots=True)
class StructType(TupleLike):
    """Named members side by side: a dataclass, or a fixed tuple whose members are named by number."""

    name: str
    members: tuple[Field, ...]
    cls: Callable[..., object] | None = None  # None: a fixed tuple
    array: bool = False  # all members have one type; the ABI writes `T[3]`

    @property
    def parts(self) -> tuple[ValueType, ...]:
        return tuple(member.kind for member in self.members)

    def map(self, convert: Convert) -> StructType:
        members = tuple(Field(member.name, convert(member.kind)) for member in self.members)
        return replace(self, members=members)

    def split(self, value: object) -> list[Part] | None:
        names = [member.name for member in self.members]
        if self.cls is None and isinstance(value, list | tuple) and len(value) == len(names):
            steps = [f"[{name}]" if name.isdigit() else name for name in names]
            return list(zip(steps, self.parts, value, strict=True))
        if self.cls is not None and all(hasattr(value, name) for name in names):
            values = [getattr(value, name) for name in names]
            return list(zip(names, self.parts, values, strict=True))
        return None

    def build(self, values: list[object]) -> object:
        """Return the value with these members."""
        make = self.maker
        return tuple(values) if make is None else make(*values)

    @property
    def maker(self) -> Callable[..., object] | None:
        """The class of a record, which makes it of its members; None for a fixed tuple."""
        return self.cls

    @property
    def zero(self) -> object:
        return self.build([part.zero for part in self.parts])

    @property
    def has_author_class(self) -> bool:
        return self.cls is not None or any(part.has_author_class for part in self.parts)

    @property
    def runs_author_code(self) -> bool:
        has_own = hasattr(self.cls, "__post_init__") or any(
            isinstance(method := getattr(self.cls, name), FunctionType) and not is_generated(method)
            for name in ("__init__", "__eq__", "__ne__", "__hash__")
        )
        return has_own or any(part.runs_author_code for part in self.parts)

    def expectation(self, value: object = 0) -> str:
        size = f" (a tuple of {len(self.members)})" if self.cls is None else ""
        return f"is not {self.name}{size}"

    @property
    def abi_type(self) -> str:
        if self.array:
            return f"{self.members[0].kind.abi_type}[{len(self.members)}]"
        return super(StructType, self).abi_type  # noqa: UP008  # `slots` makes another class

    # Generated source

    def accessor_source(self, value: str, index: int) -> str:
        """Return source that reads member `index` of the record called `value`."""
        return f"{value}[{index}]" if self.cls is None else f"{value}.{self.members[index].name}"

    def construction_source(self, maker: str, members: list[str]) -> str:
        """Return source that makes a record of members. `maker` is the name of what makes it in the source."""
        inner = ", ".join(members)
        return f"({inner},)" if self.cls is None else f"{maker}({inner})"

    def destructuring_source(self, value: str) -> list[str]:
        """Return lines of source that put the members of the record `value` into `value_0`, `value_1`, …, or raise.

        A dataclass may be replaced by any object with the same members, so that a game's rules can use classes of their own.
        """
        names = [f"{value}_{i}" for i in range(len(self.members))]
        if self.cls is None:  # to unpack a tuple checks its size
            unusual = f"{value}.__class__ is not tuple and not isinstance({value}, (tuple, list))"
            return [f"if {unusual}: raise TypeError", f"[{', '.join(names)}] = {value}"]
        return [f"{name} = {self.accessor_source(value, i)}" for i, name in enumerate(names)]


# The types of Python that are value types as they are.
PLAIN: Final[dict[type, ValueType]] = {
    bool: BoolType(),
    str: StringType(),
    bytes: BytesType(),
    Address: AddressType(),
}
