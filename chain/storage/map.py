"""`Map`: values in storage by key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from chain import abi
from chain.storage.collection_layout import CollectionLayout, P, ReadItemKey, ReadKey, ReadValue
from chain.storage.fields import Layout
from chain.storage.remembered import remembered
from chain.values import Int, OptionalType, ValueMismatch, ValueType
from chain.values.kind import Encoder, MemoTable
from chain.values.storage_collection import StorageCollection

K = TypeVar("K")
V = TypeVar("V")

_KEYS: Final = "a Map does not know its keys: declare the field as IterableMap[K, V]"
_UNSET: Final = (
    "write {it}[key], which is zero where nothing was set; a Map[K, V | None] distinguishes unset "
    "from zero, and an IterableMap[K, V] has get and pop"
)


class Map(StorageCollection, Generic[K, V]):
    """Values by key: `m[key]`, `m[key] = value`, `del m[key]`. An unset key reads as zero.

    Declare `Map[K, V | None]` to distinguish unset from zero. A Map does not know its keys; an `IterableMap` does.

    >>> self.squares[bob] = 7
    >>> self.squares[bob], self.squares[self.address]
    (7, 0)
    """

    __slots__ = ()
    _example = "Map[Address, u64]"
    _offers = "it has {it}[key], 'del {it}[key]' and change"
    _compared = "{it}[key] == value, for each key that you store elsewhere"
    _remedies: ClassVar = {
        **dict.fromkeys(("get", "setdefault"), _UNSET),
        "pop": "read {it}[key], then 'del {it}[key]', or declare the field as IterableMap[K, V]",
        "update": "set them one by one: {it}[key] = value",
        **dict.fromkeys(("keys", "values", "items", "clear", "copy"), _KEYS),
    }

    def __getitem__(self, key: K) -> V:
        frame, layout = self._frame, self._layout
        value: V = layout.known.load(frame, frame.map_slot(self._slot, layout.key_bytes(key)))
        return value

    def __setitem__(self, key: K, value: V) -> None:
        frame, layout = self._frame, self._layout
        slot = frame.map_slot(self._slot, layout.key_bytes(key))
        try:
            layout.value.store(frame, slot, value)
        except ValueMismatch as error:
            raise error.prefixed(f"{layout.name}[{key!r}]") from None

    def change(self, key: K, before: V, after: V) -> None:
        """Write only the parts of `after` that differ from `before`, the value as it was read.

        >>> self.squares.change(bob, 7, 8)
        """
        try:
            self._layout.known.change(self._frame, self._place(key), before, after)
        except ValueMismatch as error:
            raise error.prefixed(f"{self._layout.name}[{key!r}]") from None

    def __delitem__(self, key: K) -> None:
        self._layout.value.clear(self._frame, self._place(key))

    def __contains__(self, key: K) -> bool:
        if not self._layout.optional:
            raise TypeError(
                f"{self._layout.name}: 'in' cannot distinguish an unset value from zero: declare the field as Map[K, V | None]"
            )
        return self[key] is not None

    def __iter__(self) -> Iterator[K]:
        self._refuse(_KEYS)

    def __len__(self) -> int:
        self._refuse("a Map does not know how many keys it has: declare an IterableMap[K, V]")

    def _place(self, key: K) -> int:
        """Return the slot of the value of `key`."""
        slot: int = self._frame.map_slot(self._slot, self._layout.key_bytes(key))
        return slot

    def __repr__(self) -> str:
        return f"<Map {self._layout.name}>"


class MapLayout(CollectionLayout):
    collection = Map

    def __init__(self, name: str, key: ValueType, value: Any, label: str = "key") -> None:
        super().__init__(name, key, value)
        self.key, self.value, self.known = key, value, remembered(value)
        self.optional = isinstance(value, OptionalType)
        self.key_bytes = _key_encoder(f"{name}[{label}]", key)

    @classmethod
    def of(cls, name: str, parts: Sequence[P], key: ReadKey[P], value: ReadValue[P]) -> Self:
        return cls(name, key(parts[0]), value(f"{name}[…]", parts[1]))

    def step(self, key: object, path: str, read: ReadItemKey) -> tuple[object, Layout | None]:
        return read(self.key, key, path), self.value


def _key_encoder(path: str, kind: ValueType) -> Encoder:
    """Return the encoder of the keys of a map, which are hashed as in Solidity; `path` names a key in errors."""
    encode = abi.prefixing(kind.key, path)
    if isinstance(kind, Int):
        # Only exact ints are looked up: True and 1.0 would find the entry of 1, but must be refused.
        seen: MemoTable[Any, bytes] = MemoTable(encode)
        return lambda key: seen[key] if key.__class__ is int else encode(key)
    return encode
