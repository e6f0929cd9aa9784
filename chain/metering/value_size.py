"""What it takes to compare, to hash or to write a value: Python goes through all that is in it, as often as it is in it.

A value that holds others may hold one of them twice, so that forty lines make what a million years do not compare. `weigh`
goes the same way before Python does, and pays for each step. Texts pay by their length, whole numbers are bounded, and nothing
else is held by a light value.

Keys are counted too. Python finds a key by a number, which for whole numbers is the rest of a division: those that have the
same rest stand in one line, and are looked through one after the other. That many fall together does not happen by itself.
"""

from __future__ import annotations

from collections import ChainMap, Counter, deque
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, ValuesView
from dataclasses import fields, is_dataclass
from enum import EnumType
from functools import lru_cache, partial
from operator import attrgetter
from types import BuiltinFunctionType, FunctionType, MappingProxyType, NoneType
from typing import Any, Final, cast

from chain.metering.fuel import (
    COLLIDING,
    charge,
    charge_8,
    out_of_fuel,
)
from chain.types import Address

LIGHT: Final[set[type]] = {
    int, bool, NoneType, Address, range, type, FunctionType, BuiltinFunctionType, type(...),
}  # fmt: skip
# What is written in a step; no text is large. A function's text would tell where it lies in memory.
PLAIN: Final[set[type]] = {*LIGHT, str} - {FunctionType, BuiltinFunctionType}
TEXTS: Final = (str, bytes, bytearray, memoryview)
SHORT: Final = 512  # characters that are compared in the time of a tick
STEP: Final = (
    32  # ticks to go into a list, whose items take one each; what is no list takes thrice as long
)
ALIKE: Final = 16  # whole numbers with the same rest that may be keys in one transaction
DEEPEST: Final = 200  # values, one inside the other
_FEW: Final = 16
_BRIEF: Final = 64  # characters that are nothing beside the look at them
_KNOWN: Final = 4096  # classes of enums that are remembered
_EQUALITY: Final[tuple[Any, ...]] = (object.__eq__, int.__eq__, str.__eq__)
_AT_ONCE: Final = 1024  # ticks that are paid for together
_TEXT_KINDS: Final = frozenset(TEXTS)
NEAR: Final = 2**31  # whole numbers in this reach hardly stand in each other's way as keys
_FAR_AWAY: Final = 32  # ticks to find another by its hash
_ROOM: Final = 16  # for what is kept under a key
_REST: Final = 2**61 - 1
_LISTED: Final[tuple[Any, ...]] = (
    list, tuple, set, frozenset, deque, KeysView, ValuesView, ItemsView, type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip
_TYPES: Final = frozenset({"types", "typing"})
_HASHED: Final[tuple[Any, ...]] = (set, frozenset, dict, MappingProxyType, type({}.keys()))


def weigh(value: Any) -> Any:
    """`value`, which is gone through next."""
    kind = type(value)
    if kind is str:  # the one that is met most
        charge_8()
        if len(value) >= SHORT:
            weight_of(value)
    elif kind not in LIGHT:
        if isinstance(kind, EnumType):
            _remember(kind)
            return value
        charge_8()
        weight_of(value)
    return value


def _remember(kind: type) -> None:
    """The members of an enum are light. Whether one was met before changes no price."""
    if len(LIGHT) < _KNOWN and kind.__eq__ in _EQUALITY:
        LIGHT.add(kind)
        PLAIN.add(kind)


def weight_of(value: Any) -> int:
    """Pay for going through a value; the ticks it took."""
    if type(value) is not tuple and isinstance(value, TEXTS):
        ticks = len(value) // (SHORT if type(value) is not memoryview else 2)
        if ticks:
            charge(ticks)
        return ticks
    parts = _parts_of(cast(Any, type(value)))
    if parts is None:
        return 0
    if parts is not list or len(value) <= _FEW:
        inner = parts(value)
        if len(inner) <= _FEW and _are_brief(inner):
            return 8
    return _walk(value, parts)


def _are_brief(parts: Any) -> bool:
    """Whether a few things hold nothing and are no long texts."""
    for part in parts:
        kind = type(part)
        if kind not in LIGHT and (kind not in _TEXT_KINDS or len(part) > _BRIEF):
            return False
    return True


def weigh_written(value: Any) -> Any:
    """`value`, which is written next, with every digit and every character that is in it."""
    parts = _parts_of(cast(Any, type(value)))
    if parts is not None:
        _walk(value, parts, True)
    return value


def _digits(parts: Any) -> int:
    return sum(
        each.bit_length() // 2 for each in parts if type(each) is int and not -_REST < each < _REST
    )


def _walk(value: Any, parts: Callable[[Any], Any], is_written: bool = False) -> int:
    ticks = owed = 0
    waiting = [(value, parts, 1)]
    while waiting:
        each, parts, depth = waiting.pop()
        owed += STEP + (2 * len(each) if parts is list else 2 * STEP)
        if owed > _AT_ONCE:
            charge(owed)
            ticks += owed
            owed = 0
        inner = each if parts is list else parts(each)
        if is_written:
            owed += 8 * len(inner) + _digits(inner)
        if LIGHT.issuperset(map(type, inner)):
            continue
        for part in inner:
            kind = type(part)
            if kind in _TEXT_KINDS:
                owed += len(part) // (SHORT if not is_written else 2)
            elif kind not in LIGHT and (more := _parts_of(cast(Any, kind))) is not None:
                if depth == DEEPEST:
                    raise ValueError(
                        f"a value is nested deeper than {DEEPEST} times; what Python does with that hangs on its version"
                    )
                waiting.append((part, more, depth + 1))
    charge(owed)
    return ticks + owed


@lru_cache(maxsize=4096)
def _parts_of(kind: Any) -> Callable[[Any], Any] | None:
    """What a thing of this class holds; None where nothing goes through it."""
    if issubclass(kind, _LISTED):
        return list
    if issubclass(kind, dict | MappingProxyType):
        return _items
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        return attrgetter(*names, "__class__", "__class__") if names else None
    if issubclass(kind, ChainMap):
        return lambda thing: thing.maps
    if issubclass(kind, BaseException):
        return lambda thing: thing.args
    if issubclass(kind, slice):
        return attrgetter("start", "stop", "step")
    if issubclass(kind, partial):
        return attrgetter("func", "args", "keywords")
    if kind.__module__ in _TYPES and kind.__name__.endswith(("Alias", "Union", "UnionType")):
        return lambda thing: getattr(thing, "__args__", ())  # `tuple[…]`, `… | …`
    return None


def _items(mapping: Any) -> list[Any]:
    charge(1 + (32 if isinstance(mapping, Counter) else 2) * len(mapping))
    return [*mapping.keys(), *mapping.values()]


# Keys


def key(value: Any) -> Any:
    """`value`, which becomes a key, with the room that it takes."""
    kind = type(value)
    if kind is int and -NEAR < value < NEAR:
        charge_8()
        return value
    if kind is tuple and len(value) <= _FEW and _are_near(value):
        charge(2 * _ROOM + _FAR_AWAY)
        return value
    charge(_ROOM + _FAR_AWAY)
    if isinstance(value, TEXTS):
        if len(value) > SHORT:
            charge(len(value) // 4)  # it may have been put together for this
    else:
        _hold_key(value)
    return value


def _are_near(parts: tuple[Any, ...]) -> bool:
    """Whether the parts of a key hold nothing, and no number that may stand in another's way."""
    for part in parts:
        kind = type(part)
        if kind is int:
            if not -NEAR < part < NEAR:
                return False
        elif kind not in LIGHT and (kind not in _TEXT_KINDS or len(part) > _BRIEF):
            return False
    return True


def keys(items: Any) -> Any:
    """`items`, which become keys all at once; their room is paid for."""
    if isinstance(items, _HASHED) or (isinstance(items, range) and _is_near(items)):
        return items
    if isinstance(items, Iterator):
        return map(key, items)
    if isinstance(items, Iterable) and not isinstance(items, TEXTS):
        items = list(items)
        kinds = set(map(type, items))
        if not kinds <= {bool, NoneType, Address, int} or not (
            int not in kinds or all(map(_is_small, (min(items), max(items))))
        ):
            for each in items:
                _hold_key(each)
    return items


def pairs(items: Any) -> Any:
    """The same for the pairs that a `dict` is made of."""
    if isinstance(items, Iterator):
        return ((key(name), value) for name, value in items)
    if isinstance(items, list | tuple):
        for each in items:
            if isinstance(each, list | tuple) and each:
                _hold_key(each[0])
    return items


def _is_near(items: range) -> bool:
    return -_REST < items.start < _REST and -_REST < items.stop < _REST


def _is_small(number: int) -> bool:
    return -_REST < number < _REST


def _hold_key(value: Any) -> None:
    """Weigh a key, and remember the large numbers in it by their rest."""
    if isinstance(value, int):
        if not -_REST < value < _REST:
            alike = COLLIDING.setdefault(hash(value), set())
            alike.add(value)
            if len(alike) > ALIKE:
                out_of_fuel()
        return
    if type(value) is slice:
        raise TypeError("unhashable type: 'slice'")  # it is a key on some versions
    if type(value) in LIGHT or isinstance(value, TEXTS):
        return
    weigh(value)
    parts = _parts_of(cast(Any, type(value)))
    for part in parts(value) if parts is not None else ():
        if type(part) is not int or not -NEAR < part < NEAR:
            _hold_key(part)
