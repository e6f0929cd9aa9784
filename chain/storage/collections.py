"""Collections in a contract's storage: `Vector`, `Map` and `Set`, in addition to plain fields.

A field with a value is read and written as a whole (`self.count += 1`). A collection is changed in place, and only the words of
the requested items are touched. The bound object, such as `self.games`, is only a frame, a slot and a layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar, cast, get_args, get_origin

from chain import abi
from chain.schema.annotations import format_annotation, require_frozen, type_of_annotation
from chain.schema.hints import Namespace, UnsupportedAnnotation
from chain.schema.storage_collection import StorageCollection
from chain.schema.validation import ValueMismatch
from chain.schema.value_types import (
    BytesType,
    Int,
    ListType,
    OptionalType,
    StringType,
    StructType,
    ValueType,
)
from chain.storage.frozen_list import read_only
from chain.storage.layout import Layout, layout_for
from chain.storage.packing import MemoTable
from chain.storage.value_cache import cached

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class Vector(StorageCollection, Generic[T]):
    """A list in storage whose items are read and written one by one."""

    __slots__ = ("_frame", "_layout", "_slot")

    def __init__(self, frame: Any, slot: int, layout: VectorLayout) -> None:
        self._frame, self._slot, self._layout = frame, slot, layout

    def __len__(self) -> int:
        return cast(int, self._frame.sload(self._slot))

    def __getitem__(self, index: int) -> T:
        return cast(T, self._layout.load_item(self._frame, self._slot, self._index(index)))

    def __setitem__(self, index: int, value: T) -> None:
        position = self._index(index)
        packed = self._layout.pack_item(position, value)
        self._layout.write_item(self._frame, self._slot, position, packed)

    def __iter__(self) -> Iterator[T]:
        return self._walk(len(self), len(self._frame.journal))

    def _walk(self, count: int, seen: int) -> Iterator[T]:
        """Return the items in order. Each step reads the length, as indexing does. `seen` is the length of the journal."""
        frame, slot, load = self._frame, self._slot, self._layout.load_item
        journal = frame.journal
        for index in range(count):
            if frame.sload(slot) != count:
                self._refuse_change()
            yield load(frame, slot, index)
            if len(journal) != seen:
                if slot in journal[seen + 1 :: 4]:  # this slot, perhaps of another account
                    self._require_same_items(seen)
                seen = len(journal)

    def change(self, index: int, before: T, after: T) -> None:
        """Write only the parts of `after` that differ from `before`, the item as it was read."""
        position = self._index(index)
        self._layout.change_item(self._frame, self._slot, position, before, after)

    def append(self, value: T) -> None:
        count = len(self)
        packed = self._layout.pack_item(count, value)
        self._frame.sstore(self._slot, count + 1)
        self._layout.write_item(self._frame, self._slot, count, packed)

    def pop(self) -> T:
        """Remove the last item and return it."""
        last = len(self) - 1
        value = self[last]
        self._layout.clear_item(self._frame, self._slot, last)
        self._frame.sstore(self._slot, last)
        return value

    def _index(self, index: int) -> int:
        """Return `index` as a position from 0 on, or refuse it."""
        count = len(self)
        if not isinstance(index, int):
            raise TypeError(
                f"{self._layout.name}: a Vector is read item by item: {index!r} is not a whole number"
            )
        position = index + count if index < 0 else index
        if not 0 <= position < count:
            raise IndexError(f"{self._layout.name}: no item {index} in a Vector of {count}")
        return position

    def __repr__(self) -> str:
        return f"<Vector {self._layout.name} of {len(self)}>"


class Map(StorageCollection, Generic[K, V]):
    """Values by key. An unset key reads as zero; declare `Map[K, V | None]` to distinguish unset from zero."""

    __slots__ = ("_frame", "_layout", "_slot")

    def __init__(self, frame: Any, slot: int, layout: MapLayout) -> None:
        self._frame, self._slot, self._layout = frame, slot, layout

    def __getitem__(self, key: K) -> V:
        return cast(V, self._layout.memory.load(self._frame, self._place(key)))

    def __setitem__(self, key: K, value: V) -> None:
        layout, slot = self._layout, self._place(key)
        try:
            packed = layout.value.pack(value)
        except ValueMismatch as error:
            raise error.prefixed(f"{layout.name}[{key!r}]") from None
        layout.value.write(self._frame, slot, packed)

    def change(self, key: K, before: V, after: V) -> None:
        """Write only the parts of `after` that differ from `before`, the value as it was read."""
        try:
            self._layout.memory.change(self._frame, self._place(key), before, after)
        except ValueMismatch as error:
            raise error.prefixed(f"{self._layout.name}[{key!r}]") from None

    def __delitem__(self, key: K) -> None:
        self._layout.value.clear(self._frame, self._place(key))

    def __contains__(self, key: K) -> bool:
        if not self._layout.optional:
            raise TypeError(
                f"{self._layout.name}: 'in' cannot tell an unset value from zero: declare the field as Map[K, V | None]"
            )
        return self[key] is not None

    def __iter__(self) -> Iterator[K]:
        self._refuse("a Map does not know its keys: keep them in a Vector or a Set beside it")

    def __len__(self) -> int:
        self._refuse("a Map does not know how many keys it has: count them beside it")

    def _place(self, key: K) -> int:
        """Return the slot of the value of `key`."""
        return cast(int, self._frame.map_slot(self._slot, self._layout.key_bytes(key)))

    def __repr__(self) -> str:
        return f"<Map {self._layout.name}>"


class Set(StorageCollection, Generic[T]):
    """Distinct values in the order of insertion, except that the last value moves to the position of a removed one."""

    __slots__ = ("_frame", "_layout", "_slot")

    def __init__(self, frame: Any, slot: int, layout: SetLayout) -> None:
        self._frame, self._slot, self._layout = frame, slot, layout

    def __len__(self) -> int:
        return cast(int, self._frame.sload(self._slot))

    def __contains__(self, value: T) -> bool:
        return self._index(value) != 0

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def add(self, value: T) -> bool:
        """Add `value`, and return True if it was new."""
        if value in self:
            return False
        self._items.append(value)
        self._set_index(value, len(self))
        return True

    def discard(self, value: T) -> bool:
        """Remove `value`, and return True if it was in the set."""
        index = self._index(value)
        if index == 0:
            return False
        last = self._items.pop()
        if index <= len(self):
            self._items[index - 1] = last
            self._set_index(last, index)
        self._set_index(value, 0)
        return True

    @property
    def _items(self) -> Vector[T]:
        return Vector(self._frame, self._slot, self._layout.items)

    def _index(self, value: T) -> int:
        """Return the position of `value` among the items plus one, or 0 if it is not in the set."""
        return cast(int, self._frame.sload(self._place(value)))

    def _set_index(self, value: T, index: int) -> None:
        self._frame.sstore(self._place(value), index)

    def _place(self, value: T) -> int:
        """Return the slot of the index of `value`."""
        return cast(int, self._frame.map_slot(self._slot + 1, self._layout.key_bytes(value)))

    def __repr__(self) -> str:
        return f"<Set {self._layout.name} of {len(self)}>"


class CollectionLayout:
    """The base of the layouts of collections. They cannot be stored or cleared as a whole."""

    size: int | None = None
    words = 1
    what = ""

    def __init__(self, name: str) -> None:
        self.name = name  # the path of the field, such as `Counter.games`

    def pack(self, value: Any) -> Any:
        raise TypeError(f"{self.name}: a {self.what} is changed in place: it cannot be assigned")

    def write(self, frame: Any, slot: int, packed: Any) -> None:
        self.pack(packed)

    def store(self, frame: Any, slot: int, value: Any) -> None:
        self.pack(value)

    def plan(self, frame: Any, slot: int, before: Any, after: Any, writes: Any) -> None:
        self.pack(after)

    def change(self, frame: Any, slot: int, before: Any, after: Any) -> None:
        self.pack(after)

    def clear(self, frame: Any, slot: int) -> None:
        raise TypeError(f"{self.name}: a {self.what} is changed in place: it cannot be deleted")


class VectorLayout(CollectionLayout):
    what = "Vector"

    def __init__(self, name: str, item: Layout) -> None:
        super().__init__(name)
        self.item = item
        self.memory = cached(item)
        self.per_word = 32 // item.size if item.size else 1

    def load(self, frame: Any, slot: int) -> Vector[Any]:
        return Vector(frame, slot, self)

    def load_item(self, frame: Any, slot: int, index: int) -> Any:
        word, shift = self._word_and_shift(frame, slot, index)
        if self.per_word > 1:
            return self.item.unpack(frame.sload(word) >> shift)  # type: ignore[attr-defined]  # packed
        return self.memory.load(frame, word)

    def pack_item(self, index: int, value: Any) -> Any:
        """Return `value` packed, ready to be written as item `index`."""
        try:
            return self.item.pack(value)
        except ValueMismatch as error:
            raise error.prefixed(f"{self.name}[{index}]") from None

    def write_item(self, frame: Any, slot: int, index: int, packed: Any) -> None:
        word, shift = self._word_and_shift(frame, slot, index)
        if self.per_word > 1:
            self._write_packed(frame, word, shift, packed)
        else:
            self.item.write(frame, word, packed)

    def change_item(self, frame: Any, slot: int, index: int, before: Any, after: Any) -> None:
        if self.item.size is not None:
            self.write_item(frame, slot, index, self.pack_item(index, after))
            return
        try:
            self.memory.change(frame, self._word_and_shift(frame, slot, index)[0], before, after)
        except ValueMismatch as error:
            raise error.prefixed(f"{self.name}[{index}]") from None

    def clear_item(self, frame: Any, slot: int, index: int) -> None:
        word, shift = self._word_and_shift(frame, slot, index)
        if self.per_word > 1:
            self._write_packed(frame, word, shift, 0)
        else:
            self.item.clear(frame, word)

    def _word_and_shift(self, frame: Any, slot: int, index: int) -> tuple[int, int]:
        """Return the slot of item `index`, and the bit in that word where the item begins."""
        base = frame.data_slot(slot)
        if self.per_word == 1:
            return base + index * self.item.words, 0
        assert self.item.size
        return base + index // self.per_word, index % self.per_word * 8 * self.item.size

    def _write_packed(self, frame: Any, word: int, shift: int, packed: int) -> None:
        assert self.item.size
        mask = (1 << 8 * self.item.size) - 1 << shift
        frame.sstore(word, frame.sload(word) & ~mask | packed << shift)


class MapLayout(CollectionLayout):
    what = "Map"

    def __init__(self, name: str, key: ValueType, value: Layout, optional: bool) -> None:
        super().__init__(name)
        self.key, self.value, self.optional = key, value, optional
        self.memory = cached(value)
        self.key_bytes = _key_encoder(f"{name}[key]", key)

    def load(self, frame: Any, slot: int) -> Map[Any, Any]:
        return Map(frame, slot, self)


class SetLayout(CollectionLayout):
    """The layout of a set: a Vector of the items, then a Map from each item to its position plus one."""

    what = "Set"
    words = 2

    def __init__(self, name: str, item: ValueType) -> None:
        super().__init__(name)
        self.key = item
        self.items = VectorLayout(name, layout_for(item))
        self.items.what = self.what
        self.key_bytes = _key_encoder(f"{name}[item]", item)

    def load(self, frame: Any, slot: int) -> Set[Any]:
        return Set(frame, slot, self)


def _key_encoder(path: str, kind: ValueType) -> abi.Encoder:
    """Return the encoder of keys as Solidity hashes them: text and bytes as they are, all else as ABI words."""
    encode, raw = abi.encoder(kind), isinstance(kind, StringType | BytesType)

    def encode_key(key: Any) -> bytes:
        try:
            encoded = encode(key)
        except ValueMismatch as error:
            raise error.prefixed(path) from None
        return encoded[32 : 32 + int.from_bytes(encoded[:32])] if raw else encoded

    if not isinstance(kind, Int):
        return encode_key
    seen = MemoTable(encode_key)

    def encode_number(key: Any) -> bytes:
        """Encode a key, using the cache only for exact ints: True and 1.0 would find the entry of 1, but must be refused."""
        return cast(bytes, seen[key]) if key.__class__ is int else encode_key(key)

    return encode_number


def decode_map_key(kind: ValueType, key: bytes) -> Any:
    """Return the key with this encoding."""
    match kind:
        case StringType():
            return key.decode()
        case BytesType():
            return key
        case _:
            return abi.decode(kind, key)


def layout_of_field(name: str, annotation: Any, names: Namespace | None = None) -> Layout:
    """Return the layout of the storage field `name`, or raise `UnsupportedAnnotation` with the remedy."""
    origin, args = get_origin(annotation), get_args(annotation)
    if annotation in (Vector, Map, Set):
        example = {Vector: "Vector[u8]", Map: "Map[Address, u64]", Set: "Set[Address]"}[annotation]
        raise UnsupportedAnnotation(
            f"'{annotation.__name__}' does not say of what; write {example} or the like"
        )
    if origin is Vector:
        if get_origin(args[0]) in (Vector, Map, Set):
            raise UnsupportedAnnotation(
                f"{format_annotation(annotation)}: a Vector holds values, not collections; use a Map with a number as the key"
            )
        return VectorLayout(name, _value_layout(args[0], names))
    if origin is Map:
        value = layout_of_field(f"{name}[…]", args[1], names)
        return MapLayout(name, _key_kind(args[0], names), value, _is_option(args[1], names))
    if origin is Set:
        return SetLayout(name, _key_kind(args[0], names))
    return _value_layout(annotation, names)


def _value_layout(annotation: Any, names: Namespace | None) -> Layout:
    value_type = type_of_annotation(annotation, names)
    require_frozen(value_type)
    return layout_for(read_only(value_type))


def _is_option(annotation: Any, names: Namespace | None) -> bool:
    return get_origin(annotation) not in (Vector, Map, Set) and isinstance(
        type_of_annotation(annotation, names), OptionalType
    )


def _key_kind(annotation: Any, names: Namespace | None) -> ValueType:
    value_type = type_of_annotation(annotation, names)
    if isinstance(value_type, OptionalType | ListType) or (
        isinstance(value_type, StructType) and value_type.is_dynamic
    ):
        raise UnsupportedAnnotation(
            f"{format_annotation(annotation)} cannot be a key; use a number, bool, Enum, Address, str, bytes or a"
            " tuple of numbers"
        )
    require_frozen(value_type)
    return value_type
