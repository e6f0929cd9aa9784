"""Whole numbers of any size in SQL. SQLite itself has 64 bits, with the sign; what is larger it only has as REAL, which rounds.

In the tables of `chain.sql` each number beyond 64 bits is a REAL of its own: the nearest that lies above those of all lesser
numbers and below those of all greater ones, and with another sign that of the number with another sign. So they sort, compare,
group and are negated exactly in whatever expression they stand, and such a REAL in an answer is the number again. `sum`,
`total` and `avg` are exact too. What other arithmetic makes of them is rounded, as ever.

In a chain's file, for any reader of SQLite, a larger number stands as the nearest REAL; its digits stand in `exact_numbers`.
"""

from __future__ import annotations

import re
import sqlite3
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from math import copysign, inf, isinf, isnan, nextafter
from typing import Any, Final

HALF: Final = 2**63

_LONGEST: Final = 300  # digits of a number in a question; a longer one is infinite to SQLite
_DIGITS: Final = re.compile(rf"-?\d{{1,{_LONGEST}}}")
_NUMERIC: Final = re.compile(r"\s*([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)")
_TOKEN: Final = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\[[^\]]*\]|`[^`]*`|--[^\n]*|/\*.*?(?:\*/|$)"
    r"|(?<![\w.?$@:#])(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])",
    re.DOTALL,
)


def is_large(value: int | float) -> bool:
    return not -HALF <= value < HALF


class LargeNumbers:
    """The numbers beyond 64 bits in the tables of one database, without their signs, each with its REAL."""

    def __init__(self) -> None:
        self._sorted = [
            HALF
        ]  # it is known from the start: below zero it is an integer, and the same REAL
        self._reals = {HALF: float(HALF)}
        self._numbers = {float(HALF): HALF}
        self._guests: list[int] | None = None
        self.is_crowded = False  # some number has no REAL to itself: all need new ones

    def real(self, value: int) -> int | float:
        """A number as a table has it."""
        if not is_large(value):
            return value
        found = self._reals.get(abs(value))
        return copysign(self._add(abs(value)) if found is None else found, value)

    def number(self, cell: Any) -> Any:
        """What comes back, with numbers as numbers."""
        found = self._numbers.get(abs(cell)) if type(cell) is float else None
        return cell if found is None else found if cell > 0 else -found

    def parameter(self, value: Any) -> Any:
        """What is given to a question. Text, which is how a command line gives a number, is one only where it is large."""
        if isinstance(value, str):
            return self.parameter(int(value)) if _is_large_text(value) else value
        if isinstance(value, float):
            if isnan(value):
                raise ValueError(
                    "nan is not a number, so nothing in a table can be compared with it"
                )
            return value if isinf(value) or not is_large(value) else self.real(int(value))
        return self.real(int(value)) if isinstance(value, int) else value

    def rewritten(self, question: str) -> str:
        """A question whose large numbers are the REALs of the tables."""
        return _TOKEN.sub(self._literal, question)

    def _literal(self, found: re.Match[str]) -> str:
        text = found["number"]
        if text is None:
            return found[0]
        value = Decimal(text)
        if (
            value.adjusted() > _LONGEST
            or value != value.to_integral_value()
            or not is_large(int(value))
        ):
            return found[0]
        return repr(self.real(int(value)))

    def _add(self, value: int) -> float:
        place = bisect_left(self._sorted, value)
        below = self._reals[self._sorted[place - 1]]
        above = self._reals[self._sorted[place]] if place < len(self._sorted) else inf
        real = min(max(float(value), nextafter(below, inf)), nextafter(above, -inf))
        self.is_crowded |= not below < real < above
        self._sorted.insert(place, value)
        self._keep(value, real)
        if self._guests is not None:
            self._guests.append(value)
        return real

    def _keep(self, value: int, real: float) -> None:
        self._reals[value], self._numbers[real] = real, value

    def spread(self) -> None:
        """Give each number a REAL to itself again, from the 64 bits outwards."""
        self._reals.clear()
        self._numbers.clear()
        last = 0.0
        for value in self._sorted:
            last = max(float(value), nextafter(last, inf))
            self._keep(value, last)
        self.is_crowded = False

    @contextmanager
    def guests(self) -> Iterator[None]:
        """What becomes known in the scope is in no table, and is forgotten at its end."""
        self._guests = []
        try:
            yield
        finally:
            for value in self._guests:
                del self._sorted[bisect_left(self._sorted, value)]
                real = self._reals.pop(value)
                if self._numbers.get(real) == value:
                    del self._numbers[real]
            self._guests = None

    def teach(self, connection: sqlite3.Connection) -> None:
        """Have a connection add up numbers as what they are."""
        for name, made in (("sum", Sum), ("total", Total), ("avg", Average)):
            connection.create_window_function(name, 1, partial(made, self))


class Sum:
    """`sum` over whole numbers of any size, exact; over others as SQLite's."""

    def __init__(self, numbers: LargeNumbers) -> None:
        self._numbers = numbers
        self._count, self._sum = 0, 0
        self._rest = 0.0
        self._is_real = 0

    def step(self, value: Any) -> None:
        self._add(value, 1)

    def inverse(self, value: Any) -> None:
        self._add(value, -1)

    def _add(self, value: Any, sign: int) -> None:
        if value is None:
            return
        self._count += sign
        number = self._numbers.number(value)
        if isinstance(number, int):
            self._sum += sign * number
        else:
            self._is_real += sign
            self._rest += sign * _as_real(number)

    def value(self) -> int | float | None:
        if not self._count:
            return None
        return self._sum + self._rest if self._is_real else self._numbers.real(self._sum)

    finalize = value


class Total(Sum):
    """`total`, a REAL also where there is nothing."""

    def value(self) -> float:
        return float(super().value() or 0)

    finalize = value


class Average(Sum):
    """`avg`, over whole numbers of any size too."""

    def value(self) -> int | float | None:
        if not self._count:
            return None
        return (self._sum + self._rest if self._is_real else self._sum) / self._count

    finalize = value


def _is_large_text(text: str) -> bool:
    return _DIGITS.fullmatch(text) is not None and is_large(int(text))


def _as_real(value: Any) -> float:
    if isinstance(value, float):
        return value
    found = _NUMERIC.match(value) if isinstance(value, str) else None
    return float(found[1]) if found else 0.0
