"""What works long without a tick, made to pay for it before it begins: by the size of what goes in, or of what will come out.

These stand in the place of builtins, operators and methods where the source of an image calls them (`shapes` says where).
What yields without end (`itertools.count`, `map` over it) yields through a loop of ours that ticks, so whoever drains it in one
go pays as a loop would. A whole number has at most so many bits; one that would pass that is out of gas at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Sized, ValuesView
from types import GeneratorType, MappingProxyType
from typing import Any, Final

from chain.frozen_list import FrozenList
from chain.image.constants import CONSTANTS
from chain.image.meter import charge, dry, spend
from chain.image.ordered_sets import Keys, OrderedFrozenSet, OrderedSet

MOST_BITS: Final = 2**16
FREE: Final = 16  # items that cost nothing beside the tick of the call
BUILT: Final = 4  # ticks for an item that is put into a new collection
TEXT: Final = 4  # characters or bytes for a tick

_SMALL: Final = 2**1024
_SIZED: Final[tuple[type[Sized], ...]] = (
    list, tuple, set, frozenset, dict, str, bytes, bytearray, memoryview, range, deque, KeysView, ValuesView, ItemsView,
    MappingProxyType, type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip
_TEXTS: Final = (str, bytes, bytearray)
_PLAIN: Final = CONSTANTS | {
    *_TEXTS,
    list,
    FrozenList,
    tuple,
    set,
    frozenset,
    dict,
    OrderedSet,
    OrderedFrozenSet,
}
_ROWS: Final = (list, tuple, deque)
_REPEATED: Final = (*_TEXTS, list, tuple)
_SLICED: Final = frozenset(_REPEATED)
_HASHED: Final = frozenset(
    {
        set,
        frozenset,
        dict,
        type({}.keys()),
        range,
        MappingProxyType,
        OrderedSet,
        OrderedFrozenSet,
        Keys,
    }
) | {kind for kind in CONSTANTS if issubclass(kind, dict | set)}


def size_of(items: Any) -> int:
    """How many there are, of what can tell; nothing for what ticks as it goes."""
    if type(items) is GeneratorType or not isinstance(items, _SIZED):
        return 0
    try:
        return len(items)
    except OverflowError:  # a range beyond all bounds
        return dry()


def pay(items: Any, each: int = 1) -> Any:
    """Pay for a walk over all of them; where nobody knows how many they are, as it goes."""
    spend()
    is_plain = type(items) in _PLAIN
    size = len(items) if is_plain else size_of(items)
    if size > FREE:
        charge(size * each)
    elif each > 1 and not is_plain and isinstance(items, Iterator):
        return turns(items, 4 * each)
    return items


def pay_built(items: Any) -> Any:
    """The same, where each is put into something new."""
    return pay(items, BUILT)


def pay_text(size: int) -> None:
    if size > TEXT * FREE:
        charge(size // TEXT)


# What yields


def turns(source: Iterable[Any], each: int = 4) -> Iterator[Any]:
    """`source`, paid for by so many ticks a turn, sixteen turns at a time."""
    paid = 0
    for item in source:
        if not paid:
            charge(each * FREE)
            paid = FREE
        paid -= 1
        yield item


def slow(source: Any) -> Any:
    """`source`, so that who drains it pays; what is short or ticks by itself stays as it is."""
    if type(source) is GeneratorType or (isinstance(source, _SIZED) and len_is_short(source)):
        return source
    return turns(source)


def len_is_short(source: Any) -> bool:
    try:
        return len(source) <= FREE
    except OverflowError:
        return False


def lazily(real: Callable[..., Any], first: int = 0, last: int | None = None) -> Callable[..., Any]:
    """`real`, whose arguments from `first` to `last` are drained as it goes."""

    def guarded(*args: Any, **named: Any) -> Any:
        sources = slice(first, last)
        found = list(args)
        found[sources] = map(slow, args[sources])
        return real(*found, **named)

    return guarded


def guarded_iter(source: Any, *sentinel: Any) -> Any:
    return turns(iter(source, *sentinel)) if sentinel else iter(slow(source))


def guarded_reversed(items: Any) -> Any:
    return slow_turns(reversed(items), items)


def slow_turns(made: Any, items: Any) -> Any:
    """`made` as it is where `items` are few."""
    return made if isinstance(items, _SIZED) and len_is_short(items) else turns(made)


# What drains


def walking(real: Callable[..., Any], each: int = 1) -> Callable[..., Any]:
    """`real`, which walks over its first argument at once."""

    def guarded(*args: Any, **named: Any) -> Any:
        if args:
            return real(pay(args[0], each), *args[1:], **named)
        return real(**named)

    return guarded


def guarded_sorted(items: Iterable[Any], **how: Any) -> list[Any]:
    found = list(pay(items, BUILT))
    pay_for_order(len(found))
    found.sort(**how)
    return found


def pay_for_order(size: int) -> None:
    if size > FREE:
        charge(size * size.bit_length())


def guarded_sum(items: Iterable[Any], start: Any = 0) -> Any:
    if isinstance(start, int):
        return sum(pay(items), start)
    for item in turns(items):
        start = add(start, item)
    return start


def guarded_bytes(real: type) -> Callable[..., Any]:
    def guarded(*args: Any, **named: Any) -> Any:
        if args and isinstance(args[0], int):
            pay_text(args[0])
        elif args:
            pay(args[0])
        return real(*args, **named)

    return guarded


# Operators


def _check(number: Any) -> Any:
    if number.bit_length() > MOST_BITS:
        dry()
    return number


def add(left: Any, right: Any, *, inside: bool = False) -> Any:
    spend()
    if type(left) is int and type(right) is int:
        total = left + right
        return total if -_SMALL < total < _SMALL else _check(total)
    if isinstance(left, _TEXTS):
        pay_text(len(left) + size_of(right))
    elif isinstance(left, _ROWS):
        size = size_of(right) + (0 if inside else len(left))
        if size > FREE:
            charge(size)
    if inside:
        left += right
        return left
    return left + right


def united(left: Any, right: Any) -> Any:
    """`left | right`"""
    spend()
    size = size_of(left) + size_of(right)
    if size > FREE:
        charge(size * BUILT)
    return left | right


def multiply(left: Any, right: Any, *, inside: bool = False) -> Any:
    spend()
    if type(left) is int and type(right) is int:
        if -_SMALL < left < _SMALL and -_SMALL < right < _SMALL:
            return left * right
        bits = left.bit_length(), right.bit_length()
        if sum(bits) > MOST_BITS:
            dry()
        charge(1 + bits[0] * bits[1] // 2**16)
        return left * right
    for items, count in ((left, right), (right, left)):
        if isinstance(items, _REPEATED) and isinstance(count, int) and count > 0:
            if isinstance(items, _TEXTS):
                pay_text(len(items) * count)
            elif len(items) * count > FREE:
                charge(len(items) * count * BUILT)
    if inside:
        left *= right
        return left
    return left * right


def power(base: Any, exponent: Any, modulus: Any = None) -> Any:
    spend()
    if isinstance(base, int) and isinstance(exponent, int):
        if modulus is not None:
            bits = _check(modulus).bit_length() if isinstance(modulus, int) else 0
            charge(1 + abs(exponent).bit_length() * (1 + bits * bits // 2**16))
        elif exponent < 0:
            raise ValueError(
                "a power with a negative exponent is a float: divide by the power with '//'"
            )
        elif exponent > 0 and base not in (0, 1, -1):
            bits = base.bit_length() * exponent
            if bits > 2 * MOST_BITS:
                dry()
            charge(1 + bits * bits // 2**18)
            return _check(pow(base, exponent))
    return pow(base, exponent, modulus)


def shift(left: Any, right: Any) -> Any:
    spend()
    whole = isinstance(left, int) and isinstance(right, int)
    if whole and left.bit_length() + right > MOST_BITS:
        dry()
    return left << right


def contains(item: Any, items: Any) -> bool:
    """`item in items`"""
    if type(items) in _HASHED:
        return item in items
    return item in pay(items)


def sliced(found: Any) -> Any:
    """`items[a:b:c]`, which is no larger than what is there, so it may pay afterwards."""
    if type(found) in _SLICED and len(found) > FREE:
        charge(len(found) // TEXT)
    return found
