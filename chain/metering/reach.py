"""Everything that a contract reaches, followed from object to object: the functions that it names, their classes, and the
values at the top of modules and classes. The modules have been imported, so each name leads to one object, under whatever name.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from inspect import get_annotations
from types import CellType, FunctionType, ModuleType
from typing import Any, Final, NamedTuple, TypeAlias

from chain.foundation.dataclass import is_made_here
from chain.metering.analysis import plain_code
from chain.metering.as_data import as_data, label_of
from chain.source.compiled_code import cell_value, names_rebound, paths_in
from chain.source.own_modules import is_own
from chain.source.word_sets import word_set

_OF_PYTHON: Final = word_set("_abc_impl _fields _field_defaults _is_protocol _is_runtime_protocol")
# The module, and the name in it: `LIMIT`, `Piece.SIZES`, `make.<locals>.limit`.
Name: TypeAlias = tuple[str, str]


class Place(NamedTuple):
    """Where a value is kept: in the namespace of a module, in a class, in a closure, or as defaults of a function."""

    holder: dict[str, Any] | type | CellType | FunctionType
    name: str

    @property
    def value(self) -> Any:
        match self.holder:
            case dict():
                return self.holder.get(self.name)
            case type():
                return vars(self.holder).get(self.name)
            case CellType():
                return cell_value(self.holder)
        return getattr(self.holder, self.name)

    def put(self, value: object) -> None:
        match self.holder:
            case dict():
                self.holder[self.name] = value
            case type():
                type.__setattr__(self.holder, self.name, value)
            case CellType():
                self.holder.cell_contents = value
            case _:
                setattr(self.holder, self.name, value)


class Reach:
    """The functions and classes that a contract class reaches, and the values that outlive a call."""

    def __init__(self, cls: type) -> None:
        self.root = cls
        self.functions: dict[FunctionType, None] = {}
        self.classes: dict[type, None] = {}
        self.values: dict[Name, tuple[Place, Any]] = {}
        self.rebound: list[Name] = []  # variables of enclosing functions that calls would set
        self._data: dict[int, object] = {}  # by id of a value
        self._same: dict[int, set[Name]] = {}  # by id of a value: its names
        self._waiting: list[object] = [cls]
        while self._waiting:
            self._add(self._waiting.pop())
        self.remember()

    @property
    def data(self) -> dict[str, str]:
        """The values as text, and the names of each: equal in every process that has equal modules."""
        names: dict[str, set[str]] = {}
        for key, data in self._data.items():
            labels = {f"{label_of(module)}:{name}" for module, name in self._same[key]}
            names.setdefault(ascii(data), set()).update(labels)
        return {text: " ".join(sorted(labels)) for text, labels in names.items()}

    @property
    def is_current(self) -> bool:
        """True if each name still leads to the same object."""
        return all(get(name) is value for get, name, value in self._bindings)

    def changes(self) -> list[str]:
        """Return the names that lead to something else now: to another function, or to a value with another content."""
        now = Reach(self.root)
        functions = (each for each in self.functions if each not in now.functions)
        names = {f"{label_of(each.__module__)}:{each.__qualname__}" for each in functions}
        for _, changed in self.data.items() - now.data.items():
            names.update(changed.split())
        return sorted(names)

    def remember(self) -> None:
        """Take the present objects for those that the names lead to."""
        self._bindings = [*self._bound()]

    def _bound(self) -> Iterator[tuple[Callable[[str], object], str, object]]:
        for cls in self.classes:
            yield from ((vars(cls).get, name, value) for name, value in vars(cls).items())
        for place, value in self.values.values():
            if isinstance(place.holder, dict):
                yield place.holder.get, place.name, value

    def _add(self, thing: Any) -> None:
        match thing:
            case staticmethod() | classmethod():
                self._add(thing.__func__)
            case FunctionType():
                if thing not in self.functions:
                    self._function(thing)
            case type():
                if thing not in self.classes and is_own(thing.__module__):
                    self.classes[thing] = None
                    self._class(thing)
            case property():
                self._waiting += filter(None, (thing.fget, thing.fset, thing.fdel))
            case partial() | cached_property():
                self._waiting.append(thing.func)
            case _ if hasattr(thing, "__wrapped__"):
                self._waiting.append(thing.__wrapped__)

    def _class(self, cls: type) -> None:
        self._waiting += cls.__bases__
        self._waiting += _annotated(cls, vars(sys.modules.get(cls.__module__, sys)))
        for name, value in vars(cls).items():
            if isinstance(value, FunctionType | staticmethod | classmethod | property | type):
                self._waiting.append(value)
            elif not _is_of_python(name) and not hasattr(type(value), "__get__"):
                self._value((cls.__module__, f"{cls.__qualname__}.{name}"), Place(cls, name))

    def _function(self, function: FunctionType) -> None:
        space = function.__globals__
        if not is_own(space.get("__name__")) or is_made_here(function):
            if hasattr(function, "__wrapped__"):
                self._waiting.append(function.__wrapped__)
            return
        self.functions[function] = None
        self._waiting += _annotated(function, space)
        module, code = str(space["__name__"]), plain_code(function)
        # What `dataclass` makes has other names in each version of Python; its defaults are attributes of the class too.
        is_made = code.co_filename == "<string>" and "__file__" in space
        for cell, name in zip(function.__closure__ or (), code.co_freevars, strict=False):
            outer = function.__qualname__.rpartition(".")[0]
            self._value((module, f"{outer}.{name}"), Place(cell, name), is_made)
            if name in names_rebound(code):
                self.rebound.append((module, f"{outer}.{name}"))
        for defaults in ("__defaults__", "__kwdefaults__"):
            if getattr(function, defaults):
                named = f"{function.__qualname__}.{defaults}"
                self._value((module, named), Place(function, defaults), is_made)
        for path in paths_in(code):
            if path[0] not in code.co_freevars:
                self._global(space, module, *path)

    def _global(self, space: dict[str, Any], module: str, name: str, *attributes: str) -> None:
        for attribute in attributes:
            value = space.get(name)
            if not isinstance(value, ModuleType):
                break
            space, module, name = vars(value), value.__name__, attribute
        if name in space:
            self._value((module, name), Place(space, name))

    def _value(self, name: Name, place: Place, is_made: bool = False) -> None:
        if name in self.values:
            return
        value = place.value
        self.values[name] = place, value
        if isinstance(value, FunctionType | type):
            self._waiting.append(value)
        elif is_own(name[0]) and not isinstance(value, ModuleType):
            parts = value if place.name == "__defaults__" else [value]
            for part in value.values() if place.name == "__kwdefaults__" else parts:
                if is_made:
                    as_data(part, self._waiting.append)
                    continue
                self._same.setdefault(id(part), set()).add(name)
                if id(part) not in self._data:
                    self._data[id(part)] = as_data(part, self._waiting.append)


def _is_of_python(name: str) -> bool:
    """Return True for an attribute of a class that Python sets: `__doc__`, `_member_map_`, `_abc_impl`."""
    return name.startswith("_") and (name.endswith("_") or name in _OF_PYTHON)


def _annotated(thing: Any, space: Mapping[str, object]) -> Iterator[object]:
    """Yield the classes in annotations: the chain makes their instances from calldata and storage."""
    waiting = list(get_annotations(thing).values())
    while waiting:
        annotation = waiting.pop()
        if isinstance(annotation, str):
            waiting += filter(None, map(space.get, re.findall(r"[A-Za-z_]\w*", annotation)))
        elif isinstance(annotation, type):
            yield annotation
        waiting += getattr(annotation, "__args__", ())
