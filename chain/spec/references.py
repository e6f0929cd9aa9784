"""The events, errors and models that the code of a contract mentions, directly or through functions and classes it uses.

So they need not be listed: the contract's ABI declares what a method names. Code of the same package is followed, and of the
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
from chain.spec.records import ErrorSpec, EventSpec


@dataclass(frozen=True)
class References:
    """The events, errors and models that a contract's code mentions, by name."""

    events: dict[str, EventSpec] = field(default_factory=dict)
    errors: dict[str, ErrorSpec] = field(default_factory=dict)
    models: dict[str, ModelSpec] = field(default_factory=dict)


def references_of(cls: type, functions: Iterable[FunctionType]) -> References:
    """Return the references of `functions`, the methods of contract class `cls`."""
    references = References()
    tables: dict[str, Any] = {
        "__event__": references.events, "__error__": references.errors, "__model__": references.models,
    }  # fmt: skip
    for named_class in _named_by(functions, _own_packages(cls)):
        for mark, table in tables.items():
            spec = vars(named_class).get(mark)
            if spec is not None and (other := table.setdefault(spec.name, spec)) is not spec:
                lines = [
                    line_of(duplicate.record.cls, duplicate.record.source)
                    for duplicate in (spec, other)
                ]
                raise DeclarationError(
                    f"{lines[0]}: {cls.__name__}: it mentions this {mark.strip('_')} {spec.name} and the one at {lines[1]};"
                    f" rename one"
                )
    return references


def _own_packages(cls: type) -> set[str]:
    """Return the packages of a contract and of its parents, except the chain itself."""
    parents = {_package_of(parent) for parent in cls.__mro__[1:] if "__spec__" in vars(parent)}
    return {_package_of(cls), *(parents - {"chain"})}


def _package_of(thing: Any) -> str:
    return (getattr(thing, "__module__", None) or "").partition(".")[0]


def _named_by(functions: Iterable[FunctionType], homes: set[str]) -> Iterator[type]:
    """Return every class that the code of `functions` names. Functions of the packages `homes` are followed."""
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
    """Return the functions among a class's attributes, including those behind its properties."""
    attributes = [inspect.unwrap(_unwrap_property(thing)) for thing in things]
    return [attribute for attribute in attributes if isinstance(attribute, FunctionType)]


def _unwrap_property(value: Any) -> Any:
    """Return the function behind a property or cached property, or `value` itself."""
    return getattr(value, "fget", None) or getattr(value, "func", None) or value


def _references(function: FunctionType) -> Iterator[Any]:
    """Return the objects that the names in a function's code refer to. Attributes of modules are followed."""
    objects = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            objects[name] = cell.cell_contents
        except ValueError:  # a class that is still being created
            continue
    for name, *attributes in paths_in(function.__code__):
        thing = objects.get(name)
        for attribute in attributes:
            if not isinstance(thing, ModuleType):
                break
            thing = vars(thing).get(attribute)
        yield thing


def paths_in(code: CodeType) -> Iterator[tuple[str, ...]]:
    """Return the global and enclosing names that code reads, with the attributes after them. Other attributes are left out."""
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
# By operation: the number of bits by which its argument is shifted to hold the index of a name.
_NAMES: Final = {opmap["LOAD_GLOBAL"]: 1, opmap["LOAD_NAME"]: 0}
_ATTRIBUTES: Final = {opmap["LOAD_ATTR"]: 0 if sys.version_info < (3, 12) else 1}
if "LOAD_METHOD" in opmap:  # before Python 3.12
    _ATTRIBUTES[opmap["LOAD_METHOD"]] = 0
