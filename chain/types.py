"""The types of values: `u8` … `i256`, `felt252`, `bytes32`, `Address`, `Key`.

To a type checker `u8` and `Key[u8]` are an `int`. To the chain each name carries its value type (`Int`, `FixedBytes`, …),
which fixes the width in arguments, return values, storage and events.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias, TypeVar

from chain.crypto.address import ZERO_ADDRESS, Address
from chain.schema.scalars import FixedBytes, Int
from chain.schema.value_types import KeyMark

__all__ = [
    "FELT_PRIME", "ZERO_ADDRESS", "Address", "Key", "bytes4", "bytes32", "felt252", "i8", "i16", "i32", "i64", "i128", "i256",
    "u8", "u16", "u32", "u64", "u128", "u256",
]  # fmt: skip

FELT_PRIME: Final = 2**251 + 17 * 2**192 + 1

u8: TypeAlias = Annotated[int, Int.sized("u8", 8)]
u16: TypeAlias = Annotated[int, Int.sized("u16", 16)]
u32: TypeAlias = Annotated[int, Int.sized("u32", 32)]
u64: TypeAlias = Annotated[int, Int.sized("u64", 64)]
u128: TypeAlias = Annotated[int, Int.sized("u128", 128)]
u256: TypeAlias = Annotated[int, Int.sized("u256", 256)]
i8: TypeAlias = Annotated[int, Int.sized("i8", 8, signed=True)]
i16: TypeAlias = Annotated[int, Int.sized("i16", 16, signed=True)]
i32: TypeAlias = Annotated[int, Int.sized("i32", 32, signed=True)]
i64: TypeAlias = Annotated[int, Int.sized("i64", 64, signed=True)]
i128: TypeAlias = Annotated[int, Int.sized("i128", 128, signed=True)]
i256: TypeAlias = Annotated[int, Int.sized("i256", 256, signed=True)]
felt252: TypeAlias = Annotated[int, Int("felt252", 256, 0, FELT_PRIME - 1)]
bytes4: TypeAlias = Annotated[bytes, FixedBytes("bytes4", 4)]
bytes32: TypeAlias = Annotated[bytes, FixedBytes("bytes32", 32)]

T = TypeVar("T")
Key: TypeAlias = Annotated[T, KeyMark()]
