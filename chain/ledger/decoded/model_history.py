"""What the models of a world have been: every version, and the transaction that made it.

Nothing is kept for this while transactions run. The timeline holds every word that ever changed; the first question reads it,
and notes which model each word belongs to; later questions read on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from chain.machine.state import Changes, iter_changes
from chain.spec.models import MODELS
from chain.storage.read_only import ReadOnlyStorage
from chain.storage.slots import Slots

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger
    from chain.ledger.receipts import Receipt

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Version(Generic[M]):
    """A model as one transaction left it; `value` is None where it was erased."""

    value: M | None
    block_number: int
    timestamp: int
    receipt: Receipt


class ModelHistory:
    """For each model of the worlds that were asked about, the moments at which it changed."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._worlds: dict[bytes, _Index] = {}
        self._models: dict[int, int | None] = {}  # word -> the slot of the model it is of

    def written_models(self, world: bytes, parent: int) -> Iterator[tuple[int, bytes]]:
        """Slots and keys of all models below `parent`, in the order in which they were first written."""
        origins = self._ledger.state.slots.preimages
        for slot in self._moments(world):
            found, key = origins[slot]
            if found == parent and key is not None:
                yield slot, key

    def versions_of(
        self, world: bytes, slot: int, moment: int, load: Callable[[ReadOnlyStorage], M | None]
    ) -> list[Version[M]]:
        """The versions of the model at `slot`, up to a moment; `load` reads it from words."""
        ledger, words = self._ledger, dict[int, int]()
        then, found = ReadOnlyStorage(ledger.state.slots, words), []
        for at in self._moments(world).get(slot, ()):
            if at >= moment:
                break
            words.update((place, after or 0) for place, after in _words(ledger.timeline[at], world))
            receipt = ledger.receipt_at_index(at)
            if receipt is not None:
                found.append(Version(load(then), receipt.block_number, receipt.timestamp, receipt))
        return found

    def changed_models(self, world: bytes, moment: int) -> list[int]:
        """The slots of the models that changed from a moment on, in the order in which they first did."""
        models, slots, found = self._models, self._ledger.state.slots, dict[int, None]()
        for changes in self._ledger.timeline[moment:]:
            for word, _ in _words(changes, world):
                if word not in models:
                    models[word] = _model_of(word, slots)
                slot = models[word]
                if slot is not None:
                    found[slot] = None
        return list(found)

    def cut(self) -> None:
        """Begin again: something was taken back."""
        self._worlds.clear()

    def _moments(self, world: bytes) -> dict[int, list[int]]:
        index = self._worlds.get(world)
        if index is None:
            index = self._worlds[world] = _Index(world, self._models)
        index.read(self._ledger.timeline, self._ledger.state.slots)
        return index.moments


class _Index:
    """The moments at which each model of one world changed, by its slot, as far as the timeline was read."""

    def __init__(self, world: bytes, models: dict[int, int | None]) -> None:
        self.world, self.models = world, models
        self.moments: dict[int, list[int]] = {}
        self._done = 0

    def read(self, timeline: Sequence[Changes], slots: Slots) -> None:
        models = self.models
        for at in range(self._done, len(timeline)):
            for word, _ in _words(timeline[at], self.world):
                if word not in models:
                    models[word] = _model_of(word, slots)
                slot = models[word]
                if slot is not None:
                    moments = self.moments.setdefault(slot, [])
                    if not moments or moments[-1] < at:
                        moments.append(at)
        self._done = len(timeline)


def _words(changes: Changes, world: bytes) -> Iterator[tuple[int, int | None]]:
    """The words of `world` that changed, with what they are afterwards."""
    return (
        (slot, after)
        for address, slot, _, after in iter_changes(changes)
        if address == world and isinstance(slot, int)
    )


def _model_of(word: int, slots: Slots) -> int | None:
    """The slot of the model that a word is of, if it is of any: up from content to what holds it."""
    while (found := slots.nearest_hashed(word)) is not None:
        word, _ = slots.preimages[found[0]]
        if slots.preimages.get(word, (0, None))[0] == MODELS:
            return found[0]
    return None
