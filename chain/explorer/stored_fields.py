"""The storage of a contract, field by field, at one point in time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from chain.foundation.dataclass import dataclass
from chain.ledger.ledger import Ledger
from chain.metering.program import Program
from chain.simulator.reader import ChainReader
from chain.storage.collection import CollectionLayout
from chain.storage.fields import Layout
from chain.storage.map import Map, MapLayout
from chain.storage.read_only import ReadOnlyStorage
from chain.storage.vector import Vector

ITEMS: Final = 24  # of a collection; the last ones if it has an order
_LOOKED_AT: Final = 200  # keys of a map, of which most may be unset again


@dataclass(frozen=True, slots=True)
class StoredField:
    """One field: a value, or the last items of a collection and the number of the others."""

    name: str
    kind: str
    value: object
    items: list[tuple[object, object]] | None
    others: int


class StoredFields:
    """Reads the fields of contracts. The keys that were used with a map are read from the slots, once."""

    def __init__(self, ledger: Ledger) -> None:
        self._slots = ledger.state.slots
        self._below: defaultdict[int, list[tuple[bytes, int]]] = defaultdict(list)
        self._seen = 0

    def below(self, slot: int) -> list[tuple[bytes, int]]:
        """Return the keys that a map was asked for, each with the slot of its item, the first one first."""
        self._update()
        return self._below[slot]

    def of(self, program: Program, address: bytes, reader: ChainReader) -> list[StoredField]:
        layout = program.spec.fields
        if layout is None or address not in reader.state.storages:
            return []
        self._update()
        words = ReadOnlyStorage(reader.state.slots, reader.state.storages[address])
        return [
            self._field(
                name, layout.layouts[i], layout.accessors(i)[0](words, 0), place.word, words
            )
            for i, (name, place) in enumerate(zip(layout.names, layout.places, strict=True))
        ]

    def _field(
        self, name: str, layout: Layout, value: Any, slot: int, words: ReadOnlyStorage
    ) -> StoredField:
        kind = _kind(layout)
        if not isinstance(layout, CollectionLayout):
            return StoredField(name, kind, value, None, 0)
        if isinstance(layout, MapLayout) and layout.collection is Map:
            items = list(islice(self._items(layout, slot, words), ITEMS))
            is_more = len(items) == ITEMS or len(self._below[slot]) > _LOOKED_AT
            return StoredField(name, kind, None, items, int(is_more))
        length = len(value)
        if isinstance(value, Vector):
            items = [(i, value[i]) for i in range(length - 1, max(-1, length - 1 - ITEMS), -1)]
        else:
            items = list(enumerate(islice(value, ITEMS)))
        return StoredField(name, kind, None, items, length - len(items))

    def _items(
        self, layout: MapLayout, slot: int, words: ReadOnlyStorage
    ) -> Iterator[tuple[object, object]]:
        """Yield the entries of a map that are set, the most recently first used key first."""
        unset = ReadOnlyStorage(self._slots, {})
        for key, item_slot in islice(reversed(self._below[slot]), _LOOKED_AT):
            value = self._plain(layout.value, item_slot, words)
            if value != self._plain(layout.value, item_slot, unset):
                yield layout.key.key_of(key), value

    def _plain(self, layout: Layout, slot: int, words: ReadOnlyStorage) -> object:
        """Return a value as an ordinary one of Python."""
        if isinstance(layout, MapLayout) and layout.collection is Map:
            return dict(islice(self._items(layout, slot, words), ITEMS))
        value = layout.load(words, slot)
        return list(islice(value, ITEMS)) if isinstance(layout, CollectionLayout) else value

    def _update(self) -> None:
        preimages = self._slots.preimages
        if len(preimages) == self._seen:
            return
        for slot, (parent, key) in islice(preimages.items(), self._seen, None):
            if key is not None:
                self._below[parent].append((key, slot))
        self._seen = len(preimages)


def _kind(layout: Layout) -> str:
    """Return the type of a field as it is declared."""
    if isinstance(layout, CollectionLayout):
        parts = (part if isinstance(part, str) else _kind_of_part(part) for part in layout.parts)
        return f"{layout.what}[{', '.join(parts)}]"
    return _kind_of_part(layout)


def _kind_of_part(part: object) -> str:
    if isinstance(part, CollectionLayout):
        return _kind(part)
    name = getattr(getattr(part, "kind", part), "name", "")
    return str(name)
