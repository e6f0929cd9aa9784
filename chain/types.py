"""The types of values: `u8` … `i256`, `felt252`, `bytes32`, `Address`, `Key`.

To a type checker `u8` and `Key[u8]` are an `int`. To the chain each name carries its value type (`Int`, `FixedBytes`, …),
which fixes the width in arguments, return values, storage and events.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Final, Self, TypeAlias, TypeVar, cast

from chain.crypto.hashing import checksum_address

FELT_PRIME: Final = 2**251 + 17 * 2**192 + 1


@dataclass(frozen=True, slots=True)
class Int:
    """The type of integers between `lowest` and `highest`, stored in `bits` bits."""

    name: str
    bits: int
    lowest: int
    highest: int

    @property
    def signed(self) -> bool:
        return self.lowest < 0


@dataclass(frozen=True, slots=True)
class FixedBytes:
    """The type of exactly `size` bytes."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class KeyMark:
    """The mark of the keys of a model and of the indexed fields of an event."""


def _unsigned(bits: int) -> Int:
    return Int(f"u{bits}", bits, 0, 2**bits - 1)


def _signed(bits: int) -> Int:
    return Int(f"i{bits}", bits, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


u8: TypeAlias = Annotated[int, _unsigned(8)]
u16: TypeAlias = Annotated[int, _unsigned(16)]
u32: TypeAlias = Annotated[int, _unsigned(32)]
u64: TypeAlias = Annotated[int, _unsigned(64)]
u128: TypeAlias = Annotated[int, _unsigned(128)]
u256: TypeAlias = Annotated[int, _unsigned(256)]
i8: TypeAlias = Annotated[int, _signed(8)]
i16: TypeAlias = Annotated[int, _signed(16)]
i32: TypeAlias = Annotated[int, _signed(32)]
i64: TypeAlias = Annotated[int, _signed(64)]
i128: TypeAlias = Annotated[int, _signed(128)]
i256: TypeAlias = Annotated[int, _signed(256)]
felt252: TypeAlias = Annotated[int, Int("felt252", 256, 0, FELT_PRIME - 1)]
bytes4: TypeAlias = Annotated[bytes, FixedBytes("bytes4", 4)]
bytes32: TypeAlias = Annotated[bytes, FixedBytes("bytes32", 32)]

T = TypeVar("T")
Key: TypeAlias = Annotated[T, KeyMark()]


class Address(bytes):
    """Twenty bytes that identify an account, printed with the checksum capitals of EIP-55."""

    __slots__ = ()

    def __new__(cls, value: bytes | str) -> Self:
        if not isinstance(value, bytes):
            value = _read(value)
        if len(value) != 20:
            raise ValueError(f"an address is 20 bytes, these are {len(value)}")
        return super().__new__(cls, value)

    def __str__(self) -> str:
        return checksum_address(self)

    def __repr__(self) -> str:
        return f"Address('{self}')"


def _read(value: object) -> bytes:
    """Read an address, usually from hex text. Mixed case is a checksum; all lower or all upper case is none."""
    if isinstance(value, bytearray):
        return bytes(value)
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not an address: give 20 bytes, or 0x and 40 hex digits")
    digits = value[2:] if value[:2] in ("0x", "0X") else value
    try:
        raw = bytes.fromhex(digits)
    except ValueError:
        raise ValueError(f"{value!r} is not an address: write 0x and 40 hex digits") from None
    mixed = digits not in (digits.lower(), digits.upper())
    if mixed and len(raw) == 20 and checksum_address(raw)[2:] != digits:
        raise ValueError(
            f"{value!r} is not an address: its capitals are the checksum of another, so a digit may be wrong"
        )
    return raw


# Makes the address of 20 bytes that need no check, without a call of `Address.__new__`.
address_of_bytes: Final = cast(Callable[[bytes], Address], partial(bytes.__new__, Address))
ZERO_ADDRESS: Final = Address(bytes(20))
