"""Worlds as they are stored in a state: which exist, which models they hold, and the history of these.

Reading them costs no gas and runs no contract code: the layouts read the words directly from the state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from chain.foundation.atomic_steps import locked
from chain.ledger.artifacts import full_name
from chain.ledger.decoded.versions import Version
from chain.ledger.decoded.world_namespace import WorldNamespace, is_world
from chain.ledger.timeline import each_change
from chain.machine.state import State
from chain.spec.models import ModelSpec, model_spec
from chain.storage.read_only import ReadOnlyStorage

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

M = TypeVar("M")


def worlds_of(ledger: Ledger) -> Iterator[StoredWorld]:
    """Yield every namespace of every world that is deployed now, in the order of their addresses."""
    for address in sorted(ledger.state.accounts):
        if is_world(ledger.program_at(address)):
            yield from StoredWorld(ledger, ledger.state, address, len(ledger.timeline)).spaces()


class StoredWorld(WorldNamespace):
    """The world at `address` in a state, which is the one at timeline index `moment`, in one of its namespaces."""

    def __init__(
        self, ledger: Ledger, state: State, address: bytes, moment: int, namespace: str | None = None
    ) -> None:  # fmt: skip
        super().__init__(ledger, state, address, namespace)
        self._ledger, self._moment, self.lock = ledger, moment, ledger.lock

    def _in(self, namespace: str) -> StoredWorld:
        return StoredWorld(self._ledger, self._state, self.address, self._moment, namespace)

    def spec_of(self, model: type) -> ModelSpec:
        """Return the description of a model class. Refuse one whose models are stored here in the shape of another class."""
        spec = model_spec(model)
        programs = self._ledger.programs.values()
        if all(program.spec.models.get(spec.name, spec) is spec for program in programs):
            return spec
        used = [self._ledger.program_at(system) for system in self.registered]
        others = [
            program.spec.models[spec.name]
            for program in used
            if program and spec.name in program.spec.models
        ]
        if others and not any(map(spec.fits, others)):
            raise TypeError(
                f"{spec.name} of {self.namespace} is {full_name(others[0].record.cls)}, not {full_name(spec.record.cls)}"
            )
        return spec

    @locked
    def read(self, model: type[M], *keys: object) -> M:
        spec = self.spec_of(model)
        instance: M = spec.load(self._words, spec.slot(self._words, self.namespace, keys), keys)
        return instance

    @locked
    def exists(self, model: type, *keys: object) -> bool:
        spec = self.spec_of(model)
        return spec.exists(self._words, spec.slot(self._words, self.namespace, keys))

    def parent(self, spec: ModelSpec) -> int:
        """Return the slot below which all models of one class are stored."""
        return spec.parent(self._words, self.namespace)

    def at(self, spec: ModelSpec, slot: int, key: bytes) -> Any:
        """Return the model at a slot; `key` is what the slot was hashed from. None if no model is set there."""
        if not spec.exists(self._words, slot):
            return None
        return spec.load(self._words, slot, spec.decode_keys(key))

    @locked
    def all(self, model: type[M]) -> list[M]:
        """Return every model of that class that is set, in the order in which they were first written."""
        return list(self.each(self.spec_of(model)))

    def each(self, spec: ModelSpec) -> Iterator[Any]:
        """Yield every model of one kind that is set, in the order in which they were first written."""
        parent, words = self.parent(spec), self._words
        there = [
            (slot, key)
            for slot, (above, key) in self._state.slots.preimages.items()
            if above == parent and key is not None and spec.exists(words, slot)
        ]
        there.sort(key=lambda place: self.first_write(place[0]))
        return (spec.load(words, slot, spec.decode_keys(key)) for slot, key in there)

    def first_write(self, slot: int) -> tuple[int, int]:
        """Return when the word that every model has was first written: the timeline index, and its place among the changes."""
        ledger, place = self._ledger, (self.address, slot)
        moment = ledger.past.first(*place)
        if moment is None:
            return len(ledger.timeline), 0  # in the running transaction
        places = ((address, at) for address, at, *_ in each_change(ledger.timeline[moment]))
        return moment, next(i for i, changed in enumerate(places) if changed == place)

    @locked
    def history(self, model: type[M], *keys: object) -> list[Version[M]]:
        """Return the versions of a model: one for each transaction that changed it."""
        return self.versions(self.spec_of(model), keys, self._moment)

    def versions(
        self, spec: ModelSpec, keys: tuple[object, ...], moment: int, most: int | None = None
    ) -> list[Version[Any]]:
        """Return the versions of a model before a timeline index, the last `most` of them."""
        slot = spec.slot(self._words, self.namespace, keys)

        def load(then: ReadOnlyStorage) -> Any:
            return spec.load(then, slot, keys) if spec.exists(then, slot) else None

        return self._ledger.history.versions(self.address, load, moment, most)
