"""Charges for builtins that run for long without a tick: before they run, by the size of their arguments or their result.

These functions replace builtins, operators and methods where the source of an instrumented copy calls them
(`chain.metering.rewrite` decides where). An endless iterator (`itertools.count`, `map` over it) is wrapped in a generator that
ticks, so a builtin that drains it pays as a loop would. Functions that compare items also pay for the weight of the items.
"""

from __future__ import annotations

from collections import deque
from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Reversible,
    Sized,
    ValuesView,
)
from enum import Enum
from functools import partial
from types import GeneratorType, MappingProxyType
from typing import Any, Final, TypeVar

from chain.metering.charged_deques import Deque
from chain.metering.frozen_collections import CONSTANTS
from chain.metering.fuel import INSTRUMENTED_BUILTINS, charge, charge_8, out_of_fuel
from chain.metering.ordered_sets import OrderedFrozenSet, OrderedSet
from chain.metering.stable_sort import is_quiet, merged
from chain.metering.stable_text import worded
from chain.metering.value_size import ByClass, keys, pairs, weigh, weigh_written, weight_of
from chain.source.newer_python import KEYWORDS, check_keywords
from chain.storage.frozen_list import FrozenList

T = TypeVar("T")
V = TypeVar("V")

_MADE: Final = 128  # ticks for an iterator over another iterable
FREE: Final = 16  # items that cost nothing beyond the tick of the call
BUILT: Final = 4  # ticks for an item that is put into a new list or tuple
KEYS: Final = 12  # ticks for an item that becomes a key of a set or dict
TEXT: Final = 4  # characters or bytes for a tick
_FREE_TEXT: Final = TEXT * FREE  # characters or bytes that cost nothing beyond that

SIZED: Final[tuple[type[Sized], ...]] = (
    list, tuple, set, frozenset, dict, str, bytes, bytearray, memoryview, range, deque, KeysView, ValuesView, ItemsView,
    MappingProxyType, type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip
_WORD: Final = 2**256  # smaller integers are formatted in a few steps
_LEAST_WORD: Final = -_WORD
_SHORT_INT: Final = 2**63  # smaller integers have no more digits than are free
_LEAST_SHORT: Final = -_SHORT_INT
MOST_BYTES: Final = 2**20  # in one text
_PICTURED: Final = 64  # ticks for the text of a value that is neither a text nor a number
FORMAT_BY_STR: Final = object.__format__
_MOST_DIGITS: Final = 620  # of an integer

_TEXTS: Final = (str, bytes, bytearray)
_WRITTEN: Final = (str, bytes)
SETS: Final = frozenset({set, frozenset, OrderedSet, OrderedFrozenSet})
_PLAIN: Final = CONSTANTS | SETS | {*_TEXTS, list, FrozenList, tuple, dict}
# Types with a length, to be recognized by `type` alone, which is faster than `isinstance`.
ROWS: Final = frozenset(
    {
        list,
        FrozenList,
        tuple,
        dict,
        str,
        bytes,
        bytearray,
        Deque,
        type({}.keys()),
        type({}.values()),
        type({}.items()),
    }
)


def size_of(items: Any) -> int:
    """Return the number of items, 0 for an iterator or another value without a length."""
    items_type = type(items)
    if items_type in ROWS:
        return len(items)
    if not _has_size[items_type]:
        return 0
    try:
        return len(items)
    except OverflowError:  # a range that is too long for `len`
        return out_of_fuel()


def charge_items(items: Any, each: int = 1) -> Any:
    """Charge `each` ticks per item for a walk over `items`, and return them. An iterator is charged while it is drained."""
    kind = type(items)
    if kind is GeneratorType:  # it ticks by itself
        return items
    size = len(items) if kind in _PLAIN else size_of(items)
    if size > FREE:
        charge(size * each)
    elif each > 1 and _is_iterator[kind]:
        return metered(items, 4 * each)
    return items


@ByClass
def _is_iterator(kind: type) -> bool:
    return issubclass(kind, Iterator)


@ByClass
def _has_size(kind: type) -> bool:
    return issubclass(kind, SIZED)


def charge_new_items(items: Any) -> object:
    """Charge for a walk that puts each item into a new collection, and return the items."""
    size = len(items) if type(items) in _PLAIN else 0
    if size > FREE:
        charge(size * BUILT)
        return items
    return charge_items(items, BUILT) if not size else items


def pay_keys(items: object) -> object:
    """Charge for a walk that makes each item a key, and return the items."""
    return keys(charge_items(items, KEYS))


def pay_pairs(items: object) -> object:
    """Charge for a walk that makes the first part of each pair a key, and return the pairs."""
    return pairs(charge_items(items, KEYS))


def charge_text(size: int) -> None:
    """Charge for a text of `size` characters or bytes. Run out of gas if that is too long."""
    if size > MOST_BYTES:
        out_of_fuel()
    if size > _FREE_TEXT:
        charge(size // TEXT)


# Iterators


def metered(source: Iterable[T], each: int = 4) -> Iterator[T]:
    """Yield from `source`, charging `each` ticks per item, sixteen items at a time."""
    prepaid = 0
    for item in source:
        if not prepaid:
            charge(each * FREE)
            prepaid = FREE
        prepaid -= 1
        yield item


def metered_if_long(source: Any, each: int = 4) -> Any:
    """Return `source` so that draining it is charged. Return it unchanged if it is short or ticks by itself."""
    if type(source) in ROWS and len(source) <= FREE:
        return source
    if type(source) is GeneratorType or (isinstance(source, SIZED) and len_is_short(source)):
        return source
    return metered(source, each)


def len_is_short(source: Any) -> bool:
    try:
        return len(source) <= FREE
    except OverflowError:
        return False


def metered_lazy_builtin(
    real: Callable[..., object], first: int = 0, last: int | None = None, each: int = 4
) -> Callable[..., object]:
    """Return `real` wrapped so that its arguments from `first` to `last` are charged while they are drained, `each` ticks for
    an item."""

    path, sources = f"builtins.{real.__name__}", slice(first, last)
    has_newer = path in KEYWORDS

    def guarded(*args: Any, **named: object) -> object:
        charge(_MADE)
        if len(args) > FREE:
            charge(len(args) * FREE)
        if has_newer:
            check_keywords(path, named)
        for arg in args[sources]:
            if type(arg) not in ROWS or len(arg) > FREE:
                break
        else:
            return real(*args, **named)
        arguments = list(args)
        arguments[sources] = [metered_if_long(arg, each) for arg in args[sources]]
        return real(*arguments, **named)

    return guarded


def guarded_iter(source: Any, *sentinel: object) -> Iterator[object]:
    if type(source) is GeneratorType and not sentinel:
        return source
    charge(_MADE)
    if sentinel:  # each item is compared with it
        return metered(iter(source, *sentinel), 4 + weight_of(sentinel[0]))
    return iter(metered_if_long(source))


def guarded_reversed(items: Reversible[T]) -> Iterator[T]:
    charge(_MADE)
    return slow_turns(reversed(items), items)


def slow_turns(made: Iterator[T], items: object) -> Iterator[T]:
    """Return the iterator `made`, charged while it is drained unless `items` are few."""
    return made if isinstance(items, SIZED) and len_is_short(items) else metered(made)


# Builtins that drain their arguments


def metered_builtin(
    real: Callable[..., object], paid: Callable[[object], object], begun: int = 0
) -> Callable[..., object]:
    """Return `real` wrapped so that `paid` charges for its first argument. `begun` is the ticks for the call itself."""

    def guarded(*args: Any, **named: object) -> object:
        if begun:
            charge(begun)
        if args:
            return real(paid(args[0]), *args[1:], **named)
        return real(**named)

    return guarded


def guarded_sorted(items: Iterable[T], **how: Any) -> list[T]:
    result = list(charge_items(items, BUILT))
    sort(result, **how)
    return result


def sort(items: list[T], *, key: Callable[[T], Any] | None = None, reverse: bool = False) -> None:
    """Sort a list in place. Each item pays for as many comparisons as it may take part in."""
    rounds = len(items).bit_length()
    if len(items) > FREE:
        charge(len(items) * rounds)
    sort_keys = items
    if key is None:
        charge(1 + weight_of(items) * rounds)
    else:
        sort_keys = list(map(_weighing(key, rounds), list(items)))
        if len(sort_keys) != len(items):
            raise ValueError("a list is changed while it is sorted")
    if not is_quiet(sort_keys):
        items[:] = merged(items, sort_keys, bool(reverse))
    elif key is None:
        items.sort(reverse=reverse)
    else:
        # `list.sort` asks for the keys in the order in which they were computed.
        items.sort(key=partial(next, iter(sort_keys)), reverse=reverse)


def _weighing(key: Callable[[T], V], times: int) -> Callable[[T], V]:
    """Return a key function that charges for `times` comparisons of each key."""

    def weighed(item: T) -> V:
        value = key(item)
        if type(value) is not int:
            charge(FREE + weight_of(value) * times)
        return value

    return weighed


def guarded_extreme(real: Callable[..., object]) -> Callable[..., object]:
    """Return `min` or `max` with charges."""

    def guarded(*items: object, **how: Any) -> object:
        if how.get("key") is not None:
            how["key"] = _weighing(how["key"], 1)
        if len(items) != 1:
            return real(*map(weigh, items), **how)
        paid = charge_items(items[0])
        if not isinstance(paid, Iterator):
            return real(weigh(paid), **how)
        return real(
            paid if type(paid) is GeneratorType and "key" in how else map(weigh, paid), **how
        )

    return guarded


def guarded_str(
    real: Callable[..., object],
    words: Callable[[object], object],
    charged: Callable[[object], object],
) -> Callable[..., object]:
    """Return `str`, `repr` or `ascii` with charges for everything the value holds. `words` makes the text stable."""

    def guarded(*args: Any, **named: object) -> object:
        if len(args) == 1 and type(args[0]) is int and _LEAST_SHORT < args[0] < _SHORT_INT:
            return real(*args, **named)  # the usual case: so few digits cost nothing more
        if args:
            charged(args[0])
            args = words(args[0]), *args[1:]
        return written(real(*args, **named))

    return guarded


def charge_shown(value: object) -> object:
    """Charge for a value that becomes part of a text as by `str`, and return the value to format."""
    kind = type(value)
    if kind is not str and kind is not int and tells_itself(kind):
        return value
    return charge_pictured(value)


def tells_itself(kind: Any) -> bool:
    """True if the text of such a value is made by code that ticks."""
    return (
        getattr(kind.__str__, "__builtins__", None) is INSTRUMENTED_BUILTINS
        and kind.__format__ is FORMAT_BY_STR
    )


def charge_pictured(value: object) -> object:
    """Charge for a value that becomes part of a text as by `repr`, and return the value to format."""
    if type(value) is int and _LEAST_WORD < value < _WORD:
        return value
    if isinstance(value, _TEXTS):
        charge_8()
        if len(value) > _FREE_TEXT:
            charge_text(len(value))
        return value
    if isinstance(value, int) and not isinstance(value, Enum):
        return pay_for_digits(value)
    charge(2 * _PICTURED if isinstance(value, Enum) else _PICTURED)
    return worded(weigh(value) if type(value).__module__ != "builtins" else weigh_written(value))


def written(text: T) -> T:
    """Charge for a finished text by its length, where the length was not known before. Return the text."""
    if isinstance(text, _WRITTEN):
        charge_text(2 * len(text))
    return text


def guarded_sum(items: Iterable[Any], start: Any = 0) -> object:
    if isinstance(start, int):
        return sum(charge_items(items), start)
    for item in metered(items):
        size = size_of(start) + size_of(item)
        charge(1 + size)
        start = start + item
    return start


def guarded_bytes(real: type) -> Callable[..., object]:
    """Return `bytes` or `bytearray` with charges."""

    def guarded(*args: Any, **named: object) -> object:
        if args and isinstance(args[0], int):
            charge_text(args[0])
        elif args:
            charge_items(args[0])
        return real(*args, **named)

    return guarded


def pay_for_digits(number: T) -> T:
    """Charge for formatting `number`, which takes time quadratic in its length. Return the number."""
    if isinstance(number, int) and not _LEAST_WORD < number < _WORD:
        charge(number.bit_length() // 4)
    return number


def guarded_digits(real: Callable[..., object]) -> Callable[..., object]:
    """Return `hex` or a similar function with charges."""

    def guarded(number: object, *args: object) -> object:
        charge_8()
        for digits in args:  # `round(n, -600)`, which divides by a power of ten
            size = abs(digits) if isinstance(digits, int) else 0
            if size > _MOST_DIGITS:
                out_of_fuel()
            charge(1 + size // TEXT)
        return real(pay_for_digits(number), *args)

    return guarded
