"""The types of values: `u8` … `i256`, `felt252`, `bytes32`, `Address`, `Key`.

To a type checker `u8` and `Key[u8]` are an `int`. To the chain each name carries its value type (`Int`, `FixedBytes`, …),
which fixes the width in arguments, return values, storage and events.

>>> class Square(Contract):
...     @view
...     def of(self, n: u8) -> u16:
...         return n * n
>>> chain.deploy(Square).of(16)
256
>>> chain.deploy(Square).of(256)
Traceback (most recent call last):
    ...
chain.errors.Reverted: of: n = 256 does not fit u8 (0..255)
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias, TypeVar

from chain.crypto.address import ZERO_ADDRESS, Address
from chain.values import FixedBytes, Int, KeyMark

__all__ = [
    "FELT_PRIME", "ZERO_ADDRESS", "Address", "Key", "bytes4", "bytes32", "felt252", "i8", "i16", "i32", "i64", "i128", "i256",
    "u8", "u16", "u32", "u64", "u128", "u256",
]  # fmt: skip

# The prime of Starknet's field: a `felt252` is below it.
FELT_PRIME: Final = 2**251 + 17 * 2**192 + 1

u8: TypeAlias = Annotated[int, Int.sized("u8", 8)]  # 0 to 255
u16: TypeAlias = Annotated[int, Int.sized("u16", 16)]  # 0 to 65 535
u32: TypeAlias = Annotated[int, Int.sized("u32", 32)]  # 0 to 2**32 - 1
u64: TypeAlias = Annotated[int, Int.sized("u64", 64)]  # 0 to 2**64 - 1
u128: TypeAlias = Annotated[int, Int.sized("u128", 128)]  # 0 to 2**128 - 1
u256: TypeAlias = Annotated[int, Int.sized("u256", 256)]  # 0 to 2**256 - 1
i8: TypeAlias = Annotated[int, Int.sized("i8", 8, signed=True)]  # -128 to 127
i16: TypeAlias = Annotated[int, Int.sized("i16", 16, signed=True)]  # -32 768 to 32 767
i32: TypeAlias = Annotated[int, Int.sized("i32", 32, signed=True)]  # -(2**31) to 2**31 - 1
i64: TypeAlias = Annotated[int, Int.sized("i64", 64, signed=True)]  # -(2**63) to 2**63 - 1
i128: TypeAlias = Annotated[int, Int.sized("i128", 128, signed=True)]  # -(2**127) to 2**127 - 1
i256: TypeAlias = Annotated[int, Int.sized("i256", 256, signed=True)]  # -(2**255) to 2**255 - 1
# 0 to FELT_PRIME - 1; uint256 in the ABI.
felt252: TypeAlias = Annotated[int, Int("felt252", 256, 0, FELT_PRIME - 1)]
bytes4: TypeAlias = Annotated[bytes, FixedBytes("bytes4", 4)]  # exactly 4 bytes
bytes32: TypeAlias = Annotated[bytes, FixedBytes("bytes32", 32)]  # exactly 32 bytes

T = TypeVar("T")
# `Key[T]` marks an indexed field of an event, or a key of a model.
Key: TypeAlias = Annotated[T, KeyMark()]
