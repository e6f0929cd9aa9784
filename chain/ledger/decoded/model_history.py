"""The history of a world's models: every version, and the transaction that made it.

Nothing is recorded for this while transactions run. The timeline holds every word that ever changed. The first query reads it
and records which model each word belongs to; later queries continue from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from chain.foundation.sealed import sealed
from chain.ledger.receipts import Receipt, Record
from chain.machine.state import Changes, iter_changes
from chain.spec.models import MODELS
from chain.storage.read_only import ReadOnlyStorage
from chain.storage.slots import Slots

M = TypeVar("M")


@sealed
@dataclass(frozen=True, slots=True)
class Version(Generic[M]):
    """A field or a model as one transaction left it; `value` is None if the model was erased.

    >>> version = chain.history(race, "squares", alice)[-1]
    >>> version.value, version.block_number, version.receipt == receipt
    (4, 3, True)
    """

    value: M | None  # the field or the model
    block_number: int  # the block of the transaction
    timestamp: int  # the time of the transaction
    receipt: Receipt  # the receipt of the transaction


class ModelHistory:
    """The timeline indexes at which each model changed, for the worlds that were queried."""

    def __init__(self, ledger: Record) -> None:
        self._ledger = ledger
        self._worlds: dict[bytes, _Index] = {}
        self._models: dict[int, int | None] = {}  # word slot -> the slot of its model

    def written_models(self, world: bytes, parent: int) -> Iterator[tuple[int, bytes]]:
        """Yield the slots and keys of all models below the slot `parent`, in the order in which they were first written."""
        origins = self._ledger.state.slots.preimages
        for slot in self._timeline_indexes(world):
            model_parent, key = origins[slot]
            if model_parent == parent and key is not None:
                yield slot, key

    def versions_of(
        self, world: bytes, slot: int, moment: int, load: Callable[[ReadOnlyStorage], M | None]
    ) -> list[Version[M]]:
        """Return the versions of the model at `slot` before timeline index `moment`; `load` reads the model from storage."""
        ledger, words = self._ledger, dict[int, int]()
        storage, versions = ReadOnlyStorage(ledger.state.slots, words), []
        for index in self._timeline_indexes(world).get(slot, ()):
            if index >= moment:
                break
            words.update(
                (word_slot, after or 0)
                for word_slot, after in _words(ledger.timeline[index], world)
            )
            receipt = ledger.receipt_at_index(index)
            if receipt is not None:
                versions.append(
                    Version(load(storage), receipt.block_number, receipt.timestamp, receipt)
                )
        return versions

    def changed_models(self, world: bytes, moment: int) -> list[int]:
        """Return the slots of the models that changed from timeline index `moment` on, in order of their first change."""
        models, slots, changed_slots = self._models, self._ledger.state.slots, dict[int, None]()
        for changes in self._ledger.timeline[moment:]:
            for word, _ in _words(changes, world):
                if word not in models:
                    models[word] = _model_of(word, slots)
                slot = models[word]
                if slot is not None:
                    changed_slots[slot] = None
        return list(changed_slots)

    def truncate(self) -> None:
        """Start again, because the timeline was truncated."""
        self._worlds.clear()

    def _timeline_indexes(self, world: bytes) -> dict[int, list[int]]:
        index = self._worlds.get(world)
        if index is None:
            index = self._worlds[world] = _Index(world, self._models)
        index.read(self._ledger.timeline, self._ledger.state.slots)
        return index.moments


class _Index:
    """The timeline indexes at which each model of one world changed, by slot, as far as the timeline was read."""

    def __init__(self, world: bytes, models: dict[int, int | None]) -> None:
        self.world, self.models = world, models
        self.moments: dict[int, list[int]] = {}
        self._done = 0

    def read(self, timeline: Sequence[Changes], slots: Slots) -> None:
        models = self.models
        for index in range(self._done, len(timeline)):
            for word, _ in _words(timeline[index], self.world):
                if word not in models:
                    models[word] = _model_of(word, slots)
                slot = models[word]
                if slot is not None:
                    moments = self.moments.setdefault(slot, [])
                    if not moments or moments[-1] < index:
                        moments.append(index)
        self._done = len(timeline)


def _words(changes: Changes, world: bytes) -> Iterator[tuple[int, int | None]]:
    """Yield the words of `world` that changed, each with its new value."""
    return (
        (slot, after)
        for address, slot, _, after in iter_changes(changes)
        if address == world and isinstance(slot, int)
    )


def _model_of(word: int, slots: Slots) -> int | None:
    """Return the slot of the model that a word belongs to, or None; this climbs from content to what contains it."""
    while (hashed := slots.nearest_hashed(word)) is not None:
        word, _ = slots.preimages[hashed[0]]
        if slots.preimages.get(word, (0, None))[0] == MODELS:
            return hashed[0]
    return None
