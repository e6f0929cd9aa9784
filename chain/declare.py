"""The decorators. Each checks a declaration there and then, attaches one frozen description, and returns the same object.

`@init @call @view` mark the entries of a contract; `@model @event @error` describe records of the outside world.
Nothing is registered anywhere: deploying a contract is a later act, and another one.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeVar, cast, dataclass_transform, overload

from chain.errors import DeclarationError, Revert
from chain.models import ModelSpec
from chain.records import ErrorSpec, EventSpec, describe_record
from chain.where import line_of, place_of

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class Entry:
    """What `@init`, `@call` or `@view` said about a method."""

    kind: str
    payable: bool = False
    private: bool = False
    nonreentrant: bool = True


def init(function: F) -> F:
    """The entry that runs once, when the contract is deployed."""
    return _mark(function, Entry("init"))


@overload
def call(function: F) -> F: ...
@overload
def call(
    *, payable: bool = ..., private: bool = ..., nonreentrant: bool = ...
) -> Callable[[F], F]: ...
def call(
    function: F | None = None,
    *,
    payable: bool = False,
    private: bool = False,
    nonreentrant: bool = True,
) -> F | Callable[[F], F]:
    """An entry that may change state."""
    entry = Entry("call", payable, private, nonreentrant)
    return _mark(function, entry) if function is not None else lambda marked: _mark(marked, entry)


def view(function: F) -> F:
    """An entry that only looks: it runs static, so a write, an emit or a transfer in it reverts."""
    return _mark(function, Entry("view"))


def _mark(function: F, entry: Entry) -> F:
    if not isinstance(function, FunctionType):
        raise DeclarationError(
            f"{place_of(sys._getframe(2))}: @{entry.kind} marks a method; put it directly above a 'def'"
        )
    here = f"{line_of(function)}: {function.__qualname__.split('.<locals>.')[-1]}"
    if hasattr(function, "__entry__"):
        raise DeclarationError(f"{here} is marked twice; keep one of @init, @call, @view")
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise DeclarationError(
            f"{here} is async or a generator; an entry runs to its end at once: use a plain 'def'"
        )
    function.__entry__ = entry  # type: ignore[attr-defined]
    return function


@dataclass_transform()
def model(cls: type[C]) -> type[C]:
    """A keyed record that lives in a World. Members marked `Key` say which one it is."""
    made = dataclasses.dataclass(cls)
    return _describe(made, "__model__", ModelSpec(describe_record(made, "model", sys._getframe(1))))


@dataclass_transform(frozen_default=True)
def event(cls: type[C]) -> type[C]:
    """An announcement. Members marked `Key` become indexed topics."""
    made = dataclasses.dataclass(frozen=True)(cls)
    return _describe(made, "__event__", EventSpec(describe_record(made, "event", sys._getframe(1))))


@dataclass_transform()
def error(cls: type[C]) -> type[C]:
    """A refusal with typed fields. Subclass `Revert` so that type checkers know it can be raised."""
    whole = cls if issubclass(cls, Revert) else _revert_class(cls)
    made = dataclasses.dataclass(unsafe_hash=True)(whole)
    return _describe(made, "__error__", ErrorSpec(describe_record(made, "error", sys._getframe(1))))


def _revert_class(cls: type[C]) -> type[C]:
    """The same class body, on `Revert`: a class cannot be given another base once it is made."""
    body = {
        name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")
    }
    return cast("type[C]", type(cls.__name__, (Revert,), body))


def _describe(cls: type[C], name: str, spec: Any) -> type[C]:
    setattr(cls, name, spec)
    return cls
