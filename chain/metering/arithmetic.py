"""Operators that may make something large, or work long, of what is small enough by itself.

A whole number has at most so many bits; one that would pass that is out of gas at once. So every step with numbers takes about
as long as every other, but for products, quotients and powers of large ones, which pay by their bits. Texts and collections
pay by the size of what is made or gone through.
"""

from __future__ import annotations

import operator
from collections import Counter, deque
from collections.abc import Callable
from typing import Any, Final

from chain.metering.costs import (
    BUILT,
    FREE,
    KEYS,
    charge_text,
    size_of,
)
from chain.metering.fuel import (
    charge,
    charge_8,
    out_of_fuel,
)
from chain.metering.method_costs import formatted
from chain.metering.value_size import keys

MOST_BITS: Final = 2**11
LARGE: Final = 2**1024  # smaller numbers are all alike
FARTHEST: Final = 1024  # bits by which such a one is shifted without a question
_FACTOR: Final = 2**512

_NUMBERS: Final = frozenset({int, bool})
_TEXTS: Final = (str, bytes, bytearray)
_ROWS: Final = (list, tuple, deque)
_REPEATED: Final = (*_TEXTS, *_ROWS)
_HASHED: Final[tuple[Any, ...]] = (set, frozenset, dict, Counter, type({}.keys()), type({}.items()))
_PRODUCT: Final = 2**14  # products of bits for a tick


def checked(number: Any) -> Any:
    """A number that may have become too large."""
    if not isinstance(number, int):
        return number  # what an author's own class makes of it
    bits = number.bit_length()
    if bits > MOST_BITS:
        out_of_fuel()
    charge(1 + bits // 128)
    return number


def take(number: Any) -> int:
    """The bits of an operand."""
    bits: int = number.bit_length()
    if bits > MOST_BITS:
        out_of_fuel()
    return bits


def add(left: Any, right: Any, do: Callable[[Any, Any], Any] = operator.add) -> Any:
    charge_8()
    if type(left) is int and type(right) is int:
        total = left + right
        return total if -LARGE < total < LARGE else checked(total)
    if isinstance(left, _TEXTS):
        charge_text(len(left) + size_of(right))
    elif isinstance(left, int) and isinstance(right, int):
        return checked(do(left, right))
    elif isinstance(left, _ROWS):
        size = size_of(right) + (0 if do is operator.iadd else len(left))
        if size > FREE:
            charge(size)
    elif isinstance(left, Counter):
        _join(left, right)
    return do(left, right)


def summed(total: Any) -> Any:
    """What an addition or subtraction came to, where that is not a small number."""
    if type(total) is int:
        return checked(total)
    charge_8()
    if isinstance(total, _TEXTS):
        charge_text(len(total))
    elif (size := size_of(total)) > FREE:
        charge(size * (4 * KEYS if isinstance(total, _HASHED) else 1))
    return total


def subtract(left: Any, right: Any, do: Callable[[Any, Any], Any] = operator.sub) -> Any:
    charge_8()
    if type(left) is int and type(right) is int:
        rest = left - right
        return rest if -LARGE < rest < LARGE else checked(rest)
    _join(left, right)
    return do(left, right)


def unite(left: Any, right: Any, do: Callable[[Any, Any], Any] = operator.or_) -> Any:
    charge_8()
    if type(left) is not int:
        _join(left, right)
    return do(left, right)


def intersect(left: Any, right: Any, do: Callable[[Any, Any], Any] = operator.and_) -> Any:
    return unite(left, right, do)


def differ(left: Any, right: Any, do: Callable[[Any, Any], Any] = operator.xor) -> Any:
    return unite(left, right, do)


def _join(left: Any, right: Any) -> None:
    """Two sets or dicts become one."""
    if isinstance(left, _HASHED):
        size = size_of(left) + size_of(right)
        if size > FREE:
            charge(size * (KEYS if not isinstance(left, Counter) else 4 * KEYS))
        if not isinstance(right, _HASHED):
            keys(right)


def multiply(left: Any, right: Any, do: Callable[[Any, Any], Any] = operator.mul) -> Any:
    charge_8()
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        if -_FACTOR < left < _FACTOR and -_FACTOR < right < _FACTOR:
            return left * right
        bits = take(left), take(right)
        charge(1 + bits[0] * bits[1] // _PRODUCT)
        return checked(left * right)
    if isinstance(left, int) and isinstance(right, int):
        charge(1 + take(left) * take(right) // _PRODUCT)
        return checked(do(left, right))
    for items, count in ((left, right), (right, left)):
        if isinstance(items, _REPEATED) and isinstance(count, int) and count > 0:
            if isinstance(items, _TEXTS):
                charge_text(len(items) * count)
            elif len(items) * count > FREE:
                charge(len(items) * count * BUILT)
    return do(left, right)


def divide(left: Any, right: Any, do: Callable[[Any, Any], Any] = operator.floordiv) -> Any:
    charge_8()
    if type(left) is int and type(right) is int:
        pay_for_quotient(left, right)
    return do(left, right)


def remainder(left: Any, right: Any, do: Callable[[Any, Any], Any] = operator.mod) -> Any:
    """`left % right`, where the left may be a text."""
    charge_8()
    if type(left) is int:
        if type(right) is int:
            pay_for_quotient(left, right)
    elif isinstance(left, str | bytes):
        return formatted(left, right)
    return do(left, right)


def pay_for_quotient(left: int, right: int) -> None:
    if not -LARGE < left < LARGE:
        charge(1 + take(left) * take(right) // _PRODUCT)


def guarded_divmod(left: Any, right: Any) -> Any:
    charge_8()
    if isinstance(left, int) and isinstance(right, int):
        pay_for_quotient(left, right)
    return divmod(left, right)


def power(base: Any, exponent: Any, modulus: Any = None) -> Any:
    charge_8()
    if isinstance(base, int) and isinstance(exponent, int):
        if modulus is not None:
            bits = take(modulus) if isinstance(modulus, int) else 0
            take(base)
            charge(1 + take(exponent) * (1 + 2 * bits * bits // _PRODUCT))
        elif exponent < 0:
            raise ValueError(
                "a power with a negative exponent is a float: divide by the power with '//'"
            )
        elif exponent > 0 and base not in (0, 1, -1):
            bits = base.bit_length() * exponent
            if bits > 2 * MOST_BITS:
                out_of_fuel()
            charge(1 + bits * bits // _PRODUCT)
            return checked(pow(base, exponent))
    return pow(base, exponent, modulus)


def raise_to(left: Any, right: Any, do: Callable[[Any, Any], Any] = operator.pow) -> Any:
    """`left ** right`"""
    if isinstance(left, int) and isinstance(right, int):
        return power(left, right)
    return do(left, right)


def shift(left: Any, right: Any, do: Callable[[Any, Any], Any] = operator.lshift) -> Any:
    charge_8()
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right > MOST_BITS:
        out_of_fuel()
    return do(left, right)


def guarded_int(*args: Any, **named: Any) -> int:
    """`int(…)`: to read a text takes the square of its length."""
    if args and isinstance(args[0], _TEXTS):
        charge_8()
        size = len(args[0])
        if size > MOST_BITS:
            out_of_fuel()
        charge(1 + size * size // 2**10)
        if isinstance(args[0], str) and not args[0].isascii():
            # Which signs of the world are digits, each version of Python answers otherwise.
            raise ValueError("a number is written in the digits 0 to 9")
    found = int(*args, **named)
    return found if -LARGE < found < LARGE else int(checked(found))
