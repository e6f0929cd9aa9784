"""Deployment of contracts and worlds: on a chain, or in a script that does each step once (`chain.deployment`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from chain import runtime
from chain.errors import Reverted
from chain.metering.program import Program
from chain.runtime.contract import Contract, require_no_init_args
from chain.simulator.handle import Handle
from chain.simulator.world_handle import Resource, WorldHandle, Writer, check_world
from chain.spec.models import tag_of
from chain.types import Address
from chain.values.inputs import AccountLike, flag, items, pairs

if TYPE_CHECKING:
    pass

C = TypeVar("C", bound=Contract)


class DeployMixin(ABC):
    """Mixin for a target of deployments: a chain, or a deployment that sends each thing once."""

    __slots__ = ()

    @abstractmethod
    def declare(self, contract: type[Contract]) -> Program:
        """Register a contract class, so that it can be deployed."""

    @abstractmethod
    def address_of(self, account: AccountLike, name: str = "address") -> Address:
        """Return the address of an account; `name` is the name of the argument for error texts."""

    @abstractmethod
    def send(
        self, to: AccountLike | None, data: bytes = b"", *, sender: AccountLike | None = None, value: int = 0,
        gas: int | None = None,
    ) -> Any:  # fmt: skip
        """Send a transaction; return its receipt."""

    @abstractmethod
    def handle(
        self, contract: type[C] | Handle[C], address: AccountLike | None = None
    ) -> Handle[C]:
        """Return a handle for a deployed contract."""

    @abstractmethod
    def world(self, world: WorldHandle | AccountLike) -> WorldHandle:
        """Return a handle for a deployed World."""

    def deploy(
        self, contract: type[C], /, *args: object, sender: AccountLike | None = None, value: int | None = None,
        gas: int | None = None, check: bool = True, **named: object,
    ) -> Handle[C]:  # fmt: skip
        """Deploy a contract. The arguments after the class go to its `@init`. Raise `Reverted` if that fails.

        The receipt is `handle.deployment`. With `check=False` it returns a handle even if the deployment failed, so that its
        receipt can be read.

        >>> chain.deploy(Race, sender=bob).deployment.sender == bob
        True
        """
        flag(check, "check")
        program, init = self.declare(contract), contract.__spec__.init
        if runtime.is_system(contract) and not (args or named):
            raise TypeError(
                f"{contract.__name__} is a System: chain.deploy_world(…, systems=[{contract.__name__}]) deploys it"
            )
        if value is not None and init is not None and init.value_is_argument:
            named["value"], value = value, None
        wei = 0 if value is None else value
        data = (
            init.encode_args(args, named, self)
            if init
            else require_no_init_args(contract, args, named)
        )
        receipt = self.send(None, program.initcode + data, sender=sender, value=wei, gas=gas)
        if receipt.error is None:
            return self.handle(contract, receipt.address)
        if check:
            raise Reverted(receipt) from receipt.error.cause
        return Handle(self, contract, receipt.address)  # type: ignore[arg-type]  # for its receipt only

    def deploy_world(
        self, namespace: str, *, systems: Sequence[type[runtime.System]],
        writers: Mapping[Resource, Sequence[Writer]] | None = None,
        init: Mapping[type[runtime.System], tuple[object, ...]] | None = None, sender: AccountLike | None = None,
    ) -> WorldHandle:  # fmt: skip
        """Deploy a World with its systems, grant the permissions in `writers`, and call each `@init`.

        >>> chain.deploy_world("second", systems=[League], writers={Score: [League]}, sender=bob).namespace
        'second'
        """
        init, granted_to = pairs(init, "init"), pairs(writers, "writers")
        check_world(systems, init, granted_to)
        world = self.world(self.deploy(runtime.World, namespace, sender=sender).address)
        return self._populate(world, systems, granted_to, init, sender)

    def deploy_namespace(
        self, world: WorldHandle | AccountLike, namespace: str, *, systems: Sequence[type[runtime.System]] = (),
        writers: Mapping[Resource, Sequence[Writer]] | None = None,
        init: Mapping[type[runtime.System], tuple[object, ...]] | None = None, sender: AccountLike | None = None,
    ) -> WorldHandle:  # fmt: skip
        """Open another namespace in a World, and do in it what `deploy_world` does in the first one.

        >>> cups = chain.deploy_namespace(world, "cups", systems=[League], writers={Score: [League]}, sender=bob)
        >>> cups.namespace, cups.is_owner("cups", bob), chain.world("cups").namespaces
        ('cups', True, ['league', 'cups'])
        """
        init, granted_to = pairs(init, "init"), pairs(writers, "writers")
        check_world(systems, init, granted_to)
        handle = self.world(world)
        handle.handle.register_namespace(namespace, sender=sender)
        return self._populate(handle(namespace), systems, granted_to, init, sender)

    def _populate(
        self, world: WorldHandle, systems: Sequence[type[runtime.System]], granted_to: Mapping[Resource, Sequence[Writer]],
        init: Mapping[type[runtime.System], tuple[object, ...]], sender: AccountLike | None,
    ) -> WorldHandle:  # fmt: skip
        """Deploy systems in a namespace, grant the permissions, and call each `@init`."""
        for system in systems:
            address = self._deploy_system(system, world, sender).address
            tag = tag_of(world.namespace, system.__name__)
            world.handle.register(tag, address, sender=sender)
        for resource, grantees in granted_to.items():
            for writer in items(grantees, "writers"):
                world.grant_writer(resource, writer, sender=sender)
        for system in systems:
            setup = system.__spec__.setup
            if setup is not None:
                getattr(world.system(system), setup.name)(*init.get(system, ()), sender=sender)
        return world

    def _deploy_system(
        self, system: type[C], world: WorldHandle, sender: AccountLike | None
    ) -> Handle[C]:
        return self.deploy(system, world.address, sender=sender)
