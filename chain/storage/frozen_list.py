"""Lists that were read from a contract's storage. They are values: to change one, build a new list and assign it.

The value of a field, a `Map` item or a `Vector` item is built from storage words, so a change in it would change a copy and be
lost. Tuples and frozen records are immutable anyway; a `list[T]` is read as a `FrozenList`, which is a list to all its readers.
Models of a World are different: they are read, changed and written back, so their lists are plain lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, NoReturn, TypeVar

from chain.values import ListType, OptionalType, StructType, ValueType

T = TypeVar("T")

# The methods that change a list, and their names in errors.
CHANGES: Final = {
    **{name: name for name in ("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse")},
    "__setitem__": "'items[i] = …'",
    "__delitem__": "'del items[i]'",
}  # fmt: skip


class FrozenList(list[T]):
    """A `list` that refuses to be changed. Slices, sums, sorted lists and copies of it are plain lists."""

    __slots__ = ()

    def __iadd__(self, items: Iterable[T]) -> list[T]:  # type: ignore[override, misc]
        """Return a new list, so that `self.row += [1]` assigns it."""
        return [*self, *items]

    def __imul__(self, count: Any) -> list[T]:  # type: ignore[override, misc]
        return [*self] * count

    def __reduce_ex__(self, protocol: object) -> tuple[type[list[T]], tuple[list[T]]]:
        """Make `copy.copy` and `copy.deepcopy` return plain lists."""
        return list, (list(self),)


def _refusing(change: str) -> Callable[..., NoReturn]:
    def refuse(self: FrozenList[object], *args: object, **named: object) -> NoReturn:
        raise TypeError(
            f"{change} would change a list that was read from storage, and the change would be lost: "
            "assign a new list, such as 'self.row = [*self.row, item]', or change a copy, "
            "'row = list(self.row)', and assign that"
        )

    return refuse


for _name, _change in CHANGES.items():
    setattr(FrozenList, _name, _refusing(_change))


def changeable(items: T, change: str = "this") -> T:
    """Return `items`, or refuse a `FrozenList`: a function written in C could change one without calling its methods."""
    if type(items) is FrozenList:
        _refusing(change)(items)
    return items


def read_only(kind: ValueType) -> ValueType:
    """Return the same type with lists that cannot be changed after they are read."""
    if isinstance(kind, ListType) and kind.make is list:
        return ListType(read_only(kind.item), FrozenList)
    return kind.map(read_only)


def plain(kind: ValueType) -> Callable[[Any], Any] | None:
    """Return a function that makes the read-only lists in values of `kind` plain, or None if there are no lists.

    It is for values that leave a contract. Instances of an author's class are always converted otherwise, so they are skipped.
    """
    match kind:
        case ListType(item=item, make=make):
            if (plain_item := plain(item)) is not None:
                return partial(_rebuilt, plain_item)
            return _thawed if make is list else None
        case OptionalType(item=item):
            plain_inner = plain(item)
            return (
                None
                if plain_inner is None
                else lambda value: None if value is None else plain_inner(value)
            )
        case StructType(cls=None):
            plain_members = [plain(part) for part in kind.parts]
            if any(plain_members):
                return lambda value: _like(value)(
                    plain_member(member) if plain_member else member
                    for plain_member, member in zip(plain_members, value, strict=True)
                )
    return None


def _rebuilt(plain_item: Callable[[object], object], value: Iterable[object]) -> object:
    return _like(value)(map(plain_item, value))


def _like(value: object) -> type[list[object]] | type[tuple[object, ...]]:
    """Return the type to rebuild `value` as: tuple or list."""
    return tuple if isinstance(value, tuple) else list


def _thawed(value: object) -> object:
    return list(value) if type(value) is FrozenList else value
