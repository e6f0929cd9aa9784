"""The Enum classes of instrumented copies. Their members refuse changes.

Python's `enum` runs a few dozen lines to combine two flags, and keeps each combination that it has met. They are charged
alike, whether a combination is met for the first time or again.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, Flag
from functools import wraps
from typing import Any, Final

from chain.metering.frozen_collections import record_name, settable
from chain.metering.fuel import charge
from chain.source.word_sets import word_set

_USED: Final = 192  # ticks to look a flag up, or ask something of it
_MADE: Final = 256  # ticks more to combine flags
_MEMBER: Final = 64  # ticks more for each member, or bit, that the combination may consist of
_ASKING: Final = word_set("__len__ __bool__ __str__ __repr__ __contains__")
_COMBINING: Final = word_set("__or__ __and__ __xor__ __ror__ __rand__ __rxor__ __invert__ __iter__")


def adapt(cls: type[Enum]) -> None:
    """Change a class in place, after its module has run."""
    if issubclass(cls, Flag):
        _close(cls)
        _charge_flags(cls)


def _charge_flags(cls: type[Flag]) -> None:
    """Make all that can be done with the members of a flag class charge for it."""
    combined = _MADE + _MEMBER * len(cls.__members__)
    for names, ticks in ((_ASKING, _USED), (_COMBINING, combined)):
        for name in names:
            function = getattr(cls, name)
            type.__setattr__(cls, name, _charged(function, ticks))
    type.__setattr__(cls, "__new__", _charged(Enum.__new__, combined))


class _State:
    """If a charged function runs now: what it calls in turn is paid already."""

    __slots__ = ("is_paid",)

    def __init__(self) -> None:
        self.is_paid = False


_state: Final = _State()


def _charged(function: Callable[..., Any], ticks: int) -> Callable[..., Any]:
    @wraps(function)
    def charged(*args: Any) -> Any:
        if _state.is_paid:
            return function(*args)
        bits = max([arg.bit_length() for arg in args if isinstance(arg, int)], default=0)
        charge(ticks + _MEMBER * bits)
        _state.is_paid = True
        try:
            return function(*args)
        finally:
            _state.is_paid = False

    return charged


def _close(cls: type[Flag]) -> None:
    """Make all members of a flag class refuse public attributes, also the members that Python creates later.

    Python creates the member for a combination of flags when it is first used, keeps it, and sets private attributes on it.
    """

    def __setattr__(self: Flag, name: str, value: object) -> None:  # noqa: N807
        if not name.startswith("_"):
            record_name(self, str(self))
            settable(self)
        object.__setattr__(self, name, value)

    type.__setattr__(cls, "__setattr__", __setattr__)
