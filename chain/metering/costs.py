"""What works long without a tick, made to pay for it before it begins: by the size of what goes in, or of what will come out.

These stand in the place of builtins, operators and methods where the source of an image calls them (`shapes` says where). What
yields without end (`itertools.count`, `map` over it) yields through a loop of ours that ticks, so whoever drains it in one go
pays as a loop would. What compares what it finds pays for the weight of that as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Sized, ValuesView
from enum import Enum, EnumType
from functools import partial
from types import GeneratorType, MappingProxyType
from typing import Any, Final

from chain.metering.frozen_collections import CONSTANTS
from chain.metering.fuel import (
    charge,
    charge_8,
    out_of_fuel,
)
from chain.metering.ordered_sets import (
    Keys,
    OrderedFrozenSet,
    OrderedSet,
)
from chain.metering.stable_sort import (
    is_quiet,
    merged,
)
from chain.metering.stable_text import worded
from chain.metering.value_size import (
    LIGHT,
    keys,
    pairs,
    weigh,
    weigh_written,
    weight_of,
)
from chain.storage.frozen_list import FrozenList

_MADE: Final = 128  # ticks for an iterator over another
FREE: Final = 16  # items that cost nothing beside the tick of the call
BUILT: Final = 4  # ticks for an item that is put into a new collection
KEYS: Final = 12  # and where it is found by its hash
TEXT: Final = 4  # characters or bytes for a tick

_SIZED: Final[tuple[type[Sized], ...]] = (
    list, tuple, set, frozenset, dict, str, bytes, bytearray, memoryview, range, deque, KeysView, ValuesView, ItemsView,
    MappingProxyType, type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip
_WORD: Final = 2**256  # what is written in a few steps
MOST_BYTES: Final = 2**20  # of one text

_TEXTS: Final = (str, bytes, bytearray)
_SETS: Final = frozenset({set, frozenset, OrderedSet, OrderedFrozenSet})
_PLAIN: Final = CONSTANTS | _SETS | {*_TEXTS, list, FrozenList, tuple, dict}
_TEXT_KINDS: Final = frozenset(_TEXTS)
_NEVER_EQUAL: Final[frozenset[Any]] = frozenset(
    {object.__eq__, str.__eq__, bytes.__eq__, tuple.__eq__, list.__eq__, dict.__eq__}
)
_SLICED: Final = frozenset({*_TEXTS, list, tuple})
_HASHED: Final = (
    _SETS
    | {dict, type({}.keys()), Keys, MappingProxyType}
    | {kind for kind in CONSTANTS if issubclass(kind, dict | set)}
)
# Those of which a look at the class is enough.
ROWS: Final = frozenset(
    {
        list,
        FrozenList,
        tuple,
        dict,
        str,
        bytes,
        bytearray,
        deque,
        type({}.keys()),
        type({}.values()),
        type({}.items()),
    }
)
_INDEXED: Final = frozenset({*_PLAIN, range})


def size_of(items: Any) -> int:
    """How many there are, of what can tell; nothing for what ticks as it goes."""
    kind = type(items)
    if kind in ROWS:
        return len(items)
    if kind is GeneratorType or (kind is not range and not isinstance(items, _SIZED)):
        return 0
    try:
        return len(items)
    except OverflowError:  # a range beyond all bounds
        return out_of_fuel()


def charge_items(items: Any, each: int = 1) -> Any:
    """Pay for a walk over all of them; where nobody knows how many they are, as it goes."""
    charge_8()
    is_plain = type(items) in _PLAIN
    size = len(items) if is_plain else size_of(items)
    if size > FREE:
        charge(size * each)
    elif each > 1 and not is_plain and isinstance(items, Iterator):
        return metered(items, 4 * each)
    return items


def charge_new_items(items: Any) -> Any:
    """The same, where each is put into something new."""
    return charge_items(items, BUILT)


def pay_keys(items: Any) -> Any:
    """The same, where each becomes a key."""
    return keys(charge_items(items, KEYS))


def pay_pairs(items: Any) -> Any:
    return pairs(charge_items(items, KEYS))


def charge_text(size: int) -> None:
    if size > MOST_BYTES:
        out_of_fuel()
    if size > TEXT * FREE:
        charge(size // TEXT)


# What yields


def metered(source: Iterable[Any], each: int = 4) -> Iterator[Any]:
    """`source`, paid for by so many ticks a turn, sixteen turns at a time."""
    paid = 0
    for item in source:
        if not paid:
            charge(each * FREE)
            paid = FREE
        paid -= 1
        yield item


def metered_if_long(source: Any) -> Any:
    """`source`, so that who drains it pays; what is short or ticks by itself stays as it is."""
    if type(source) in ROWS and len(source) <= FREE:
        return source
    if type(source) is GeneratorType or (isinstance(source, _SIZED) and len_is_short(source)):
        return source
    return metered(source)


def len_is_short(source: Any) -> bool:
    try:
        return len(source) <= FREE
    except OverflowError:
        return False


def metered_lazy_builtin(
    real: Callable[..., Any], first: int = 0, last: int | None = None
) -> Callable[..., Any]:
    """`real`, whose arguments from `first` to `last` are drained as it goes."""

    def guarded(*args: Any, **named: Any) -> Any:
        charge(_MADE)
        sources = slice(first, last)
        for each in args[sources]:
            if type(each) not in ROWS or len(each) > FREE:
                break
        else:
            return real(*args, **named)
        found = list(args)
        found[sources] = map(metered_if_long, args[sources])
        return real(*found, **named)

    return guarded


def guarded_iter(source: Any, *sentinel: Any) -> Any:
    charge(_MADE)
    return metered(iter(source, *sentinel)) if sentinel else iter(metered_if_long(source))


def guarded_reversed(items: Any) -> Any:
    charge(_MADE)
    return slow_turns(reversed(items), items)


def slow_turns(made: Any, items: Any) -> Any:
    """`made` as it is where `items` are few."""
    return made if isinstance(items, _SIZED) and len_is_short(items) else metered(made)


# What drains


def metered_builtin(
    real: Callable[..., Any], paid: Callable[[Any], Any], begun: int = 0
) -> Callable[..., Any]:
    """`real`, which walks over its first argument at once; it takes so many ticks to begin."""

    def guarded(*args: Any, **named: Any) -> Any:
        if begun:
            charge(begun)
        if args:
            return real(paid(args[0]), *args[1:], **named)
        return real(**named)

    return guarded


def guarded_sorted(items: Iterable[Any], **how: Any) -> list[Any]:
    found = list(charge_items(items, BUILT))
    sort(found, **how)
    return found


def sort(items: list[Any], *, key: Any = None, reverse: bool = False) -> None:
    """Put a list in order; what is compared pays as often as it may be."""
    rounds = len(items).bit_length()
    if len(items) > FREE:
        charge(len(items) * rounds)
    found = items
    if key is None:
        charge(1 + weight_of(items) * rounds)
    else:
        found = list(map(_weighing(key, rounds), list(items)))
        if len(found) != len(items):
            raise ValueError("a list is changed while it is sorted")
    if not is_quiet(found):
        items[:] = merged(items, found, bool(reverse))
    elif key is None:
        items.sort(reverse=reverse)
    else:
        items.sort(key=partial(next, iter(found)), reverse=reverse)  # they were made in that order


def _weighing(key: Callable[[Any], Any], times: int) -> Callable[[Any], Any]:
    def weighed(item: Any) -> Any:
        found = key(item)
        if type(found) is not int:
            charge(1 + weight_of(found) * times)
        return found

    return weighed


def guarded_extreme(real: Callable[..., Any]) -> Callable[..., Any]:
    """`min` or `max`."""

    def guarded(*items: Any, **how: Any) -> Any:
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


def guarded_str(real: Callable[..., Any], words: Callable[[Any], Any]) -> Callable[..., Any]:
    """`str`, `repr` or `ascii`: it writes all that is in a value."""

    def guarded(*args: Any, **named: Any) -> Any:
        if args:
            shown(args[0])
            args = words(args[0]), *args[1:]
        return written(real(*args, **named))

    return guarded


def shown(value: Any) -> Any:
    """`value`, which becomes part of a text."""
    if type(value) is int and -_WORD < value < _WORD:
        return value
    if isinstance(value, _TEXTS):
        charge_8()
        if len(value) > TEXT * FREE:
            charge_text(len(value))
        return value
    if isinstance(value, int):
        return pay_for_digits(value)
    return worded(weigh(value) if type(value).__module__ != "builtins" else weigh_written(value))


def written(text: Any) -> Any:
    """Pay for a text by its length, where that could not be told before."""
    if isinstance(text, str | bytes):
        charge_text(2 * len(text))
    return text


def guarded_sum(items: Iterable[Any], start: Any = 0) -> Any:
    if isinstance(start, int):
        return sum(charge_items(items), start)
    for item in metered(items):
        size = size_of(start) + size_of(item)
        charge(1 + size)
        start = start + item
    return start


def guarded_bytes(real: type) -> Callable[..., Any]:
    def guarded(*args: Any, **named: Any) -> Any:
        if args and isinstance(args[0], int):
            charge_text(args[0])
        elif args:
            charge_items(args[0])
        return real(*args, **named)

    return guarded


def pay_for_digits(number: Any) -> Any:
    """`number`, which is written out: that takes the square of its length."""
    if isinstance(number, int) and not -_WORD < number < _WORD:
        charge(number.bit_length() // 4)
    return number


def guarded_digits(real: Callable[..., Any]) -> Callable[..., Any]:
    """`hex` and the like."""

    def guarded(number: Any, *args: Any) -> Any:
        charge_8()
        for each in args:  # `round(n, -600)`
            charge_text(abs(each) if isinstance(each, int) else 0)
        return real(pay_for_digits(number), *args)

    return guarded


# What asks


def asking_classes(real: Callable[..., bool]) -> Callable[..., bool]:
    """`isinstance` or `issubclass`, whose classes may be a tuple of tuples."""

    def guarded(value: Any, classes: Any) -> bool:
        return real(value, weigh(classes))

    return guarded


def contains(item: Any, items: Any) -> bool:
    """`item in items`"""
    charge_8()
    kind = type(items)
    if kind in _HASHED:
        return (item if type(item) in LIGHT else weigh(item)) in items
    if kind is range:
        return _is_in_range(item, items)
    if isinstance(items, EnumType):
        return _is_member(item, items)
    if type(item) is not int and kind not in _TEXT_KINDS:
        times = min(size_of(items), 2**40)
        charge(1 + weight_of(item) * times)
    return item in charge_items(items)


def _is_member(item: Any, members: EnumType) -> bool:
    if isinstance(item, Enum):
        return isinstance(item, members)
    raise TypeError(
        f"whether a value is one of {members.__name__} is answered otherwise by each version of Python:"
        f" write 'value in [each.value for each in {members.__name__}]'"
    )


def _is_in_range(item: Any, items: range) -> bool:
    """By arithmetic; only an author's own number is asked whether it equals one after the other."""
    charge(32 if type(item) is int else 64)
    equality: Any = type(item).__eq__
    if equality is int.__eq__:
        return int(item) in items
    if equality in _NEVER_EQUAL:
        return False
    return any(item == each for each in metered(items, 16))


def charge_slice(found: Any) -> Any:
    """`items[a:b:c]`, which is no larger than what is there, so it may pay afterwards."""
    if type(found) in _SLICED and len(found) > FREE:
        charge(len(found) // TEXT)
    return found


def index(where: Any, items: Any) -> Any:
    """`where` in `items[where]`, if it is no number: a slice takes what a slice between the brackets does."""
    if type(where) is slice and isinstance(items, _SIZED):
        charge(1 + len(items) // TEXT)
    return weigh(where)


def moved(items: Any) -> Any:
    """`items`, of which all behind a place move."""
    if isinstance(items, list | bytearray):
        charge(1 + len(items) // 64)
    elif isinstance(items, deque):
        charge(1 + len(items) // 4)
    return items


def counted(source: Any) -> Any:
    """`source` of a comprehension, with the room of a new list for each turn."""
    kind = type(source)
    if kind is GeneratorType:  # it ticks by itself
        return source
    if kind in ROWS or kind is range or isinstance(source, _SIZED):
        size = size_of(source)
        if size > FREE:
            charge(2 * size)
    elif isinstance(source, Iterator):
        return metered(source, 2)
    return source
