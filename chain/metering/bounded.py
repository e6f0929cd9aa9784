"""The few operations that take long, or need much memory, without a tick: their operands are bounded.

Whatever else takes long walks over values that exist already, and to make these took ticks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

from chain.metering.fuel import BUILTINS, TANK, is_counted, out_of_fuel, remaining

T = TypeVar("T")
MOST_BITS: Final = 2**20  # of a power or a shifted number
MOST_ITEMS: Final = 2**20  # in a text or list that is made at once
MOST_FACTORS: Final = 2**12  # an argument of `factorial` and the like


def power(base: Any, exponent: Any) -> Any:
    """Return `base ** exponent`."""
    if type(exponent) is int and isinstance(base, int) and is_counted():
        if exponent < 0:
            raise ValueError("a negative exponent makes a float: divide by the power with '//'")
        if base.bit_length() * exponent > MOST_BITS:
            out_of_fuel()
    return base**exponent


def _at_most(most: int) -> Callable[[T], T]:
    def bound(value: T) -> T:
        if isinstance(value, int) and value > most and is_counted():
            out_of_fuel()
        return value

    return bound


def long_range(*bounds: int) -> range:
    """Return a range that is passed on, which something may walk over without ticks."""
    made = range(*bounds)
    if made and abs((made[-1] - made[0]) // made.step) >= remaining():
        out_of_fuel()
    return made


def each(items: Iterable[T]) -> Iterator[T]:
    """Yield from `itertools.product` and the like, with a tick for each item."""
    for item in items:
        if 0 not in BUILTINS[TANK]:
            out_of_fuel()
        yield item


def changeable(items: T) -> T:
    """Return a list for a function in C that changes it without calling its methods; refuse a constant."""
    if type(items) is not list and isinstance(items, list):
        items.append(None)  # a constant refuses
        items.pop()
    return items


SHIFT: Final = "__shift__"
COUNT: Final = "__count__"
BUILTINS.update(
    {
        "__power__": power,
        SHIFT: _at_most(MOST_BITS),
        COUNT: _at_most(MOST_ITEMS),
        "__factors__": _at_most(MOST_FACTORS),
        "__range__": long_range,
        "__each__": each,
        "__changeable__": changeable,
    }
)


def _with_word(word: str, module: str, names: str) -> dict[str, str]:
    return {f"{module}.{name}": word for name in names.split()}


# By import path: the word around each argument.
AROUND_ARGUMENTS: Final = {
    **_with_word("__factors__", "math", "factorial comb perm"),
    **_with_word(COUNT, "builtins", "bytes bytearray"),
    **_with_word("__changeable__", "heapq", "heapify heappush heappop heappushpop heapreplace"),
    **_with_word("__changeable__", "bisect", "insort insort_left insort_right"),
}
# The word around the call itself.
AROUND_CALL: Final = _with_word(
    "__each__", "itertools", "product permutations combinations combinations_with_replacement"
) | _with_word("__each__", "itertools", "count cycle repeat")
# By method: the word around each argument.
METHODS: Final = dict.fromkeys(("ljust", "rjust", "center", "zfill", "to_bytes"), COUNT)
