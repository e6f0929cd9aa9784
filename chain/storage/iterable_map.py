"""`IterableMap`: values in storage by key, with the keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Generic, Self, TypeVar, overload

from chain.storage.collection_layout import CollectionLayout, P, ReadItemKey, ReadKey, ReadValue
from chain.storage.fields import FieldsLayout, Layout
from chain.storage.map import Map, MapLayout
from chain.storage.set import Set, SetLayout
from chain.values import ValueType
from chain.values.storage_collection import StorageCollection

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")

_REQUIRED = object()


class IterableMap(StorageCollection, Generic[K, V]):
    """Values by key, as in a dict: it knows its keys, and a key without a value is a KeyError.

    The keys are in the order of insertion, except that the last one moves to the position of a removed one.

    >>> self.names[alice] = "Alice the First"
    >>> self.names[alice], bob in self.names, len(self.names)
    ('Alice the First', False, 1)
    """

    __slots__ = ()
    _example = "IterableMap[Address, u64]"
    _offers = (
        "it has {it}[key], get, pop, 'del {it}[key]', 'in', len, keys, values, items, change and clear,"
        " and 'for' iterates over its keys"
    )
    _compared = "dict({it}.items()) == {...}"
    _remedies: ClassVar = {
        "setdefault": "write 'if key not in {it}: {it}[key] = value'",
        "update": "set them one by one: {it}[key] = value",
        "popitem": "choose a key: 'key = list({it})[-1]', then {it}.pop(key)",
        "copy": "convert it to a dict first: dict({it}.items())",
    }

    def __getitem__(self, key: K) -> V:
        self._require(key)
        return self._values[key]

    def __setitem__(self, key: K, value: V) -> None:
        self._values[key] = value
        self._keys.add(key)

    def __delitem__(self, key: K) -> None:
        self._require(key)
        self._keys.discard(key)
        del self._values[key]

    def __contains__(self, key: K) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[K]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def get(self, key: K) -> V | None: ...
    @overload
    def get(self, key: K, default: D) -> V | D: ...
    def get(self, key: K, default: object = None) -> object:
        """Return the value of `key`, or `default` if there is none.

        >>> self.names.get(bob, "nobody")
        'nobody'
        """
        return self._values[key] if key in self._keys else default

    @overload
    def pop(self, key: K) -> V: ...
    @overload
    def pop(self, key: K, default: D) -> V | D: ...
    def pop(self, key: K, default: object = _REQUIRED) -> object:
        """Remove `key` and return its value, or `default` if there is none. Without a default, raise KeyError.

        >>> self.names.pop(alice), self.names.pop(alice, "nobody")
        ('Alice', 'nobody')
        """
        if default is not _REQUIRED and key not in self._keys:
            return default
        value = self[key]
        del self[key]
        return value

    def change(self, key: K, before: V, after: V) -> None:
        """Write only the parts of `after` that differ from `before`, the value as it was read.

        >>> self.names.change(alice, "Alice", "Alicia")
        """
        self._require(key)
        self._values.change(key, before, after)

    def keys(self) -> Iterator[K]:
        """Iterate over the keys.

        >>> list(self.names.keys()) == [alice]
        True
        """
        return iter(self._keys)

    def values(self) -> Iterator[V]:
        """Iterate over the values.

        >>> list(self.names.values())
        ['Alice']
        """
        return (self._values[key] for key in self._keys)

    def items(self) -> Iterator[tuple[K, V]]:
        """Iterate over the keys with their values.

        >>> dict(self.names.items()) == {alice: "Alice"}
        True
        """
        return ((key, self._values[key]) for key in self._keys)

    def clear(self) -> None:
        """Remove all keys.

        >>> self.names.clear()
        """
        for key in list(self._keys):
            del self[key]

    def _require(self, key: K) -> None:
        if key not in self._keys:
            raise KeyError(
                f"{self._layout.name} has no {key!r}: "
                + self._fill("{it}.get(key, default) reads a key that may be missing")
            )

    @property
    def _keys(self) -> Set[K]:
        keys: Set[K] = self._layout.keys.load(self._frame, self._slot)
        return keys

    @property
    def _values(self) -> Map[K, V]:
        slot = self._slot + SetLayout.words
        values: Map[K, V] = self._layout.values.load(self._frame, slot)
        return values

    def __repr__(self) -> str:
        return f"<IterableMap {self._layout.name} of {len(self)}>"


class IterableMapLayout(CollectionLayout):
    """The layout of an iterable map: a Set of the keys, then a Map."""

    collection = IterableMap
    words = SetLayout.words + 1

    def __init__(self, name: str, key: ValueType, value: Layout) -> None:
        super().__init__(name, key, value)
        self.keys, self.values = SetLayout(name, key, "key"), MapLayout(name, key, value)
        self.keys.what = self.keys.items.what = self.values.what = self.what
        self.fields = FieldsLayout(["keys", ""], [self.keys, self.values])

    @classmethod
    def of(cls, name: str, parts: Sequence[P], key: ReadKey[P], value: ReadValue[P]) -> Self:
        return cls(name, key(parts[0]), value(f"{name}[…]", parts[1]))

    def step(self, key: object, path: str, read: ReadItemKey) -> tuple[object, Layout | None]:
        return self.values.step(key, path, read)
