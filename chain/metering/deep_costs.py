"""Charges for functions that copy or write all values that are nested in their first argument."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, Final, TypeVar

from chain.metering.fuel import charge
from chain.metering.value_size import DEEPEST, weigh

T = TypeVar("T")

_DEEP: Final = 100  # ticks for each value that is copied or written deeply
_OBJECT: Final = 1024  # ticks more for an object of an author's class that is copied


def charge_deep(function: Callable[..., T], is_once: bool = False) -> Callable[..., T]:
    """Return the function with a charge for all values that are nested in its first argument. With `is_once`, a value that is
    reached twice is visited once."""

    def guarded(value: object, *more: object, **named: object) -> T:
        waiting: list[tuple[Any, int]] = [(value, 0)]
        seen: set[int] = set()
        while waiting:
            part, depth = waiting.pop()
            if depth > DEEPEST:
                weigh(value)  # raises the error
            charge(_DEEP)
            if is_once:
                if id(part) in seen:
                    continue
                seen.add(id(part))
            if isinstance(part, str | bytes | bytearray):
                charge(1 + 2 * len(part))
            elif isinstance(part, dict):
                charge(1 + len(part))
                waiting += [(item, depth + 1) for item in (*part.keys(), *part.values())]
            elif isinstance(part, list | tuple | set | frozenset | deque):
                charge(1 + len(part))
                waiting += [(item, depth + 1) for item in part]
            elif is_dataclass(part) and not isinstance(part, type):
                waiting += [(getattr(part, field.name, None), depth + 1) for field in fields(part)]
            elif is_once and not isinstance(part, type):
                state = getattr(part, "__dict__", None) or {}
                charge(_OBJECT)
                waiting += [(each, depth + 1) for each in state.values()]
        return function(value, *more, **named)

    return guarded
