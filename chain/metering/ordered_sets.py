"""Sets that keep the order of insertion, as dicts do.

The order of Python's own sets depends on hashes, which are salted differently in every run, and on addresses. So `set` and
`frozenset` in an instrumented copy are these classes: subclasses of Python's own, with a dict of the items beside the set.
Membership is tested in the set, and iteration goes through the dict. `pop` removes the item that was added last.

Where the order cannot be observed, as in `x in {1, 2}` or `len(set(row))`, a plain set is used
(`chain.metering.insert_ordered_sets`).
"""

from __future__ import annotations

import collections
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Set
from types import BuiltinFunctionType, MappingProxyType, MethodDescriptorType
from typing import Any, Final, TypeVar

from chain.metering.emptied_dicts import lose

T = TypeVar("T")


class _Ordered:
    """Base of both set classes. Results have the base class of the left operand, never an author's subclass of it."""

    __slots__ = ()
    _order: dict[Any, None]
    _kind: type

    def __iter__(self) -> Iterator[Any]:
        return iter(self._order)

    def __repr__(self) -> str:
        name = type(self).__name__
        if not self._order:
            return f"{name}()"
        items = f"{{{', '.join(map(repr, self._order))}}}"
        return items if name == "set" else f"{name}({items})"

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        return self._kind, (list(self._order),)

    def copy(self) -> Any:
        return self._kind(self._order)

    def _kept(self, kept: Set[object]) -> Any:
        return self._kind([item for item in self._order if item in kept])

    def union(self, *others: Iterable[object]) -> Any:
        order: dict[object, None] = dict(self._order)
        for other in others:
            order.update(dict.fromkeys(other))
        return self._kind(order)

    def intersection(self, *others: Iterable[object]) -> Any:
        return self._kept(_plain(self).intersection(*others))

    def difference(self, *others: Iterable[object]) -> Any:
        return self._kept(_plain(self).difference(*others))

    def symmetric_difference(self, other: Iterable[object]) -> Any:
        order = dict.fromkeys(other)
        own_items = [item for item in self._order if item not in order]
        return self._kind([*own_items, *(item for item in order if item not in self._order)])

    # Comparisons follow the order too, because an author's own `==` may run for each item until one is missing.

    def __eq__(self, other: object) -> bool:
        return self._order.keys() == _listed(other) if isinstance(other, _SETS) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self._order.keys() <= _listed(other) if isinstance(other, _SETS) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._order.keys() < _listed(other) if isinstance(other, _SETS) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self._order.keys() >= _listed(other) if isinstance(other, _SETS) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self._order.keys() > _listed(other) if isinstance(other, _SETS) else NotImplemented

    def issubset(self, other: Iterable[object]) -> bool:
        return self._order.keys() <= dict.fromkeys(other).keys()

    def issuperset(self, other: Iterable[object]) -> bool:
        return all(item in self._order for item in other)

    def isdisjoint(self, other: Iterable[object]) -> bool:
        return self._order.keys().isdisjoint(_listed(other))

    def __or__(self, other: object) -> Any:
        return self.union(other) if isinstance(other, _SETS) else NotImplemented

    def __and__(self, other: object) -> Any:
        return self.intersection(other) if isinstance(other, _SETS) else NotImplemented

    def __sub__(self, other: object) -> Any:
        return self.difference(other) if isinstance(other, _SETS) else NotImplemented

    def __xor__(self, other: object) -> Any:
        return self.symmetric_difference(other) if isinstance(other, _SETS) else NotImplemented

    def __ror__(self, other: object) -> object:
        return OrderedSet(other) | self if isinstance(other, _SETS) else NotImplemented

    def __rand__(self, other: object) -> object:
        return OrderedSet(other) & self if isinstance(other, _SETS) else NotImplemented

    def __rsub__(self, other: object) -> object:
        return OrderedSet(other) - self if isinstance(other, _SETS) else NotImplemented

    def __rxor__(self, other: object) -> object:
        return OrderedSet(other) ^ self if isinstance(other, _SETS) else NotImplemented


class OrderedSet(_Ordered, set[T]):
    __slots__ = ("_order",)
    __hash__ = None

    def __new__(cls, *_: object, **__: object) -> Any:
        new: Any = set.__new__(cls)
        new._order = {}
        return new

    def __init__(self, items: Iterable[T] = (), /) -> None:
        self.clear()
        self._order.update(dict.fromkeys(items))
        set.update(self, self._order)

    def add(self, item: T) -> None:
        self._order.setdefault(item)
        set.add(self, item)

    def discard(self, item: object) -> None:
        set.discard(self, item)
        lose(self._order)
        self._order.pop(_key(item), None)

    def remove(self, item: Any) -> None:
        set.remove(self, item)
        lose(self._order)
        self._order.pop(_key(item), None)

    def pop(self) -> Any:
        if not self._order:
            raise KeyError("pop from an empty set")
        item, _ = self._order.popitem()
        set.discard(self, item)
        return item

    def clear(self) -> None:
        self._order.clear()
        set.clear(self)

    def update(self, *others: Iterable[Any]) -> None:
        for other in others:
            order = dict.fromkeys(other)
            self._order.update(order)
            set.update(self, order)

    def intersection_update(self, *others: Iterable[object]) -> None:
        OrderedSet.__init__(self, self.intersection(*others))

    def difference_update(self, *others: Iterable[object]) -> None:
        for other in others:
            for item in list(other):
                self.discard(item)

    def symmetric_difference_update(self, other: Iterable[object]) -> None:
        OrderedSet.__init__(self, self.symmetric_difference(other))

    def __ior__(self, other: object) -> Any:
        return self._inside(other, self.update)

    def __iand__(self, other: object) -> Any:
        return self._inside(other, self.intersection_update)

    def __isub__(self, other: object) -> Any:
        return self._inside(other, self.difference_update)

    def __ixor__(self, other: object) -> Any:
        return self._inside(other, self.symmetric_difference_update)

    def _inside(self, other: object, change: Callable[[Iterable[object]], None]) -> Any:
        if not isinstance(other, _SETS):
            return NotImplemented
        change(other)
        return self


class OrderedFrozenSet(_Ordered, frozenset[T]):
    __slots__ = ("_order",)
    __hash__ = frozenset.__hash__

    def __new__(cls, items: Iterable[T] = (), /) -> Any:
        if type(items) is cls is OrderedFrozenSet:
            return items
        order = dict.fromkeys(items)
        new: Any = frozenset.__new__(cls, order)
        new._order = order
        return new


OrderedSet._kind, OrderedFrozenSet._kind = OrderedSet, OrderedFrozenSet
SETS: Final[dict[str, type]] = {"set": OrderedSet, "frozenset": OrderedFrozenSet}
for _name, _cls in SETS.items():
    _cls.__name__ = _cls.__qualname__ = _name
    _cls.__module__ = "builtins"


def ordered_set_of(order: dict[object, None]) -> OrderedSet[object]:
    """Return the set of a literal or a comprehension. `{1, 2}` is compiled as `{1: None, 2: None}`, which is `order` here."""
    new: OrderedSet[object] = OrderedSet.__new__(OrderedSet)
    new._order = order
    set.update(new, order)
    return new


def _plain(items: _Ordered) -> set[object]:
    return set(items._order)


def _listed(other: object) -> Any:
    return other._order.keys() if isinstance(other, _Ordered) else other


def _key(item: object) -> object:
    return frozenset(item) if isinstance(item, set) else item


class OrderedDict(collections.OrderedDict[object, object]):
    """An `OrderedDict` with the `repr` of Python 3.11, which changed in 3.12."""

    __slots__ = ()
    __module__ = "collections"

    def __repr__(self) -> str:
        return f"OrderedDict({list(self.items())!r})" if self else "OrderedDict()"


# Views of dicts, whose operators return sets


class _View:
    """Base of both view classes."""

    __slots__ = ()
    _mapping: Any

    @classmethod
    def _from_iterable(cls, items: Iterable[object]) -> Any:
        return OrderedSet(items)

    @property
    def mapping(self) -> object:
        return MappingProxyType(self._mapping)


class Keys(_View, KeysView[object]):
    __slots__ = ()

    def __repr__(self) -> str:
        return f"dict_keys({list(self)!r})"

    def __reversed__(self) -> object:
        return reversed(self._mapping)


class Items(_View, ItemsView[object, object]):
    __slots__ = ()

    def __repr__(self) -> str:
        return f"dict_items({list(self)!r})"

    def __reversed__(self) -> object:
        return reversed(self._mapping.items())


VIEWS: Final = ("keys", "items")
_KEYS: Final[type] = type({}.keys())
_ITEMS: Final[type] = type({}.items())
_SETS: Final[Any] = (set, frozenset, _KEYS, _ITEMS, Keys, Items)


def view(found: Any) -> object:
    """Return `found`, the result of `x.keys()` or `x.items()`; for a dict, a view whose operators keep the order."""
    view_type = type(found)
    if issubclass(view_type, _KEYS):  # or an OrderedDict's
        return Keys(found.mapping)
    if issubclass(view_type, _ITEMS):
        return Items(found.mapping)
    if view_type is KeysView:
        return Keys(found._mapping)
    return Items(found._mapping) if view_type is ItemsView else found


def viewing(found: Any) -> object:
    """Return `found`, the uncalled `x.keys` or `x.items`; for a dict, a method that returns an ordered view."""
    if type(found) in (BuiltinFunctionType, MethodDescriptorType):
        return lambda *args: view(found(*args))
    return found
