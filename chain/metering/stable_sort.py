"""Sorting by an author's own `<`: which items are compared, and how often, is the same on every version of Python.

What Python compares by itself it may sort by itself: nobody sees how. An author's method ticks, and may look at what it gets.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from types import FunctionType, NoneType
from typing import Any, Final

from chain.types import Address

_QUIET: Final = frozenset({int, str, bytes, bool, NoneType, Address})
_HOLDING: Final = (tuple, list)


def is_quiet(items: Iterable[Any]) -> bool:
    """Whether nothing of an author's runs while these are compared."""
    kinds = set(map(type, items))
    if kinds <= _QUIET:
        return True
    for kind in kinds - _QUIET:
        if kind in _HOLDING:
            inner = chain.from_iterable(each for each in items if type(each) is kind)
            if not is_quiet(list(inner)):
                return False
        elif not _is_quiet(kind):
            return False
    return True


@lru_cache(maxsize=1024)
def _is_quiet(kind: Any) -> bool:
    return (
        issubclass(kind, int | str | bytes)
        and not isinstance(kind.__lt__, FunctionType)
        and not isinstance(kind.__eq__, FunctionType)
    )


def merged(items: list[Any], keys: list[Any], reverse: bool) -> list[Any]:
    """The items in the order of their keys; those that are alike stay as they stand."""
    order = list(range(len(keys)))
    if reverse:
        order.reverse()
    width = 1
    while width < len(order):
        order = [
            place
            for start in range(0, len(order), 2 * width)
            for place in _both(order[start : start + width], order[start + width : start + 2 * width], keys)
        ]  # fmt: skip
        width *= 2
    if reverse:
        order.reverse()
    return [items[place] for place in order]


def _both(first: list[int], second: list[int], keys: list[Any]) -> list[int]:
    found = []
    i = j = 0
    while i < len(first) and j < len(second):
        if keys[second[j]] < keys[first[i]]:
            found.append(second[j])
            j += 1
        else:
            found.append(first[i])
            i += 1
    return [*found, *first[i:], *second[j:]]
