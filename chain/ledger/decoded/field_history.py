"""The history of a contract's fields: the value after each transaction that changed it.

A value is read as of some index of the timeline, and the words that it was read from are recorded. It can change only if one
of these words changes, so it is read again at the next change of any of them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chain.foundation.atomic_steps import locked
from chain.ledger.decoded.model_history import Version
from chain.ledger.indexes import append_position, new_positions
from chain.ledger.receipts import Record
from chain.ledger.timeline import Changing
from chain.machine.state import STORAGE, iter_changes
from chain.schema.validation import short_repr
from chain.spec.contracts import ContractSpec
from chain.storage.collection_layout import CollectionLayout, ReadItemKey
from chain.storage.layout import Layout
from chain.storage.read_only import ReadOnlyStorage


class FieldHistory:
    """The timeline indexes at which each word changed, for the queried contracts."""

    def __init__(self, ledger: Record) -> None:
        self._ledger, self.lock = ledger, ledger.lock
        self._changes: dict[bytes, defaultdict[int, array[int]]] = {}
        self._read: dict[bytes, int] = {}  # changes

    def truncate(self) -> None:
        """Start again, because the timeline was truncated."""
        self._read.clear()
        self._changes.clear()

    @locked
    def versions(
        self, address: bytes, spec: ContractSpec, field: str, keys: Sequence[object], moment: int, read_key: ReadItemKey
    ) -> list[Version[Any]]:  # fmt: skip
        """Return the values of a field, or of its item under `keys`, before a timeline index."""
        read = _reader(spec, field, keys, read_key)
        changes, then = self._changes_of(address), -1
        storage = _Then(self._ledger, address, changes, then)
        value, versions = read(storage), list[Version[Any]]()
        while (then := storage.next_change) < moment:
            storage = _Then(self._ledger, address, changes, then)
            before, value = value, read(storage)
            receipt = self._ledger.receipt_at_index(then)
            if value != before and receipt is not None:
                versions.append(Version(value, receipt.block_number, receipt.timestamp, receipt))
        return versions

    def _changes_of(self, address: bytes) -> Mapping[int, array[int]]:
        changes = self._changes.setdefault(address, defaultdict(new_positions))
        timeline = self._ledger.timeline
        for index in range(self._read.get(address, 0), len(timeline)):
            for changed, slot, before, _ in iter_changes(timeline[index]):
                if changed != address:
                    continue
                if isinstance(slot, int):
                    append_position(changes[slot], index)
                elif slot is STORAGE:
                    for word, _ in before:
                        append_position(changes[word], index)
        self._read[address] = len(timeline)
        return changes


class _Then(ReadOnlyStorage):
    """The words of a contract after the change at a timeline index."""

    __slots__ = ("_address", "_changes", "_index", "_ledger", "next_change")

    def __init__(
        self, ledger: Changing, address: bytes, changes: Mapping[int, array[int]], index: int
    ) -> None:
        super().__init__(ledger.state.slots, {})
        self._ledger, self._address, self._changes, self._index = ledger, address, changes, index
        self.next_change = len(ledger.timeline)  # of a word that was read

    def sload(self, slot: int) -> int:
        indexes = self._changes.get(slot, ())
        following = bisect_right(indexes, self._index)
        if following < len(indexes):
            self.next_change = min(self.next_change, indexes[following])
        return self._written(slot, indexes[following - 1]) if following else 0

    def _written(self, slot: int, index: int) -> int:
        """Return the word that a change left."""
        word = 0
        for address, changed, _, after in iter_changes(self._ledger.timeline[index]):
            if address == self._address and (changed == slot or changed is STORAGE):
                word = after or 0
        return word


def _reader(
    spec: ContractSpec, field: str, keys: Sequence[object], read_key: ReadItemKey
) -> Callable[[ReadOnlyStorage], Any]:
    """Return the function that reads a value from storage; None where an item is not there yet."""
    fields = spec.fields
    names = [] if fields is None else fields.names
    if fields is None or field not in names:
        raise TypeError(
            f"{spec.name} has no field '{field}'; it has {', '.join(names) or 'no fields'}"
        )
    index, path = names.index(field), f"{spec.name}.{field}"
    load, steps = fields.accessors(index)[0], list[tuple[Callable[[Any, object], Any], object]]()
    layout: Layout | None = fields.layouts[index]
    for key in keys:
        if not isinstance(layout, CollectionLayout):
            raise TypeError(f"{path} has no items: leave out {short_repr(key)}")
        item_of, (key, layout) = layout.item_of, layout.step(key, path, read_key)
        steps.append((item_of, key))
        path = f"{path}[{short_repr(key)}]"
    if isinstance(layout, CollectionLayout):
        raise TypeError(f"{path} is a {layout.what}: name an item")

    def read(storage: ReadOnlyStorage) -> Any:
        value = load(storage, 0)
        try:
            for item_of, key in steps:
                value = item_of(value, key)
        except LookupError:
            return None
        return value

    return read
