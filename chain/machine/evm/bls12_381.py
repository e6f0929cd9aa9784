"""The precompiled contracts for the curve BLS12-381 (EIP-2537), computed by arkworks.

A coordinate takes 64 bytes here, of which the first 16 are zero, and 48 in the library. Sums take any point of the curve;
products and pairings only those of the subgroup.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from eth.exceptions import VMError
from eth.precompiles.bls12_381.constants import G1_MSM_DISCOUNTS, G2_MSM_DISCOUNTS
from py_arkworks_bls12381 import GT, G1Point, G2Point, Scalar

from chain.machine import gas
from chain.machine.evm.precompile import Precompile

_PADDED, _PLAIN = 64, 48  # bytes of a coordinate
_SCALAR: Final = 32
_G1, _G2 = 2 * _PADDED, 4 * _PADDED  # bytes of a point
_PER_MILLE: Final = 1000

Reader = Callable[[bytes], object]


def _coordinates(data: bytes) -> bytes:
    """Return the coordinates without their padding."""
    numbers = [data[i : i + _PADDED] for i in range(0, len(data), _PADDED)]
    if any(number.startswith(bytes(_PADDED - _PLAIN)) is False for number in numbers):
        raise VMError("a coordinate of BLS12-381 is not below its modulus")
    return b"".join(number[_PADDED - _PLAIN :] for number in numbers)


def _padded(point: G1Point | G2Point) -> bytes:
    raw = point.to_xy_bytes_be()
    return b"".join(raw[i : i + _PLAIN].rjust(_PADDED, b"\0") for i in range(0, len(raw), _PLAIN))


def _read(read: Reader, data: bytes) -> Any:
    """Return the library's object for these coordinates."""
    try:
        return read(_coordinates(data))
    except ValueError as error:
        raise VMError(f"BLS12-381: {error}") from None


def _items(data: bytes, size: int) -> list[bytes]:
    """Return the input in pieces of `size` bytes, at least one and none incomplete."""
    if not data or len(data) % size:
        raise VMError(f"an input of {len(data)} bytes does not consist of pieces of {size}")
    return [data[i : i + size] for i in range(0, len(data), size)]


def _sum(name: str, price: int, size: int, read: Reader) -> Precompile:
    def run(data: bytes) -> bytes:
        first, *others = [_read(read, item) for item in _items(data, size)]
        if len(others) != 1:
            raise VMError(f"{name} adds two points")
        return _padded(first + others[0])

    return Precompile(name, lambda data: price, run)


def _multiple(
    name: str, price: int, discounts: list[int], size: int, point: type[G1Point | G2Point], read: Reader
) -> Precompile:  # fmt: skip
    def price_of(data: bytes) -> int:
        count = len(data) // (size + _SCALAR)
        discount = discounts[min(count, len(discounts)) - 1]
        return count * price * discount // _PER_MILLE

    def run(data: bytes) -> bytes:
        items = _items(data, size + _SCALAR)
        points = [_read(read, item[:size]) for item in items]
        scalars = [Scalar.from_be_bytes_mod_order(item[size:]) for item in items]
        return _padded(point.multiexp_unchecked(points, scalars))

    return Precompile(name, price_of, run)


def _map(name: str, price: int, size: int, read: Reader) -> Precompile:
    def run(data: bytes) -> bytes:
        if len(data) != size:
            raise VMError(f"{name} maps {size} bytes")
        return _padded(_read(read, data))

    return Precompile(name, lambda data: price, run)


def _pairing_price(data: bytes) -> int:
    return gas.BLS_PAIRING + gas.BLS_PAIRING_PAIR * (len(data) // (_G1 + _G2))


def _pairing(data: bytes) -> bytes:
    items = _items(data, _G1 + _G2)
    firsts = [_read(G1Point.from_xy_bytes_be, item[:_G1]) for item in items]
    seconds = [_read(G2Point.from_xy_bytes_be, item[_G1:]) for item in items]
    return int(GT.pairing_check(firsts, seconds)).to_bytes(32)


PRECOMPILES: Final = (
    _sum("BLS12_G1ADD", gas.BLS_G1_ADD, _G1, G1Point.from_xy_bytes_unchecked_be),
    _multiple("BLS12_G1MSM", gas.BLS_G1_MULTIPLY, G1_MSM_DISCOUNTS, _G1, G1Point, G1Point.from_xy_bytes_be),
    _sum("BLS12_G2ADD", gas.BLS_G2_ADD, _G2, G2Point.from_xy_bytes_unchecked_be),
    _multiple("BLS12_G2MSM", gas.BLS_G2_MULTIPLY, G2_MSM_DISCOUNTS, _G2, G2Point, G2Point.from_xy_bytes_be),
    Precompile("BLS12_PAIRING_CHECK", _pairing_price, _pairing),
    _map("BLS12_MAP_FP_TO_G1", gas.BLS_MAP_TO_G1, _PADDED, G1Point.map_from_fp_be),
    _map("BLS12_MAP_FP2_TO_G2", gas.BLS_MAP_TO_G2, 2 * _PADDED, G2Point.map_from_fp2_be),
)  # fmt: skip
