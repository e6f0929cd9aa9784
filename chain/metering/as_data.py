"""Values that outlive calls as plain data: equal in every process, as long as the values are.

The identity of a contract is made of it, and a contract is run again elsewhere with it (`chain.metering.kept`). What stands for
a value is a scalar that JSON has, or a list of a word and its parts.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from operator import attrgetter, itemgetter
from pathlib import Path
from types import (
    BuiltinFunctionType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final

from chain.source.compiled_code import cell_value
from chain.source.own_modules import is_own

Found = Callable[[object], None]

KEPT: Final = "kept_"  # how the name of the package of a program that runs again begins


def label_of(module: str) -> str:
    """Return the name of a module. A script has the same name whether it is run or imported, and so has a kept module."""
    if module == "__main__":
        file = getattr(sys.modules[module], "__file__", None)
        return Path(file).stem if file else module
    return original_name(module)


def original_name(module: str) -> str:
    """Return the name that a kept module had when it was kept; that of any other module."""
    return module.partition(".")[2] if module.startswith(KEPT) else module


def _name_of(thing: Any) -> str:
    return f"{label_of(thing.__module__ or '')}:{thing.__qualname__}"


def as_data(value: Any, found: Found, inside: tuple[int, ...] = ()) -> object:
    """Return a value as data, and tell `found` the functions and classes in it."""
    if value is None or isinstance(value, bool | str) or type(value) is int:
        return value
    if id(value) in inside:
        return ["itself"]

    def data(part: object) -> object:
        return as_data(part, found, (*inside, id(value)))

    match value:
        case Enum():
            found(type(value))
            held = [[name, data(part)] for name, part in enum_attributes_of(value)]
            return ["enum", _name_of(type(value)), value.name, held]
        case int() | float() | complex() | bytes():
            return [_kind(value), repr(value)]
        case MappingProxyType():
            return ["mappingproxy", data(dict(value))]
        case dict():
            made_by = [data(value.default_factory)] if isinstance(value, defaultdict) else []
            items = [[data(key), data(item)] for key, item in value.items()]
            return [_kind(value), items, *made_by]
        case set() | frozenset():
            return [_kind(value), sorted(map(data, value), key=repr)]
        case tuple() if hasattr(value, "_fields"):
            found(type(value))
            return ["namedtuple", _name_of(type(value)), [*map(data, value)]]
        case deque():
            return [_kind(value), [*map(data, value)], value.maxlen]
        case list() | tuple():
            return [_kind(value), [*map(data, value)]]
        case re.Pattern():
            return ["pattern", data(value.pattern), value.flags]
        case partial() | range() | slice() | itemgetter() | attrgetter():
            return [_kind(value), data(value.__reduce__())]
        case FunctionType() if "<" in value.__qualname__:  # made by a function, or a lambda
            found(value)
            cells = [data(cell_value(cell)) for cell in value.__closure__ or ()]
            return ["function", _name_of(value), cells, data(value.__defaults__)]
        case MethodType():
            found(value.__func__)
            return ["method", data(value.__self__), value.__name__]
        case BuiltinFunctionType() if is_method(value):
            return ["method", data(value.__self__), value.__name__]
        case type() | FunctionType() | BuiltinFunctionType():
            found(value)
            return ["name", _name_of(value)]
        case ModuleType():
            return ["module", label_of(value.__name__)]
        case staticmethod() | classmethod() | property():
            found(value)
            return ["attribute", type(value).__name__]
    cls = value.__class__
    if not is_own(cls.__module__):
        found(value)
        return ["other", _name_of(cls)]
    found(cls)
    return ["object", _name_of(cls), [[name, data(part)] for name, part in attributes_of(value)]]


def _kind(value: object) -> str:
    return type(value).__name__


def is_method(function: BuiltinFunctionType) -> bool:
    """Return True for a method that was taken off a value, such as `ROWS.append`."""
    return not isinstance(function.__self__, ModuleType | type(None))


def enum_attributes_of(member: Enum) -> Iterator[tuple[str, Any]]:
    """Yield the value of a member of an Enum, and the attributes that its class gives it."""
    held = vars(member)
    return ((name, held[name]) for name in held if name == "_value_" or name[0] != "_")


def attributes_of(value: object) -> Iterator[tuple[str, Any]]:
    """Yield the attributes that an object holds itself, in its dict and in slots."""
    yield from getattr(value, "__dict__", {}).items()
    for cls in type(value).__mro__:
        for name, slot in vars(cls).items():
            if isinstance(slot, MemberDescriptorType) and hasattr(value, name):
                yield name, getattr(value, name)
