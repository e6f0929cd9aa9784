"""Between the two worlds: classes of an image have twins among those that Python imported, and the other way round.

Nearly everything crosses as bytes: arguments, results, events, storage. What is left are exceptions, and outcomes of chance
that a test forces.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from chain.frozen_list import FrozenList

if TYPE_CHECKING:
    from chain.image.worlds import World

E = TypeVar("E", bound=BaseException)
Twin: TypeAlias = Callable[[type], type]

# For the classes of modules that have been imported anew since, and for their twins: the author's class of then.
former: dict[type, type] = {}


def author_of(cls: type) -> type:
    """The class that Python imported, for its twin in an image; any other class is its own."""
    if "<locals>" in cls.__qualname__ or cls.__module__ == "builtins":
        return cls
    if cls in former:
        return former[cls]
    module = sys.modules.get(cls.__module__)
    found = names_above(vars(module), cls.__qualname__) if module is not None else None
    return found if isinstance(found, type) else cls


def twin_in(world: World | None) -> Twin:
    """For a class that Python imported, its twin in a world."""

    def twin(cls: type) -> type:
        module = None if world is None else world.modules.get(cls.__module__)
        found = names_above(module.space, cls.__qualname__) if module is not None else None
        return found if isinstance(found, type) else cls

    return twin


def turned(value: Any, twin: Twin) -> Any:
    """`value` with all that is in it, as the other world has it."""
    if isinstance(value, list | tuple) and type(value) in (list, tuple, FrozenList):
        make = tuple if isinstance(value, tuple) else list
        return make(turned(each, twin) for each in value)
    cls = type(value)
    other = twin(cls)
    if other is cls:
        return value
    if isinstance(value, Enum):
        return other[value.name]  # type: ignore[index]
    if dataclasses.is_dataclass(value) and not isinstance(value, BaseException):
        made: Any = object.__new__(other)
        for field in dataclasses.fields(value):
            object.__setattr__(made, field.name, turned(getattr(value, field.name), twin))
        return made
    return value


def turned_error(problem: E, twin: Twin) -> E:
    """An exception as the other world knows it."""
    cls = type(problem)
    other = twin(cls)
    if other is cls or not issubclass(other, BaseException):
        return problem
    made: E = other.__new__(other, *problem.args)  # type: ignore[assignment]
    made.args = problem.args
    for name, value in vars(problem).items():
        setattr(made, name, turned(value, twin))
    made.__cause__, made.__context__ = problem.__cause__, problem.__context__
    made.__suppress_context__ = problem.__suppress_context__
    return made.with_traceback(problem.__traceback__)


def names_above(space: Mapping[str, Any], path: str) -> Any:
    """What `Outer.Inner` stands for in a module; None for nothing."""
    found: Any = None
    for part in path.split("."):
        found = space.get(part) if found is None else vars(found).get(part)
        if found is None:
            return None
    return found
