"""Whole numbers of any size in SQL. SQLite itself has 64 bits, with the sign; beyond them it knows only rounded ones.

In the tables of `chain.sql` a larger number stands as text of a fixed width, behind a mark, which sorts above all numbers and
among its like as numbers do. A number of a type that can be below the 64 bits always stands as text, in a column whose
collation compares numbers. Numbers that are written in a question, or given to it, get that form too, `sum` and `avg` know it,
and what comes back is a Python int.

In a chain's file, for any reader of SQLite, a larger number stands rounded, as SQLite's own REAL; comparing and sorting them is
right but for numbers that round to the same. Their digits stand in the table `exact_numbers`.
"""

from __future__ import annotations

import re
import sqlite3
from decimal import Decimal
from fractions import Fraction
from math import isinf, isnan
from typing import Any, Final

HALF: Final = 2**63
MARK: Final = "\v"  # a space to SQLite: arithmetic reads the number behind it
WIDTH: Final = 78  # digits of 2**256
COLLATION: Final = "number"

_MARKED: Final = re.compile(r"\v-?\d+")
_DIGITS: Final = re.compile(r"-?\d+")
_NUMERIC: Final = re.compile(r"\s*([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)")
_NUMBER: Final = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_TOKEN: Final = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\[[^\]]*\]|`[^`]*`|--[^\n]*|/\*.*?(?:\*/|$)"
    rf"|(?P<minus>-\s*)?(?<![\w.?$@:#])(?P<number>{_NUMBER}(?:\s*\*\s*{_NUMBER})*)(?![\w.])",
    re.DOTALL,
)
_BEFORE_A_VALUE: Final = re.compile(
    r"(?:^|[=<>(,]|\b(?:and|or|between|in|then|else|when|select|not|is|like))\s*$", re.IGNORECASE
)


def is_large(value: int | float) -> bool:
    return not -HALF <= value < HALF


def marked(value: int) -> int | str:
    """A number as the tables of `chain.sql` have it."""
    if not is_large(value):
        return value
    return f"{MARK}{value:0{WIDTH}d}" if value > 0 else f"{MARK}{value}"


def always_marked(value: int) -> str:
    """A number of a type that can be below the 64 bits."""
    return f"{MARK}{value}"


def unmarked(value: Any) -> Any:
    """What comes back, with numbers as numbers."""
    if isinstance(value, str) and _MARKED.fullmatch(value):
        return int(value[1:])
    return value


def parameter(value: int | float | str) -> int | float | str:
    """A number given to a question; as text, which is how a command line gives it, only where it is large."""
    if isinstance(value, str):
        return marked(int(value)) if _DIGITS.fullmatch(value) and is_large(int(value)) else value
    if isinstance(value, float):
        if isnan(value):
            raise ValueError("nan is not a number, so nothing in a table can be compared with it")
        return marked(int(value)) if not isinf(value) and is_large(value) else value
    return marked(int(value))


def rewritten(question: str) -> str:
    """A question whose large numbers are in our form."""
    return _TOKEN.sub(_in_our_form, question)


def _in_our_form(found: re.Match[str]) -> str:
    number, minus = found["number"], found["minus"] or ""
    if number is None:
        return found[0]
    stands_alone = bool(_BEFORE_A_VALUE.search(found.string[: found.start()]))
    if minus and not stands_alone:
        return minus + _literal(number, 1, fold=False)
    return _literal(number, -1 if minus else 1, fold=stands_alone, minus=minus)


def _literal(text: str, sign: int, fold: bool, minus: str = "") -> str:
    factors = [Decimal(each.strip()) for each in text.split("*")]
    if len(factors) > 1 and not fold:
        return minus + re.sub(_NUMBER, lambda each: _literal(each[0], 1, fold=True), text)
    value = Fraction(sign)
    for factor in factors:
        value *= Fraction(factor)
    if value.denominator > 1 or not is_large(value.numerator):
        return minus + text
    return f"'{marked(value.numerator)}'"


def compare(a: str, b: str) -> int:
    """The collation of columns of numbers: as numbers where both are."""
    left, right = _read(a), _read(b)
    if left is None or right is None:
        return (a > b) - (a < b)
    return (left > right) - (left < right)


def _read(text: str) -> Fraction | int | None:
    if _MARKED.fullmatch(text):
        return int(text[1:])
    found = _NUMERIC.fullmatch(text.rstrip())
    return None if found is None else Fraction(found[1])


class Sum:
    """`sum` over whole numbers of any size, exact; over others as SQLite's."""

    def __init__(self) -> None:
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
        number = unmarked(value)
        if isinstance(number, int):
            self._sum += sign * number
        else:
            self._is_real += sign
            self._rest += sign * _as_real(number)

    def value(self) -> int | float | str | None:
        if not self._count:
            return None
        return self._sum + self._rest if self._is_real else marked(self._sum)

    finalize = value


class Average(Sum):
    """`avg`, over whole numbers of any size too."""

    def value(self) -> int | float | str | None:
        if not self._count:
            return None
        found = (
            self._sum / self._count if not self._is_real else (self._sum + self._rest) / self._count
        )
        return marked(int(found)) if is_large(found) else found

    finalize = value


def _as_real(value: Any) -> float:
    if isinstance(value, float):
        return value
    found = _NUMERIC.match(value) if isinstance(value, str) else None
    return float(found[1]) if found else 0.0


def add_to(connection: sqlite3.Connection) -> None:
    """Teach a connection the numbers."""
    connection.create_collation(COLLATION, compare)
    for name, made in (("sum", Sum), ("avg", Average)):
        connection.create_window_function(name, 1, made)
