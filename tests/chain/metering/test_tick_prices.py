"""The price in ticks of each construct of Python, as a table: `ticks.txt`. `--rewrite` writes it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, reduce
from itertools import chain as joined
from itertools import product
from pathlib import Path

import pytest

from chain import Chain, Contract, view
from chain.types import u64

TABLE = Path(__file__).parent / "ticks.txt"
SIZES = (10, 100, 1000)


class Prices(Contract):
    """Each view does one thing to `n` items, on top of what `row` costs."""

    @view
    def row(self, n: u64) -> None:
        list(range(n))

    @view
    def for_loop(self, n: u64) -> None:
        for _ in range(n):
            pass

    @view
    def while_loop(self, n: u64) -> None:
        while n:
            n -= 1

    @view
    def comprehension(self, n: u64) -> None:
        [2 * i for i in range(n)]

    @view
    def function(self, n: u64) -> None:
        for i in range(n):
            twice(i)

    @view
    def lambda_function(self, n: u64) -> None:
        double: Callable[[int], int] = lambda i: 2 * i  # noqa: E731
        for i in range(n):
            double(i)

    @view
    def partial_function(self, n: u64) -> None:
        double = partial(twice, 3)
        for _ in range(n):
            double()

    @view
    def generator(self, n: u64) -> None:
        for _ in counted(n):
            pass

    @view
    def mapping(self, n: u64) -> None:
        list(map(twice, range(n)))

    @view
    def reduction(self, n: u64) -> None:
        reduce(plus, range(n), 0)

    @view
    def sum_of_row(self, n: u64) -> None:
        sum(list(range(n)))

    @view
    def sorted_row(self, n: u64) -> None:
        row = list(range(n))
        sorted(row)

    @view
    def list_sort(self, n: u64) -> None:
        row = list(range(n))
        row.sort()

    @view
    def member_of_list(self, n: u64) -> None:
        n in list(range(n))  # noqa: B015

    @view
    def list_slice(self, n: u64) -> None:
        list(range(n))[1:]

    @view
    def text_slice(self, n: u64) -> None:
        ("x" * n)[1:]

    @view
    def list_concatenation(self, n: u64) -> None:
        row = list(range(n))
        row += [1]

    @view
    def list_repetition(self, n: u64) -> None:
        [1] * n

    @view
    def text_repetition(self, n: u64) -> None:
        "x" * n

    @view
    def text_join(self, n: u64) -> None:
        ",".join(["x"] * n)

    @view
    def text_replace(self, n: u64) -> None:
        ("x" * n).replace("x", "yy")

    @view
    def dict_of_row(self, n: u64) -> None:
        dict.fromkeys(range(n), 0)

    @view
    def list_copy(self, n: u64) -> None:
        list(range(n)).copy()

    @view
    def list_count(self, n: u64) -> None:
        list(range(n)).count(1)

    @view
    def power(self, n: u64) -> None:
        3**n

    @view
    def left_shift(self, n: u64) -> None:
        1 << n

    @view
    def chained(self, n: u64) -> None:
        list(joined(range(n), range(n)))

    @view
    def pairs(self, n: u64) -> None:
        for _ in product(range(n), range(2)):
            pass

    @view
    def minimum(self, n: u64) -> None:
        min(list(range(n)))

    @view
    def enumerated(self, n: u64) -> None:
        list(enumerate(range(n)))


ROW_17 = tuple(range(17))
ROW_96 = tuple(range(96))
ROW_97 = tuple(range(97))
ROW_5000 = tuple(range(5000))
SOME_17 = tuple(range(17))
SOME_96 = tuple(range(96))
SOME_97 = tuple(range(97))
SOME_5000 = tuple(range(5000))


def hides_some() -> None:
    """A function that binds these names, so that their values are not known beforehand."""
    SOME_17 = SOME_96 = SOME_97 = SOME_5000 = ()  # noqa: F841, N806


class Lists(Contract):
    """Pairs of views that differ only in whether the length of a tuple is known when they are instrumented."""

    @view
    def known_17(self) -> None:
        list(ROW_17)

    @view
    def some_17(self) -> None:
        list(SOME_17)

    @view
    def known_96(self) -> None:
        tuple(ROW_96)

    @view
    def some_96(self) -> None:
        tuple(SOME_96)

    @view
    def known_97(self) -> None:
        [*ROW_97]  # noqa: B018

    @view
    def some_97(self) -> None:
        [*SOME_97]  # noqa: B018

    @view
    def known_5000(self) -> None:
        list(ROW_5000)

    @view
    def some_5000(self) -> None:
        list(SOME_5000)


def twice(i: int) -> int:
    return 2 * i


def plus(a: int, b: int) -> int:
    return a + b


def counted(n: int) -> Iterator[int]:
    for i in range(n):
        yield 2 * i


def test_prices_are_those_of_the_table(golden: Callable[[Path, str], None]) -> None:
    prices = Chain().deploy(Prices)
    lines = [f"{'':20}" + "".join(f"{n:>8}" for n in SIZES)]
    for name in Prices.__spec__.entries:
        ticks = [getattr(prices, name).simulate(n).ticks for n in SIZES]
        lines.append(f"{name:20}" + "".join(f"{each:>8}" for each in ticks))
    golden(TABLE, "\n".join(lines) + "\n")


@pytest.mark.parametrize("size", [17, 96, 97, 5000])
def test_items_of_constants_cost_the_same(size: int) -> None:
    lists = Chain().deploy(Lists)
    known, some = (
        getattr(lists, f"{which}_{size}").simulate().ticks for which in ("known", "some")
    )
    assert known == some > size
