"""Between the two worlds: classes of an image have twins among those that Python imported, and the other way round.

Nearly everything crosses as bytes: arguments, results, events, storage. What is left are exceptions, and outcomes of chance
that a test forces.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from chain.storage.frozen_list import FrozenList

if TYPE_CHECKING:
    from chain.metering.module_copies import ModuleNamespace

E = TypeVar("E", bound=BaseException)
Twin: TypeAlias = Callable[[type], type]

# For the classes of modules that have been imported anew since, and for their twins: the author's class of then.
former: dict[type, type] = {}


# Every class that was made anew, with the one it was made of; None: that has its name in the module of its name.
_images: dict[type, type | None] = {}


def register(cls: type, author: type | None = None) -> None:
    """Note that a class is an image, and of which class where its name does not tell."""
    _images[cls] = author


def register_module(space: Mapping[str, Any], name: str) -> None:
    """Note the classes of an image module, those in classes too."""
    waiting = list(space.values())
    while waiting:
        each = waiting.pop()
        if isinstance(each, type) and each.__module__ == name and each not in _images:
            register(each)
            waiting += vars(each).values()


def author_class(cls: type) -> type:
    """The class that Python imported, for its twin in an image; any other class is its own."""
    if cls in former:
        return former[cls]
    if cls not in _images:
        return cls
    known = _images[cls]
    if known is not None:
        return known
    module = sys.modules.get(cls.__module__)
    return cls if module is None else _named_like(cls, vars(module))


def counterpart_in(world: ModuleNamespace | None) -> Twin:
    """For a class that Python imported, its twin in a world."""

    def twin(cls: type) -> type:
        module = None if world is None else world.modules.get(cls.__module__)
        return cls if module is None else _named_like(cls, module.space)

    return twin


def _named_like(cls: type, space: Mapping[str, Any]) -> type:
    """The class in a module that the same statement made; `cls` itself if there is none."""
    found = resolve_qualname(space, cls.__qualname__)
    if isinstance(found, type) and lines_of(found) == lines_of(cls):
        return found
    name = cls.__module__, cls.__qualname__
    classes = (each for each in space.values() if isinstance(each, type))
    for each in classes:
        if (each.__module__, each.__qualname__) == name and lines_of(each) == lines_of(cls):
            return each
    return found if isinstance(found, type) and "__spec__" not in vars(cls) else cls


@lru_cache(maxsize=4096)
def lines_of(cls: type) -> frozenset[tuple[str, int]]:
    """By what a class is told from another one of its name: where it and its own methods begin.

    An image has some that its author did not write, from modules of ours.
    """
    codes = [
        (name, getattr(value, "__code__", None))
        for name, value in vars(cls).items()
        if getattr(value, "__module__", cls.__module__) == cls.__module__
    ]
    found = {
        (name, code.co_firstlineno)
        for name, code in codes
        if code is not None and code.co_filename != "<string>"
    }
    source = getattr(vars(cls).get("__spec__"), "source", None)
    return frozenset(found | ({("", source.line)} if source is not None else set()))


def convert(value: Any, twin: Twin) -> Any:
    """`value` with all that is in it, as the other world has it."""
    if isinstance(value, list | tuple) and type(value) in (list, tuple, FrozenList):
        make = tuple if isinstance(value, tuple) else list
        return make(convert(each, twin) for each in value)
    cls = type(value)
    other = twin(cls)
    if other is cls:
        return value
    if isinstance(value, Enum):
        return other[value.name]  # type: ignore[index]
    if dataclasses.is_dataclass(value) and not isinstance(value, BaseException):
        made: Any = object.__new__(other)
        for field in dataclasses.fields(value):
            object.__setattr__(made, field.name, convert(getattr(value, field.name), twin))
        return made
    return value


def convert_error(problem: E, twin: Twin) -> E:
    """An exception as the other world knows it."""
    cls = type(problem)
    other = twin(cls)
    if other is cls or not issubclass(other, BaseException):
        return problem
    made: E = other.__new__(other, *problem.args)  # type: ignore[assignment]
    made.args = problem.args
    for name, value in vars(problem).items():
        setattr(made, name, convert(value, twin))
    made.__cause__, made.__context__ = problem.__cause__, problem.__context__
    made.__suppress_context__ = problem.__suppress_context__
    return made.with_traceback(problem.__traceback__)


def resolve_qualname(space: Mapping[str, Any], path: str) -> Any:
    """What `Outer.Inner` stands for in a module; None for nothing."""
    found: Any = None
    for part in path.split("."):
        found = space.get(part) if found is None else vars(found).get(part)
        if found is None:
            return None
    return found
