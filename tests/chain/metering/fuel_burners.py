"""A contract with an entry for each way to burn fuel without end."""

from __future__ import annotations

import itertools
import math
from collections import Counter, deque
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import reduce
from itertools import count, repeat
from operator import mul

from chain import Contract, call, require, view
from chain.types import u64


def around(n: int) -> int:
    return there(n + 1)


def there(n: int) -> int:
    return around(n + 1)


def numbers(n: int) -> Iterator[int]:
    while True:
        yield n
        n += 1


def inner(n: int) -> Iterator[int]:
    yield n
    yield from inner(n + 1)


@dataclass(frozen=True)
class Same:
    n: int

    def __eq__(self, other: object) -> bool:
        return Same(self.n + 1) == other

    __hash__ = None  # type: ignore[assignment]


def _twice(text: str) -> str:
    return text + text


class Stove(Contract):
    """Every entry but the first burns all it gets."""

    lit: u64

    @call
    def light(self) -> u64:
        self.lit += 1
        return self.lit

    @call
    def turn(self) -> None:
        self.lit = 7
        while True:
            pass

    @call
    def count_up(self) -> None:
        self.lit = 7
        n = 0
        while True:
            n += 1

    @call
    def through_a_range(self) -> None:
        self.lit = 7
        total = 0
        for n in range(10**12):
            total += n

    @call
    def go_around(self) -> None:
        self.lit = 7
        around(0)

    @call
    def call_itself(self) -> None:
        self.lit = 7
        self._deeper(0)

    def _deeper(self, n: int) -> int:
        return self._deeper(n + 1) + 1

    @call
    def bend_a_lambda(self) -> None:
        self.lit = 7
        again: Callable[..., object] = lambda f, n: f(f, n + 1)  # noqa: E731
        again(again, 0)

    @call
    def compare_for_ever(self) -> None:
        self.lit = 7
        require(Same(1) == Same(2), "they are not")

    @call
    def catch_all(self) -> None:
        self.lit = 7
        while True:
            try:
                while True:
                    pass
            except Exception:
                self.lit = 8

    @call
    def catch_in_a_ring(self) -> None:
        self.lit = 7
        for _ in range(100):
            try:
                self._deeper(0)
            except Exception:
                self.lit = 8

    @call
    def comprehend(self) -> None:
        self.lit = 7
        [n for n in numbers(0) if n < 0]

    @call
    def generate(self) -> None:
        self.lit = 7
        sum(n * n for n in range(10**10))

    @call
    def yield_inwards(self) -> None:
        self.lit = 7
        for _ in inner(0):
            pass

    @call
    def add_up(self) -> None:
        self.lit = 7
        sum(range(10**9))

    @call
    def add_up_again_and_again(self) -> None:
        self.lit = 7
        some = list(range(500))
        while True:
            sum(some)

    @call
    def find_the_highest(self) -> None:
        self.lit = 7
        max(range(10**9))

    @call
    def ask_them_all(self) -> None:
        self.lit = 7
        all(count(1))

    @call
    def collect(self) -> None:
        self.lit = 7
        list(range(10**9))

    @call
    def collect_by_function(self) -> None:
        self.lit = 7
        set(map(str, range(10**9)))

    @call
    def filter_nothing(self) -> None:
        self.lit = 7
        next(filter(None, repeat(0)))

    @call
    def drain(self) -> None:
        self.lit = 7
        deque(itertools.count(), maxlen=0)

    @call
    def count_all(self) -> None:
        self.lit = 7
        Counter(range(10**9))

    @call
    def call_until(self) -> None:
        self.lit = 7
        list(iter(int, 1))

    @call
    def sort(self) -> None:
        self.lit = 7
        sorted(range(10**9))

    @call
    def search(self) -> None:
        self.lit = 7
        some = list(range(1000))
        while -1 not in some:
            pass

    @call
    def search_without_end(self) -> None:
        self.lit = 7
        require(-1 in itertools.cycle([1, 2]), "it is not there")

    @call
    def spread(self) -> None:
        self.lit = 7
        [*range(10**9)]

    @call
    def take_the_rest(self) -> None:
        self.lit = 7
        _, *_ = range(10**9)

    @call
    def extend(self) -> None:
        self.lit = 7
        lit: list[int] = []
        lit.extend(range(10**9))

    @call
    def raise_to_a_power(self) -> None:
        self.lit = 7
        7**10**7

    @call
    def raise_by_name(self) -> None:
        self.lit = 7
        pow(7, 10**7)

    @call
    def square(self) -> None:
        self.lit = 7
        n = 3
        while True:
            n *= n

    @call
    def double(self) -> None:
        self.lit = 7
        n = 3
        while True:
            n = n + n

    @call
    def shift(self) -> None:
        self.lit = 7
        by = 10**9
        1 << by

    @call
    def multiply_out(self) -> None:
        self.lit = 7
        math.factorial(10**6)

    @call
    def reduce(self) -> None:
        self.lit = 7
        reduce(mul, range(1, 10**6))

    @call
    def repeat_text(self) -> None:
        self.lit = 7
        "a" * 10**9

    @call
    def repeat_list(self) -> None:
        self.lit = 7
        n = 10**9
        [0] * n

    @call
    def double_text(self) -> None:
        self.lit = 7
        text = "a"
        while True:
            text += text

    @call
    def double_by_a_helper(self) -> None:
        text = "ab"
        while True:
            text = _twice(text)

    @call
    def prepend(self) -> None:
        self.lit = 7
        line: tuple[int, ...] = ()
        while True:
            line = (1, *line)

    @call
    def copy_slices(self) -> None:
        self.lit = 7
        some = list(range(1000))
        while True:
            some = some[:]

    @call
    def copy_deeply(self) -> None:
        self.lit = 7
        some = [list(range(100)) for _ in range(10)]
        while True:
            deepcopy(some)

    @call
    def widen(self) -> None:
        self.lit = 7
        "a".ljust(10**9)

    @call
    def format(self) -> None:
        self.lit = 7
        width = 10**9
        f"{self.lit:>{width}}"

    @call
    def format_by_percent(self) -> None:
        self.lit = 7
        self.log("%1000000000d" % self.lit)  # noqa: UP031

    @call
    def format_by_template(self) -> None:
        self.lit = 7
        f"{1:>1000000000}"

    @call
    def blow_up(self) -> None:
        self.lit = 7
        text = "a" * 1000
        while True:
            text = text.replace("a", "aa")

    @call
    def make_bytes(self) -> None:
        self.lit = 7
        bytes(10**9)

    @call
    def join(self) -> None:
        self.lit = 7
        "".join(map(str, range(10**9)))

    @call
    def permute(self) -> None:
        self.lit = 7
        list(itertools.permutations(range(14)))

    @call
    def write_twice(self) -> None:
        self.lit = 7
        text = "a"
        while True:
            text = f"{text}{text}"

    @call
    def put_into_itself(self) -> None:
        self.lit = 7
        some = [1]
        while True:
            some[len(some) :] = some

    @call
    def unite(self) -> None:
        self.lit = 7
        some = {0}
        while True:
            some = some | {len(some)}

    @call
    def copy_a_dict(self) -> None:
        self.lit = 7
        some = {0: 0}
        while True:
            some = {**some, len(some): 0}

    @call
    def widen_by_type(self) -> None:
        self.lit = 7
        self.log(str.ljust("a", 10**9))

    @call
    def format_by_function(self) -> None:
        self.lit = 7
        format(1, ">1000000000")

    @view
    def look(self) -> u64:
        while True:
            pass


BURNERS = [name for name, entry in Stove.__spec__.entries.items() if name not in ("light", "look")]
