"""The decorators. Each checks a declaration there and then, attaches one frozen description, and returns the same object.

`@init @call @view` mark the entries of a contract; `@model @event @error` describe records of the outside world.
Nothing is registered anywhere: deploying a contract is a later act, and another one.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeVar, cast, dataclass_transform, overload

from chain.errors import DeclarationError, Revert
from chain.source.location import (
    line_of,
    location_of_frame,
)
from chain.spec.models import ModelSpec
from chain.spec.records import (
    ErrorSpec,
    EventSpec,
    RecordReader,
)

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class EntryMarker:
    """What `@init`, `@call` or `@view` said about a method."""

    kind: str
    payable: bool = False
    private: bool = False
    nonreentrant: bool = True
    name: str | None = None  # in the ABI, where it is not the method's


@overload
def init(function: F, /) -> F: ...
@overload
def init(*, payable: bool = ...) -> Callable[[F], F]: ...
def init(function: F | None = None, /, **options: Any) -> F | Callable[[F], F]:
    """The entry that runs once, when the contract is deployed."""
    return _marker("init", function, options, ("payable",))


@overload
def call(function: F, /) -> F: ...
@overload
def call(
    *, name: str = ..., payable: bool = ..., private: bool = ..., nonreentrant: bool = ...
) -> Callable[[F], F]: ...
def call(function: F | None = None, /, **options: Any) -> F | Callable[[F], F]:
    """An entry that may change state.

    `name`: what it is called in the ABI, if not like the method; entries with other arguments may share it.
    `payable`: it takes value. `private`: only the contract itself may call it, `self.at(Game, self.address).settle()`;
    that is no re-entry, for nobody else is there. `nonreentrant=False`: others may call it while the contract is busy.
    """
    return _marker("call", function, options, ("name", "payable", "private", "nonreentrant"))


@overload
def view(function: F, /) -> F: ...
@overload
def view(*, name: str = ...) -> Callable[[F], F]: ...
def view(function: F | None = None, /, **options: Any) -> F | Callable[[F], F]:
    """An entry that only looks: it runs static, so a write, an emit or a transfer in it reverts. `name` as of `@call`."""
    return _marker("view", function, options, ("name",))


def _marker(
    kind: str, function: F | None, options: dict[str, Any], known: tuple[str, ...]
) -> F | Callable[[F], F]:
    place = location_of_frame(sys._getframe(2))
    for name, value in options.items():
        if kind == "view" and name == "payable":
            raise DeclarationError(
                f"{place}: a view takes no value, for it changes nothing; make it a @call"
            )
        if name not in known:
            raise DeclarationError(
                f"{place}: @{kind} has no option '{name}'; it takes {', '.join(known)}"
            )
        if name == "name":
            _check_abi_name(kind, value, place)
        elif not isinstance(value, bool):
            raise DeclarationError(f"{place}: @{kind}({name}={value!r}): write True or False")
    entry = EntryMarker(kind, **options)
    if function is None:
        return lambda marked: _mark(marked, entry, place)
    return _mark(function, entry, place)


def _check_abi_name(kind: str, name: object, place: str) -> None:
    if not isinstance(name, str) or not (name.isascii() and name.isidentifier()):
        raise DeclarationError(
            f"{place}: @{kind}(name={name!r}): write the name that the entry has in the ABI, as in name='transfer'"
        )


def _mark(function: F, entry: EntryMarker, place: str) -> F:
    if not isinstance(function, FunctionType):
        raise DeclarationError(
            f"{place}: @{entry.kind} marks a method; put it directly above a 'def'"
        )
    path = function.__qualname__.rpartition("<locals>.")[2]
    known: EntryMarker | None = getattr(function, "__entry__", None)
    if known is not None:
        raise DeclarationError(
            f"{place}: {path}: it is marked @{known.kind} and @{entry.kind}; keep one of them"
        )
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise DeclarationError(
            f"{line_of(function)}: {path}: an entry runs to its end at once; take 'async' away"
        )
    if inspect.isgeneratorfunction(function):
        raise DeclarationError(
            f"{line_of(function)}: {path}: an entry runs to its end at once; return a list, do not yield"
        )
    function.__entry__ = entry  # type: ignore[attr-defined]
    return function


@dataclass_transform()
def model(cls: type[C]) -> type[C]:
    """A keyed record that lives in a World. Members marked `Key` say which one it is."""
    record = _class("model", cls).make()
    return _describe(cls, "__model__", ModelSpec(record))


@dataclass_transform(frozen_default=True)
def event(cls: type[C]) -> type[C]:
    """An announcement. Members marked `Key` become indexed topics."""
    record = _class("event", cls).make(frozen=True)
    return _describe(cls, "__event__", EventSpec(record))


@dataclass_transform()
def error(cls: type[C]) -> type[C]:
    """A refusal with typed fields. Subclass `Revert` so that type checkers know it can be raised."""
    whole = _revert_class(cls) if isinstance(cls, type) and not issubclass(cls, Revert) else cls
    record = _class("error", whole).make(unsafe_hash=True)
    return _describe(whole, "__error__", ErrorSpec(record))


def _class(what: str, cls: type) -> RecordReader:
    frame = sys._getframe(2)
    if not isinstance(cls, type):
        raise DeclarationError(
            f"{location_of_frame(frame)}: @{what} marks a class; put it directly above a 'class'"
        )
    return RecordReader(cls, what, frame)


def _revert_class(cls: type[C]) -> type[C]:
    """The same class body, on `Revert`: a class cannot be given another base once it is made."""
    body = {
        name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")
    }
    bases = tuple(base for base in cls.__bases__ if base is not object)
    return cast(
        "type[C]", type(cls.__name__, (Revert, *bases), body | {"__qualname__": cls.__qualname__})
    )


def _describe(cls: type[C], name: str, spec: Any) -> type[C]:
    setattr(cls, name, spec)
    return cls
