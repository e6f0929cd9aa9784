"""Counterparts: each class of an instrumented copy corresponds to a class that Python imported, and vice versa.

Nearly all values cross between the two as bytes: arguments, results, events, storage. Only exceptions, and random outcomes
that a test forces, are converted here.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from types import ModuleType
from typing import Any, Protocol, TypeAlias, TypeVar

from chain.storage.frozen_list import FrozenList

E = TypeVar("E", bound=BaseException)
Counterpart: TypeAlias = Callable[[type], type]


class ModuleNames(Protocol):
    """The instrumented modules of a contract."""

    def module_copy(self, name: str) -> ModuleType | None:
        """Return the instrumented copy of an imported module, None if the contract does not reach it."""


# For the classes of modules that have been imported again since, and for their counterparts: the author's class of that time.
former: dict[type, type] = {}

# Each class of an instrumented copy, with its original; None if the original is found by module and name.
_images: dict[type, type | None] = {}


def register(cls: type, author: type | None = None) -> None:
    """Register the class of an instrumented copy; `author` is the original if it cannot be found by name."""
    _images[cls] = author


def register_module(space: Mapping[str, object], name: str) -> None:
    """Register the classes of an instrumented module. `space` is the module's dict."""
    for cls in classes_in(space, name):
        if cls not in _images:
            register(cls)


def classes_in(space: Mapping[str, object], module: str) -> Iterator[type]:
    """Yield the classes of a module, including nested ones. `space` is the module's dict."""
    seen: set[type] = set()
    waiting = list(space.values())
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, type) and thing.__module__ == module and thing not in seen:
            seen.add(thing)
            yield thing
            waiting += vars(thing).values()


def author_class(cls: type) -> type:
    """Return the imported class for its counterpart in an instrumented copy; any other class is returned unchanged."""
    if cls in former:
        return former[cls]
    if cls not in _images:
        return cls
    author = _images[cls]
    if author is not None:
        return author
    module = sys.modules.get(cls.__module__)
    return cls if module is None else _named_like(cls, vars(module))


def counterpart_in(namespace: ModuleNames | None) -> Counterpart:
    """Return a function that maps an imported class to its counterpart in a module namespace."""

    def counterpart(cls: type) -> type:
        module = None if namespace is None else namespace.module_copy(cls.__module__)
        return cls if module is None else _named_like(cls, vars(module))

    return counterpart


def _named_like(cls: type, space: Mapping[str, object]) -> type:
    """Return the class in a module that the same statement defined; `cls` itself if there is none."""
    same_name = resolve_qualname(space, cls.__qualname__)
    if isinstance(same_name, type) and lines_of(same_name) == lines_of(cls):
        return same_name
    name = cls.__module__, cls.__qualname__
    classes = (thing for thing in space.values() if isinstance(thing, type))
    for other in classes:
        if (other.__module__, other.__qualname__) == name and lines_of(other) == lines_of(cls):
            return other
    return same_name if isinstance(same_name, type) and "__spec__" not in vars(cls) else cls


@lru_cache(maxsize=4096)
def lines_of(cls: type) -> frozenset[tuple[str, int]]:
    """Return the first lines of a class and of its own methods, which distinguish it from another class of its name.

    Methods from the chain's modules are left out: an instrumented copy has some that its author did not write.
    """
    codes = [
        (name, getattr(value, "__code__", None))
        for name, value in vars(cls).items()
        if getattr(value, "__module__", cls.__module__) == cls.__module__
        and not name.startswith("__annotate")  # a function since 3.14; a copy has none
    ]
    lines = {
        (name, code.co_firstlineno)
        for name, code in codes
        if code is not None and not code.co_filename.startswith("<")
    }
    source = getattr(vars(cls).get("__spec__"), "source", None)
    return frozenset(lines | ({("", source.line)} if source is not None else set()))


def convert(value: object, twin: Counterpart) -> object:
    """Return `value`, with all nested values, in the counterpart classes that `twin` returns."""
    if isinstance(value, list | tuple) and type(value) in (list, tuple, FrozenList):
        container = tuple if isinstance(value, tuple) else list
        return container(convert(item, twin) for item in value)
    cls = type(value)
    counterpart = twin(cls)
    if counterpart is cls:
        return value
    if isinstance(value, Enum):
        return counterpart[value.name]  # type: ignore[index]
    if dataclasses.is_dataclass(value) and not isinstance(value, BaseException):
        new: object = object.__new__(counterpart)
        for field in dataclasses.fields(value):
            object.__setattr__(new, field.name, convert(getattr(value, field.name), twin))
        return new
    return value


def convert_error(problem: E, twin: Counterpart) -> E:
    """Return an exception of the counterpart class that `twin` returns."""
    cls = type(problem)
    counterpart = twin(cls)
    if counterpart is cls or not issubclass(counterpart, BaseException):
        return problem
    new: E = counterpart.__new__(counterpart, *problem.args)  # type: ignore[assignment]
    new.args = problem.args
    for name, value in vars(problem).items():
        setattr(new, name, convert(value, twin))
    new.__cause__, new.__context__ = problem.__cause__, problem.__context__
    new.__suppress_context__ = problem.__suppress_context__
    return new.with_traceback(problem.__traceback__)


def resolve_qualname(space: Mapping[str, object], path: str) -> Any:
    """Return the value of a dotted name such as `Outer.Inner` in a module; None if there is none."""
    value: Any = None
    for part in path.split("."):
        value = space.get(part) if value is None else vars(value).get(part)
        if value is None:
            return None
    return value
