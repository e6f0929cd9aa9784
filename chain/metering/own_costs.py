"""Prices of the functions and types that the chain itself gives to contracts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, get_origin

from chain import types
from chain.crypto.hashing import checksum_address, keccak
from chain.metering.arithmetic import guarded_int
from chain.metering.builtin_costs import guarded_bytes, size_of
from chain.metering.fuel import charge

_CHECKSUM: Final = 2**10  # ticks for the capital letters of an address
_TYPED: Final = 128  # ticks for a call of a type such as `u8`


def _keccak(data: bytes) -> bytes:
    if isinstance(data, bytes | bytearray):
        charge(1 + len(data) // 4)
    return keccak(data)


def _checksum(raw: Any) -> str:
    charge(_CHECKSUM + size_of(raw) * _TYPED)
    return checksum_address(raw)


def _typed(function: Callable[..., object]) -> Callable[..., object]:
    """Return the call of a type such as `u8`, which to Python is an `int` with a note."""

    def made(*args: object, **named: object) -> object:
        charge(_TYPED)
        return function(*args, **named)

    return made


# The calls of types such as `u8`, by their paths.
TYPES: Final = {
    f"chain.types.{name}": _typed(guarded_int if kind.__origin__ is int else guarded_bytes(bytes))
    for name, kind in vars(types).items()
    if get_origin(kind) is Annotated and kind.__origin__ in (int, bytes)
}
# The same, by the types themselves.
TYPED: Final = {getattr(types, path.rpartition(".")[2]): made for path, made in TYPES.items()}
# Functions of the chain itself.
OWN: Final[dict[str, Callable[..., object]]] = {
    "chain.crypto.hashing.keccak": _keccak,
    "chain.crypto.hashing.checksum_address": _checksum,
    **TYPES,
}
