"""Scalars: the value types of one word. Each class has everything that is specific to its type; `integers` has that of numbers.

A scalar takes up to 32 bytes in storage, where it may share a word, and one word in the ABI. Encoders, decoders and packers are
generated once per type (`codegen`), so most methods return Python source. They take source too: the name of a value or number.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import field
from enum import Enum
from functools import cache
from operator import index
from typing import Any, Final, Protocol, TypeAlias

from chain.crypto.address import ZERO_ADDRESS, Address
from chain.foundation.dataclass import dataclass
from chain.schema.base import ValueType

# Binds an object to a name in the generated source, and returns the name.
Bind: TypeAlias = Callable[[object], str]
# Source of one item of a `struct.pack`, and source of it for an absent value.
Item: TypeAlias = tuple[str, str]


def whole(value: Any) -> int:
    """Return the plain int that a whole number of another class stands for, such as a member of an IntEnum.

    It raises for anything else, above all for a float. True and False are refused too: they are whole numbers in Python, but
    here they are a mistake.
    """
    if value is True or value is False:
        raise TypeError
    return index(value >> 0)


# The objects that the source of scalars uses. The upper bytes of a number with a sign are those of `plus` or `minus`.
TOOLS: Final = {
    "plus": bytes(31), "minus": b"\xff" * 31, "number": int.from_bytes, "make": bytes.__new__, "Address": Address,
    "whole": whole,
}  # fmt: skip
FLAGS: Final = {bytes(32): False, (1).to_bytes(32): True}  # by their words
_FEW: Final = 8  # members of an Enum


class WordReader(Protocol):
    """A decoder that is being generated, around one `struct.unpack`.

    If the source `guard` is false at run time, the value is absent and its bytes may be anything.
    """

    def bind(self, thing: object) -> str: ...
    def target(self, form: str) -> str: ...  # add an item; return the variable that receives it
    def check(self, wrong: str, guard: str) -> None: ...  # refuse the data if `wrong` is true


class Scalar(ValueType):
    """A value type of one word."""

    __slots__ = ()

    @property
    @abstractmethod
    def packed_size(self) -> int: ...

    def refusal(self, value: str) -> str:
        """Return source that is true if the value does not fit; it may also raise."""
        return ""

    def checks(self, value: str, absent: str = "") -> list[str]:
        """Return statements that refuse the value in a variable, unless its `struct` item does, or make it plain.

        `absent` is ` and v is not None` for a value that may be None.
        """
        return []

    def checks_of_number(self, value: str) -> list[str]:
        """Return statements that do the same for a value that is packed as a number."""
        return self.checks(value)

    def fits(self, value: object) -> bool:
        return not _refuses(self)(value)

    @abstractmethod
    def parse(self, text: str) -> object:
        """Return the value that this text stands for, or raise a ValueError, with a suggestion if there is one."""

    def pack(self, value: str, bind: Bind) -> str:
        """Return source of the value as a number of `packed_size` bytes. It has passed the `checks_of_number`."""
        return f"({value} + 0)"  # a plain int, even if the value is a bool

    @abstractmethod
    def item(self, value: str, bind: Bind) -> tuple[str, Item]:
        """Return the `struct` format of the value in `packed_size` bytes, the highest first, and its item."""

    @abstractmethod
    def unpack(self, number: str, bind: Bind) -> str:
        """Return source of the value that is packed as `number`."""

    def encode(self, value: str, bind: Bind) -> tuple[str, list[Item]]:
        """Return the `struct` format of the word in the ABI, and its items."""
        form, item = self.item(value, bind)
        return f"{32 - self.packed_size}x{form}", [item]

    @abstractmethod
    def decode(self, word: WordReader, guard: str) -> str:
        """Plan to read a word of the ABI, and return source of its value."""


@cache
def _refuses(kind: Scalar) -> Callable[[object], bool]:
    check: Callable[[object], bool] = eval(f"lambda value: {kind.refusal('value')}")
    return check


@dataclass(frozen=True, slots=True)
class BoolType(Scalar):
    name: str = "bool"

    zero, abi_type, packed_size = False, "bool", 1

    def refusal(self, value: str) -> str:
        return f"{value} is not True and {value} is not False"

    def checks(self, value: str, absent: str = "") -> list[str]:
        return [f"if {value}.__class__ is not bool{absent}: raise OverflowError"]

    def parse(self, text: str) -> bool:
        words = {"true": True, "yes": True, "false": False, "no": False}
        if text.lower() not in words:
            raise ValueError("write true or false")
        return words[text.lower()]

    def unpack(self, number: str, bind: Bind) -> str:
        return f"({number} == 1)"

    def item(self, value: str, bind: Bind) -> tuple[str, Item]:
        return "?", (value, "False")

    def decode(self, word: WordReader, guard: str) -> str:
        return f"{word.bind(FLAGS)}[{word.target('32s')}]"


@dataclass(frozen=True, slots=True)
class EnumType(Scalar):
    """An Enum, stored and encoded as the code of a member.

    `codes` are the values of the members if these are small whole numbers, otherwise their positions.
    """

    name: str
    cls: type[Enum]
    codes: tuple[int, ...] = field(repr=False)

    abi_type, packed_size, has_author_class = "uint8", 1, True

    def code_of(self) -> dict[Enum, int]:
        """Return the code of each member."""
        return dict(zip(self._members, self.codes, strict=True))

    def member_of(self) -> dict[int, Enum]:
        """Return the member of each code."""
        return dict(zip(self.codes, self._members, strict=True))

    @property
    def _members(self) -> list[Enum]:
        """The members; the class itself would charge a contract for them, each time that they are listed."""
        known = self.cls._member_map_
        return [known[name] for name in self.cls._member_names_]

    @property
    def zero(self) -> Enum:
        """The value of an unset Enum: the member of code 0, or else the first."""
        return self.member_of().get(0, self._members[0])

    def fits(self, value: object) -> bool:
        return value in self.code_of()

    def parse(self, text: str) -> Enum:
        known: dict[str, Enum] = {member.name.lower(): member for member in self._members}
        known |= {str(code): member for code, member in self.member_of().items()}
        known |= self.cls._member_map_
        member = known.get(text, known.get(text.lower()))
        if member is None:
            raise ValueError(f"it is one of {', '.join(member.name for member in self._members)}")
        return member

    def pack(self, value: str, bind: Bind) -> str:
        codes = self.code_of()
        looked_up = f"{bind(codes)}[{value}]"
        if self.cls.__hash__ is not Enum.__hash__:  # the author's, or that of a number or text
            return looked_up
        # To compare members one by one is faster than their hashes, which Python computes from their names.
        known = [f"{codes[member]} if {value} is {bind(member)} else " for member in self._members]
        return f"({''.join(known[:_FEW])}{looked_up})"

    def unpack(self, number: str, bind: Bind) -> str:
        return f"{bind({0: self.zero} | self.member_of())}[{number}]"

    def item(self, value: str, bind: Bind) -> tuple[str, Item]:
        return "B", (self.pack(value, bind), "0")

    def decode(self, word: WordReader, guard: str) -> str:
        members = {code.to_bytes(32): member for code, member in self.member_of().items()}
        return f"{word.bind(members)}[{word.target('32s')}]"


def hex_bytes(text: str) -> bytes:
    """Return the bytes that are written as hex after `0x`."""
    try:
        if text.startswith("0x"):
            return bytes.fromhex(text[2:])
    except ValueError:
        pass
    raise ValueError("write it as hex, 0x12ab")


class RawScalar(Scalar):
    """A value type of `size` bytes."""

    __slots__ = ()
    size: int

    @property
    def packed_size(self) -> int:
        return self.size

    def refusal(self, value: str) -> str:
        return f"len({value}) != {self.size}"

    def checks(self, value: str, absent: str = "") -> list[str]:
        present = f"{value} is not None and " if absent else ""
        return [f"if {present}{self.refusal(value)}: raise OverflowError"]

    def fits(self, value: object) -> bool:
        return isinstance(value, bytes | bytearray) and len(value) == self.size

    def pack(self, value: str, bind: Bind) -> str:
        return f"number(b'' + {value})"

    def item(self, value: str, bind: Bind) -> tuple[str, Item]:
        return f"{self.size}s", (value, "b''")


@dataclass(frozen=True, slots=True)
class FixedBytes(RawScalar):
    """The type of exactly `size` bytes."""

    name: str
    size: int

    @property
    def zero(self) -> bytes:
        return bytes(self.size)

    @property
    def abi_type(self) -> str:
        return self.name

    def expectation(self, value: object = 0) -> str:
        return f"is not {self.name} ({self.size} bytes)"

    def parse(self, text: str) -> bytes:
        return hex_bytes(text)

    def unpack(self, number: str, bind: Bind) -> str:
        return f"{number}.to_bytes({self.size})"

    def encode(self, value: str, bind: Bind) -> tuple[str, list[Item]]:
        return f"{self.size}s{32 - self.size}x", [(value, "b''")]

    def decode(self, word: WordReader, guard: str) -> str:
        value, rest = word.target(f"{self.size}s"), 32 - self.size
        if rest:
            word.check(f"{word.target(f'{rest}s')} != {word.bind(bytes(rest))}", guard)
        return value


@dataclass(frozen=True, slots=True)
class AddressType(RawScalar):
    name: str = "Address"
    size: int = 20

    zero, abi_type = ZERO_ADDRESS, "address"

    def expectation(self, value: object = 0) -> str:
        return "is not an Address (20 bytes)"

    def checks(self, value: str, absent: str = "") -> list[str]:
        others = f"{value}.__class__ is not Address{absent} and {self.refusal(value)}"
        return [f"if {others}: raise OverflowError"]

    def parse(self, text: str) -> Address:
        return Address(text)

    def unpack(self, number: str, bind: Bind) -> str:
        return f"make(Address, {number}.to_bytes(20))"

    def decode(self, word: WordReader, guard: str) -> str:
        word.check(f"{word.target('12s')} != {word.bind(bytes(12))}", guard)
        return f"make(Address, {word.target('20s')})"
