"""Functions of the standard library that work long in one call, made to pay first. Each is told by its path."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import reduce
from typing import Any, Final

from chain.image.meter import charge, dry, spend
from chain.image.work import (
    BUILT,
    MOST_BITS,
    add,
    contains,
    multiply,
    pay,
    power,
    shift,
    slow,
    turns,
)  # fmt: skip

# Modules of which every function pays for what it is given.
_COSTLY: Final = frozenset(
    [
        "base64",
        "collections",
        "copy",
        "functools",
        "hashlib",
        "heapq",
        "itertools",
        "json",
        "math",
        "operator",
        "re",
        "string",
        "textwrap",
        "urllib",
    ]
)
# But for these: they do little, or make something that pays later.
_CHEAP: Final = frozenset(
    [
        "collections.abc",
        "collections.namedtuple",
        "functools.partial",
        "functools.wraps",
        "functools.total_ordering",
        "functools.cmp_to_key",
        "operator.attrgetter",
        "operator.itemgetter",
        "operator.methodcaller",
        "heapq.heappush",
        "heapq.heappop",
        "copy.replace",
        "re.compile",
        "string.Template",
    ]
)
_COMBINING: Final = frozenset(
    f"itertools.{name}"
    for name in ("combinations", "combinations_with_replacement", "permutations", "product")
)
_COMBINED: Final = 24  # ticks for one of their items, which is made of many
_DEEP: Final = 60  # ticks for a value that is copied or written with all that is in it


def is_costly(path: str) -> bool:
    return path.partition(".")[0] in _COSTLY and path not in _CHEAP


def library(path: str, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """`function(…)`, of the standard library."""
    spend()
    special = _SPECIAL.get(path)
    if special is not None:
        return special(*args, **named)
    for each in (*args, *named.values()):
        if isinstance(each, int) and each.bit_length() > MOST_BITS:
            dry()
        pay(each, BUILT)
    args = tuple(slow(each) if isinstance(each, Iterator) else each for each in args)
    if path.startswith("itertools.") and path != "itertools.tee":
        return turns(function(*args, **named), _COMBINED if path in _COMBINING else 4)
    return function(*args, **named)


# Numbers


def _factorial(n: int) -> int:
    return _big(math.factorial, n * n.bit_length(), n)


def _comb(n: int, k: int) -> int:
    return _big(math.comb, n.bit_length() * min(k, n), n, k)


def _perm(n: int, k: int | None = None) -> int:
    return _big(
        math.perm, n.bit_length() * (n if k is None else min(k, n)), n, n if k is None else k
    )


def _big(function: Callable[..., int], bits: int, *args: int) -> int:
    if bits > MOST_BITS:
        dry()
    charge(1 + max(bits, 0) // 8)
    return function(*args)


def _prod(items: Iterable[Any], *, start: Any = 1) -> Any:
    return reduce(multiply, turns(items), start)


def _reduce(function: Any, items: Iterable[Any], *first: Any) -> Any:
    return reduce(_OPERATORS.get(function, function), turns(items), *first)


# What is gone through with all that is in it


def _deep(function: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(value: Any, *more: Any, **named: Any) -> Any:
        waiting = [value]
        while waiting:
            each = waiting.pop()
            charge(_DEEP)
            if isinstance(each, dict):
                waiting += [*each.keys(), *each.values()]
            elif isinstance(each, list | tuple | set | frozenset):
                waiting += each
            elif is_dataclass(each) and not isinstance(each, type):
                waiting += [getattr(each, field.name, None) for field in fields(each)]
        return function(value, *more, **named)

    return guarded


_OPERATORS: Final = {
    operator.mul: multiply,
    operator.pow: power,
    operator.lshift: shift,
    operator.add: add,
    operator.concat: add,
}
_SPECIAL: Final[dict[str, Callable[..., Any]]] = {
    "math.factorial": _factorial,
    "math.comb": _comb,
    "math.perm": _perm,
    "math.prod": _prod,
    "functools.reduce": _reduce,
    "copy.deepcopy": _deep(deepcopy),
    "json.dumps": _deep(json.dumps),
    "operator.mul": multiply,
    "operator.pow": power,
    "operator.lshift": shift,
    "operator.add": add,
    "operator.concat": add,
    "operator.contains": lambda items, item: contains(item, items),
}
