"""Where a storage word belongs: from a slot back to the field or model that it is part of.

`Slots` remembers what every hashed slot was made from. Up that way goes `climb`, to a word that no hash leads to; down again
through the layouts goes a `Finder`, naming members, items and keys as it passes them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, NamedTuple, TypeAlias

from chain.schema.annotations import type_of_annotation
from chain.schema.value_types import (
    OptionalType,
    StructType,
)
from chain.storage.collections import (
    MapLayout,
    SetLayout,
    VectorLayout,
    decode_map_key,
)
from chain.storage.layout import (
    FieldsLayout,
    Layout,
    OptionLayout,
    PackedLayout,
    SequenceLayout,
    TextLayout,
    lay_out,
    layout_for,
)
from chain.storage.slots import Slots
from chain.types import u256


class Index(NamedTuple):
    """A step to an item: its number in a list, its key in a map."""

    key: Any


Path: TypeAlias = tuple[str | Index, ...]


class HashStep(NamedTuple):
    """From a word to what hangs on it: a map's value by its key, or content (no key) that begins at `start`."""

    key: bytes | None
    start: int


class SlotDerivation(NamedTuple):
    """The way to a word: the first one, the hops, and the word before each hop and at the end."""

    words: tuple[int, ...]
    hops: tuple[HashStep, ...]

    def after(self, hops: int) -> SlotDerivation:
        """The rest of the way."""
        return SlotDerivation(self.words[hops:], self.hops[hops:])


class StoragePath(NamedTuple):
    """A value in storage that has a name: at `shift` bits in the word at `slot`, or in words of its own."""

    path: Path
    layout: Layout
    slot: int
    shift: int = 0


class UnknownSlot(LookupError):
    """A word that is part of nothing known."""


_NUMBER = layout_for(type_of_annotation(u256))


def derivation_of(slots: Slots, word: int) -> SlotDerivation:
    """The way to `word` from the first word that no hash leads to."""
    words, hops = [word], list[HashStep]()
    while (found := slots.nearest_hashed(words[0])) is not None:
        parent, key = slots.preimages[found[0]]
        words.insert(0, parent)
        hops.insert(0, HashStep(key, found[0]))
    return SlotDerivation(tuple(words), tuple(hops))


class PathFinder:
    """Finds what a word is part of; `changed` are the slots of all words that changed with it."""

    def __init__(self, changed: Container[int]) -> None:
        self._changed = changed

    def spots(
        self, layout: Layout | FieldsLayout, slot: int, route: SlotDerivation, path: Path
    ) -> Iterator[StoragePath]:
        """The values that the word at the end of `route` is part of, below a layout that lies at `slot`."""
        match layout:
            case FieldsLayout():
                yield from self._members(layout, slot, route, path)
            case PackedLayout():
                _need(not route.hops and route.words[0] == slot)
                yield StoragePath(path, layout, slot)
            case TextLayout():
                yield StoragePath(path, layout, slot)
            case OptionLayout() if slot in self._changed:  # it came or went: see it whole
                yield StoragePath(path, layout, slot)
            case OptionLayout():
                yield from self.spots(layout.item, slot + 1, route, path)
            case SetLayout() if route.words[0] == slot:
                yield from self._items(layout.items, slot, route, path)
            case SetLayout():
                key = Index(decode_map_key(layout.key, route.hops[0].key or b""))
                yield StoragePath((*path, key, "place"), _NUMBER, route.hops[0].start)
            case VectorLayout() | SequenceLayout():
                yield from self._items(layout, slot, route, path)
            case MapLayout() if route.hops and route.hops[0].key is not None:
                hop, key = route.hops[0], Index(decode_map_key(layout.key, route.hops[0].key))
                yield from self.spots(layout.value, hop.start, route.after(1), (*path, key))
            case _:
                raise UnknownSlot

    def _members(
        self, layout: FieldsLayout, slot: int, route: SlotDerivation, path: Path
    ) -> Iterator[StoragePath]:
        inside = route.words[0] - slot
        _need(0 <= inside < layout.words)
        for name, member, at in zip(layout.names, layout.layouts, layout.places, strict=True):
            if not at.word <= inside < at.word + member.words:
                continue
            here = (*path, Index(int(name)) if name.isdigit() else name)
            if isinstance(member, PackedLayout):
                _need(not route.hops)
                yield StoragePath(here, member, slot + at.word, at.shift)
            else:
                yield from self.spots(member, slot + at.word, route, here)

    def _items(
        self, layout: VectorLayout | SequenceLayout, slot: int, route: SlotDerivation, path: Path
    ) -> Iterator[StoragePath]:
        _need(route.words[0] == slot)
        if not route.hops:
            yield StoragePath((*path, "length"), _NUMBER, slot)
            return
        (key, start), rest, item = route.hops[0], route.after(1), layout.item
        _need(key is None)
        inside = rest.words[0] - start
        if layout.per_word == 1:
            index = inside // item.words
            yield from self.spots(item, start + index * item.words, rest, (*path, Index(index)))
            return
        _need(not rest.hops)
        for i in range(layout.per_word):
            place = (*path, Index(inside * layout.per_word + i))
            yield StoragePath(place, item, start + inside, 8 * (item.size or 0) * i)


def _need(fits: bool) -> None:
    if not fits:
        raise UnknownSlot


def struct_members(spot: StoragePath) -> list[StoragePath]:
    """The members of a packed record; none where the value is best seen whole."""
    kind = spot.layout.kind if isinstance(spot.layout, PackedLayout) else None
    if not isinstance(kind, StructType) or (kind.cls is None and not _holds_records(kind)):
        return []
    layouts = [layout_for(member.kind) for member in kind.members]
    return [
        StoragePath(
            (*spot.path, Index(i) if kind.cls is None else member.name),
            layout,
            spot.slot,
            spot.shift + at.shift,
        )
        for i, (member, layout, at) in enumerate(
            zip(kind.members, layouts, lay_out(layouts)[0], strict=True)
        )
    ]


def unwrap_optional(spot: StoragePath) -> StoragePath:
    """The value inside an option that is there; any other spot as it is."""
    kind = spot.layout.kind if isinstance(spot.layout, PackedLayout) else None
    if not isinstance(kind, OptionalType):
        return spot
    return StoragePath(spot.path, layout_for(kind.item), spot.slot, spot.shift + 8)


def _holds_records(kind: StructType) -> bool:
    return any(isinstance(member.kind, StructType | OptionalType) for member in kind.members)
