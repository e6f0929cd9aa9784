"""Sets that keep the order of insertion, as dicts do: the order of Python's own differs in every run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from typing import TYPE_CHECKING, Final, Self, TypeGuard

from chain.metering.fuel import BUILTINS


class _Ordered:
    """Base of both classes: subclasses of Python's own, with the items in a dict as well."""

    __slots__ = ()
    _order: dict[object, None]

    if TYPE_CHECKING:

        def __init__(self, items: Iterable[object] = ()) -> None: ...

    def __iter__(self) -> Iterator[object]:
        return iter(self._order)

    def __repr__(self) -> str:
        items, name = ", ".join(map(repr, self._order)), type(self).__name__
        if not items:
            return f"{name}()"
        return f"{{{items}}}" if name == "set" else f"{name}({{{items}}})"

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        return type(self), (list(self._order),)

    def copy(self) -> Self:
        return type(self)(self._order)

    def union(self, *others: Iterable[object]) -> Self:
        return type(self)([*self._order, *(item for other in others for item in other)])

    def intersection(self, *others: Iterable[object]) -> Self:
        kept = set(self._order).intersection(*others)
        return type(self)(item for item in self._order if item in kept)

    def difference(self, *others: Iterable[object]) -> Self:
        kept = set(self._order).difference(*others)
        return type(self)(item for item in self._order if item in kept)

    def symmetric_difference(self, other: Iterable[object]) -> Self:
        items, order = dict.fromkeys(other), self._order
        ours = (item for item in order if item not in items)
        return type(self)([*ours, *(item for item in items if item not in order)])


def _is_set(thing: object) -> TypeGuard[Set[object]]:
    return isinstance(thing, _SETS)


def _operator(method: str, is_swapped: bool = False) -> Callable[[_Ordered, object], object]:
    def operate(self: _Ordered, other: object) -> object:
        if not _is_set(other):
            return NotImplemented
        left, right = (type(self)(other), self) if is_swapped else (self, other)
        return getattr(left, method)(right)

    return operate


_METHODS: Final = {
    "or": "union",
    "and": "intersection",
    "sub": "difference",
    "xor": "symmetric_difference",
}
for _sign, _method in _METHODS.items():
    setattr(_Ordered, f"__{_sign}__", _operator(_method))
    setattr(_Ordered, f"__r{_sign}__", _operator(_method, is_swapped=True))


class OrderedSet(_Ordered, set[object]):
    __slots__ = ("_order",)
    __hash__ = None

    def __init__(self, items: Iterable[object] = (), /) -> None:
        self._order = dict.fromkeys(items)
        set.__init__(self, self._order)

    def add(self, item: object) -> None:
        self._order.setdefault(item)
        set.add(self, item)

    def discard(self, item: object) -> None:
        set.discard(self, item)
        self._order.pop(item, None)

    def remove(self, item: object) -> None:
        set.remove(self, item)
        del self._order[item]

    def pop(self) -> object:
        if not self._order:
            raise KeyError("pop from an empty set")
        item, _ = self._order.popitem()
        set.discard(self, item)
        return item

    def clear(self) -> None:
        OrderedSet.__init__(self)

    def update(self, *others: Iterable[object]) -> None:
        for other in others:
            self._order.update(dict.fromkeys(other))
        set.update(self, self._order)

    def intersection_update(self, *others: Iterable[object]) -> None:
        OrderedSet.__init__(self, self.intersection(*others))

    def difference_update(self, *others: Iterable[object]) -> None:
        OrderedSet.__init__(self, self.difference(*others))

    def symmetric_difference_update(self, other: Iterable[object]) -> None:
        OrderedSet.__init__(self, self.symmetric_difference(other))


def _change(method: str) -> Callable[[OrderedSet, object], object]:
    def change(self: OrderedSet, other: object) -> object:
        if not _is_set(other):
            return NotImplemented
        getattr(self, method)(other)
        return self

    return change


for _sign, _method in _METHODS.items():
    _name = "update" if _sign == "or" else f"{_method}_update"
    setattr(OrderedSet, f"__i{_sign}__", _change(_name))


class OrderedFrozenSet(_Ordered, frozenset[object]):
    __slots__ = ("_order",)

    def __new__(cls, items: Iterable[object] = (), /) -> Self:
        order = dict.fromkeys(items)
        new = frozenset.__new__(cls, order)
        new._order = order
        return new


_SETS: Final[tuple[type, ...]] = (set, frozenset, type({}.keys()), type({}.items()))
for _cls, _name in ((OrderedSet, "set"), (OrderedFrozenSet, "frozenset")):
    _cls.__name__ = _name  # by its qualified name, `pickle` finds it


def of_views(left: object, right: object, sign: str) -> object:
    """Return the result of an operator whose operand is `x.keys()` or `x.items()`."""
    return getattr(OrderedSet(left) if _is_set(left) else left, sign)(right)


BUILTINS.update(
    {"__set__": OrderedSet, "__frozenset__": OrderedFrozenSet, "__of_views__": of_views}
)
