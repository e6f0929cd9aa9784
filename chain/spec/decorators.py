"""The decorators. Each checks a declaration at once, attaches one frozen description, and returns the same object.

`@init @call @view` mark the entries of a contract; `@model @event @error` describe records that are visible from outside.
Nothing is registered: deploying a contract is a separate step.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast, dataclass_transform, overload

from chain.errors import DeclarationError, Revert
from chain.foundation.dataclass import dataclass
from chain.source.location import line_of, location_of_frame
from chain.spec.class_body import findings_at
from chain.spec.models import ModelSpec
from chain.spec.records import ErrorSpec, EventSpec, RecordReader

F = TypeVar("F", bound=Callable[..., object])
C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class EntryMarker:
    """The decorator of an entry, with its options."""

    kind: str
    payable: bool = False
    private: bool = False
    nonreentrant: bool = True
    name: str | None = None  # the name in the ABI, if it is not that of the method


@overload
def init(function: F, /) -> F: ...
@overload
def init(*, payable: bool = ...) -> Callable[[F], F]: ...
def init(function: F | None = None, /, **options: object) -> F | Callable[[F], F]:
    """Mark the entry that runs once, when the contract is deployed.

    >>> class Shop(Contract):
    ...     price: u64
    ...     @init
    ...     def new(self, price: u64) -> None:
    ...         self.price = price
    >>> chain.deploy(Shop, 7).fields.price
    7
    """
    return _marker("init", function, options, ("payable",))


@overload
def call(function: F, /) -> F: ...
@overload
def call(
    *, name: str = ..., payable: bool = ..., private: bool = ..., nonreentrant: bool = ...
) -> Callable[[F], F]: ...
def call(function: F | None = None, /, **options: object) -> F | Callable[[F], F]:
    """Mark an entry that may change state.

    `name`: its name in the ABI, if that is not the name of the method; entries with different arguments may share it.
    `payable`: it accepts value. `private`: only the contract itself may call it, `self.at(Game, self.address).settle()`; that
    is not a re-entry, because no other contract is involved. `nonreentrant=False`: others may call it while the contract runs.

    >>> class Till(Contract):
    ...     @call(payable=True, name="payIn")
    ...     def pay_in(self) -> u256:
    ...         return self.value
    >>> chain.deploy(Till).pay_in(value=5).return_value
    5
    """
    return _marker("call", function, options, ("name", "payable", "private", "nonreentrant"))


@overload
def view(function: F, /) -> F: ...
@overload
def view(*, name: str = ...) -> Callable[[F], F]: ...
def view(function: F | None = None, /, **options: object) -> F | Callable[[F], F]:
    """Mark an entry that only reads. It runs static, so a write, an emit or a transfer reverts. `name` is as for `@call`.

    >>> class Clock(Contract):
    ...     @view
    ...     def time(self) -> u64:
    ...         return self.block.timestamp
    >>> chain.deploy(Clock).time() == chain.head.timestamp
    True
    """
    return _marker("view", function, options, ("name",))


def _marker(
    kind: str, function: F | None, options: dict[str, Any], known: tuple[str, ...]
) -> F | Callable[[F], F]:
    """Return the function with its marker, or a decorator that marks it. `known` are the options of the decorator `kind`."""
    frame = sys._getframe(2)
    findings, location = findings_at(frame), location_of_frame(frame)
    checked: dict[str, Any] = {}
    for name, value in options.items():
        with findings:
            _check_option(kind, name, value, known, location)
            checked[name] = value
    entry = EntryMarker(kind, **checked)

    def mark(marked: F) -> F:
        with findings:
            _mark(marked, entry, location)
        return marked

    return mark if function is None else mark(function)


def _check_option(kind: str, name: str, value: object, known: tuple[str, ...], place: str) -> None:
    """Check an option of the decorator `kind` at `place`."""
    if kind == "view" and name == "payable":
        raise DeclarationError(
            f"{place}: a view takes no value, because it changes nothing; make it a @call"
        )
    if name not in known:
        raise DeclarationError(
            f"{place}: @{kind} has no option '{name}'; it takes {', '.join(known)}"
        )
    if name != "name":
        if not isinstance(value, bool):
            raise DeclarationError(f"{place}: @{kind}({name}={value!r}): write True or False")
    elif not isinstance(value, str) or not (value.isascii() and value.isidentifier()):
        raise DeclarationError(
            f"{place}: @{kind}(name={value!r}): write the name that the entry has in the ABI, as in name='transfer'"
        )


def _mark(function: object, entry: EntryMarker, place: str) -> None:
    """Check a method and attach its marker. `place` is the location of the decorator."""
    if not isinstance(function, FunctionType):
        raise DeclarationError(
            f"{place}: @{entry.kind} marks a method; put it directly above a 'def'"
        )
    path = function.__qualname__.rpartition("<locals>.")[2]
    earlier: EntryMarker | None = getattr(function, "__entry__", None)
    if earlier is not None:
        raise DeclarationError(
            f"{place}: {path}: it is marked @{earlier.kind} and @{entry.kind}; keep one of them"
        )
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise DeclarationError(
            f"{line_of(function)}: {path}: an entry runs to its end without pausing: remove 'async'"
        )
    if inspect.isgeneratorfunction(function):
        raise DeclarationError(
            f"{line_of(function)}: {path}: an entry runs to its end without pausing: return a list instead of yielding"
        )
    function.__entry__ = entry  # type: ignore[attr-defined]


@dataclass_transform()
def model(cls: type[C]) -> type[C]:
    """Declare a keyed record that is stored in a World. Members marked `Key` identify it.

    >>> @model
    ... class Tile:
    ...     x: Key[u8]
    ...     y: Key[u8]
    ...     colour: u8
    >>> Tile(1, 2, colour=7)
    Tile(x=1, y=2, colour=7)
    """
    record = _class("model", cls).make()
    return _describe(cls, "__model__", ModelSpec(record))


@dataclass_transform(frozen_default=True)
def event(cls: type[C]) -> type[C]:
    """Declare an event. Members marked `Key` become indexed topics.

    >>> @event
    ... class Sold:
    ...     buyer: Key[Address]
    ...     price: u64
    >>> Sold(alice, price=3).price
    3
    """
    record = _class("event", cls).make(frozen=True)
    return _describe(cls, "__event__", EventSpec(record))


@dataclass_transform()
def error(cls: type[C]) -> type[C]:
    """Declare an error with typed fields. Subclass `Revert` so that type checkers know that it can be raised.

    >>> @error
    ... class WrongPrice(Revert):
    ...     price: u64
    >>> WrongPrice(price=3).price
    3
    """
    error_class = (
        _revert_class(cls) if isinstance(cls, type) and not issubclass(cls, Revert) else cls
    )
    record = _class("error", error_class).make(unsafe_hash=True)
    return _describe(error_class, "__error__", ErrorSpec(record))


def _class(what: str, cls: type) -> RecordReader:
    """Return a reader of `cls`. `what` is the name of the decorator."""
    frame = sys._getframe(2)
    if not isinstance(cls, type):
        raise DeclarationError(
            f"{location_of_frame(frame)}: @{what} marks a class; put it directly above a 'class'"
        )
    return RecordReader(cls, what, frame)


def _revert_class(cls: type[C]) -> type[C]:
    """Return a copy of a class with `Revert` as its base: the base of an existing class cannot be changed."""
    body = {
        name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")
    }
    bases = tuple(base for base in cls.__bases__ if base is not object)
    return cast(
        "type[C]", type(cls.__name__, (Revert, *bases), body | {"__qualname__": cls.__qualname__})
    )


def _describe(cls: type[C], name: str, spec: object) -> type[C]:
    setattr(cls, name, spec)
    return cls
