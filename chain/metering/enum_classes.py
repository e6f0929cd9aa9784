"""The Enum classes of instrumented copies. Their members refuse changes, and what Python does for them charges.

Python's `enum` runs a function of its own to find a member, to count the members, or to tell a member's name. The classes here
charge for the first two, and their members hold name and value as plain attributes. To combine two flags, `enum` runs a few
dozen lines, and keeps each combination that it has met. They are charged alike, whether a combination is met for the first time
or again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum, EnumType, Flag, IntFlag, StrEnum
from functools import wraps
from types import MappingProxyType
from typing import Any, Final, Literal

from chain.metering.frozen_collections import record_name, settable
from chain.metering.fuel import charge
from chain.metering.value_size import note_enum
from chain.source.word_sets import word_set

_FOUND: Final = 64  # ticks to find a member by its value
_ASKED: Final = 16  # ticks to ask an Enum class for something else
_LISTED: Final = 8  # ticks more for each member that is listed
_CLASS: Final = 2**16  # ticks to create a class, which the call of an Enum without members does
_USED: Final = 192  # ticks to look a flag up, or ask something of it
_MADE: Final = 256  # ticks more to combine flags
_MEMBER: Final = 64  # ticks more for each member, or bit, that the combination may consist of
_ASKING: Final = word_set("__len__ __bool__ __str__ __repr__ __contains__")
_COMBINING: Final = word_set("__or__ __and__ __xor__ __ror__ __rand__ __rxor__ __invert__ __iter__")


class EnumClass(EnumType):
    """The class of the Enum classes of an author."""

    def __call__(cls, *args: Any, **named: Any) -> Any:
        charge(_FOUND if cls._member_map_ else _CLASS)
        return super().__call__(*args, **named)

    def __getitem__(cls, name: str) -> Any:
        charge(_ASKED)
        return cls._member_map_[name]

    def __len__(cls) -> int:
        charge(_ASKED)
        return len(cls._member_names_)

    def __bool__(cls) -> Literal[True]:
        charge(_ASKED)
        return True

    def __iter__(cls) -> Iterator[Any]:
        members: Iterator[Any] = iter(cls._listed())
        return members

    def __reversed__(cls) -> Iterator[Any]:
        members: Iterator[Any] = reversed(cls._listed())
        return members

    def _listed(cls) -> list[Any]:
        charge(_ASKED + _LISTED * len(cls._member_names_))
        return [cls._member_map_[name] for name in cls._member_names_]

    @property
    def __members__(cls) -> Mapping[str, Any]:  # type: ignore[override]
        charge(_ASKED)
        return MappingProxyType(cls._member_map_)


class _Told:
    """The `name` or `value` of members that do not hold it, as a combination of flags that Python made later."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, member: Any, cls: type) -> object:
        if member is None:
            raise AttributeError(self._name)
        return vars(member).setdefault(self._name, getattr(member, f"_{self._name}_"))


_TOLD: Final = {name: _Told(name) for name in ("name", "value")}


def adapt(cls: Any) -> None:
    """Change an Enum class in place, when it is made."""
    type.__setattr__(cls, "__class__", EnumClass)
    if cls._member_map_:
        _quicken(cls)
        note_enum(cls)
    if issubclass(cls, Flag):
        _close(cls)
        _charge_flags(cls)


def _quicken(cls: Any) -> None:
    """Let the members hold their names and values as plain attributes, and be keys by their identity."""
    for name, told in _TOLD.items():
        is_own = any(name in vars(base) for base in cls.__mro__ if base not in _PYTHONS)
        if not is_own and name not in cls._member_map_:
            type.__setattr__(cls, name, told)
            for member in cls._member_map_.values():
                told.__get__(member, cls)
    if cls.__hash__ is Enum.__hash__ and cls.__init__ is Enum.__init__:
        type.__setattr__(cls, "__hash__", object.__hash__)


def _charge_flags(cls: type[Flag]) -> None:
    """Make all that can be done with the members of a flag class charge for it."""
    combined = _MADE + _MEMBER * len(cls.__members__)
    for names, ticks in ((_ASKING, _USED), (_COMBINING, combined)):
        for name in names:
            function = getattr(cls, name)
            type.__setattr__(cls, name, _charged(function, ticks))
    type.__setattr__(cls, "__new__", _charged(Enum.__new__, combined))


# Bases that authors do not write.
_PYTHONS: Final = frozenset({*Enum.__mro__, *IntFlag.__mro__, *StrEnum.__mro__})


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
