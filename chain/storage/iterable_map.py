"""`IterableMap`: values in storage by key, with the keys in the order of insertion."""

from __future__ import annotations

from collections.abc import (
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    MutableMapping,
    ValuesView,
)
from copy import deepcopy
from typing import Any, Generic, Self, TypeVar

from chain.storage.collection import Part
from chain.storage.fields import FieldsLayout
from chain.storage.map import Map, MapLayout
from chain.storage.unit_of_work import Place, UnitOfWork
from chain.storage.vector import Vector, VectorLayout
from chain.values import Int, ValueMismatch, ValueType

K = TypeVar("K")
V = TypeVar("V")

_U256 = Int.sized("u256", 256)
_PLACE = FieldsLayout(["place"], [_U256])
_PLACES, _VALUES, _HOLES = 1, 2, 3  # words after the first, which has the keys


class IterableMap(Map[K, V], MutableMapping[K, V], Generic[K, V]):
    """Values by key, as in a dict: it knows its keys, in the order of insertion. A field `dict[K, V]` is one.

    >>> self.names[alice] = "Alice the First"
    >>> self.names[alice], bob in self.names, len(self.names)
    ('Alice the First', False, 1)
    """

    # Where a key was removed from the middle, its position stays empty. A run of empty positions has at both ends the position
    # of the other end, so that adding, removing and the step to the next key cost the same, however many keys there are.

    __slots__ = ("_changes",)
    _example = "IterableMap[Address, u64]"

    def __init__(self, work: UnitOfWork, slot: int, layout: IterableMapLayout) -> None:
        super().__init__(work, slot, layout)
        self._changes = 0  # of the keys, for those who iterate

    def __getitem__(self, key: K) -> V:
        if key not in self:
            raise KeyError(key)
        return super().__getitem__(key)

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        place = self._place(key)
        words = self._work.words
        if not words.sload(place):
            self._require_writable(f"[{key!r}]")
            keys = self._keys
            keys.append(key)
            words.sstore(place, len(keys))
            self._changes += 1

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        words, keys, place = self._work.words, self._keys, self._place(key)
        position = words.sload(place) - 1
        super().__delitem__(key)
        words.sstore(place, 0)
        self._changes += 1
        if position == len(keys) - 1:
            self._shorten(position)
        else:
            self._empty(position)

    def _shorten(self, end: int) -> None:
        """Remove the last key, and the empty positions before it."""
        words, holes = self._work.words, self._slot + _HOLES
        self._layout.keys.clear_item(words, self._slot, end)
        if end and words.sload(holes) and (other := words.sload(self._hole(end - 1))):
            start = other - 1
            words.sstore(self._hole(end - 1), 0)
            words.sstore(self._hole(start), 0)
            words.sstore(holes, words.sload(holes) - (end - start))
            end = start
        words.sstore(self._slot, end)

    def _empty(self, position: int) -> None:
        """Remove a key from the middle, and join the empty positions around it."""
        words, holes, start, end = self._work.words, self._slot + _HOLES, position, position
        self._layout.keys.clear_item(words, self._slot, position)
        count = words.sload(holes)
        if count:
            if position and (other := words.sload(self._hole(position - 1))):
                start = other - 1
            if other := words.sload(self._hole(position + 1)):
                end = other - 1
            for inner in {position - 1, position + 1} - {start, end, position}:
                if start < inner < end:
                    words.sstore(self._hole(inner), 0)
        words.sstore(self._hole(start), end + 1)
        words.sstore(self._hole(end), start + 1)
        words.sstore(holes, count + 1)

    def __contains__(self, key: object) -> bool:
        try:
            place = self._place(key)
        except ValueMismatch:  # not a key that a dict of this type can have
            return False
        return bool(self._work.words.sload(place))

    def __iter__(self) -> Iterator[K]:
        return self._walk(1, self._changes)

    def __reversed__(self) -> Iterator[K]:
        return self._walk(-1, self._changes)

    def _walk(self, step: int, changes: int) -> Iterator[K]:
        position: int | None = None
        while True:
            if self._changes != changes:
                raise RuntimeError(f"{self._layout.name}: the dict changed during the iteration")
            if position is None:
                end = len(self._keys)
                has_holes = self._work.words.sload(self._slot + _HOLES) if end else 0
                position = 0 if step > 0 else end - 1
            hole = has_holes and 0 <= position < end
            if hole and (other := self._work.words.sload(self._hole(position))):
                position = other - 1 + step
            if not 0 <= position < end:
                return
            yield self._keys[position]
            position += step

    def __len__(self) -> int:
        words = self._work.words
        length: int = words.sload(self._slot)
        return length - words.sload(self._slot + _HOLES) if length else 0

    def get(self, key: K, default: Any = None) -> Any:
        """Return the value of a key, or the default if it is missing.

        >>> self.names.get(alice), self.names.get(bob, "nobody")
        ('Alice', 'nobody')
        """
        try:
            return self[key]
        except KeyError:
            return default

    def keys(self) -> KeysView[K]:
        """Return a view of the keys.

        >>> [*self.names.keys()] == [alice]
        True
        """
        return _Keys(self)

    def values(self) -> ValuesView[V]:
        """Return a view of the values.

        >>> [*self.names.values()]
        ['Alice']
        """
        return _Values(self)

    def items(self) -> ItemsView[K, V]:
        """Return a view of the keys with their values.

        >>> [*self.names.items()] == [(alice, "Alice")]
        True
        """
        return _Items(self)

    def popitem(self) -> tuple[K, V]:
        """Remove the key that was added last, and return it with its value. Raise KeyError if there is none.

        >>> self.names.popitem() == (alice, "Alice")
        True
        """
        for key in reversed(self):
            return key, self.pop(key)
        raise KeyError("popitem(): the dict is empty")

    def pop(self, key: K, *default: Any) -> Any:
        """Remove a key and return its value, or the default if it is missing. Without a default, raise KeyError.

        >>> self.names.pop(alice), self.names.pop(alice, "nobody")
        ('Alice', 'nobody')
        """
        if default and key not in self:
            return default[0]
        value = self[key]
        del self[key]
        return value

    def clear(self) -> None:
        """Remove all keys.

        >>> self.names.clear()
        """
        for key in [*reversed(self)]:
            del self[key]

    def copy(self) -> dict[K, V]:
        """Return the keys and values as a dict of its own.

        >>> self.names.copy() == {alice: "Alice"}
        True
        """
        return dict(self.items())

    def __or__(self, other: Any) -> dict[K, V]:
        return {**self, **other} if isinstance(other, dict | IterableMap) else NotImplemented

    def __copy__(self) -> dict[K, V]:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[K, V]:
        return deepcopy(self.copy(), memo)

    def __ror__(self, other: Any) -> dict[K, V]:
        return {**other, **self} if isinstance(other, dict) else NotImplemented

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self

    def __repr__(self) -> str:
        return repr(self.copy())

    @property
    def _keys(self) -> Vector[K]:
        keys: Vector[K] = self._layout.keys.take(self._work, Place(self._slot))
        return keys

    def _place(self, key: Any) -> int:
        """Return the slot of the position of a key, which is counted from 1."""
        encoded = self._layout.key_bytes(key)
        slot: int = self._work.words.map_slot(self._slot + _PLACES, encoded)
        return slot

    def _hole(self, position: int) -> int:
        """Return the slot of the other end of the empty positions of which this is one end."""
        slot: int = self._work.words.data_slot(self._slot + _HOLES) + position
        return slot


class _Keys(KeysView[K]):
    _mapping: IterableMap[K, Any]

    def __reversed__(self) -> Iterator[K]:
        return reversed(self._mapping)


class _Values(ValuesView[V]):
    _mapping: IterableMap[Any, V]

    def __iter__(self) -> Iterator[V]:
        return (self._mapping[key] for key in self._mapping)

    def __reversed__(self) -> Iterator[V]:
        return (self._mapping[key] for key in reversed(self._mapping))


class _Items(ItemsView[K, V]):
    _mapping: IterableMap[K, V]

    def __iter__(self) -> Iterator[tuple[K, V]]:
        return ((key, self._mapping[key]) for key in self._mapping)

    def __reversed__(self) -> Iterator[tuple[K, V]]:
        return ((key, self._mapping[key]) for key in reversed(self._mapping))


class IterableMapLayout(MapLayout):
    """A Vector of the keys, a Map of their positions, the Map of the values, and the runs of empty positions."""

    what = "dict"
    collection = IterableMap
    expected = "is not a dict"
    accepted = (dict,)
    words = 4
    base = _VALUES

    def __init__(self, name: str, key: ValueType, value: Any) -> None:
        super().__init__(name, key, value)
        self.keys = VectorLayout(name, key)
        places, values = MapLayout(name, key, _PLACE), MapLayout(name, key, value)
        parts = [self.keys, places, values, VectorLayout(name, _U256)]
        self.fields = FieldsLayout(["keys", "keys", "", "holes"], parts)

    def parts_of(self, value: Any) -> list[Part]:
        return [(f"[{key!r}]", self.value, item) for key, item in value.items()]

    def check_items(self, value: Mapping[Any, Any]) -> None:  # type: ignore[override]
        for key, item in value.items():
            try:
                self.key_bytes(key)
                self.key.refuse_misfit(key)
                self.value.refuse_misfit(item)
            except ValueMismatch as wrong:
                raise ValueMismatch("", wrong.wrong).prefixed(f"[{key!r}]") from None

    def overwrite(self, words: Any, slot: int, value: Mapping[Any, Any]) -> None:  # type: ignore[override]
        held: IterableMap[Any, Any] = self.load(words, slot)
        items = [*value.items()]
        for key in [*held]:
            if key not in value:
                del held[key]
        if [*held] != [key for key, _ in items[: len(held)]]:
            held.clear()
        for key, item in items:
            if key not in held:
                held[key] = item
            self.value.settle(words, held._place_of(self.key_bytes(key))[1], item)

    def clear(self, words: Any, slot: int) -> None:  # type: ignore[override]
        self.load(words, slot).clear()

    def used(self, words: Any, slot: int) -> Iterable[int]:
        held: IterableMap[Any, Any] = self.load(words, slot)
        slots = [*self.keys.used(words, slot), slot + _HOLES]
        if words.sload(slot + _HOLES):
            slots += [held._hole(position) for position in range(words.sload(slot))]
        for key in held:
            slots.append(held._place(key))
            slots += self.value.used(words, held._place_of(self.key_bytes(key))[1].slot)
        return slots
