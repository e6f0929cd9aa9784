"""Paths of storage words: from a slot back to the field or model that it is part of.

`Slots` remembers the parent of every hashed slot. `derivation_of` climbs from a word to one whose slot is not hashed. A
`PathFinder` then descends through the layouts, and names the members, items and keys on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from chain.storage.collection import CollectionLayout
from chain.storage.fields import FieldsLayout, Layout
from chain.storage.iterable_map import IterableMapLayout
from chain.storage.map import MapLayout
from chain.storage.set import SetLayout
from chain.storage.slots import Slots
from chain.storage.vector import VectorLayout
from chain.types import u256
from chain.values import Blob, ListType, OptionalType, RemadeType, StructType, UnionType, ValueType
from chain.values.annotations import type_of_annotation


class IndexedStep(NamedTuple):
    """A step to an item: its index in a list, or its key in a map."""

    key: Any


SlotPath: TypeAlias = tuple[str | IndexedStep, ...]


class HashStep(NamedTuple):
    """A step from a word to a slot hashed from it: a map's value (with its key) or content (no key), beginning at `start`."""

    key: bytes | None
    start: int


class SlotDerivation(NamedTuple):
    """The way to a word: `words` has the word before each hop and the last one, `hops` the hash steps between them."""

    words: tuple[int, ...]
    hops: tuple[HashStep, ...]

    def after(self, hops: int) -> SlotDerivation:
        """Return the rest of the way, after the first `hops` hops."""
        return SlotDerivation(self.words[hops:], self.hops[hops:])


class StoragePath(NamedTuple):
    """A named value in storage: at `shift` bits in the word at `slot`, or in words of its own."""

    path: SlotPath
    layout: Any  # a value type, or the layout of a collection
    slot: int
    shift: int = 0
    is_removed: bool = False  # the end of a list that became shorter


class Presence:
    """The layout of the position of a key of a dict or of an item of a set, of which only matters that there is one."""

    size = 32
    unpack = bool


class UnknownSlot(LookupError):
    """The error for a word that is not part of any known layout."""


_NUMBER: Final = type_of_annotation(u256)
_PRESENT: Final = Presence()
_PLACES, _VALUES = 1, 2  # the parts of a dict, and the first of a set, that are shown
IN: Final = "in"  # the last step of the path of a key of a dict or of an item of a set: no member has this name


def derivation_of(slots: Slots, word: int) -> SlotDerivation:
    """Return the way to `word` from the first word, whose slot is not hashed."""
    words, hops = [word], list[HashStep]()
    while (hashed := slots.nearest_hashed(words[0])) is not None:
        parent, key = slots.preimage(hashed[0])
        words.insert(0, parent)
        hops.insert(0, HashStep(key, hashed[0]))
    return SlotDerivation(tuple(words), tuple(hops))


class PathFinder:
    """A finder of the values that a word is part of.

    `changed` are all words that changed with it, before and after; `content` returns the slot where the items of a list begin.
    """

    def __init__(
        self, changed: Mapping[int, tuple[int, int]], content: Callable[[int], int]
    ) -> None:
        self._changed, self._content = changed, content

    def spots(
        self, layout: Layout | FieldsLayout, slot: int, route: SlotDerivation, path: SlotPath
    ) -> Iterator[StoragePath]:
        """Yield the values that the word at the end of `route` is part of; `layout` is stored at `slot`, under `path`."""
        match layout:
            case FieldsLayout():
                yield from self._members(layout, slot, route, path)
            case ValueType() if layout.size is not None:
                _need(not route.hops and route.words[0] == slot)
                yield StoragePath(path, layout, slot)
            case Blob() | RemadeType() | UnionType():
                yield StoragePath(path, layout, slot)
            case OptionalType() if slot in self._changed:  # it was set or cleared: show it whole
                yield StoragePath(path, layout, slot)
            case OptionalType():
                yield from self.spots(layout.item, slot + 1, route, path)
            case StructType():
                yield from self._members(FieldsLayout.of(layout), slot, route, path)
            case IterableMapLayout() | SetLayout():
                yield from self._keyed(layout, slot, route, path)
            case CollectionLayout(fields=FieldsLayout() as parts):
                yield from self._members(parts, slot, route, path)
            case VectorLayout() | ListType():
                yield from self._items(layout, slot, route, path)
            case MapLayout() if route.hops and route.hops[0].key is not None:
                hop, key = route.hops[0], IndexedStep(layout.key.key_of(route.hops[0].key))
                yield from self.spots(layout.value, hop.start, route.after(1), (*path, key))
            case _:
                raise UnknownSlot

    def _members(
        self, layout: FieldsLayout, slot: int, route: SlotDerivation, path: SlotPath
    ) -> Iterator[StoragePath]:
        offset = route.words[0] - slot
        _need(0 <= offset < layout.words)
        for name, member, location in zip(layout.names, layout.layouts, layout.places, strict=True):
            if not location.word <= offset < location.word + member.words:
                continue
            step = IndexedStep(int(name)) if name.isdigit() else name
            member_path = (*path, step) if name else path
            if member.size is not None:
                _need(not route.hops)
                yield StoragePath(member_path, member, slot + location.word, location.shift)
            else:
                yield from self.spots(member, slot + location.word, route, member_path)

    def _items(
        self,
        layout: VectorLayout | ListType,
        slot: int,
        route: SlotDerivation,
        path: SlotPath,
    ) -> Iterator[StoragePath]:
        _need(route.words[0] == slot)
        before, after = self._changed.get(slot, (0, 0))
        is_whole = isinstance(layout.item, ValueType)
        removed = range(after, before) if is_whole else range(0)
        if not route.hops:
            yield StoragePath((*path, "length"), _NUMBER, slot)
            for index in removed:
                yield self._removed(layout, slot, index, path)
            return
        (key, start), rest, item = route.hops[0], route.after(1), layout.item
        _need(key is None)
        offset = rest.words[0] - start
        if layout.per_word == 1:
            index = offset // item.words
            if index not in removed:
                first, item_path = start + index * item.words, (*path, IndexedStep(index))
                yield from self.spots(item, first, rest, item_path)
            return
        _need(not rest.hops)
        for i in range(layout.per_word):
            index = offset * layout.per_word + i
            if index not in removed:
                item_path = (*path, IndexedStep(index))
                yield StoragePath(item_path, item, start + offset, 8 * (item.size or 0) * i)

    def _removed(
        self, layout: VectorLayout | ListType, slot: int, index: int, path: SlotPath
    ) -> StoragePath:
        """Return an item that the list had before it became shorter."""
        item, (word, position) = layout.item, divmod(index, layout.per_word)
        first = self._content(slot) + (word if item.size else index * item.words)
        item_path = (*path, IndexedStep(index))
        return StoragePath(item_path, item, first, 8 * (item.size or 0) * position, is_removed=True)

    def _keyed(
        self,
        layout: IterableMapLayout | SetLayout,
        slot: int,
        route: SlotDerivation,
        path: SlotPath,
    ) -> Iterator[StoragePath]:
        """Yield a value of a dict, or that a key or an item is present. The order in which these are kept is left out."""
        parts: list[Any] = layout.fields.layouts if layout.fields else []
        offset = route.words[0] - slot
        _need(0 <= offset < len(parts))
        if offset == _VALUES:
            yield from self.spots(parts[_VALUES], route.words[0], route, path)
        elif offset == _PLACES:
            _need(len(route.hops) == 1 and route.hops[0].key is not None)
            key = IndexedStep(parts[_PLACES].key.key_of(route.hops[0].key))
            yield StoragePath((*path, key, IN), _PRESENT, route.words[1])


def _need(fits: bool) -> None:
    if not fits:
        raise UnknownSlot


def struct_members(spot: StoragePath) -> list[StoragePath]:
    """Return the members of a packed record; none if the value is best shown whole."""
    value_type = spot.layout
    if (
        not isinstance(value_type, StructType)
        or value_type.size is None
        or (value_type.cls is None and not _contains_records(value_type))
    ):
        return []
    return [
        StoragePath(
            (*spot.path, IndexedStep(i) if value_type.cls is None else member.name),
            member.kind,
            spot.slot,
            spot.shift + location.shift,
        )
        for i, (member, location) in enumerate(
            zip(value_type.members, value_type.places, strict=True)
        )
    ]


def unwrap_optional(spot: StoragePath) -> StoragePath:
    """Return the value inside an option that is set; return any other value unchanged."""
    value_type = spot.layout
    if not isinstance(value_type, OptionalType) or value_type.size is None:
        return spot
    return StoragePath(spot.path, value_type.item, spot.slot, spot.shift + 8)


def _contains_records(kind: StructType) -> bool:
    return any(isinstance(member.kind, StructType | OptionalType) for member in kind.members)
