"""Integers of any size in SQL. SQLite itself has those of 64 bits; in a derived table a larger one is text with its digits.

In a query of `chain.sql` each such number has a REAL of its own: the nearest one that is above the REALs of all smaller numbers
and below those of all larger ones. The REAL of the negated number is the negated REAL. So these numbers are sorted, compared,
grouped and negated exactly in any expression, `min` and `max` included, and such a REAL in a result becomes the integer again.
The results of arithmetic, sums among them, are rounded.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from decimal import Decimal
from math import copysign, inf, isinf, isnan, nextafter
from typing import Any, Final

HALF: Final = 2**63

_LONGEST: Final = 300  # digits of a number in a query; SQLite treats a longer one as infinite
_DIGITS: Final = re.compile(rf"-?\d{{19,{_LONGEST}}}")
_TOKEN: Final = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\[[^\]]*\]|`[^`]*`|--[^\n]*|/\*.*?(?:\*/|$)"
    r"|(?<![\w.?$@:#])(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])",
    re.DOTALL,
)


def is_large(value: int | float) -> bool:
    return not -HALF <= value < HALF


class LargeNumbers:
    """The magnitudes beyond 64 bits that queries met, each with its REAL."""

    def __init__(self) -> None:
        # HALF is known from the start: its REAL belongs to it alone, since -HALF is a 64-bit integer with that magnitude.
        self._sorted = [HALF]
        self._reals = {HALF: float(HALF)}
        self._numbers = {float(HALF): HALF}
        self.is_crowded = False  # some number has no REAL of its own: all need new ones

    def real(self, value: int) -> int | float:
        """Return a number as a query sees it."""
        if not is_large(value):
            return value
        known = self._reals.get(abs(value))
        return copysign(self._add(abs(value)) if known is None else known, value)

    def number(self, cell: Any) -> Any:
        """Return the value of a result cell: an integer if the cell is the REAL of one."""
        known = self._numbers.get(abs(cell)) if type(cell) is float else None
        return cell if known is None else known if cell > 0 else -known

    def parameter(self, value: object) -> Any:
        """Return a cell of a table or a parameter as a query sees it. Text is read as a number only if that is large."""
        if isinstance(value, str):
            is_number = _DIGITS.fullmatch(value) is not None and is_large(int(value))
            return self.real(int(value)) if is_number else value
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
        self._reals[value], self._numbers[real] = real, value
        return real

    def spread(self) -> None:
        """Give each number a REAL of its own again, in ascending order."""
        self._reals.clear()
        self._numbers.clear()
        last = 0.0
        for value in self._sorted:
            last = max(float(value), nextafter(last, inf))
            self._reals[value], self._numbers[last] = last, value
        self.is_crowded = False
