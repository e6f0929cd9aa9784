from __future__ import annotations

import math
from abc import ABCMeta
from collections import ChainMap
from dataclasses import dataclass
from fractions import Fraction
from operator import methodcaller

try:
    from typing import override
except ImportError:
    from typing_extensions import override

TABLES = {}
upper = methodcaller("upper")


def table(function):
    TABLES[function.__name__] = function
    return function


@table
def points(n: int) -> int:
    return math.floor(Fraction(n, 3))


@dataclass(frozen=True)
class Card:
    price: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "price", abs(self.price))

    def __getattr__(self, name: str) -> str:
        return name

    def copy(self) -> Card:
        return self.__class__(**self.__dict__)


class Attempt(metaclass=ABCMeta):
    kinds: dict[str, type[Attempt]] = {}

    def __init_subclass__(cls) -> None:
        cls.kinds[cls.__name__] = cls
        cls.number = len(cls.kinds)

    @override
    def __str__(self) -> str:
        return type(self).__name__


def counter():
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return count

    return step


def total(rows: list[int], kind: str) -> int:
    assert rows, "There are no rows"
    if hasattr(rows, "sort") and isinstance(rows, list):
        return getattr(rows, "count")(kind) + len(ChainMap({}, TABLES))
    return sum(rows)


def attempt(play, undo) -> int:
    try:
        return play() or 2
    except Exception:
        undo()
        raise
