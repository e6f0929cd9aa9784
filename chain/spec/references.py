"""The events, errors and models that the code of a contract mentions, directly or through functions and classes it uses.

So they need not be listed: the contract's ABI declares everything that a method names. Code of the same package is followed,
and of the packages from which the contract inherits; other contracts and other packages are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from types import FunctionType
from typing import Any

from chain.errors import DeclarationError
from chain.foundation.dataclass import dataclass
from chain.source.compiled_code import functions_reached
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
    for named_class in _classes_named_by(cls, functions):
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


def _classes_named_by(cls: type, functions: Iterable[FunctionType]) -> Iterator[type]:
    seen = set[int]()
    for _, named in functions_reached(functions, is_own_code(cls)):
        for thing in named.values():
            if isinstance(thing, type) and id(thing) not in seen:
                seen.add(id(thing))
                yield thing


def is_own_code(cls: type) -> Callable[[object], bool]:
    """Return a function that is true for the functions and classes of a contract's packages, other contracts excepted."""
    parents = {_package_of(parent) for parent in cls.__mro__[1:] if "__spec__" in vars(parent)}
    homes = {_package_of(cls), *(parents - {"chain"})}
    return lambda thing: _package_of(thing) in homes and not hasattr(thing, "__spec__")


def _package_of(thing: object) -> str:
    return (getattr(thing, "__module__", None) or "").partition(".")[0]
