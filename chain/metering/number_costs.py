"""Prices of the functions of `math`, by the bits of the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import reduce

from chain.metering.arithmetic import multiply, take
from chain.metering.builtin_costs import metered
from chain.metering.fuel import charge, out_of_fuel


def by_bits(function: Callable[..., int], *numbers: object) -> int:
    for number in numbers:
        if isinstance(number, int):
            charge(1 + take(number) ** 2 // 2**13)
    result = function(*numbers)
    take(result)
    return result


def factorial(n: int) -> int:
    return charge_big_int(math.factorial, n * n.bit_length(), n)


def comb(n: int, k: int) -> int:
    return charge_big_int(math.comb, n.bit_length() * min(k, n), n, k)


def perm(n: int, k: int | None = None) -> int:
    return charge_big_int(
        math.perm, n.bit_length() * (n if k is None else min(k, n)), n, n if k is None else k
    )


def charge_big_int(function: Callable[..., int], bits: int, *args: int) -> int:
    if bits > 2**16 or any(isinstance(arg, int) and arg.bit_length() > 64 for arg in args):
        out_of_fuel()
    charge(1 + max(bits, 0) // 2)
    result = function(*args)
    take(result)
    return result


def prod(items: Iterable[object], *, start: object = 1) -> object:
    return reduce(multiply, metered(items), start)
