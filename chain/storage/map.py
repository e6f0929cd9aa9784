"""`Map`: values in storage by key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final, Generic, NoReturn, Self, TypeVar

from chain import abi
from chain.storage.collection import (
    UNREAD,
    CollectionLayout,
    P,
    ReadItemKey,
    ReadKey,
    ReadValue,
)
from chain.storage.fields import Layout
from chain.storage.remembered import remembered
from chain.storage.unit_of_work import Holder, Place, UnitOfWork
from chain.values import Int, OptionalType, ValueMismatch, ValueType
from chain.values.kind import Encoder, MemoTable

K = TypeVar("K")
V = TypeVar("V")

_KEYS: Final = "a Map does not know its keys: declare the field as dict[K, V]"


class Map(Holder, Generic[K, V]):
    """Values by key: `m[key]`, `m[key] = value`, `del m[key]`. An unset key reads as zero.

    Declare `Map[K, V | None]` to distinguish unset from zero. A Map does not know its keys; a `dict` does.

    >>> self.squares[bob] = 7
    >>> self.squares[bob], self.squares[self.address]
    (7, 0)
    """

    __slots__ = ("_read",)
    _example = "Map[Address, u64]"

    def __init__(self, work: UnitOfWork, slot: int, layout: MapLayout) -> None:
        super().__init__(work, slot, layout)
        self._read: dict[bytes, V] = {}  # frozen values that were read, and take words of their own

    def _forget(self) -> None:
        self._read.clear()

    def _place_of(self, key: bytes) -> tuple[Any, Place]:
        layout: MapLayout = self._layout
        return layout.value, Place(self._work.words.map_slot(self._slot + layout.base, key))

    def _step_of(self, key: bytes) -> str:
        return f"[{self._layout.key.key_of(key)!r}]"

    def __getitem__(self, key: K) -> V:
        layout: MapLayout = self._layout
        encoded = layout.key_bytes(key)
        if layout.is_live:
            live: V = self._take(encoded)
            return live
        value: Any = self._read.get(encoded, UNREAD)
        if value is UNREAD or self._work.is_outside:
            words = self._work.words
            value = layout.known.load(words, words.map_slot(self._slot + layout.base, encoded))
            if layout.value.size is None:
                self._read[encoded] = value
        found: V = value
        return found

    def __setitem__(self, key: K, value: V) -> None:
        layout: MapLayout = self._layout
        encoded = layout.key_bytes(key)
        if layout.is_live:
            self._assign(encoded, value)
            return
        if self._work.words.static:
            self._require_writable(f"[{key!r}]")
        words, kind = self._work.words, layout.value
        slot = words.map_slot(self._slot + layout.base, encoded)
        before: Any = self._read.get(encoded, UNREAD)
        try:
            if before is UNREAD:
                kind.store(words, slot, value)
            else:
                layout.known.change(words, slot, before, value)
        except ValueMismatch as error:
            raise error.prefixed(f"{layout.name}[{key!r}]") from None
        self._read.pop(encoded, None)

    def __delitem__(self, key: K) -> None:
        layout: MapLayout = self._layout
        encoded = layout.key_bytes(key)
        if self._work.words.static:
            self._require_writable(f"[{key!r}]")
        self._read.pop(encoded, None)
        if layout.is_live:
            self._give_up(encoded)
        layout.value.clear(self._work.words, self._place_of(encoded)[1].slot)

    def get(self, key: K) -> V:
        """Return the value of a key, which is zero where nothing was set.

        >>> self.squares.get(alice), self.squares.get(bob)
        (4, 0)
        """
        return self[key]

    def __contains__(self, key: K) -> bool:
        if not self._layout.optional:
            self._refuse(
                "'in' cannot distinguish an unset value from zero: declare the field as Map[K, V | None]"
            )
        return self[key] is not None

    def __iter__(self) -> Iterator[K]:
        self._refuse(_KEYS)

    def __len__(self) -> int:
        self._refuse(_KEYS)

    def __getattr__(self, name: str) -> NoReturn:
        if name in ("keys", "items", "values"):
            self._refuse(_KEYS)
        raise AttributeError(f"{self._layout.name}: a Map has no '{name}'")

    def __repr__(self) -> str:
        return f"<Map {self._layout.name}>"

    def _refuse(self, wrong: str) -> NoReturn:
        raise TypeError(f"{self._layout.name}: {wrong}")


class MapLayout(CollectionLayout):
    what = "Map"
    collection: ClassVar[type[Holder]] = Map
    expected = "cannot be assigned: a Map is changed key by key"
    accepted: ClassVar[tuple[type, ...]] = ()
    base = 0  # of the values, in words after the first

    def __init__(self, name: str, key: ValueType, value: Any, label: str = "key") -> None:
        super().__init__(name, key, value)
        self.key, self.value, self.known = key, value, remembered(value)
        self.is_live: bool = value.is_changeable
        self.optional = isinstance(value, OptionalType)
        self.key_bytes = _key_encoder(f"{name}[{label}]", key)

    @classmethod
    def of(cls, name: str, parts: Sequence[P], key: ReadKey[P], value: ReadValue[P]) -> Self:
        return cls(name, key(parts[0]), value(f"{name}[…]", parts[1]))

    def step(self, key: object, path: str, read: ReadItemKey) -> tuple[object, Layout | None]:
        return read(self.key, key, path), self.value

    def check_items(self, value: object) -> NoReturn:
        raise TypeError(f"{self.name} {self.expected}")

    def overwrite(self, words: Any, slot: int, value: object) -> NoReturn:
        self.check_items(value)

    def clear(self, words: Any, slot: int) -> NoReturn:
        raise TypeError(f"{self.name} cannot be deleted: {_KEYS}")

    def used(self, words: Any, slot: int) -> Iterable[int]:
        raise TypeError(f"{self.name} cannot be moved: {_KEYS}")


def _key_encoder(path: str, kind: ValueType) -> Encoder:
    """Return the encoder of the keys of a map, which are hashed as in Solidity; `path` names a key in errors."""
    encode = abi.prefixing(kind.key, path)
    if isinstance(kind, Int):
        # Only exact ints are looked up: True and 1.0 would find the entry of 1, but must be refused.
        seen: MemoTable[Any, bytes] = MemoTable(encode)
        return lambda key: seen[key] if key.__class__ is int else encode(key)
    return encode
