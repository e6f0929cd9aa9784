"""A contract with an entry for each way to burn time or memory without end that an honest mistake may take."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chain import Contract, call, view
from chain.types import u64


def numbers() -> Iterator[int]:
    n = 0
    while True:
        yield n
        n += 1


def around(n: int) -> int:
    return around(n + 1) + 1


class Burner(Contract):
    """Every entry but the first begins to change something, and never ends."""

    lit: u64

    @call
    def light(self) -> u64:
        self.lit += 1
        return self.lit

    @call
    def loop(self) -> None:
        self.lit = 7
        while True:
            pass

    @call
    def recurse(self) -> None:
        self.lit = 7
        around(0)

    @call
    def copy_a_path(self) -> None:
        self.lit = 7
        path: list[int] = []
        while True:
            path = [*path, 1]

    @view
    def look_around(self) -> None:
        path: tuple[int, ...] = ()
        while True:
            path = (*path, 1)

    @call
    def collect(self) -> None:
        self.lit = 7
        rows = []
        while True:
            rows.append([0] * 1_000)

    @call
    def double(self) -> None:
        self.lit = 7
        text = "ab"
        while True:
            text += text

    @call
    def fill_a_dict(self) -> None:
        self.lit = 7
        found = {}
        for n in numbers():
            found[n] = str(n) * 999

    @call
    def comprehend(self) -> None:
        self.lit = 7
        [[[c + 1 for c in range(b)] for b in range(a)] for a in range(10**9)]

    @call
    def generate(self) -> None:
        self.lit = 7
        sum(n for n in numbers())

    @call
    def square(self) -> None:
        self.lit = 7
        n = 3
        while True:
            n *= n

    @call
    def nest(self) -> None:
        self.lit = 7
        inner: object = ()
        while True:
            inner = (inner, str(inner))

    @call
    def add_up(self) -> None:
        self.lit = 7
        sum(range(10**15))

    @call
    def repeat(self) -> None:
        self.lit = 7
        text = "a"
        while True:
            text *= 9

    @call
    def sort(self) -> None:
        self.lit = 7
        rows = list(range(300_000))
        while True:
            rows.reverse()
            rows = sorted(rows)

    @call
    def search(self) -> None:
        """One call of C, which nothing in Python can end."""
        self.lit = 7
        re.match(r"(a|aa)+$", "a" * 99 + "b")


BURNERS = [
    name
    for name in vars(Burner)
    if not name.startswith("_") and name not in ("lit", "light", "search")
]
