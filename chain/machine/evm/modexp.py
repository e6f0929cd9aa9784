"""MODEXP: base to the power of exponent, modulo modulus, of any size (EIP-198), at the prices of EIP-2565 and of EIP-7883.

The input begins with the three lengths, 32 bytes each; whatever is missing at its end is zero.
"""

from __future__ import annotations

from typing import Final

from eth.exceptions import VMError

from chain.machine import gas
from chain.machine.evm.precompile import Precompile

_HEAD: Final = 96  # bytes of the three lengths
_WORD: Final = 32


def _lengths(data: bytes) -> tuple[int, int, int]:
    """Return the lengths of base, exponent and modulus."""
    head = data[:_HEAD].ljust(_HEAD, b"\0")
    base, exponent, modulus = (int.from_bytes(head[i : i + _WORD]) for i in range(0, _HEAD, _WORD))
    return base, exponent, modulus


def _number(data: bytes, start: int, length: int) -> int:
    return int.from_bytes(data[start : start + length].ljust(length, b"\0"))


def power(data: bytes) -> bytes:
    """Return the power. The price has been paid, so the lengths are within reason unless there is no modulus."""
    base, exponent, modulus = _lengths(data)
    if not modulus:
        return b""
    divisor = _number(data, _HEAD + base + exponent, modulus)
    if not divisor:
        return bytes(modulus)
    return pow(_number(data, _HEAD, base), _number(data, _HEAD + base, exponent), divisor).to_bytes(
        modulus
    )


def bounded_power(data: bytes) -> bytes:
    """Return the power, or refuse a number of more than 1024 bytes (EIP-7823)."""
    if max(_lengths(data)) > gas.MODEXP_MAX_BYTES:
        raise VMError(f"modexp takes numbers of up to {gas.MODEXP_MAX_BYTES} bytes")
    return power(data)


def _steps(data: bytes, per_byte: int) -> int:
    """Return how many steps the exponent takes: its bits, by its first 32 bytes and `per_byte` for each other one."""
    base, exponent, _ = _lengths(data)
    head = _number(data, _HEAD + base, min(exponent, _WORD))
    return max(1, per_byte * max(0, exponent - _WORD) + max(0, head.bit_length() - 1))


def _longest(data: bytes) -> int:
    base, _, modulus = _lengths(data)
    return max(base, modulus)


def _price_of_berlin(data: bytes) -> int:
    cost = (-(-_longest(data) // 8)) ** 2 * _steps(data, 8)
    return max(gas.MODEXP_LEAST_BERLIN, cost // gas.MODEXP_DIVISOR_BERLIN)


def _price_of_osaka(data: bytes) -> int:
    longest = _longest(data)
    step = gas.MODEXP_SHORT_STEP if longest <= _WORD else 2 * (-(-longest // 8)) ** 2
    return max(gas.MODEXP_LEAST, step * _steps(data, 16))


BERLIN: Final = Precompile("MODEXP", _price_of_berlin, power)
OSAKA: Final = Precompile("MODEXP", _price_of_osaka, bounded_power)
