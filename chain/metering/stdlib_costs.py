"""Prices of standard library functions that do much work in one call. Functions are recognized by their import path."""

from __future__ import annotations

import bisect
import enum
import json
import math
import operator
import sys
import textwrap
from collections import defaultdict, namedtuple
from collections.abc import Callable, Iterable, Iterator, Sized
from copy import deepcopy
from dataclasses import asdict, astuple
from functools import cmp_to_key, lru_cache, partial, reduce, wraps
from heapq import merge
from itertools import accumulate, groupby
from textwrap import indent
from typing import Any, Final, NamedTuple, TypeVar

from chain.metering import enum_classes, named_tuples
from chain.metering.arithmetic import (
    add,
    differ,
    multiply,
    power,
    remainder,
    shift,
    subtract,
    take,
    unite,
)
from chain.metering.builtin_costs import (
    BUILT,
    charge_items,
    charge_text,
    metered,
    metered_if_long,
    pay_keys,
    pay_pairs,
    size_of,
    sort,
)
from chain.metering.deep_costs import charge_deep
from chain.metering.fuel import charge, charge_8
from chain.metering.lookup_costs import contains
from chain.metering.number_costs import by_bits, comb, factorial, perm, prod
from chain.metering.own_costs import OWN, TYPES
from chain.metering.regex import by_function
from chain.metering.stable_stdlib import ALIKE, dedent
from chain.metering.value_size import weigh, weight_of
from chain.source.newer_python import check_keywords
from chain.source.word_sets import word_set

T = TypeVar("T")

# Modules whose functions all charge for their arguments.
_COSTLY: Final = word_set(
    """
    base64 bisect collections copy dataclasses functools hashlib heapq itertools json math operator re enum string
    textwrap urllib
    """
)
# The exceptions: they do little, or return something that charges later.
_CHEAP: Final = word_set(
    """
    collections.abc functools.total_ordering operator.attrgetter
    operator.itemgetter operator.methodcaller heapq.heappush heapq.heappop copy.replace dataclasses.dataclass
    dataclasses.replace dataclasses.is_dataclass dataclasses.KW_ONLY
    dataclasses.InitVar operator.neg re.Match re.Pattern re.error string.Template
    """
)
_COMBINING: Final = frozenset(
    f"itertools.{name}"
    for name in ("combinations", "combinations_with_replacement", "permutations", "product")
)
_COMBINED: Final = 24  # ticks for one of their items, which combines many
_KEYED: Final = frozenset({"collections.Counter", "collections.OrderedDict"})
_ENUMS: Final = frozenset(
    f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")
)
_BISECTS: Final = ("bisect", "bisect_left", "bisect_right", "insort", "insort_left", "insort_right")
_COMPARISONS: Final = ("eq", "ne", "lt", "le", "gt", "ge")
_NAMED_TUPLE: Final = "typing.NamedTuple"
_MAKING: Final = ("dataclasses.", _NAMED_TUPLE)  # they make classes, or stand for one
_CALLED: Final = 96  # ticks to determine the price
_CLASS: Final = 2**16  # ticks to create a class
_CALLED_BACK: Final = 24  # ticks for a call of the author's function by one of Python's
_CREATED: Final = 24  # ticks for a value that a `defaultdict` creates
_WRAPPED: Final = 256  # ticks to make one function look like another
_TEED: Final = 512  # ticks for the iterators of `tee`, which buffer items for one another
_MOST_HELD: Final = 64  # arguments of a `partial`
_DEEP: Final = 100  # ticks for each value that is copied or written deeply
_COMPARED: Final = 16  # ticks for a comparison of items that `heapq.merge` holds


def is_costly(path: str) -> bool:
    """True if the function at an import path charges before it runs."""
    if path.startswith("enum."):
        return path in _ENUMS
    if path in OWN or path == _NAMED_TUPLE:
        return True
    return path.partition(".")[0] in _COSTLY and path not in _CHEAP


@lru_cache(maxsize=4096)
def priced(path: str, function: object) -> object:
    """Return the function as a value that charges when it is called later; a class is returned unchanged."""
    is_kept = isinstance(function, type) or path in TYPES or path.startswith(_MAKING)
    if is_kept or not callable(function):
        return function
    return wraps(function)(partial(metered_stdlib_call, path, function))


def metered_stdlib_call(
    path: str, function: Callable[..., Any], *args: Any, **named: object
) -> object:
    """Return `function(…)`, of the standard library, charged before it runs."""
    charge(_CALLED)
    check_keywords(path, named)
    special = _SPECIAL.get(path)
    if special is not None:
        return special(*args, **named)
    if path.startswith("re."):
        # `re.match` has another name since 3.15.
        return by_function(path.removeprefix("re."), args, named)
    function = ALIKE.get(path, function)
    for arg in (*args, *named.values()):
        if isinstance(arg, int):
            take(arg)
        charge_items(arg, BUILT)
    if path in _KEYED:
        args = tuple(map(pay_keys, args))
    args = tuple(metered_if_long(arg) if isinstance(arg, Iterator) else arg for arg in args)
    if path == "itertools.tee":
        charge(_TEED)
        return function(metered(args[0]), *args[1:], **named)
    if path.startswith("itertools."):
        ticks = _ticks_of(path, args, named)
        return metered(function(*args, **named), ticks)
    return function(*args, **named)


def _ticks_of(path: str, args: tuple[Any, ...], named: dict[str, Any]) -> int:
    """Return the ticks for an item of an iterator from `itertools`. Items of combinations consist of many values."""
    if path not in _COMBINING:
        return 4
    length = (
        len(args) * named.get("repeat", 1)
        if path == "itertools.product"
        else [*args, *named.values()][-1]
    )
    if not isinstance(length, int):
        length = len(args[0]) if hasattr(args[0], "__len__") else 1
    charge(1 + max(length, 1) * (1 + sum(map(_size, args))))
    return _COMBINED + length // 2


def _size(items: object) -> int:
    return (
        len(items)
        if isinstance(items, list | tuple | str | bytes | dict | set | frozenset | range)
        else 1
    )


def _reduce(function: Any, items: Iterable[object], *first: object) -> object:
    return reduce(_OPERATORS.get(function, function), metered(items), *first)


# Functions that process nested values


def _dumps(value: object, **named: Any) -> str:
    separators, indent = named.get("separators") or (), named.get("indent") or 0
    width = size_of(indent) if isinstance(indent, str) else indent
    if width > 16 or sum(map(size_of, separators)) > 16:
        raise ValueError(
            "json.dumps accepts at most 16 characters of indentation, and of separators"
        )
    text = str(_written_deeply(value, **named))
    charge_text(len(text))  # the indentation is known only now
    return text


def _partial(function: Any, *args: object, **named: object) -> object:
    """Return a `partial` with a limited number of arguments, since a partial of a partial takes over its arguments."""
    new = partial(
        _OPERATORS.get(function, function)
        if callable(function) and not isinstance(function, type)
        else function,
        *args,
        **named,
    )
    if len(new.args) + len(new.keywords) > _MOST_HELD:
        raise TypeError(f"partial holds at most {_MOST_HELD} arguments")
    return new


def _class_made(function: Callable[..., T]) -> Callable[..., T]:
    """Return a function that creates a class and assigns it to the calling module instead of this one."""

    def guarded(*args: object, **named: object) -> T:
        charge(_CLASS)
        frame: Any = sys._getframe(1)
        while frame.f_globals.get("__name__") == __name__:
            frame = frame.f_back
        new = function(*args, **named)
        if isinstance(new, type):
            new.__module__ = frame.f_globals["__name__"]
            if isinstance(new, enum.EnumType):
                enum_classes.adapt(new)
            named_tuples.adapt(new)
        return new

    return guarded


def _wrapping(function: Callable[..., T]) -> Callable[..., T]:
    def guarded(text: object, *args: object, **named: object) -> T:
        size = size_of(text)
        charge(1 + 48 * size)
        width = [*args, named.get("width", 70)][0]
        if isinstance(width, int):  # each line of a long word copies the rest of it
            charge(1 + size * size // (max(width, 1) * 128))
        for value in named.values():
            if isinstance(value, str):
                charge_text(size * len(value))
        return function(text, *args, **named)

    return guarded


def _loads(text: Any, **named: Any) -> object:
    charge_items(text, BUILT)
    return json.loads(text, **named)


def _accumulate(
    items: Iterable[object],
    func: Callable[[Any, Any], object] | None = None,
    *,
    initial: object = None,
) -> Iterator[object]:
    return metered(accumulate(metered(items), func or add, initial=initial))


def _groupby(
    iterable: Iterable[Any], key: Callable[[Any], object] | None = None
) -> Iterator[object]:
    weighed: Callable[[Any], object] = weigh if key is None else lambda item: weigh(key(item))
    return metered(groupby(metered(iterable), weighed))


def _heads_weighed(*sources: Iterable[Any], **how: Any) -> Iterator[object]:
    """Return `heapq.merge`, whose items each take part in a comparison for each doubling of the sources."""
    charge(_DEEP * len(sources))
    rounds = len(sources).bit_length()

    def weighed(item: Any) -> Any:
        charge((_COMPARED + weight_of(item)) * rounds)
        return item

    return metered(merge(*(map(weighed, metered(each)) for each in sources), **how))


def _indent(text: str, prefix: str, predicate: Callable[[str], bool] | None = None) -> str:
    charge_text(len(text) + (text.count("\n") + 1) * len(prefix))
    charge(1 + 4 * len(text))
    return indent(text, prefix, predicate)


def _first(reverse: bool) -> Callable[..., list[object]]:
    """Return `heapq.nsmallest` or `nlargest`, implemented by sorting."""

    def guarded(n: int, iterable: Iterable[T], key: Callable[[T], Any] | None = None) -> list[T]:
        ordered = list(charge_items(iterable, BUILT))
        sort(ordered, key=key, reverse=reverse)
        return ordered[: max(n, 0)]

    return guarded


def _bisecting(function: Callable[..., T]) -> Callable[..., T]:
    def guarded(items: Sized, item: object, *args: object, **named: object) -> T:
        for _ in range(len(items).bit_length()):
            weigh(item)
        if function.__name__.startswith("insort"):
            charge(1 + len(items) // 64)
            charge_8()
        return function(items, item, *args, **named)

    return guarded


def _comparing(function: Callable[..., T]) -> Callable[..., T]:
    return lambda left, right: function(weigh(left), right)


def _comparing_by(function: Callable[[Any, Any], Any]) -> object:
    def compared(left: object, right: object) -> Any:
        charge(_CALLED_BACK)
        return function(left, right)

    return cmp_to_key(compared)


def _defaults(factory: Any = None, *args: Any, **named: object) -> object:
    """Return a `defaultdict` that charges for each value that it creates."""

    def made() -> Any:
        charge(_CREATED)
        return factory()

    pairs = map(pay_pairs, args)
    return defaultdict(made if callable(factory) else factory, *pairs, **named)


def _wrapped(*args: Any, **named: Any) -> object:
    charge(_WRAPPED)
    return wraps(*args, **named)


def _seeking(function: Callable[[Any, object], int]) -> Callable[[Any, object], int]:
    """Return `operator.countOf` or `indexOf`, charged for a comparison with each item."""

    def guarded(items: Any, item: object) -> int:
        charge(1 + weight_of(item) * min(size_of(items), 2**40))
        return function(metered(items), item)

    return guarded


_written_deeply: Final = charge_deep(json.dumps)
_OPERATORS: Final = {
    operator.mul: multiply,
    operator.pow: power,
    operator.lshift: shift,
    operator.add: add,
    operator.concat: add,
}
_SPECIAL: Final[dict[str, Callable[..., object]]] = {
    "math.factorial": factorial,
    "math.comb": comb,
    "math.perm": perm,
    "math.prod": prod,
    **{
        f"math.{each.__name__}": partial(by_bits, each) for each in (math.gcd, math.lcm, math.isqrt)
    },
    "functools.reduce": _reduce,
    "functools.cmp_to_key": _comparing_by,
    "collections.defaultdict": _defaults,
    "functools.wraps": _wrapped,
    "itertools.accumulate": _accumulate,
    "itertools.groupby": _groupby,
    "copy.deepcopy": charge_deep(deepcopy, is_once=True),
    "json.dumps": _dumps,
    "functools.partial": _partial,
    "collections.namedtuple": _class_made(namedtuple),
    _NAMED_TUPLE: _class_made(NamedTuple),
    **{path: _class_made(getattr(enum, path.removeprefix("enum."))) for path in _ENUMS},
    **{
        f"textwrap.{name}": _wrapping(getattr(textwrap, name))
        for name in ("wrap", "fill", "shorten")
    },
    "textwrap.dedent": _wrapping(dedent),
    "json.loads": _loads,
    "dataclasses.asdict": charge_deep(asdict),
    "dataclasses.astuple": charge_deep(astuple),
    "heapq.merge": _heads_weighed,
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
    "operator.xor": differ,
    **{f"operator.{name}": _comparing(getattr(operator, name)) for name in _COMPARISONS},
    "operator.countOf": _seeking(operator.countOf),
    "operator.indexOf": _seeking(operator.indexOf),
    "operator.contains": lambda items, item: contains(item, items),
    **OWN,
    **{f"bisect.{name}": _bisecting(getattr(bisect, name)) for name in _BISECTS},
}
