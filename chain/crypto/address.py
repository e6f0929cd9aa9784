"""Addresses of accounts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Self, cast

from chain.crypto.hashing import checksum_address

ADDRESS_SIZE: Final = 20


class Address(bytes):
    """Twenty bytes that identify an account, printed with the checksum capitals of EIP-55.

    Create one from 20 bytes or from hex text. Raise ValueError for text that is not an address, or whose capitals are a
    wrong checksum.

    >>> print(Address("0x70997970c51812dc3a010c7d01b50e0d17dc79c8"))
    0x70997970C51812dc3A010C7d01b50e0d17dc79C8
    >>> Address(bytes(20)) == ZERO_ADDRESS
    True
    """

    __slots__ = ()

    def __new__(cls, value: bytes | str) -> Self:
        if not isinstance(value, bytes):
            value = _read(value)
        if len(value) != ADDRESS_SIZE:
            raise ValueError(f"an address is 20 bytes, these are {len(value)}")
        return super().__new__(cls, value)

    def __str__(self) -> str:
        return checksum_address(self)

    def __repr__(self) -> str:
        return f"Address('{self}')"


def _read(value: object) -> bytes:
    """Read an address, usually from hex text. Mixed case is a checksum; all lower or all upper case is not."""
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
    if mixed and len(raw) == ADDRESS_SIZE and checksum_address(raw)[2:] != digits:
        raise ValueError(
            f"{value!r} is not an address: its capitals are the checksum of another address, so a digit may be wrong"
        )
    return raw


# Creates an address from 20 bytes without a check and without calling `Address.__new__`.
address_of_bytes: Final = cast(Callable[[bytes], Address], partial(bytes.__new__, Address))
ZERO_ADDRESS: Final = Address(bytes(20))  # the account that nobody owns
