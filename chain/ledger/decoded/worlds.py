"""Worlds as they lie in a state: which there are, which models they hold, what these were.

Looking costs nobody gas and runs no code: the words lie in the state, and layouts read them there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from chain.concurrency.atomic_steps import undisturbed
from chain.ledger.decoded.model_history import Version
from chain.machine.frame import Frame
from chain.machine.state import State
from chain.metering.program import Program
from chain.runtime.system import world_at
from chain.runtime.world import World
from chain.spec.models import (
    ModelSpec,
    model_spec,
    selector_of,
)
from chain.storage.read_only import ReadOnlyStorage

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

M = TypeVar("M")


def is_world(program: Program | None) -> bool:
    return program is not None and issubclass(program.spec.cls, World)


def worlds_of(ledger: Ledger) -> Iterator[StoredWorld]:
    """Every world that there is now, by address."""
    for address in sorted(ledger.state.accounts):
        if is_world(ledger.program_at(address)):
            yield StoredWorld(ledger, ledger.state, address, len(ledger.timeline))


class StoredWorld:
    """The world at `address` in a state, which is what the first `moment` changes on the timeline led to."""

    def __init__(self, ledger: Ledger, state: State, address: bytes, moment: int) -> None:
        self.address = address
        self._ledger, self._moment, self.border = ledger, moment, ledger.border
        self._words = ReadOnlyStorage(state.slots, state.storages[address])

    @cached_property
    def namespace(self) -> str:
        return self._world.namespace

    @property
    def registered(self) -> list[bytes]:
        """The addresses of its systems."""
        return list(self._world.registered)

    @cached_property
    def models(self) -> dict[bytes, ModelSpec]:
        """What its systems keep in it, by selector."""
        found = (self._ledger.program_at(address) for address in self._world.registered)
        specs = [spec for program in found if program for spec in program.spec.models.values()]
        return {selector_of(self.namespace, spec.name): spec for spec in specs}

    @undisturbed
    def read(self, model: type[M], *keys: Any) -> M:
        spec = model_spec(model)
        found: M = spec.load(self._words, spec.slot(self._words, self.namespace, keys), keys)
        return found

    @undisturbed
    def exists(self, model: type, *keys: Any) -> bool:
        spec = model_spec(model)
        return spec.exists(self._words, spec.slot(self._words, self.namespace, keys))

    def parent(self, spec: ModelSpec) -> int:
        """Where the models of a kind hang."""
        return spec.parent(self._words, self.namespace)

    def at(self, spec: ModelSpec, slot: int, key: bytes) -> Any:
        """The model at a slot, which was made of that key; None where none is set."""
        if not spec.exists(self._words, slot):
            return None
        return spec.load(self._words, slot, spec.decode_keys(key))

    @undisturbed
    def all(self, model: type[M]) -> list[M]:
        """Every model of that class that is set, in the order in which they were first written."""
        spec, words = model_spec(model), self._words
        parent = spec.parent(words, self.namespace)
        slots = self._ledger.versions.written_models(self.address, parent)
        return [
            spec.load(words, slot, spec.decode_keys(key))
            for slot, key in slots
            if spec.exists(words, slot)
        ]

    @undisturbed
    def history(self, model: type[M], *keys: Any) -> list[Version[M]]:
        """What the model was after every transaction that changed it."""
        spec = model_spec(model)
        slot = spec.slot(self._words, self.namespace, keys)

        def load(then: ReadOnlyStorage) -> M | None:
            return spec.load(then, slot, keys) if spec.exists(then, slot) else None

        return self._ledger.versions.versions_of(self.address, slot, self._moment, load)

    @property
    def _world(self) -> World:
        return world_at(cast(Frame, self._words))  # it only reads
