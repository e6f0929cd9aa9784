"""Operators that can build a large value, or run for long, from small operands.

An integer has at most `MOST_BITS` bits; an operation whose result would exceed that runs out of gas. So all steps with
integers take about the same time, except products, quotients and powers of large ones, which are charged by their bits. Texts
and collections are charged by the size of the result, or of the operands that are walked through.
"""

from __future__ import annotations

import operator
from collections import Counter, deque
from collections.abc import Callable, Set
from typing import Any, Final

from chain.metering.builtin_costs import BUILT, FREE, KEYS, charge_text, size_of
from chain.metering.format_costs import formatted
from chain.metering.fuel import charge, charge_8, out_of_fuel
from chain.metering.value_size import keys

MOST_BITS: Final = 2**11
LARGE: Final = 2**512  # integers below this need no charge by size
FARTHEST: Final = 1024  # a small integer may be shifted by this many bits without a check
_FACTOR: Final = 2**256

_NUMBERS: Final = frozenset({int, bool})
_TEXTS: Final = (str, bytes, bytearray)
_ROWS: Final = (list, tuple, deque)
_REPEATED: Final = (*_TEXTS, *_ROWS)
_HASHED: Final[tuple[type, ...]] = (
    set,
    frozenset,
    dict,
    Counter,
    type({}.keys()),
    type({}.items()),
)
_JOINED: Final = 96  # ticks to join two sets or dicts
_COUNTED: Final = 160  # more ticks if they are counters
_PRODUCT: Final = 2**14  # bits of one factor times bits of the other, per tick


def checked(number: object) -> Any:
    """Charge for `number`, the result of an operation, and return it. Run out of gas if it is too large."""
    if not isinstance(number, int):
        return number  # the result of an operator of the author's own class
    bits = number.bit_length()
    if bits > MOST_BITS:
        out_of_fuel()
    charge(1 + bits // 128)
    return number


def take(number: Any) -> int:
    """Return the bit length of an operand. Run out of gas if it is too large."""
    bits: int = number.bit_length()
    if bits > MOST_BITS:
        out_of_fuel()
    return bits


def add(
    left: object, right: object, do: Callable[[object, object], object] = operator.add
) -> object:
    """Return `left + right`. `do` is the operator, here and below: the plain or the in-place one."""
    charge_8()
    if type(left) is int and type(right) is int:
        total = left + right
        return total if -LARGE < total < LARGE else checked(total)
    if isinstance(left, _ROWS):
        size = size_of(right) + (0 if do is operator.iadd else len(left))
        if size > FREE:
            charge(size)
    elif isinstance(left, _TEXTS):
        charge_text(len(left) + size_of(right))
    elif isinstance(left, int) and isinstance(right, int):
        return checked(do(left, right))
    elif isinstance(left, Counter):
        _join(left, right)
    return do(left, right)


def summed(total: object) -> object:
    """Charge for `total`, the result of an addition or subtraction that is not a small integer, and return it."""
    if type(total) is int:
        return checked(total)
    charge_8()
    if isinstance(total, _TEXTS):
        charge_text(len(total))
    elif isinstance(total, _HASHED):  # only counters can be added
        charge(_COUNTED + size_of(total) * 4 * KEYS)
    elif (size := size_of(total)) > FREE:
        charge(size)
    return total


def subtract(
    left: object, right: object, do: Callable[[object, object], object] = operator.sub
) -> object:
    """Return `left - right`."""
    charge_8()
    if type(left) is int and type(right) is int:
        difference = left - right
        return difference if -LARGE < difference < LARGE else checked(difference)
    _join(left, right)
    return do(left, right)


def unite(
    left: object, right: object, do: Callable[[object, object], object] = operator.or_
) -> object:
    """Return `left | right`."""
    charge_8()
    if type(left) is not int:
        _join(left, right)
    return do(left, right)


def intersect(
    left: object, right: object, do: Callable[[object, object], object] = operator.and_
) -> object:
    """Return `left & right`."""
    return unite(left, right, do)


def differ(
    left: object, right: object, do: Callable[[object, object], object] = operator.xor
) -> object:
    """Return `left ^ right`; a `Counter` has no such operator before Python 3.15."""
    if isinstance(left, Counter) and isinstance(right, Counter):
        raise TypeError("unsupported operand types for ^: 'Counter' and 'Counter'")
    return unite(left, right, do)


def _join(left: object, right: object) -> None:
    """Charge for joining two sets or dicts."""
    if isinstance(left, _HASHED):
        charge(_JOINED)
        size = size_of(left) + size_of(right)
        if isinstance(left, Counter):
            charge(_COUNTED + size * 4 * KEYS)
        elif size > FREE:
            charge(size * KEYS)
        if not isinstance(right, _HASHED):
            keys(right)
    elif isinstance(left, Set):  # a view that keeps the order
        charge(_JOINED + (size_of(left) + size_of(right)) * KEYS)
    elif not isinstance(left, int):
        charge(_JOINED)


def multiply(
    left: Any, right: Any, do: Callable[[object, object], object] = operator.mul
) -> object:
    """Return `left * right`, where one may be a sequence to repeat."""
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


def divide(
    left: object, right: object, do: Callable[[object, object], object] = operator.floordiv
) -> object:
    """Return `left // right`."""
    charge_8()
    if type(left) is int and type(right) is int:
        pay_for_quotient(left, right)
    return do(left, right)


def remainder(
    left: object, right: object, do: Callable[[object, object], object] = operator.mod
) -> object:
    """Return `left % right`, where `left` may be a format string."""
    charge_8()
    if type(left) is int:
        if type(right) is int:
            pay_for_quotient(left, right)
    elif isinstance(left, str | bytes):
        return formatted(left, right)
    return do(left, right)


def pay_for_quotient(left: int, right: int) -> None:
    """Charge for a division by the bits of its operands."""
    if not -LARGE < left < LARGE:
        charge(1 + take(left) * take(right) // _PRODUCT)


def guarded_divmod(left: object, right: Any) -> object:
    """Return `divmod(left, right)`."""
    charge_8()
    if isinstance(left, int) and isinstance(right, int):
        pay_for_quotient(left, right)
    return divmod(left, right)


def power(base: Any, exponent: object, modulus: object = None) -> object:
    """Return `pow(base, exponent, modulus)`."""
    charge_8()
    if isinstance(base, int) and isinstance(exponent, int):
        if modulus is not None:
            bits = take(modulus) if isinstance(modulus, int) else 0
            take(base)
            charge(1 + take(exponent) * (10 + 2 * bits * bits // _PRODUCT))
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


def raise_to(
    left: object, right: object, do: Callable[[object, object], object] = operator.pow
) -> object:
    """Return `left ** right`."""
    if isinstance(left, int) and isinstance(right, int):
        return power(left, right)
    return do(left, right)


def shift(
    left: object, right: object, do: Callable[[object, object], object] = operator.lshift
) -> object:
    """Return `left << right`."""
    charge_8()
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right > MOST_BITS:
        out_of_fuel()
    return do(left, right)


def guarded_int(*args: Any, **named: object) -> int:
    """Return `int(…)`. Parsing a text takes time quadratic in its length."""
    if len(args) == 1 and not named:
        kind = type(args[0])
        if kind is int or (kind is str and len(args[0]) <= FREE and args[0].isascii()):
            return int(args[0])
    if args and isinstance(args[0], _TEXTS):
        charge_8()
        size = len(args[0])
        if size > MOST_BITS:
            out_of_fuel()
        charge(1 + size * size // 2**10)
        if isinstance(args[0], str) and not args[0].isascii():
            # Python versions disagree on which Unicode characters are digits.
            raise ValueError("a number is written with the digits 0 to 9")
    number = int(*args, **named)
    return number if -LARGE < number < LARGE else int(checked(number))
