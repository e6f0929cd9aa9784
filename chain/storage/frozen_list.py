"""Lists that were read from a contract's storage. They are values: one is made anew and assigned, never changed where it is.

What a field, a `Map` or a `Vector` gives is made out of storage words, so a change in it would change a copy and be lost.
Tuples and frozen records cannot be changed anyway; a `FrozenList` is what a `list[T]` is read as. It is a list to everyone who
reads it. Models of a World are another matter: they are read, changed and written back, so their lists are plain ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Final, NoReturn, TypeVar

from chain.schema.value_types import (
    Field,
    ListType,
    OptionalType,
    StructType,
    ValueType,
)

T = TypeVar("T")

# What changes a list, and how a refusal names it.
CHANGES: Final = {
    **{name: name for name in ("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse")},
    "__setitem__": "'items[i] = …'",
    "__delitem__": "'del items[i]'",
}  # fmt: skip


class FrozenList(list[T]):
    """A `list` that refuses to be changed. Slices, sums, sorted lists and copies of it are plain lists again."""

    __slots__ = ()

    def __iadd__(self, items: Iterable[T]) -> list[T]:  # type: ignore[override, misc]
        """`self.row += [1]` makes a new list and assigns it."""
        return [*self, *items]

    def __imul__(self, count: Any) -> list[T]:  # type: ignore[override, misc]
        return [*self] * count

    def __reduce_ex__(self, protocol: Any) -> tuple[type[list[T]], tuple[list[T]]]:
        """`copy.copy` and `copy.deepcopy` give plain lists."""
        return list, (list(self),)


def _refusing(change: str) -> Callable[..., NoReturn]:
    def refuse(self: FrozenList[Any], *args: object, **named: object) -> NoReturn:
        raise TypeError(
            f"{change} would change a list that was read from storage, and the change would be lost: "
            "assign a new list, such as 'self.row = [*self.row, item]', or change a copy, "
            "'row = list(self.row)', and assign that"
        )

    return refuse


for _name, _change in CHANGES.items():
    setattr(FrozenList, _name, _refusing(_change))


def changeable(items: T, change: str = "this") -> T:
    """`items`, or the refusal of a `FrozenList`: before a function of C changes it without asking it."""
    if type(items) is FrozenList:
        _refusing(change)(items)
    return items


def read_only(kind: ValueType) -> ValueType:
    """The same kind, whose lists cannot be changed once they are read."""
    match kind:
        case ListType(item=item, make=make):
            return ListType(read_only(item), FrozenList if make is list else make)
        case OptionalType(item=item):
            return OptionalType(read_only(item))
        case StructType(members=members):
            inner = tuple(Field(member.name, read_only(member.kind)) for member in members)
            return replace(kind, members=inner)
        case _:
            return kind


def plain(kind: ValueType) -> Callable[[Any], Any] | None:
    """A function that makes plain lists of all that are read-only in values of `kind`; None where there are no lists.

    For what leaves a contract. A record of an author's class never does as it is, so it need not be looked into.
    """
    match kind:
        case ListType(item=item, make=make):
            if (each := plain(item)) is not None:
                return partial(_rebuilt, each)
            return _thawed if make is list else None
        case OptionalType(item=item):
            inner = plain(item)
            return None if inner is None else lambda value: None if value is None else inner(value)
        case StructType(cls=None, members=members):
            parts = [plain(member.kind) for member in members]
            if any(parts):
                return lambda value: _like(value)(
                    part(each) if part else each for part, each in zip(parts, value, strict=True)
                )
    return None


def _rebuilt(plain_item: Callable[[Any], Any], value: Any) -> Any:
    return _like(value)(map(plain_item, value))


def _like(value: Any) -> type[list[Any]] | type[tuple[Any, ...]]:
    return tuple if isinstance(value, tuple) else list


def _thawed(value: Any) -> Any:
    return list(value) if type(value) is FrozenList else value
