"""`Set`: distinct values in storage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from chain.storage.collection_layout import CollectionLayout, P, ReadItemKey, ReadKey, ReadValue
from chain.storage.fields import FieldsLayout, Layout
from chain.storage.map import MapLayout
from chain.storage.vector import Vector, VectorLayout
from chain.values import Int, ValueType
from chain.values.storage_collection import ITEMS_COMPARED, LIST_OF_IT, StorageCollection

T = TypeVar("T")


_PLACE: Final = FieldsLayout(["place"], [Int.sized("u256", 256)])


class Set(StorageCollection, Generic[T]):
    """Distinct values in the order of insertion, except that the last value moves to the position of a removed one.

    >>> self.finished.add(alice)
    True
    >>> alice in self.finished, len(self.finished), list(self.finished) == [alice]
    (True, 1, True)
    """

    __slots__ = ()
    _example = "Set[Address]"
    _offers = "it has add, discard, remove, 'in' and len, and 'for' iterates over it"
    _compared = ITEMS_COMPARED
    _remedies: ClassVar = {
        "pop": "choose an item: 'item = list({it})[-1]', then {it}.discard(item)",
        "update": "add them one by one: 'for item in items: {it}.add(item)'",
        "clear": "write 'for item in list({it}): {it}.discard(item)'",
        **dict.fromkeys(("copy", "index", "sort", "union"), LIST_OF_IT),
        "append": "write {it}.add(item), which returns True if the item was new",
    }

    def __len__(self) -> int:
        length: int = self._frame.sload(self._slot)
        return length

    def __contains__(self, value: T) -> bool:
        return self._index(value) != 0

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def add(self, value: T) -> bool:
        """Add `value`, and return True if it was new.

        >>> self.finished.add(bob), self.finished.add(bob)
        (True, False)
        """
        if value in self:
            return False
        self._items.append(value)
        self._set_index(value, len(self))
        return True

    def discard(self, value: T) -> bool:
        """Remove `value`, and return True if it was in the set.

        >>> self.finished.discard(bob)
        False
        """
        index = self._index(value)
        if index == 0:
            return False
        last = self._items.pop()
        if index <= len(self):
            self._items[index - 1] = last
            self._set_index(last, index)
        self._set_index(value, 0)
        return True

    def remove(self, value: T) -> None:
        """Remove `value`. Raise KeyError if it is not in the set; `discard` does nothing then.

        >>> self.finished.add(bob)
        True
        >>> self.finished.remove(bob)
        """
        if not self.discard(value):
            raise KeyError(f"{self._layout.name} has no {value!r} to remove")

    @property
    def _items(self) -> Vector[T]:
        items: Vector[T] = self._layout.items.load(self._frame, self._slot)
        return items

    def _index(self, value: T) -> int:
        """Return the position of `value` among the items plus one, or 0 if it is not in the set."""
        position: int = self._frame.sload(self._place(value))
        return position

    def _set_index(self, value: T, index: int) -> None:
        self._frame.sstore(self._place(value), index)

    def _place(self, value: T) -> int:
        """Return the slot of the index of `value`."""
        slot: int = self._frame.map_slot(self._slot + 1, self._layout.key_bytes(value))
        return slot

    def __repr__(self) -> str:
        return f"<Set {self._layout.name} of {len(self)}>"


class SetLayout(CollectionLayout):
    """The layout of a set: a Vector of the items, then a Map from each item to its position plus one."""

    collection = Set
    words = 2

    def __init__(self, name: str, item: ValueType, label: str = "item") -> None:
        super().__init__(name, item)
        self.item = item
        self.items = VectorLayout(name, item)
        self.items.what = self.what
        places = MapLayout(name, item, _PLACE, label)
        self.key_bytes = places.key_bytes
        self.fields = FieldsLayout(["", ""], [self.items, places])

    @classmethod
    def of(cls, name: str, parts: Sequence[P], key: ReadKey[P], value: ReadValue[P]) -> Self:
        return cls(name, key(parts[0]))

    def step(self, key: object, path: str, read: ReadItemKey) -> tuple[object, Layout | None]:
        return read(self.item, key, path), None

    def item_of(self, collection: Any, key: object) -> bool:
        return key in collection
