"""Functions of the standard library that work long in one call, made to pay first. Each is told by its path."""

from __future__ import annotations

import bisect
import enum
import json
import math
import operator
import sys
import textwrap
from collections import ChainMap, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import asdict, astuple, fields, is_dataclass
from functools import lru_cache, partial, reduce, wraps
from itertools import accumulate
from textwrap import indent
from typing import Any, Final

from chain.crypto.hashing import keccak
from chain.metering.arithmetic import (
    add,
    multiply,
    power,
    remainder,
    shift,
    subtract,
    take,
    unite,
)
from chain.metering.costs import (
    BUILT,
    charge_items,
    charge_text,
    contains,
    metered,
    metered_if_long,
    pay_keys,
    size_of,
    sort,
)
from chain.metering.fuel import (
    charge,
    charge_8,
    out_of_fuel,
)
from chain.metering.regex import by_function
from chain.metering.value_size import (
    DEEPEST,
    weigh,
)

# Modules of which every function pays for what it is given.
_COSTLY: Final = frozenset(
    [
        "base64",
        "bisect",
        "collections",
        "copy",
        "dataclasses",
        "functools",
        "hashlib",
        "heapq",
        "itertools",
        "json",
        "math",
        "operator",
        "re",
        "enum",
        "string",
        "textwrap",
        "urllib",
    ]
)
# But for these: they do little, or make something that pays later.
_CHEAP: Final = frozenset(
    [
        "collections.abc",
        "functools.wraps",
        "functools.total_ordering",
        "functools.cmp_to_key",
        "operator.attrgetter",
        "operator.itemgetter",
        "operator.methodcaller",
        "heapq.heappush",
        "heapq.heappop",
        "copy.replace",
        "dataclasses.dataclass",
        "dataclasses.field",
        "dataclasses.fields",
        "dataclasses.replace",
        "dataclasses.is_dataclass",
        "dataclasses.KW_ONLY",
        "dataclasses.InitVar",
        "operator.neg",
        "re.Match",
        "re.Pattern",
        "re.error",
        "string.Template",
    ]
)
_COMBINING: Final = frozenset(
    f"itertools.{name}"
    for name in ("combinations", "combinations_with_replacement", "permutations", "product")
)
_COMBINED: Final = 24  # ticks for one of their items, which is made of many
_KEYED: Final = frozenset(
    {"collections.Counter", "collections.OrderedDict", "collections.defaultdict"}
)
_ENUMS: Final = frozenset(
    f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")
)
_BISECTS: Final = ("bisect", "bisect_left", "bisect_right", "insort", "insort_left", "insort_right")
_CALLED: Final = 96  # ticks to find out what is to be paid
_CLASS: Final = 2**16  # to make a class
_TEED: Final = 512  # ticks for two iterators that remember what the other has yet to give
_MOST_MAPS: Final = 8
_MOST_IN_MAP: Final = 64
_MOST_HELD: Final = 64  # arguments
_DEEP: Final = 100  # ticks for a value that is copied or written with all that is in it


def is_costly(path: str) -> bool:
    if path.startswith("enum."):
        return path in _ENUMS
    return path == _KECCAK or (path.partition(".")[0] in _COSTLY and path not in _CHEAP)


@lru_cache(maxsize=4096)
def priced(path: str, function: Any) -> Any:
    """The function as a value, to be called later; a class stays what it is."""
    if not callable(function) or isinstance(function, type) or path.startswith("dataclasses."):
        return function
    return wraps(function)(partial(metered_stdlib_call, path, function))


def metered_stdlib_call(path: str, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """`function(…)`, of the standard library."""
    charge(_CALLED)
    special = _SPECIAL.get(path)
    if special is not None:
        return special(*args, **named)
    if path.startswith("re."):
        return by_function(function.__name__, args, named)
    for each in (*args, *named.values()):
        if isinstance(each, int):
            take(each)
        charge_items(each, BUILT)
    if path in _KEYED:
        args = tuple(map(pay_keys, args))
    args = tuple(metered_if_long(each) if isinstance(each, Iterator) else each for each in args)
    if path == "itertools.tee":
        charge(_TEED)
        return function(metered(args[0]), *args[1:], **named)
    if path.startswith("itertools."):
        ticks = _ticks_of(path, args, named)
        return metered(function(*args, **named), ticks)
    return function(*args, **named)


def _ticks_of(path: str, args: tuple[Any, ...], named: dict[str, Any]) -> int:
    """The price of an item: those of combinations are made of many."""
    if path not in _COMBINING:
        return 4
    many = (
        len(args) * named.get("repeat", 1)
        if path == "itertools.product"
        else [*args, *named.values()][-1]
    )
    if not isinstance(many, int):
        many = len(args[0]) if hasattr(args[0], "__len__") else 1
    charge(1 + max(many, 1) * (1 + sum(map(_size, args))))
    return _COMBINED + many // 2


def _size(items: Any) -> int:
    return (
        len(items)
        if isinstance(items, list | tuple | str | bytes | dict | set | frozenset | range)
        else 1
    )


# Numbers


def _gcd(*numbers: Any) -> int:
    return _by_bits(math.gcd, numbers)


def _lcm(*numbers: Any) -> int:
    return _by_bits(math.lcm, numbers)


def _isqrt(number: Any) -> int:
    return _by_bits(math.isqrt, (number,))


def _by_bits(function: Callable[..., int], numbers: tuple[Any, ...]) -> int:
    for each in numbers:
        if isinstance(each, int):
            charge(1 + take(each) ** 2 // 2**13)
    found = function(*numbers)
    take(found)
    return found


def _factorial(n: int) -> int:
    return charge_big_int(math.factorial, n * n.bit_length(), n)


def _comb(n: int, k: int) -> int:
    return charge_big_int(math.comb, n.bit_length() * min(k, n), n, k)


def _perm(n: int, k: int | None = None) -> int:
    return charge_big_int(
        math.perm, n.bit_length() * (n if k is None else min(k, n)), n, n if k is None else k
    )


def charge_big_int(function: Callable[..., int], bits: int, *args: int) -> int:
    if bits > 2**16 or any(isinstance(each, int) and each.bit_length() > 64 for each in args):
        out_of_fuel()
    charge(1 + max(bits, 0) // 8)
    found = function(*args)
    take(found)
    return found


def _prod(items: Iterable[Any], *, start: Any = 1) -> Any:
    return reduce(multiply, metered(items), start)


def _reduce(function: Any, items: Iterable[Any], *first: Any) -> Any:
    return reduce(_OPERATORS.get(function, function), metered(items), *first)


# What is gone through with all that is in it


def charge_deep(function: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(value: Any, *more: Any, **named: Any) -> Any:
        waiting = [(value, 0)]
        while waiting:
            each, depth = waiting.pop()
            if depth > DEEPEST:
                weigh(value)  # says so
            charge(_DEEP)
            if isinstance(each, str | bytes | bytearray):
                charge(1 + 2 * len(each))
            elif isinstance(each, dict):
                charge(1 + len(each))
                waiting += [(one, depth + 1) for one in (*each.keys(), *each.values())]
            elif isinstance(each, list | tuple | set | frozenset | deque):
                charge(1 + len(each))
                waiting += [(one, depth + 1) for one in each]
            elif is_dataclass(each) and not isinstance(each, type):
                waiting += [(getattr(each, field.name, None), depth + 1) for field in fields(each)]
        return function(value, *more, **named)

    return guarded


def _dumps(value: Any, **named: Any) -> str:
    between, indent = named.get("separators") or (), named.get("indent") or 0
    wide = size_of(indent) if isinstance(indent, str) else indent
    if wide > 16 or sum(map(size_of, between)) > 16:
        raise ValueError(
            "json.dumps takes at most 16 characters to indent by, and between two values"
        )
    return str(_written_deeply(value, **named))


def _partial(function: Any, *args: Any, **named: Any) -> Any:
    """One of another takes over all that this holds."""
    made = partial(
        _OPERATORS.get(function, function)
        if callable(function) and not isinstance(function, type)
        else function,
        *args,
        **named,
    )
    if len(made.args) + len(made.keywords) > _MOST_HELD:
        raise TypeError(f"partial holds at most {_MOST_HELD} arguments")
    return made


def _chain_map(*maps: Any) -> Any:
    """One of a few plain ones: it asks each of them, and counts all that is in them, whenever it is asked."""
    if len(maps) > _MOST_MAPS or any(
        isinstance(each, ChainMap) or size_of(each) > _MOST_IN_MAP for each in maps
    ):
        raise TypeError(
            f"a ChainMap holds at most {_MOST_MAPS} dicts of at most {_MOST_IN_MAP} keys, and no other ChainMap"
        )
    return ChainMap(*maps)


def _class_made(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes a class: one of the module that asks for it, not of this one."""

    def guarded(*args: Any, **named: Any) -> Any:
        charge(_CLASS)
        frame: Any = sys._getframe(1)
        while frame.f_globals.get("__name__") == __name__:
            frame = frame.f_back
        made = function(*args, **named)
        if isinstance(made, type):
            made.__module__ = frame.f_globals["__name__"]
        return made

    return guarded


def _wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(text: Any, *args: Any, **named: Any) -> Any:
        size = size_of(text)
        charge(1 + 32 * size)
        for each in named.values():
            if isinstance(each, str):
                charge_text(size * len(each))
        return function(text, *args, **named)

    return guarded


def _loads(text: Any, **named: Any) -> Any:
    charge_items(text, BUILT)
    return json.loads(text, **named)


def _keccak(data: Any) -> bytes:
    if isinstance(data, bytes | bytearray):
        charge(1 + len(data) // 4)
    return keccak(data)


def _accumulate(items: Iterable[Any], func: Any = None, *, initial: Any = None) -> Iterator[Any]:
    return metered(accumulate(metered(items), func or add, initial=initial))


def _indent(text: str, prefix: str, *args: Any, **named: Any) -> str:
    charge_text(len(text) + (text.count("\n") + 1) * len(prefix))
    charge(1 + 4 * len(text))
    return indent(text, prefix, *args, **named)


def _first(reverse: bool) -> Callable[..., list[Any]]:
    """`heapq.nsmallest` and `nlargest`, which sort inside."""

    def guarded(n: int, iterable: Iterable[Any], key: Any = None) -> list[Any]:
        found = list(charge_items(iterable, BUILT))
        sort(found, key=key, reverse=reverse)
        return found[: max(n, 0)]

    return guarded


def _bisecting(function: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(items: Any, item: Any, *args: Any, **named: Any) -> Any:
        for _ in range(len(items).bit_length()):
            weigh(item)
        if function.__name__.startswith("insort"):
            charge(1 + len(items) // 64)
            charge_8()
        return function(items, item, *args, **named)

    return guarded


_written_deeply: Final = charge_deep(json.dumps)
_KECCAK: Final = "chain.crypto.hashing.keccak"
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
    "math.gcd": _gcd,
    "math.lcm": _lcm,
    "math.isqrt": _isqrt,
    "functools.reduce": _reduce,
    "itertools.accumulate": _accumulate,
    "copy.deepcopy": charge_deep(deepcopy),
    "json.dumps": _dumps,
    "functools.partial": _partial,
    "collections.namedtuple": _class_made(namedtuple),
    "collections.ChainMap": _chain_map,
    **{path: _class_made(getattr(enum, path.removeprefix("enum."))) for path in _ENUMS},
    **{
        f"textwrap.{name}": _wrapping(getattr(textwrap, name))
        for name in ("wrap", "fill", "shorten", "dedent")
    },
    "json.loads": _loads,
    "dataclasses.asdict": charge_deep(asdict),
    "dataclasses.astuple": charge_deep(astuple),
    "heapq.nlargest": _first(True),
    "heapq.nsmallest": _first(False),
    "textwrap.indent": _indent,
    "operator.mul": multiply,
    "operator.pow": power,
    "operator.lshift": shift,
    "operator.add": add,
    "operator.concat": add,
    "operator.sub": subtract,
    "operator.mod": remainder,
    "operator.or_": unite,
    "operator.and_": lambda left, right: unite(left, right, operator.and_),
    "operator.xor": lambda left, right: unite(left, right, operator.xor),
    "operator.eq": lambda left, right: weigh(left) == right,
    "operator.ne": lambda left, right: weigh(left) != right,
    "operator.lt": lambda left, right: weigh(left) < right,
    "operator.le": lambda left, right: weigh(left) <= right,
    "operator.gt": lambda left, right: weigh(left) > right,
    "operator.ge": lambda left, right: weigh(left) >= right,
    "operator.contains": lambda items, item: contains(item, items),
    _KECCAK: _keccak,
    **{f"bisect.{name}": _bisecting(getattr(bisect, name)) for name in _BISECTS},
}
