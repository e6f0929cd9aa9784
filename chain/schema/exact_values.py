"""Values that storage returns exactly as they are.

A contract may store a list for a tuple, a member of an IntEnum for a number, or any object with the members of a record. The
words are the same, but what is read back is a tuple, a plain number, or that record.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from operator import is_not
from typing import Any, TypeAlias

from chain.foundation.dataclass import dataclass
from chain.schema.base import ValueType
from chain.schema.codegen import SourceBuilder
from chain.schema.value_types import EnumType, ListType, OptionalType, Scalar, StructType

IsExact: TypeAlias = Callable[[Any, Any], bool]


def exactness(kind: ValueType) -> IsExact:
    """Return a function that returns True if a value of this type is read back as it is.

    It takes the value and the one before, which was read: what both share needs no look. The type has no lists that change.
    """
    source = _Conditions(f"exactness of {kind.name}")
    line = f" return v is b or {source.of_changed(kind, 'v', 'b')}"
    tools = {"compress": compress, "is_not": is_not}
    is_exact: IsExact = source.run(["def is_exact(v, b):", line], tools)["is_exact"]
    return is_exact


@dataclass
class _Conditions(SourceBuilder):
    """Source of conditions that are true for exact values."""

    variables: int = 0

    def of_new(self, kind: ValueType, value: str) -> str:
        """Return the condition for a value of which no part was there before."""
        match kind:
            case OptionalType(item=item):
                return f"({value} is None or {self.of_new(item, value)})"
            case StructType(cls=cls):
                parts = [
                    self.of_new(part, kind.accessor_source(value, i))
                    for i, part in enumerate(kind.parts)
                ]
                return " and ".join([self._is_of(value, cls or tuple), *parts])
            case ListType(item=item) if isinstance(item, Scalar):
                classes = self.bind({_class_of(item)})
                return f"{self._is_of(value, tuple)} and {classes}.issuperset(map(type, {value}))"
            case ListType(item=item):
                return f"{self._is_of(value, tuple)} and {self._are_exact(item, value)}"
            case _:
                return self._is_of(value, _class_of(kind))

    def of_changed(self, kind: ValueType, value: str, before: str) -> str:
        """Return the condition for a value that is another object than the one before."""
        match kind:
            case OptionalType(item=item):
                new, changed = self.of_new(item, value), self.of_changed(item, value, before)
                return f"({value} is None or ({new} if {before} is None else {changed}))"
            case StructType(cls=cls):
                parts = [
                    self._of_part(part, kind.accessor_source(value, i), kind.accessor_source(before, i))
                    for i, part in enumerate(kind.parts)
                ]  # fmt: skip
                return " and ".join([self._is_of(value, cls or tuple), *parts])
            case ListType(item=item) if not isinstance(item, Scalar):
                changed = f"compress({value}, map(is_not, {value}, {before}))"
                items = f"({changed} if len({value}) == len({before}) else {value})"
                return f"{self._is_of(value, tuple)} and {self._are_exact(item, items)}"
            case _:
                return self.of_new(kind, value)

    def _of_part(self, kind: ValueType, value: str, before: str) -> str:
        """Return the condition for a part, which is often the same object as before."""
        if isinstance(kind, Scalar):
            return self.of_new(kind, value)
        self.variables += 1
        v, b = f"v{self.variables}", f"b{self.variables}"
        return f"(({v} := {value}) is ({b} := {before}) or {self.of_changed(kind, v, b)})"

    def _are_exact(self, kind: ValueType, items: str) -> str:
        return f"not [1 for item in {items} if not ({self.of_new(kind, 'item')})]"

    def _is_of(self, value: str, cls: object) -> str:
        return f"{value}.__class__ is {self.bind(cls)}"


def _class_of(kind: ValueType) -> object:
    return kind.cls if isinstance(kind, EnumType) else type(kind.zero)
