"""`Set`: distinct values in storage."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, MutableSet, Sequence
from copy import deepcopy
from typing import Any, Final, Generic, Self, TypeVar

from chain.storage.collection import CollectionLayout, P, ReadItemKey, ReadKey, is_in_place
from chain.storage.fields import FieldsLayout, Layout
from chain.storage.map import MapLayout
from chain.storage.unit_of_work import Holder, Place, UnitOfWork
from chain.storage.vector import Vector, VectorLayout
from chain.values import Int, ValueMismatch, ValueType

T = TypeVar("T")

_PLACE: Final = FieldsLayout(["place"], [Int.sized("u256", 256)])


def _reflected(name: str) -> Callable[[Set[Any], object], Any]:
    """Return the method for an operator between one of Python's sets, at its left side, and a set in storage."""
    plain, in_place = getattr(operator, f"__{name}__"), getattr(operator, f"__i{name}__")

    def reflect(self: Set[Any], other: object) -> Any:
        if not isinstance(other, set | frozenset):
            return NotImplemented
        return (in_place if is_in_place() else plain)(other, set(self))

    return reflect


class Set(Holder, MutableSet[T], Generic[T]):
    """Distinct values in the order of insertion, except that the last value moves to the position of a removed one.

    A field `set[T]` is one.

    >>> self.finished.add(alice)
    >>> alice in self.finished, len(self.finished), list(self.finished) == [alice]
    (True, 1, True)
    """

    __slots__ = ("_changes",)
    _example = "Set[Address]"

    def __init__(self, work: UnitOfWork, slot: int, layout: SetLayout) -> None:
        super().__init__(work, slot, layout)
        self._changes = 0  # of the items, for those who iterate

    @classmethod
    def _from_iterable(cls, items: Iterable[T]) -> set[T]:  # type: ignore[override]
        return set(items)

    __ror__, __rand__, __rsub__, __rxor__ = map(_reflected, ("or", "and", "sub", "xor"))

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, value: object) -> bool:
        try:
            return self._index(value) != 0
        except ValueMismatch:  # not an item that a set of this type can have
            return False

    def __iter__(self) -> Iterator[T]:
        return self._walk(self._changes)

    def _walk(self, changes: int) -> Iterator[T]:
        position = 0
        while True:
            if self._changes != changes:
                raise RuntimeError(f"{self._layout.name}: the set changed during the iteration")
            if position == len(self):
                return
            yield self._items[position]
            position += 1

    def add(self, value: T) -> None:
        """Add `value`, if it is not in the set.

        >>> self.finished.add(bob)
        """
        if self._index(value):
            return
        self._require_writable()
        self._items.append(value)
        self._set_index(value, len(self))
        self._changes += 1

    def discard(self, value: T) -> None:
        """Remove `value`, if it is in the set.

        >>> self.finished.discard(bob)
        """
        if value not in self:
            return
        self._require_writable()
        index = self._index(value)
        last = self._items.pop()
        if index <= len(self):
            self._items[index - 1] = last
            self._set_index(last, index)
        self._set_index(value, 0)
        self._changes += 1

    def pop(self) -> T:
        """Remove an item and return it: the one that was added last. Raise KeyError if there is none.

        >>> self.finished.add(alice)
        >>> self.finished.pop() == alice
        True
        """
        if not self:
            raise KeyError("pop from an empty set")
        value = self._items[-1]
        self.discard(value)
        return value

    def clear(self) -> None:
        """Remove all items.

        >>> self.finished.clear()
        """
        for value in [*self]:
            self.discard(value)

    def update(self, *others: Iterable[T]) -> None:
        """Add all items of others.

        >>> self.finished.update([alice, bob])
        """
        for other in others:
            for value in [*other]:
                self.add(value)

    def difference_update(self, *others: Iterable[object]) -> None:
        """Remove all items of others.

        >>> self.finished.difference_update([bob])
        """
        for other in others:
            for value in [*other]:
                self.discard(value)  # type: ignore[arg-type]

    def intersection_update(self, *others: Iterable[object]) -> None:
        """Keep the items that all others have.

        >>> self.finished.intersection_update([alice, bob])
        """
        self &= self.intersection(*others)

    def symmetric_difference_update(self, other: Iterable[T]) -> None:
        """Remove the items that the other has, and add those that it has alone.

        >>> self.finished.symmetric_difference_update([bob])
        """
        self ^= set(other)

    def union(self, *others: Iterable[T]) -> set[T]:
        """Return a set of the items of all.

        >>> self.finished.union([alice]) == {alice}
        True
        """
        return set(self).union(*others)

    def intersection(self, *others: Iterable[object]) -> set[T]:
        """Return a set of the items that all others have.

        >>> self.finished.intersection([alice])
        set()
        """
        return set(self).intersection(*others)

    def difference(self, *others: Iterable[object]) -> set[T]:
        """Return a set of the items that the others lack.

        >>> self.finished.difference([alice])
        set()
        """
        return set(self).difference(*others)

    def symmetric_difference(self, other: Iterable[T]) -> set[T]:
        """Return a set of the items that only one of both has.

        >>> self.finished.symmetric_difference([alice]) == {alice}
        True
        """
        return set(self).symmetric_difference(other)

    def issubset(self, other: Iterable[object]) -> bool:
        """Return True if the other has all items.

        >>> self.finished.issubset([alice, bob])
        True
        """
        return set(self).issubset(other)

    def issuperset(self, other: Iterable[object]) -> bool:
        """Return True if this has all items of the other.

        >>> self.finished.issuperset([alice])
        False
        """
        return all(value in self for value in other)

    def copy(self) -> set[T]:
        """Return the items as a set of its own.

        >>> self.finished.copy()
        set()
        """
        return set(self)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> set[T]:
        return deepcopy(self.copy(), memo)

    @property
    def _items(self) -> Vector[T]:
        items: Vector[T] = self._layout.items.take(self._work, Place(self._slot))
        return items

    def _index(self, value: Any) -> int:
        """Return the position of `value` among the items plus one, or 0 if it is not in the set."""
        position: int = self._work.words.sload(self._place(value))
        return position

    def _set_index(self, value: T, index: int) -> None:
        self._work.words.sstore(self._place(value), index)

    def _place(self, value: T) -> int:
        """Return the slot of the index of `value`."""
        slot: int = self._work.words.map_slot(self._slot + 1, self._layout.key_bytes(value))
        return slot

    def __repr__(self) -> str:
        return repr(set(self))


class SetLayout(CollectionLayout):
    """The layout of a set: a Vector of the items, then a Map from each item to its position plus one."""

    what = "set"
    collection = Set
    expected = "is not a set"
    accepted = (set, frozenset)
    words = 2

    def __init__(self, name: str, item: ValueType, label: str = "item") -> None:
        super().__init__(name, item)
        self.item = item
        self.items = VectorLayout(name, item)
        places = MapLayout(name, item, _PLACE, label)
        self.key_bytes = places.key_bytes
        self.fields = FieldsLayout(["", ""], [self.items, places])

    @classmethod
    def of(cls, name: str, parts: Sequence[P], key: ReadKey[P], value: object) -> Self:
        return cls(name, key(parts[0]))

    def step(self, key: object, path: str, read: ReadItemKey) -> tuple[object, Layout | None]:
        return read(self.item, key, path), None

    def item_of(self, collection: Any, key: object) -> bool:
        return key in collection

    def check_items(self, value: Iterable[object]) -> None:
        for item in value:
            try:
                self.key_bytes(item)
                self.item.refuse_misfit(item)
            except ValueMismatch as wrong:
                raise ValueMismatch("", wrong.wrong) from None

    def overwrite(self, words: Any, slot: int, value: Iterable[object]) -> None:
        held: Set[object] = self.load(words, slot)
        items = dict.fromkeys(value)
        for item in [*held]:
            if item not in items:
                held.discard(item)
        held.update(items)

    def clear(self, words: Any, slot: int) -> None:
        self.load(words, slot).clear()

    def used(self, words: Any, slot: int) -> Iterable[int]:
        held: Set[object] = self.load(words, slot)
        return [*self.items.used(words, slot), *(held._place(item) for item in held)]
