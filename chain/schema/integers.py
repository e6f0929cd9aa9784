"""Integers: a value type for each range, from u8 to i256."""

from __future__ import annotations

from functools import cache
from typing import Final, Self

from chain.foundation.dataclass import dataclass
from chain.schema.scalars import Bind, Item, Scalar, WordReader

_LETTERS: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}  # formats of `struct` by size in bytes
_MASK: Final = 2**256 - 1


@dataclass(frozen=True, slots=True)
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
    def packed_size(self) -> int:
        return self.bits // 8

    @property
    def abi_type(self) -> str:
        return f"{'' if self.signed else 'u'}int{self.bits}"

    def refusal(self, value: str) -> str:
        # A shift measures a whole number and raises for anything else, above all for a float. True and False are refused
        # too: they are whole numbers in Python, but here they are a mistake.
        return f"{self.beyond(value)} or {value} is True or {value} is False"

    def beyond(self, value: str) -> str:
        """Return source that is true if a whole number is out of range."""
        if self.signed:
            return f"{value} + {-self.lowest} >> {self.bits}"
        wide = f"{value} >> {self.highest.bit_length()}"
        return wide if self.fills_bits else f"{wide} or {value} > {self.highest}"

    @property
    def fills_bits(self) -> bool:
        """True if all numbers of this many bits are in range."""
        return self.highest - self.lowest + 1 == 1 << self.bits

    def checks(self, value: str, absent: str = "") -> list[str]:
        lines = [f"if {value}.__class__ is not int{absent}: {value} = whole({value})"]
        if not self.fills_bits:
            present = f"{value} is not None and " if absent else ""
            lines.append(f"if {present}{value} > {self.highest}: raise OverflowError")
        return lines

    def checks_of_number(self, value: str) -> list[str]:
        return [self.checks(value)[0], f"if {self.beyond(value)}: raise OverflowError"]

    def expectation(self, value: object = 0) -> str:
        if isinstance(value, int) and not isinstance(value, bool):
            return f"does not fit {self.name} ({_bound(self.lowest)}..{_bound(self.highest)})"
        return f"is not a whole number, as {self.name} is"

    def parse(self, text: str) -> int:
        try:
            return int(text.replace("_", ""), 16 if "0x" in text.lower() else 10)
        except ValueError:
            raise ValueError from None

    def pack(self, value: str, bind: Bind) -> str:
        return f"({value} & {(1 << self.bits) - 1})" if self.signed else value

    def unpack(self, number: str, bind: Bind) -> str:
        return f"(({number} ^ {-self.lowest}) - {-self.lowest})" if self.signed else number

    def item(self, value: str, bind: Bind) -> tuple[str, Item]:
        size = self.packed_size
        if size in _LETTERS:
            return (_LETTERS[size].lower() if self.signed else _LETTERS[size]), (value, "0")
        signed = ", signed=True" if self.signed else ""
        return f"{size}s", (f"{value}.to_bytes({size}{signed})", "b''")

    def encode(self, value: str, bind: Bind) -> tuple[str, list[Item]]:
        if self.signed and self.bits == 8:
            return "32s", [(f"{bind(_words(self.lowest))}[{value}]", "b''")]
        if not self.signed or self.bits == 256:
            return super(Int, self).encode(value, bind)  # noqa: UP008  # `slots` makes another class
        form, item = self.item(value, bind)
        upper = f"(minus if {value} < 0 else plus)", "plus"
        return f"{32 - self.packed_size}s{form}", [upper, item]

    def decode(self, word: WordReader, guard: str) -> str:
        size = self.packed_size
        if size not in _LETTERS:
            return self._decode_large(word, guard)
        if size == 1:
            return f"{word.bind(_octets(self.lowest))}[{word.target('32s')}]"
        upper = word.target(f"{32 - size}s")
        value = word.target(_LETTERS[size].lower() if self.signed else _LETTERS[size])
        expected = word.bind(bytes(32 - size))
        if self.signed:
            expected = f"({word.bind(bytes([255]) * (32 - size))} if {value} < 0 else {expected})"
        word.check(f"{upper} != {expected}", guard)
        return value

    def _decode_large(self, word: WordReader, guard: str) -> str:
        raw = word.target("32s")
        number = f"number({raw}{', signed=True' if self.signed else ''})"
        if self.highest - self.lowest == _MASK:
            return number
        word.check(f"not {self.lowest} <= (n{raw} := {number}) <= {self.highest}", guard)
        return f"n{raw}"


@cache
def _words(lowest: int) -> dict[int, bytes]:
    """Return the words of the numbers of one byte from `lowest` on."""
    return {n: n.to_bytes(32, signed=lowest < 0) for n in range(lowest, lowest + 256)}


@cache
def _octets(lowest: int) -> dict[bytes, int]:
    """Return the same numbers by their words."""
    return {word: number for number, word in _words(lowest).items()}


def _bound(number: int) -> str:
    """Format the end of a range for people: small numbers in digits, large ones as powers of two."""
    if abs(number) < 2**32:
        return str(number)
    power = abs(number).bit_length() - (number < 0)
    if number == -(2**power):
        return f"-2^{power}"
    return f"2^{power}-1" if number == 2**power - 1 else hex(number)
