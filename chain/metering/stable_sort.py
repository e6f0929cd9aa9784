"""Sorting by an author's own `<`: the same items are compared, equally often, on every version of Python.

Values that Python compares itself may be sorted by Python, since the comparisons cannot be observed. An author's method takes
ticks, and may inspect its operands.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from types import FunctionType, NoneType
from typing import Any, Final, TypeVar

from chain.types import Address

T = TypeVar("T")

_QUIET: Final = frozenset({int, str, bytes, bool, NoneType, Address})
_HOLDING: Final = (tuple, list)


def is_quiet(items: Iterable[Any]) -> bool:
    """True if no code of an author runs while these items are compared."""
    types = set(map(type, items))
    if types <= _QUIET:
        return True
    for item_type in types - _QUIET:
        if item_type in _HOLDING:
            inner = chain.from_iterable(item for item in items if type(item) is item_type)
            if not is_quiet(list(inner)):
                return False
        elif not _is_quiet(item_type):
            return False
    return True


@lru_cache(maxsize=1024)
def _is_quiet(kind: Any) -> bool:
    return (
        issubclass(kind, int | str | bytes)
        and not isinstance(kind.__lt__, FunctionType)
        and not isinstance(kind.__eq__, FunctionType)
    )


def merged(items: list[T], keys: list[Any], reverse: bool) -> list[T]:
    """Return the items in the order of their keys, by a stable merge sort."""
    order = list(range(len(keys)))
    if reverse:
        order.reverse()
    width = 1
    while width < len(order):
        order = [
            index
            for start in range(0, len(order), 2 * width)
            for index in _both(order[start : start + width], order[start + width : start + 2 * width], keys)
        ]  # fmt: skip
        width *= 2
    if reverse:
        order.reverse()
    return [items[index] for index in order]


def _both(first: list[int], second: list[int], keys: list[Any]) -> list[int]:
    indices = []
    i = j = 0
    while i < len(first) and j < len(second):
        if keys[second[j]] < keys[first[i]]:
            indices.append(second[j])
            j += 1
        else:
            indices.append(first[i])
            i += 1
    return [*indices, *first[i:], *second[j:]]
