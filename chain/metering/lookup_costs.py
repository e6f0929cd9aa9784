"""Charges for tests and lookups: `in`, subscripts, slices, and what an insertion or deletion moves."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import Enum, EnumType
from types import MappingProxyType
from typing import Any, Final

from chain.metering.builtin_costs import FREE, SETS, SIZED, TEXT, charge_items, metered, size_of
from chain.metering.emptied_dicts import lose
from chain.metering.frozen_collections import CONSTANTS
from chain.metering.fuel import charge, charge_8
from chain.metering.ordered_sets import Keys
from chain.metering.value_size import LIGHT, TEXTS, weigh, weight_of

_RANGE: Final = 64  # ticks for a range, which is made of numbers
_TEXT_KINDS: Final = frozenset({str, bytes, bytearray})
_NEVER_EQUAL: Final[frozenset[object]] = frozenset(
    {object.__eq__, str.__eq__, bytes.__eq__, tuple.__eq__, list.__eq__, dict.__eq__}
)
_SLICED: Final = _TEXT_KINDS | {list, tuple}
_HASHED: Final = (
    SETS
    | {dict, type({}.keys()), Keys, MappingProxyType}
    | {constant for constant in CONSTANTS if issubclass(constant, dict | set)}
)


# Texts from these lengths on are searched in linear time, at most so many steps for a character.
_LONG_TEXT: Final = 30_000
_LONG_PAIR: Final = (2_500, 100)
_LINEAR: Final = 40
PART: Final = 8  # characters of a part that is sought in a text at no extra cost
_STEPS: Final = 32  # characters that a search compares for one tick


def charge_search(text: Any, part: Any, is_backwards: bool = False) -> None:
    """Charge for a search of `part` in `text`. It may compare all of the part at every position."""
    size, length = len(text), len(part)
    if length <= PART or length > size:
        return
    charge(2 * length // TEXT)
    positions = size - length + 1
    is_linear = size >= _LONG_TEXT or (size >= _LONG_PAIR[0] and length >= _LONG_PAIR[1])
    if is_linear and not is_backwards:
        length = min(length, _LINEAR)
    charge(1 + positions * length // _STEPS)


def asking_classes(real: Callable[..., bool]) -> Callable[..., bool]:
    """Return `isinstance` or `issubclass` with charges for its classes, which may be a tuple of tuples."""

    def guarded(value: object, classes: object) -> bool:
        return real(value, weigh(classes))

    return guarded


def contains(item: Any, items: Any) -> bool:
    """Return `item in items`."""
    items_type, item_type = type(items), type(item)
    if item_type in LIGHT or (item_type is str and len(item) <= TEXT * FREE):
        if items_type in _HASHED:
            return item in items
        if items_type in _SLICED and len(items) <= FREE:
            return item in items
    charge_8()
    if items_type in _HASHED:
        return weigh(item) in items
    if items_type is range:
        return _is_in_range(item, items)
    if isinstance(items, EnumType):
        return _is_member(item, items)
    if type(item) is not int and items_type not in _TEXT_KINDS:
        times = min(size_of(items), 2**40)
        charge(1 + weight_of(item) * times)
    elif isinstance(items, TEXTS) and isinstance(item, TEXTS):
        charge_search(items, item)
    return item in charge_items(items)


def _is_member(item: object, members: EnumType) -> bool:
    if isinstance(item, Enum):
        return isinstance(item, members)
    raise TypeError(
        f"versions of Python disagree on whether a value is in {members.__name__}: write 'value in "
        f"[each.value for each in {members.__name__}]'"
    )


def _is_in_range(item: Any, items: range) -> bool:
    """Return `item in items` by arithmetic. Only a number of the author's own class is compared item by item."""
    charge(32 if type(item) is int else 64)
    equality: object = type(item).__eq__
    if equality is int.__eq__:
        return int(item) in items
    if equality in _NEVER_EQUAL:
        return False
    return any(item == number for number in metered(items, 16))


def charge_slice(found: Any) -> object:
    """Charge for `found`, the result of `items[a:b:c]`, and return it. It is no larger than `items`, so it may pay late."""
    if type(found) in _SLICED and len(found) > FREE:
        charge(len(found) // TEXT)
    elif type(found) is range:
        charge(_RANGE)
    return found


def index(where: object, items: object) -> Any:
    """Charge for the index in `items[where]`, where it is not an integer, and return it. It may be a slice."""
    if type(where) is slice and isinstance(items, SIZED):
        charge(1 + len(items) // TEXT)
    return weigh(where)


def moved(items: object) -> object:
    """Charge for an insertion or deletion in `items`, which moves all later items. Return `items`."""
    if isinstance(items, list | bytearray):
        charge(1 + len(items) // 64)
    elif isinstance(items, deque):
        charge(1 + len(items) // 4)
    elif isinstance(items, dict):
        lose(items)
    return items
