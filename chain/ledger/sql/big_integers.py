"""Integers of any size in SQL. SQLite itself has signed 64-bit integers; it stores larger ones as REAL, which rounds.

In the tables of `chain.sql` each integer beyond 64 bits has a REAL of its own: the nearest one that is above the REALs of all
smaller numbers and below those of all larger ones. The REAL of the negated number is the negated REAL. So these numbers are
sorted, compared, grouped and negated exactly in any expression, and such a REAL in a result becomes the integer again. `sum`,
`total` and `avg` are exact too. The results of other arithmetic are rounded, as usual.

In a chain's file, which any SQLite client can read, a larger number is stored as the nearest REAL; its digits are stored in
`exact_numbers`.
"""

from __future__ import annotations

import re
import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from math import copysign, inf, isinf, isnan, nextafter
from typing import Any, Final

HALF: Final = 2**63
EXACT: Final = "exact_numbers"  # the table of a file with the digits of its rounded numbers

_LONGEST: Final = 300  # digits of a number in a query; SQLite treats a longer one as infinite
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
    """The magnitudes beyond 64 bits in the tables of one database, each with its REAL."""

    def __init__(self) -> None:
        # HALF is known from the start: its REAL belongs to it alone, since -HALF is a 64-bit integer with that magnitude.
        self._sorted = [HALF]
        self._reals = {HALF: float(HALF)}
        self._numbers = {float(HALF): HALF}
        self._guests: list[int] | None = None
        self.is_crowded = False  # some number has no REAL of its own: all need new ones

    def real(self, value: int) -> int | float:
        """Return a number as the tables hold it."""
        if not is_large(value):
            return value
        known = self._reals.get(abs(value))
        return copysign(self._add(abs(value)) if known is None else known, value)

    def extend(self, values: Iterable[int]) -> None:
        """Add many numbers at once."""
        self._sorted = sorted({*self._sorted, *map(abs, values)})
        self.spread()

    def number(self, cell: Any) -> Any:
        """Return the value of a result cell: an integer if the cell is the REAL of one."""
        known = self._numbers.get(abs(cell)) if type(cell) is float else None
        return cell if known is None else known if cell > 0 else -known

    def parameter(self, value: object) -> Any:
        """Return a query parameter as the tables hold it. Text is read as a number only if that is large."""
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
        """Return a query with each large number replaced by its REAL."""
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
        position = bisect_left(self._sorted, value)
        below = self._reals[self._sorted[position - 1]]
        above = self._reals[self._sorted[position]] if position < len(self._sorted) else inf
        real = min(max(float(value), nextafter(below, inf)), nextafter(above, -inf))
        self.is_crowded |= not below < real < above
        self._sorted.insert(position, value)
        self._keep(value, real)
        if self._guests is not None:
            self._guests.append(value)
        return real

    def _keep(self, value: int, real: float) -> None:
        self._reals[value], self._numbers[real] = real, value

    def spread(self) -> None:
        """Give each number a REAL of its own again, in ascending order."""
        self._reals.clear()
        self._numbers.clear()
        last = 0.0
        for value in self._sorted:
            last = max(float(value), nextafter(last, inf))
            self._keep(value, last)
        self.is_crowded = False

    @contextmanager
    def parameters_scope(self) -> Iterator[None]:
        """Forget at the end of the scope the numbers that were added in it: they are in no table."""
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

    def register_functions(self, connection: sqlite3.Connection) -> None:
        """Register the exact `sum`, `total` and `avg` on a connection."""
        for name, aggregate in (("sum", Sum), ("total", Total), ("avg", Average)):
            connection.create_window_function(name, 1, partial(aggregate, self))


class Sum:
    """`sum`, exact over integers of any size; over other values as in SQLite."""

    def __init__(self, numbers: LargeNumbers) -> None:
        self._numbers = numbers
        self._count, self._sum = 0, 0
        self._rest = 0.0
        self._is_real = 0

    def step(self, value: object) -> None:
        self._add(value, 1)

    def inverse(self, value: object) -> None:
        self._add(value, -1)

    def _add(self, value: object, sign: int) -> None:
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
    """`total`, which is a REAL even if there are no values."""

    def value(self) -> float:
        return float(super().value() or 0)

    finalize = value


class Average(Sum):
    """`avg`, over integers of any size."""

    def value(self) -> int | float | None:
        if not self._count:
            return None
        return (self._sum + self._rest if self._is_real else self._sum) / self._count

    finalize = value


def _is_large_text(text: str) -> bool:
    return _DIGITS.fullmatch(text) is not None and is_large(int(text))


def _as_real(value: object) -> float:
    if isinstance(value, float):
        return value
    match = _NUMERIC.match(value) if isinstance(value, str) else None
    return float(match[1]) if match else 0.0
