"""The namespaces of a world as they are stored in a state: its systems, and the models that they use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Self, cast

from chain import runtime
from chain.ledger.known_contracts import Contracts
from chain.machine.frame import Frame
from chain.machine.state import State
from chain.metering.program import Program
from chain.spec.models import ModelSpec, selector_of, tag_of
from chain.storage.read_only import ReadOnlyStorage


def is_world(program: Program | None) -> bool:
    return program is not None and runtime.is_world(program.spec.cls)


class WorldNamespace:
    """The world at `address` in a state, in one of its namespaces; in the first one if none is given."""

    def __init__(
        self, contracts: Contracts, state: State, address: bytes, namespace: str | None = None
    ) -> None:
        self.address = address
        self._given = namespace
        self._contracts, self._state = contracts, state
        self._words = ReadOnlyStorage(state.slots, state.storages[address])

    @cached_property
    def namespace(self) -> str:
        return self._world.namespace if self._given is None else self._given

    @cached_property
    def namespaces(self) -> list[str]:
        """All namespaces of the world, the first one first."""
        return self._world.namespaces()

    def spaces(self) -> Iterator[Self]:
        """Yield the world in each of its namespaces."""
        for namespace in self.namespaces:
            yield self._in(namespace)

    def _in(self, namespace: str) -> Self:
        return type(self)(self._contracts, self._state, self.address, namespace)

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
            program = self._contracts.program_at(system)
            for spec in program.spec.models.values() if program else ():
                tag = tag_of(self.namespace, spec.name)
                if system in own:
                    at_home[selector_of(tag)] = spec
                elif {tag, self.namespace} & set(world.granted[system]):
                    visiting[selector_of(tag)] = spec
        return visiting | at_home

    @property
    def _world(self) -> runtime.World:
        return runtime.world_at(cast(Frame, self._words))  # it is only used for reading
