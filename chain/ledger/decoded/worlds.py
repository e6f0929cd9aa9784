"""Worlds as they are stored in a state: which exist, which models they hold, and the history of these.

Reading them costs no gas and runs no contract code: the layouts read the words directly from the state.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from chain.foundation.atomic_steps import locked
from chain.ledger.artifacts import full_name
from chain.ledger.decoded.model_history import Version
from chain.machine.frame import Frame
from chain.machine.state import State
from chain.metering.program import Program
from chain.runtime.world import World, world_at
from chain.spec.models import ModelSpec, model_spec, selector_of, tag_of
from chain.storage.read_only import ReadOnlyStorage

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

M = TypeVar("M")


def is_world(program: Program | None) -> bool:
    return program is not None and issubclass(program.spec.cls, World)


def worlds_of(ledger: Ledger) -> Iterator[StoredWorld]:
    """Yield every namespace of every world that is deployed now, in the order of their addresses."""
    for address in sorted(ledger.state.accounts):
        if is_world(ledger.program_at(address)):
            yield from StoredWorld(ledger, ledger.state, address, len(ledger.timeline)).spaces()


class StoredWorld:
    """The world at `address` in a state, which is the one at timeline index `moment`, in one of its namespaces."""

    def __init__(
        self,
        ledger: Ledger,
        state: State,
        address: bytes,
        moment: int,
        namespace: str | None = None,
    ) -> None:
        self.address = address
        self._given = namespace
        self._ledger, self._state, self._moment, self.lock = ledger, state, moment, ledger.lock
        self._words = ReadOnlyStorage(state.slots, state.storages[address])

    @cached_property
    def namespace(self) -> str:
        return self._world.namespace if self._given is None else self._given

    @cached_property
    def namespaces(self) -> list[str]:
        """All namespaces of the world, the first one first."""
        return self._world.namespaces()

    def spaces(self) -> Iterator[StoredWorld]:
        """Yield the world in each of its namespaces."""
        for namespace in self.namespaces:
            yield StoredWorld(self._ledger, self._state, self.address, self._moment, namespace)

    @property
    def registered(self) -> list[bytes]:
        """The addresses of the systems of the namespace."""
        world, namespace = self._world, self.namespace
        return [system for system in world.registered if world.namespace_of(system) == namespace]

    @cached_property
    def models(self) -> dict[bytes, ModelSpec]:
        """The models of the namespace by selector: those its systems use, and those that others were granted."""
        world, own = self._world, set(self.registered)
        visiting, at_home = {}, {}
        for system in world.registered:
            program = self._ledger.program_at(system)
            for spec in program.spec.models.values() if program else ():
                tag = tag_of(self.namespace, spec.name)
                if system in own:
                    at_home[selector_of(tag)] = spec
                elif {tag, self.namespace} & set(world.granted[system]):
                    visiting[selector_of(tag)] = spec
        return visiting | at_home

    def _spec(self, model: type) -> ModelSpec:
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
        spec = self._spec(model)
        instance: M = spec.load(self._words, spec.slot(self._words, self.namespace, keys), keys)
        return instance

    @locked
    def exists(self, model: type, *keys: object) -> bool:
        spec = self._spec(model)
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
        return list(self.each(self._spec(model)))

    def each(self, spec: ModelSpec) -> Iterator[Any]:
        """Yield every model of one kind that is set, in the order in which they were first written."""
        slots = self._ledger.versions.written_models(self.address, self.parent(spec))
        return (
            spec.load(self._words, slot, spec.decode_keys(key))
            for slot, key in slots
            if spec.exists(self._words, slot)
        )

    @locked
    def history(self, model: type[M], *keys: object) -> list[Version[M]]:
        """Return the versions of a model: one for each transaction that changed it."""
        spec = self._spec(model)
        slot = spec.slot(self._words, self.namespace, keys)

        def load(then: ReadOnlyStorage) -> M | None:
            return spec.load(then, slot, keys) if spec.exists(then, slot) else None

        return self._ledger.versions.versions_of(self.address, slot, self._moment, load)

    @property
    def _world(self) -> World:
        return world_at(cast(Frame, self._words))  # it is only used for reading
