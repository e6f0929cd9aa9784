"""Which events, errors and models the code of a contract mentions, directly or through functions and classes it uses.

Nobody lists them twice: what a method names, the contract's ABI declares. Code of the same package is followed, and of those
packages from which the contract inherits; other contracts and other packages are not.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from dis import opmap
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from chain.errors import DeclarationError
from chain.source.location import line_of
from chain.spec.models import ModelSpec
from chain.spec.records import (
    ErrorSpec,
    EventSpec,
)


@dataclass(frozen=True)
class References:
    """What a contract's code mentions, by name."""

    events: dict[str, EventSpec] = field(default_factory=dict)
    errors: dict[str, ErrorSpec] = field(default_factory=dict)
    models: dict[str, ModelSpec] = field(default_factory=dict)


def references_of(cls: type, functions: Iterable[FunctionType]) -> References:
    """What `functions`, the methods of contract class `cls`, mention."""
    found = References()
    tables: dict[str, Any] = {
        "__event__": found.events, "__error__": found.errors, "__model__": found.models,
    }  # fmt: skip
    for thing in _named_by(functions, _own_packages(cls)):
        for mark, table in tables.items():
            spec = vars(thing).get(mark)
            if spec is not None and (other := table.setdefault(spec.name, spec)) is not spec:
                places = [line_of(each.record.cls, each.record.source) for each in (spec, other)]
                raise DeclarationError(
                    f"{places[0]}: {cls.__name__}: it mentions this {mark.strip('_')} {spec.name} and the one at {places[1]};"
                    f" rename one"
                )
    return found


def _own_packages(cls: type) -> set[str]:
    """The packages of a contract and of those it derives from, the chain's own aside."""
    parents = {_package_of(parent) for parent in cls.__mro__[1:] if "__spec__" in vars(parent)}
    return {_package_of(cls), *(parents - {"chain"})}


def _package_of(thing: Any) -> str:
    return (getattr(thing, "__module__", None) or "").partition(".")[0]


def _named_by(functions: Iterable[FunctionType], homes: set[str]) -> Iterator[type]:
    """Every class that the code of `functions` refers to by name, functions of these packages followed."""
    seen, waiting = set(), list(functions)
    while waiting:
        function = waiting.pop(0)
        if function in seen:
            continue
        seen.add(function)
        for thing in _references(function):
            if isinstance(thing, type):
                yield thing
            if _package_of(thing) in homes:
                if isinstance(thing, FunctionType):
                    waiting.append(thing)
                elif isinstance(thing, type) and not hasattr(thing, "__spec__"):
                    waiting += functions_in(vars(thing).values())


def functions_in(things: Iterable[Any]) -> list[FunctionType]:
    """The functions among what a class holds, and those behind its properties."""
    found = [inspect.unwrap(_unwrap_property(thing)) for thing in things]
    return [thing for thing in found if isinstance(thing, FunctionType)]


def _unwrap_property(value: Any) -> Any:
    """The function behind a property or cached property."""
    return getattr(value, "fget", None) or getattr(value, "func", None) or value


def _references(function: FunctionType) -> Iterator[Any]:
    """What the names in a function's code stand for, and what is reached through those that stand for modules."""
    spaces = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            spaces[name] = cell.cell_contents
        except ValueError:  # a class that is still being made
            continue
    for name, *attributes in paths_in(function.__code__):
        thing = spaces.get(name)
        for attribute in attributes:
            if not isinstance(thing, ModuleType):
                break
            thing = vars(thing).get(attribute)
        yield thing


def paths_in(code: CodeType) -> Iterator[tuple[str, ...]]:
    """The names that code reads from around it, with the attributes behind them: locals and attributes of others are none."""
    yield from ((name,) for name in code.co_freevars)
    yield from ((name, attribute) for name in code.co_freevars for attribute in code.co_names)
    path: tuple[str, ...] = ()
    high = 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = high << 8 | low
        if operation == _EXTENDED:
            high = argument
            continue
        high = 0
        if path and operation in _ATTRIBUTES:
            path = (*path, code.co_names[argument >> _ATTRIBUTES[operation]])
        elif operation != _CACHE:
            if path:
                yield path
            shift = _NAMES.get(operation)
            path = () if shift is None else (code.co_names[argument >> shift],)
    if path:
        yield path
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from paths_in(constant)


_CACHE: Final = opmap["CACHE"]
_EXTENDED: Final = opmap["EXTENDED_ARG"]
# By operation how far its argument stands to the left of the index of a name.
_NAMES: Final = {opmap["LOAD_GLOBAL"]: 1, opmap["LOAD_NAME"]: 0}
_ATTRIBUTES: Final = {opmap["LOAD_ATTR"]: 0 if sys.version_info < (3, 12) else 1}
if "LOAD_METHOD" in opmap:  # before Python 3.12
    _ATTRIBUTES[opmap["LOAD_METHOD"]] = 0
