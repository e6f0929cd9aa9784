"""Values that storage returns exactly as they are.

A contract may store a list for a tuple, a member of an IntEnum for a number, or any object with the members of a record. The
words are the same, but what is read back is a tuple, a plain number, or that record.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from operator import is_not
from typing import Any, TypeAlias

from chain.schema.base import ValueType
from chain.schema.codegen import SourceBuilder
from chain.schema.value_types import EnumType, ListType, OptionalType, Scalar, StructType

IsExact: TypeAlias = Callable[[Any, Any], bool]


def exactness(kind: ValueType) -> IsExact:
    """Return a function that returns True if a value of this type is read back as it is.

    It takes the value and the one before, which was read: what both share needs no look. The type has no lists that change.
    """
    source = SourceBuilder(f"exactness of {kind.name}")
    lines = ["def is_exact(v, b):", f" return {_condition(kind, 'v', 'b', source)}"]
    is_exact: IsExact = source.run(lines, {"compress": compress, "is_not": is_not})["is_exact"]
    return is_exact


def _condition(kind: ValueType, value: str, before: str, source: SourceBuilder) -> str:
    """Return the source of the condition. Without a value `before`, its text is empty."""
    match kind:
        case OptionalType(item=item):
            inner = f"{value} is None or {_condition(item, value, '', source)}"
            if before:
                shared = _condition(item, value, before, source)
                inner = f"({inner}) if {before} is None else {value} is None or {shared}"
        case StructType(cls=cls):
            parts = [
                _condition(
                    part, kind.accessor_source(value, i), before and kind.accessor_source(before, i), source
                )
                for i, part in enumerate(kind.parts)
            ]  # fmt: skip
            inner = " and ".join([_is_of(value, tuple if cls is None else cls, source), *parts])
        case ListType(item=item) if isinstance(item, Scalar):
            classes = source.bind({_class_of(item)})
            inner = f"{_is_of(value, tuple, source)} and {classes}.issuperset(map(type, {value}))"
        case ListType(item=item):
            new = f"compress({value}, map(is_not, {value}, {before}))"
            items = f"({new} if len({value}) == len({before}) else {value})" if before else value
            wrong = f"not {_condition(item, 'item', '', source)}"
            inner = f"{_is_of(value, tuple, source)} and not [1 for item in {items} if {wrong}]"
        case _:
            return _is_of(value, _class_of(kind), source)
    return f"({value} is {before} or {inner})" if before else f"({inner})"


def _class_of(kind: ValueType) -> object:
    return kind.cls if isinstance(kind, EnumType) else type(kind.zero)


def _is_of(value: str, cls: object, source: SourceBuilder) -> str:
    return f"{value}.__class__ is {source.bind(cls)}"
