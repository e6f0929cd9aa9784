"""The names in compiled functions, for use without the source."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dis import get_instructions, opmap
from functools import lru_cache
from types import (
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    ModuleType,
)
from typing import Any, Final

from chain.foundation.dataclass import is_made_here

_LEADING: Final = (FunctionType, type)
_PLAIN: Final = (str, tuple, dict, type(None), GetSetDescriptorType, MemberDescriptorType)


def functions_reached(
    functions: Iterable[FunctionType], leads_on: Callable[[object], bool]
) -> Iterator[tuple[FunctionType, dict[str, object]]]:
    """Yield these functions, and those that they name directly or indirectly, each with the objects that it names.

    Only functions, and methods of classes, for which `leads_on` is true are followed.
    """
    done, seen, waiting = set[int](), set[int](), list(functions)
    for function in waiting:
        if id(function) in done:
            continue
        done.add(id(function))
        named = objects_named_by(function)
        yield function, named
        for thing in named.values():
            if id(thing) in seen or not isinstance(thing, _LEADING):
                continue
            seen.add(id(thing))
            if isinstance(thing, type):
                waiting += functions_in(vars(thing).values()) if leads_on(thing) else ()
            elif leads_on(thing):
                waiting.append(thing)


def functions_in(things: Iterable[object]) -> list[FunctionType]:
    """Return the functions among a class's attributes, including those behind its properties.

    The methods that every dataclass has are left out, except for `__init__`: they name nothing of the author's.
    """
    others = [thing for thing in things if not isinstance(thing, _PLAIN)]
    attributes = [inspect.unwrap(_unwrap_property(thing)) for thing in others]
    return [
        attribute
        for attribute in attributes
        if isinstance(attribute, FunctionType) and not is_made_here(attribute)
    ]


def _unwrap_property(value: object) -> Any:
    """Return the function behind a property or cached property, or `value` itself."""
    return getattr(value, "fget", None) or getattr(value, "func", None) or value


def objects_named_by(function: FunctionType) -> dict[str, object]:
    """Return the objects that the names in a function refer to, by these names. Attributes of modules are followed."""
    space, closure = function.__globals__, closure_of(function)
    named = {}
    for name, *attributes in paths_in(function.__code__):
        thing = closure[name] if name in closure else space.get(name)
        for attribute in attributes:
            if not isinstance(thing, ModuleType):
                break
            thing = vars(thing).get(attribute)
            name = f"{name}.{attribute}"
        named[name] = thing
    return named


def closure_of(function: FunctionType) -> dict[str, object]:
    """Return the values of the enclosing functions' variables that a function uses."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell_value(cell) for name, cell in cells}


def cell_value(cell: CellType) -> object:
    """Return the content of a cell, None if it is empty, as for a class that is still being created."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Yield the code objects inside a code object, outer ones first."""
    waiting = [code]
    while waiting:
        inner = [
            constant for constant in waiting.pop(0).co_consts if isinstance(constant, CodeType)
        ]
        yield from inner
        waiting += inner


@lru_cache(maxsize=4096)
def names_rebound(code: CodeType) -> frozenset[str]:
    """Return the variables of enclosing functions that code, or a function in it, sets."""
    return frozenset(
        step.argval
        for each in (code, *codes_in(code))
        for step in get_instructions(each)
        if step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in each.co_freevars
    ).intersection(code.co_freevars)


@lru_cache(maxsize=4096)
def paths_in(code: CodeType) -> tuple[tuple[str, ...], ...]:
    """Return the global and enclosing names that code reads, with the attributes after them. Other attributes are left out."""
    return tuple(dict.fromkeys(_paths_in(code)))


def _paths_in(code: CodeType) -> Iterator[tuple[str, ...]]:
    yield from ((name,) for name in code.co_freevars)
    yield from ((name, attribute) for name in code.co_freevars for attribute in code.co_names)
    operations, arguments = code.co_code[::2], code.co_code[1::2]
    for found in _LOADS.finditer(operations):
        path: tuple[str, ...]
        place, high = found.start(), 0
        first = place
        while first and operations[first - 1] == _EXTENDED:
            first -= 1
        for low in arguments[first:place]:
            high = (high | low) << 8
        path = (code.co_names[(high | arguments[place]) >> _NAMES[operations[place]]],)
        high = 0
        for operation, low in zip(operations[place + 1 :], arguments[place + 1 :], strict=True):
            if operation in _ATTRIBUTES:
                path = (*path, code.co_names[(high | low) >> _ATTRIBUTES[operation]])
                high = 0
            elif operation == _EXTENDED:
                high = (high | low) << 8
            elif operation != _CACHE:
                break
        yield path
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _paths_in(constant)


_CACHE: Final = opmap["CACHE"]
_EXTENDED: Final = opmap["EXTENDED_ARG"]
# By operation: the number of bits by which its argument is shifted to hold the index of a name.
_NAMES: Final = {opmap["LOAD_GLOBAL"]: 1, opmap["LOAD_NAME"]: 0}
_LOADS: Final = re.compile(b"[" + b"".join(re.escape(bytes([load])) for load in _NAMES) + b"]")
_ATTRIBUTES: Final = {opmap["LOAD_ATTR"]: 0 if sys.version_info < (3, 12) else 1}
if "LOAD_METHOD" in opmap:  # before Python 3.12
    _ATTRIBUTES[opmap["LOAD_METHOD"]] = 0


def text_of_code(code: CodeType) -> str:
    """A text that describes what a code object does, independent of its line numbers."""
    constants = [
        text_of_code(each) if isinstance(each, CodeType) else f"{each!a}" for each in code.co_consts
    ]
    return f"{code.co_name} {code.co_code.hex()} {(code.co_names, code.co_varnames, code.co_freevars)} {constants}"
