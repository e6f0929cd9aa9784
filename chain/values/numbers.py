"""Types of numbers: integers from u8 to i256, bool, and Enums, which are stored as the codes of their members."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any, Final, Self

from chain.crypto.address import Address
from chain.foundation.dataclass import dataclass
from chain.values.kind import ANY, NUMBER, FindAddress, Reading, ValueType
from chain.values.source import Item, Source, fail

_LETTERS: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}  # formats of `struct` by size in bytes
_MASK: Final = 2**256 - 1
_HALF: Final = 2**63
_FLAGS: Final = {bytes(32): False, (1).to_bytes(32): True}  # by their words


def whole(value: Any) -> int:
    """Return the plain int that a whole number of another class stands for, such as a member of an IntEnum.

    It raises for anything else, above all for a float. True and False are refused too: they are whole numbers in Python, but
    here they are a mistake.
    """
    if value is True or value is False:
        raise TypeError
    return index(value >> 0)


class Scalar(ValueType):
    """A type of one word, of up to 32 bytes in storage: the number of a value, and the value of a number.

    What is used in every call has better source than the functions for these two.
    """

    if TYPE_CHECKING:

        @property
        def size(self) -> int: ...

    def number_of(self, value: Any) -> int:
        """Return the number of a value, from 0 on, or raise for what is no value."""
        raise AssertionError(self)

    def value_of(self, number: int) -> Any:
        """Return the value of a number, or raise for one that has none."""
        raise AssertionError(self)

    def item(self, source: Source, value: str) -> Item:
        """Return the item of a value of `size` bytes. Its source reads the value more than once, and refuses what is wrong."""
        return f"{self.size}s", f"{source.bind(self.number_of)}({value}).to_bytes({self.size})"

    def decoded(self, reading: Reading, guard: str) -> str:
        return f"{reading.bind(self.value_of)}(number({reading.target('32s')}))"

    def unpacked(self, source: Source, number: str) -> str:
        return f"{source.bind(self.value_of)}({number})"

    def flat(self, source: Source, value: str) -> list[Item]:
        form, item = self.item(source, value)
        return [(f"{32 - self.size}x{form}", item)]

    def packed(self, source: Source, value: str) -> list[Item]:
        return [self.item(source, value)]


@dataclass(frozen=True)
class Int(Scalar):
    """The type of integers between `lowest` and `highest`, stored in `bits` bits."""

    name: str
    bits: int
    lowest: int
    highest: int

    zero = 0

    @classmethod
    def sized(cls, name: str, bits: int, signed: bool = False) -> Self:
        """Return the type of all integers of `bits` bits."""
        lowest = -(2 ** (bits - 1)) if signed else 0
        return cls(name, bits, lowest, lowest + 2**bits - 1)

    @property
    def signed(self) -> bool:
        return self.lowest < 0

    @property
    def size(self) -> int:
        return self.bits // 8

    @property
    def abi_type(self) -> str:
        return f"{'' if self.signed else 'u'}int{self.bits}"

    @property
    def column(self) -> str:
        return NUMBER if self.lowest >= -_HALF and self.highest < _HALF else ANY

    def expectation(self, value: object = 0) -> str:
        if isinstance(value, int) and not isinstance(value, bool):
            return f"does not fit {self.name} ({_bound(self.lowest)}..{_bound(self.highest)})"
        return f"is not a whole number, as {self.name} is"

    def written_word(self, word: bytes) -> str:
        # 2^256-1 sent as a u8 most likely meant -1
        return str(int.from_bytes(word, signed=self.signed or self.highest.bit_length() < 255))

    def from_json(self, value: Any, path: str, find: FindAddress = Address) -> Any:
        return self.fitting(value, path) if type(value) is int else super().from_json(value, path)

    def parse(self, text: str) -> int:
        try:
            return int(text.replace("_", ""), 16 if "0x" in text.lower() else 10)
        except ValueError:
            raise ValueError from None

    def number(self, source: Source, value: str) -> str:
        """Return source of a plain int; its range is checked when it is packed into its bytes."""
        fits = f"{value}.__class__ is int"
        if self.highest - self.lowest + 1 == 1 << self.bits:
            return f"({value} if {fits} else {source.bind(whole)}({value}))"
        return f"({value} if {fits} and {value} <= {self.highest} else {source.bind(self._limited)}({value}))"

    def _limited(self, value: object) -> int:
        number = whole(value)
        if number > self.highest:
            fail()
        return number

    def item(self, source: Source, value: str) -> Item:
        number, signed = self.number(source, value), ", signed=True" if self.signed else ""
        if self.size in _LETTERS:
            letter = _LETTERS[self.size]
            return letter.lower() if self.signed else letter, number
        return f"{self.size}s", f"{number}.to_bytes({self.size}{signed})"

    def flat(self, source: Source, value: str) -> list[Item]:
        if not self.signed:
            return super().flat(source, value)
        half, number = 1 << self.bits - 1, self.number(source, value)
        limited = f"(n if -{half} <= (n := {number}) < {half} else fail())"
        return [("32s", f"{limited}.to_bytes(32, signed=True)")]

    def decoded(self, reading: Reading, guard: str) -> str:
        if self.size not in _LETTERS:
            raw = reading.target("32s")
            number = f"number({raw}{', signed=True' if self.signed else ''})"
            if self.highest - self.lowest < _MASK:
                reading.check(f"not {self.lowest} <= (n{raw} := {number}) <= {self.highest}", guard)
                return f"n{raw}"
            return number
        upper, letter = reading.target(f"{32 - self.size}s"), _LETTERS[self.size]
        value = reading.target(letter.lower() if self.signed else letter)
        expected = reading.bind(bytes(32 - self.size))
        if self.signed:
            ones = reading.bind(bytes([255]) * (32 - self.size))
            expected = f"({ones} if {value} < 0 else {expected})"
        reading.check(f"{upper} != {expected}", guard)
        return value

    def unpacked(self, source: Source, number: str) -> str:
        return f"(({number} ^ {-self.lowest}) - {-self.lowest})" if self.signed else number


def _bound(number: int) -> str:
    """Format the end of a range for people: small numbers in digits, large ones as powers of two."""
    if abs(number) < 2**32:
        return str(number)
    power = abs(number).bit_length() - (number < 0)
    if number == -(2**power):
        return f"-2^{power}"
    return f"2^{power}-1" if number == 2**power - 1 else hex(number)


@dataclass(frozen=True)
class BoolType(Scalar):
    name: str = "bool"

    zero, abi_type, size, column = False, "bool", 1, NUMBER

    @property
    def choices(self) -> list[str]:
        return ["false", "true"]

    def from_json(self, value: Any, path: str, find: FindAddress = Address) -> Any:
        return value if type(value) is bool else super().from_json(value, path)

    def parse(self, text: str) -> bool:
        words = {"true": True, "yes": True, "false": False, "no": False}
        if text.lower() not in words:
            raise ValueError("write true or false")
        return words[text.lower()]

    def item(self, source: Source, value: str) -> Item:
        return "?", f"({value} if {value}.__class__ is bool else fail())"

    def decoded(self, reading: Reading, guard: str) -> str:
        return f"{reading.bind(_FLAGS)}[{reading.target('32s')}]"

    def unpacked(self, source: Source, number: str) -> str:
        return f"({number} == 1)"


@dataclass(frozen=True)
class EnumType(Scalar):
    """An Enum, stored and encoded as the code of a member.

    `codes` are the values of the members if these are small whole numbers, otherwise their positions.
    """

    name: str
    cls: type[Enum]
    codes: tuple[int, ...] = field(repr=False)

    abi_type, size, has_author_class = "uint8", 1, True

    @cached_property
    def code_of(self) -> dict[Enum, int]:
        """The code of each member."""
        return dict(zip(self._members, self.codes, strict=True))

    @cached_property
    def member_of(self) -> dict[int, Enum]:
        """The member of each code."""
        return dict(zip(self.codes, self._members, strict=True))

    @property
    def _members(self) -> list[Enum]:
        """The members; the class itself would charge a contract for them, each time that they are listed."""
        known = self.cls._member_map_
        return [known[name] for name in self.cls._member_names_]

    @property
    def choices(self) -> list[str]:
        return [member.name for member in self._members]

    @property
    def zero(self) -> Enum:
        """The value of an unset Enum: the member of code 0, or else the first."""
        return self.member_of.get(0, self._members[0])

    @property
    def spelled(self) -> str:
        codes = ", ".join(f"{member.name}={code}" for member, code in self.code_of.items())
        return f"{self.name}({codes})"

    @property
    def description(self) -> Any:
        members = tuple((m.name, code, _plain(m)) for m, code in self.code_of.items())
        return "enum", self.name, members

    @property
    def solidity(self) -> str:
        return f"enum {self.name}"

    def from_json(self, value: Any, path: str, find: FindAddress = Address) -> Any:
        return super().from_json(str(value) if type(value) is int else value, path)

    def parse(self, text: str) -> Enum:
        known: dict[str, Enum] = {member.name.lower(): member for member in self._members}
        known |= {str(code): member for code, member in self.member_of.items()}
        known |= self.cls._member_map_
        member = known.get(text, known.get(text.lower()))
        if member is None:
            raise ValueError(f"it is one of {', '.join(member.name for member in self._members)}")
        return member

    def item(self, source: Source, value: str) -> Item:
        return "B", f"{source.bind(self.code_of)}[{value}]"

    def decoded(self, reading: Reading, guard: str) -> str:
        members = {code.to_bytes(32): member for code, member in self.member_of.items()}
        return f"{reading.bind(members)}[{reading.target('32s')}]"

    def unpacked(self, source: Source, number: str) -> str:
        return f"{source.bind({0: self.zero} | self.member_of)}[{number}]"


def _plain(member: Enum) -> str | int | None:
    """Return the value of an Enum's member if it is a text or a number; None otherwise."""
    value = member.value
    return value if type(value) is str or (type(value) is int and value >= 0) else None
