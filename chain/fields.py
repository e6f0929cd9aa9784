"""A contract's own storage: `Vector`, `Map` and `Set` beside plain fields.

A field that holds a value is read and written whole (`self.count += 1`). A collection is changed in place and touches only
the words of what is asked for; its bound form, which `self.games` gives, is no more than a frame and a slot.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar, cast, get_args, get_origin

from chain import abi
from chain.kinds import Blob, Kind, Option, Record, Sequence, Text, UnknownKind, kind_of
from chain.layout import Layout, PackedLayout, layout_of

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class Vector(Generic[T]):
    """A list that stays in storage: items are read and written one by one."""

    __slots__ = ("_frame", "_layout", "_slot")

    def __init__(self, frame: Any, slot: int, layout: VectorLayout) -> None:
        self._frame, self._slot, self._layout = frame, slot, layout

    def __len__(self) -> int:
        return cast(int, self._frame.sload(self._slot))

    def __getitem__(self, index: int) -> T:
        return cast(T, self._layout.load_item(self._frame, self._slot, self._place(index)))

    def __setitem__(self, index: int, value: T) -> None:
        self._layout.store_item(self._frame, self._slot, self._place(index), value)

    def __iter__(self) -> Iterator[T]:
        return (self[index] for index in range(len(self)))

    def change(self, index: int, before: T, after: T) -> None:
        """Write only what is another object in `after` than in `before`, the item as it was read."""
        place = self._place(index)
        self._layout.change_item(self._frame, self._slot, place, before, after)

    def append(self, value: T) -> None:
        count = len(self)
        self._frame.sstore(self._slot, count + 1)
        self._layout.store_item(self._frame, self._slot, count, value)

    def pop(self) -> T:
        """Take the last item out."""
        last = len(self) - 1
        value = self[last]
        self._layout.clear_item(self._frame, self._slot, last)
        self._frame.sstore(self._slot, last)
        return value

    def _place(self, index: int) -> int:
        count = len(self)
        place = index + count if index < 0 else index
        if not 0 <= place < count:
            raise IndexError(f"no item {index} in a Vector of {count}")
        return place


class Map(Generic[K, V]):
    """Values by key. An unset key reads as zero; declare `Map[K, V | None]` to tell unset from zero."""

    __slots__ = ("_frame", "_layout", "_slot")

    def __init__(self, frame: Any, slot: int, layout: MapLayout) -> None:
        self._frame, self._slot, self._layout = frame, slot, layout

    def __getitem__(self, key: K) -> V:
        return cast(V, self._layout.value.load(self._frame, self._place(key)))

    def __setitem__(self, key: K, value: V) -> None:
        try:
            self._layout.value.store(self._frame, self._place(key), value)
        except abi.Misfit as wrong:
            raise wrong.under(f"[{key!r}]") from None

    def change(self, key: K, before: V, after: V) -> None:
        """Write only what is another object in `after` than in `before`, the value as it was read."""
        try:
            self._layout.value.change(self._frame, self._place(key), before, after)
        except abi.Misfit as wrong:
            raise wrong.under(f"[{key!r}]") from None

    def __delitem__(self, key: K) -> None:
        self._layout.value.clear(self._frame, self._place(key))

    def __contains__(self, key: K) -> bool:
        if not self._layout.optional:
            raise TypeError(
                "'in' cannot tell an unset value from zero: declare the field as Map[K, V | None]"
            )
        return self[key] is not None

    def __iter__(self) -> Iterator[K]:
        raise TypeError("a Map does not know its keys: keep them in a Vector or a Set beside it")

    def _place(self, key: K) -> int:
        return cast(int, self._frame.map_slot(self._slot, self._layout.key_bytes(key)))


class Set(Generic[T]):
    """Distinct values in the order they came; taking one out moves the last into its place."""

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
        """Put `value` in; says whether it was new."""
        if value in self:
            return False
        self._items.append(value)
        self._set_index(value, len(self))
        return True

    def discard(self, value: T) -> bool:
        """Take `value` out; says whether it was there."""
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
        """One more than the place of `value` among the items; 0 if it is not there."""
        return cast(int, self._frame.sload(self._place(value)))

    def _set_index(self, value: T, index: int) -> None:
        self._frame.sstore(self._place(value), index)

    def _place(self, value: T) -> int:
        return cast(int, self._frame.map_slot(self._slot + 1, self._layout.key_bytes(value)))


class _Collection:
    """What the layouts of collections share: one word of their own or two, and no value to be stored whole."""

    size: int | None = None
    words = 1
    what = ""

    def store(self, frame: Any, slot: int, value: Any) -> None:
        raise TypeError(f"a {self.what} is changed in place: it cannot be assigned")

    def change(self, frame: Any, slot: int, before: Any, after: Any) -> None:
        self.store(frame, slot, after)

    def clear(self, frame: Any, slot: int) -> None:
        raise TypeError(f"a {self.what} is changed in place: it cannot be deleted")


class VectorLayout(_Collection):
    what = "Vector"

    def __init__(self, item: Layout) -> None:
        self.item = item
        self.per_word = 32 // item.size if item.size else 1

    def load(self, frame: Any, slot: int) -> Vector[Any]:
        return Vector(frame, slot, self)

    def load_item(self, frame: Any, slot: int, index: int) -> Any:
        word, shift = self._find(frame, slot, index)
        if isinstance(self.item, PackedLayout) and self.per_word > 1:
            return self.item.unpack(frame.sload(word) >> shift)
        return self.item.load(frame, word)

    def store_item(self, frame: Any, slot: int, index: int, value: Any) -> None:
        word, shift = self._find(frame, slot, index)
        try:
            if isinstance(self.item, PackedLayout) and self.per_word > 1:
                self._put(frame, word, shift, self.item.pack(value))
            else:
                self.item.store(frame, word, value)
        except abi.Misfit as wrong:
            raise wrong.under(f"[{index}]") from None

    def change_item(self, frame: Any, slot: int, index: int, before: Any, after: Any) -> None:
        if isinstance(self.item, PackedLayout):
            self.store_item(frame, slot, index, after)
            return
        try:
            self.item.change(frame, self._find(frame, slot, index)[0], before, after)
        except abi.Misfit as wrong:
            raise wrong.under(f"[{index}]") from None

    def clear_item(self, frame: Any, slot: int, index: int) -> None:
        word, shift = self._find(frame, slot, index)
        if self.per_word > 1:
            self._put(frame, word, shift, 0)
        else:
            self.item.clear(frame, word)

    def _find(self, frame: Any, slot: int, index: int) -> tuple[int, int]:
        base = frame.data_slot(slot)
        if self.per_word == 1:
            return base + index * self.item.words, 0
        assert self.item.size
        return base + index // self.per_word, index % self.per_word * 8 * self.item.size

    def _put(self, frame: Any, word: int, shift: int, packed: int) -> None:
        assert self.item.size
        mask = (1 << 8 * self.item.size) - 1 << shift
        frame.sstore(word, frame.sload(word) & ~mask | packed << shift)


class MapLayout(_Collection):
    what = "Map"

    def __init__(self, key: Kind, value: Layout, optional: bool) -> None:
        self.key, self.value, self.optional = key, value, optional
        self.key_bytes = _key_encoder(key)

    def load(self, frame: Any, slot: int) -> Map[Any, Any]:
        return Map(frame, slot, self)


class SetLayout(_Collection):
    """A Vector of the items, then a Map from each to one more than its place there."""

    what = "Set"
    words = 2

    def __init__(self, item: Kind) -> None:
        self.key = item
        self.items = VectorLayout(layout_of(item))
        self.key_bytes = _key_encoder(item)

    def load(self, frame: Any, slot: int) -> Set[Any]:
        return Set(frame, slot, self)


def _key_encoder(kind: Kind) -> abi.Encoder:
    """The bytes of a key as Solidity hashes them: text and bytes as they are, all else as ABI words."""
    encode = abi.encoder(kind)
    if not isinstance(kind, Text | Blob):
        return encode

    def encode_raw(key: Any) -> bytes:
        padded = encode(key)  # also checks the type
        return padded[32 : 32 + int.from_bytes(padded[:32])]

    return encode_raw


def decode_key(kind: Kind, key: bytes) -> Any:
    """The key whose bytes these are."""
    match kind:
        case Text():
            return key.decode()
        case Blob():
            return key
        case _:
            return abi.decode(kind, key)


def field_layout(annotation: Any) -> Layout:
    """The layout of a storage field, or `UnknownKind` with the remedy."""
    origin, args = get_origin(annotation), get_args(annotation)
    if annotation in (Vector, Map, Set):
        raise UnknownKind(
            f"'{annotation.__name__}' does not say of what: write {annotation.__name__}[…]"
        )
    if origin is Vector:
        if get_origin(args[0]) in (Vector, Map, Set):
            raise UnknownKind(
                "a Vector holds values, not collections: write Map[u64, …] for a collection of them"
            )
        return VectorLayout(_value_layout(args[0]))
    if origin is Map:
        return MapLayout(_key_kind(args[0]), field_layout(args[1]), _is_option(args[1]))
    if origin is Set:
        return SetLayout(_key_kind(args[0]))
    return _value_layout(annotation)


def _value_layout(annotation: Any) -> Layout:
    kind = kind_of(annotation)
    require_frozen(kind)
    return layout_of(kind)


def _is_option(annotation: Any) -> bool:
    return get_origin(annotation) not in (Vector, Map, Set) and isinstance(
        kind_of(annotation), Option
    )


def _key_kind(annotation: Any) -> Kind:
    kind = kind_of(annotation)
    if isinstance(kind, Option | Sequence) or (isinstance(kind, Record) and abi.is_dynamic(kind)):
        raise UnknownKind(
            f"'{kind.name}' cannot be a key: use a number, bool, Enum, Address, str, bytes or a tuple of these"
        )
    require_frozen(kind)
    return kind


def require_frozen(kind: Kind) -> None:
    """A stored value that could be changed in place would look stored and not be."""
    match kind:
        case Record(cls=cls, members=members):
            if cls is not None and not cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
                raise UnknownKind(
                    f"'{kind.name}' can change after it was read: write @dataclass(frozen=True)"
                )
            for member in members:
                require_frozen(member.kind)
        case Option(item=item) | Sequence(item=item):
            require_frozen(item)
