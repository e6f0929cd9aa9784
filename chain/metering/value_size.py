"""The cost to compare, hash or format a value: Python visits every nested value, and a shared one each time it occurs.

A container may hold the same value twice, so forty lines of code can build a value that takes a million years to compare.
`weigh` visits the parts in the same way before Python does, and charges for each step. Texts pay by their length, whole numbers
are bounded, and light values hold no other values.

Keys are counted too. Python finds a key by its hash, which for a whole number is the remainder of a division, and for a tuple
is computed from the hashes of its parts. Keys with the same hash collide, and Python searches them one after the other. Many
collisions do not happen by accident.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, ValuesView
from dataclasses import fields, is_dataclass
from enum import EnumType
from functools import partial
from operator import attrgetter
from types import BuiltinFunctionType, FunctionType, MappingProxyType, NoneType
from typing import Any, Final, TypeVar

from chain.metering.fuel import COLLIDING, INSTRUMENTED_BUILTINS, charge, charge_8, out_of_fuel
from chain.types import Address

LIGHT: Final[set[type]] = {
    int, bool, NoneType, Address, range, type, FunctionType, BuiltinFunctionType, type(...),
}  # fmt: skip
# Types that are formatted in one step, as no text is large. Functions are excluded: their text shows a memory address.
PLAIN: Final[set[type]] = {*LIGHT, str} - {FunctionType, BuiltinFunctionType}
T = TypeVar("T")
V = TypeVar("V")

TEXTS: Final = (str, bytes, bytearray, memoryview)
SHORT: Final = 512  # characters that are compared for one tick
# Ticks to enter a list, whose items take one each. Another container takes three times as long.
STEP: Final = 32
ALIKE: Final = 16  # whole numbers with the same remainder that may be keys in one transaction
DEEPEST: Final = 200  # levels of nested values
_FEW: Final = 16
_FLAT: Final = 8  # parts of a tuple or record that is compared for the price of a call, if all of them are light
_BRIEF: Final = 64  # characters that cost nothing beyond the check of their length
_KNOWN: Final = 4096  # enum classes that are cached at most
_EQUALITY: Final[tuple[object, ...]] = (object.__eq__, int.__eq__, str.__eq__)
_AT_ONCE: Final = 1024  # ticks that are charged together
_TEXT_KINDS: Final = frozenset(TEXTS)
_NO_PARTS: Final = (None, len)
NEAR: Final = 2**31  # whole numbers in this range hardly collide as keys
_FAR_AWAY: Final = 32  # ticks to find another key by its hash
_RECORDED: Final = 96  # ticks to record a key by its hash
_ROOM: Final = 16  # ticks for the memory of an entry
_REST: Final = 2**61 - 1  # the divisor in the hash of whole numbers
_LISTED: Final[tuple[type, ...]] = (
    list, tuple, set, frozenset, deque, KeysView, ValuesView, ItemsView, type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip
_TYPES: Final = frozenset({"types", "typing"})
_HASHED: Final[tuple[type, ...]] = (set, frozenset, dict, MappingProxyType, type({}.keys()))


def weigh(value: Any) -> object:
    """Return `value`, charged for the visit of all its parts that follows."""
    kind = type(value)
    if kind is str:  # the most frequent type
        if len(value) >= SHORT:
            charge(len(value) // SHORT)
    elif kind not in LIGHT:
        parts = _parts_of[kind]
        inner = value if kind is tuple else parts(value) if type(parts) is attrgetter else ()
        if 0 < len(inner) <= _FLAT:
            for part in inner:
                if type(part) not in LIGHT:
                    break
            else:
                charge_8()
                return value
        weight_of(value)
    return value


def weight_of(value: Any) -> int:
    """Charge for a visit of all parts of a value, and return the ticks."""
    parts = _parts_of[type(value)]
    if parts is None:
        return 0
    if parts is len:
        ticks: int = len(value) // (SHORT if type(value) is not memoryview else 2)
        if ticks:
            charge(ticks)
        return ticks
    if parts is not list or len(value) <= _FEW:
        inner = value if type(value) is tuple else parts(value)
        if len(inner) <= _FEW and _are_brief(inner):
            ticks = 4 + 4 * len(inner)
            charge(ticks)
            return ticks
    return _walk(value, parts)


def _are_brief(parts: Iterable[Any]) -> bool:
    """True if a few values are light, short texts, or short tuples of light values."""
    for part in parts:
        kind = type(part)
        if kind is tuple:
            if len(part) > 4:
                return False
            for inner in part:
                if type(inner) not in LIGHT:
                    return False
        elif kind not in LIGHT and (kind not in _TEXT_KINDS or len(part) > _BRIEF):
            return False
    return True


def weigh_written(value: T) -> T:
    """Return `value`, charged for formatting every digit and every character in it."""
    parts = _parts_of[type(value)]
    if parts not in _NO_PARTS:
        _walk(value, parts, True)
    return value


def _digits(parts: Iterable[object]) -> int:
    return sum(
        part.bit_length() // 2 for part in parts if type(part) is int and not -_REST < part < _REST
    )


def _walk(value: Any, parts: Callable[[Any], Any], is_written: bool = False) -> int:
    ticks = owed = 0
    waiting = [(value, parts, 1)]
    while waiting:
        container, parts, depth = waiting.pop()
        owed += STEP + (2 * len(container) if parts is list else 2 * STEP)
        if owed > _AT_ONCE:
            charge(owed)
            ticks += owed
            owed = 0
        inner = container if parts is list else parts(container)
        if is_written:
            owed += 8 * len(inner) + _digits(inner)
        if LIGHT.issuperset(map(type, inner)):
            continue
        for part in inner:
            part_type = type(part)
            if part_type in _TEXT_KINDS:
                owed += len(part) // (SHORT if not is_written else 2)
            elif part_type not in LIGHT and (nested_parts := _parts_of[part_type]) not in _NO_PARTS:
                if depth == DEEPEST:
                    raise ValueError(
                        f"a value is nested deeper than {DEEPEST} times; Python's behaviour then depends on its version"
                    )
                waiting.append((part, nested_parts, depth + 1))
    charge(owed)
    return ticks + owed


class ByClass(dict[type, V]):
    """A cache of a function's results by class."""

    def __init__(self, function: Callable[[type], V]) -> None:
        self._function = function

    def __missing__(self, kind: type) -> V:
        if len(self) >= _KNOWN:
            self.clear()
        found = self[kind] = self._function(kind)
        return found


def note_enum(kind: EnumType) -> None:
    """Note that the members of an Enum are light, if Python compares them at once. No price changes by that."""
    if kind.__eq__ in _EQUALITY and len(LIGHT) < _KNOWN:
        LIGHT.add(kind)


@ByClass
def _parts_of(kind: Any) -> Callable[[Any], Any] | None:
    """Return a function that lists the parts of such a value; `len` for texts, None if Python never visits its parts."""
    if isinstance(kind, EnumType):
        note_enum(kind)
        return None
    if issubclass(kind, TEXTS) and not issubclass(kind, tuple):
        return len
    if issubclass(kind, _LISTED):
        return list
    if issubclass(kind, dict | MappingProxyType):
        return _items
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        return attrgetter(*names, *names[:1]) if names else None
    if issubclass(kind, BaseException):
        return lambda thing: thing.args
    if issubclass(kind, slice):
        return attrgetter("start", "stop", "step")
    if issubclass(kind, partial):
        return attrgetter("func", "args", "keywords")
    if kind.__module__ in _TYPES and kind.__name__.endswith(("Alias", "Union", "UnionType")):
        return lambda thing: getattr(thing, "__args__", ())  # `tuple[…]`, `… | …`
    return None


def _items(mapping: Any) -> list[object]:
    charge(1 + (32 if isinstance(mapping, Counter) else 2) * len(mapping))
    return [*mapping.keys(), *mapping.values()]


# Keys


def key(value: Any) -> Any:
    """Return `value`, which becomes a key, charged for its lookup and memory."""
    value_type = type(value)
    if value_type is int and -NEAR < value < NEAR:
        charge_8()
        return value
    if value_type is tuple and len(value) <= _FEW and _are_near(value, False):
        charge(_FAR_AWAY)
        return value
    charge(_ROOM + _FAR_AWAY)
    if isinstance(value, TEXTS):
        if len(value) > SHORT:
            charge(len(value) // 4)  # its hash may have to be computed
    else:
        _hold_key(value)
    return value


def _are_near(parts: Iterable[Any], is_outer: bool = True) -> bool:
    """True if the parts of a key are light or short tuples of light values, and no number may collide with another."""
    for part in parts:
        part_type = type(part)
        if part_type is int:
            if not -NEAR < part < NEAR:
                return False
        elif part_type is tuple:
            if not is_outer or len(part) > 4 or not _are_near(part, False):
                return False
        elif part_type not in LIGHT and (part_type not in _TEXT_KINDS or len(part) > _BRIEF):
            return False
    return True


def keys(items: object) -> Any:
    """Return `items`, which all become keys at once, with their collisions counted. Their memory is already charged."""
    if isinstance(items, _HASHED) or (
        isinstance(items, range) and _is_small(items.start) and _is_small(items.stop)
    ):
        return items
    if isinstance(items, Iterator):
        return map(key, items)
    if isinstance(items, Iterable) and not isinstance(items, TEXTS):
        items = list(items)
        types = set(map(type, items))
        if not types <= {bool, NoneType, Address, int} or not (
            int not in types or all(map(_is_small, (min(items), max(items))))
        ):
            for item in items:
                _hold_key(item)
    return items


def pairs(items: object) -> object:
    """Return `items`, the pairs from which a `dict` is built, with the collisions of their keys counted."""
    if isinstance(items, Iterator):
        return ((key(name), value) for name, value in items)
    if isinstance(items, list | tuple):
        for pair in items:
            if isinstance(pair, list | tuple) and pair:
                _hold_key(pair[0])
    return items


def _is_small(number: int) -> bool:
    return -_REST < number < _REST


def _hold_key(value: object) -> None:
    """Weigh a key, and record it by its hash if others with the same hash are easily found."""
    kind = type(value)
    if isinstance(value, int):
        if not -_REST < value < _REST:
            _record(value)
        return
    if kind is slice:
        raise TypeError("unhashable type: 'slice'")  # newer versions of Python accept it as a key
    if kind in LIGHT or isinstance(value, TEXTS):
        return
    weigh(value)
    parts = _parts_of[kind]
    if parts in _NO_PARTS:
        if _is_alone[kind]:
            raise TypeError(
                f"{kind.__name__} defines __hash__ and no __eq__, so each of its objects equals only itself: define both, or"
                " neither"
            )
        return
    inner = parts(value)
    if len(inner) > _FEW or not _are_near(inner):
        _record(value)
    for part in inner:
        if type(part) is not int or not -NEAR < part < NEAR:
            _hold_key(part)


def _record(value: object) -> None:
    """Record a key by its hash. Run out of gas if too many others have the same hash."""
    charge(_RECORDED)
    colliding = COLLIDING.setdefault(hash(value), set())
    colliding.add(_without_objects(value))
    if len(colliding) > ALIKE:
        out_of_fuel()


def _without_objects(value: Any) -> object:
    """Return a key with classes in place of objects of the author's own, whose `__eq__` ticks by itself."""
    kind = type(value)
    parts = _parts_of[kind]
    if parts is None and kind not in LIGHT and not isinstance(value, int):
        return kind
    if parts in _NO_PARTS:
        return value
    return (frozenset if issubclass(kind, frozenset) else tuple)(
        map(_without_objects, parts(value))
    )


@ByClass
def _is_alone(kind: type) -> bool:
    """True for a class with a hash of its own whose objects are compared by identity."""
    is_own = getattr(kind.__hash__, "__builtins__", None) is INSTRUMENTED_BUILTINS
    return is_own and "__eq__" not in {name for base in kind.__mro__[:-1] for name in vars(base)}
