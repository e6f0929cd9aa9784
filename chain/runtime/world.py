"""A World: a store of models that several systems share, with permissions to write them.

The terms are those of Dojo. A permission refers to a resource: a model, identified by the keccak of its tag `mage_duel-Board`,
or the whole namespace, identified by the keccak of `mage_duel`. Writers of a resource may write its models. Owners may also
grant and revoke both rights. Rights to the namespace hold for all its models. The models are in the world's own storage, where
its systems read and write them directly (`chain.runtime.system`).
"""

from __future__ import annotations

from chain.errors import Revert, require
from chain.runtime.contract import Contract
from chain.spec.decorators import call, event, init, view
from chain.spec.models import selector_of
from chain.storage.collections import Map, Set
from chain.types import ZERO_ADDRESS, Address, Key, bytes32, u32

_LONGEST = 31  # bytes of a namespace, so that it is stored in one word


@event
class WorldSpawned:
    """A world was deployed."""

    creator: Key[Address]
    namespace: str


@event
class WriterGranted:
    """An account became a writer of a resource."""

    resource: Key[bytes32]
    address: Key[Address]


@event
class WriterRevoked:
    """An account is no longer a writer of a resource."""

    resource: Key[bytes32]
    address: Key[Address]


@event
class OwnerGranted:
    """An account became an owner of a resource."""

    resource: Key[bytes32]
    address: Key[Address]


@event
class OwnerRevoked:
    """An account is no longer an owner of a resource."""

    resource: Key[bytes32]
    address: Key[Address]


@event
class SystemRegistered:
    """A system was registered under a name."""

    address: Key[Address]
    name: str


class World(Contract):
    """The contract that `chain.deploy_world` deploys. The deploying account owns its namespace.

    Use its `WorldHandle`, which calls these entries; here a model is a resource, the keccak of `namespace-Model`.

    >>> world.handle.system("League") == league.address
    True
    """

    namespace: str  # the name of the namespace
    uuids: u32  # how many uuids were given
    writers: Map[tuple[bytes32, Address], bool]  # the writers of each resource
    owners: Map[tuple[bytes32, Address], bool]  # the owners of each resource
    systems: Map[str, Address]  # the systems by name
    registered: Set[Address]  # the systems that may use the world
    granted: Map[Address, Set[bytes32]]  # the resources for which an account has, or had, a right

    @init
    def new(self, namespace: str) -> None:
        """Open a namespace; its owner is the caller."""
        require(
            namespace.isidentifier() and namespace.isascii() and len(namespace) <= _LONGEST,
            f"'{namespace}' is not a namespace: use 1 to {_LONGEST} letters, digits and '_', no digit first",
        )
        self.namespace = namespace
        self.owners[selector_of(namespace), self.caller] = True
        self.emit(WorldSpawned(self.caller, namespace))

    # Permissions

    @call
    def grant_writer(self, resource: bytes32, address: Address) -> None:
        """Let an account write a resource."""
        self._require_owner(resource)
        self.writers[resource, address] = True
        self.granted[address].add(resource)
        self.emit(WriterGranted(resource, address))

    @call
    def revoke_writer(self, resource: bytes32, address: Address) -> None:
        """Revoke that permission."""
        self._require_owner(resource)
        self.writers[resource, address] = False
        self.emit(WriterRevoked(resource, address))

    @call
    def grant_owner(self, resource: bytes32, address: Address) -> None:
        """Let an account write a resource, and grant permissions for it."""
        self._require_owner(resource)
        self.owners[resource, address] = True
        self.granted[address].add(resource)
        self.emit(OwnerGranted(resource, address))

    @call
    def revoke_owner(self, resource: bytes32, address: Address) -> None:
        """Revoke that permission."""
        self._require_owner(resource)
        self.owners[resource, address] = False
        self.emit(OwnerRevoked(resource, address))

    @view
    def is_writer(self, resource: bytes32, address: Address) -> bool:
        """Return True if an account is a writer of a resource."""
        return self.writers[resource, address]

    @view
    def is_owner(self, resource: bytes32, address: Address) -> bool:
        """Return True if an account is an owner of a resource."""
        return self.owners[resource, address]

    def may_write(self, resource: bytes, address: Address) -> bool:
        """Return True if `address` may write models of `resource`, as a writer or an owner."""
        if self.writers[resource, address]:  # the usual case, decided by one read
            return True
        whole = selector_of(self.namespace)
        return (
            self.writers[whole, address]
            or self.owners[resource, address]
            or self.owners[whole, address]
        )

    def _require_owner(self, resource: bytes) -> None:
        whole = selector_of(self.namespace)
        if self.owners[resource, self.caller] or self.owners[whole, self.caller]:
            return
        what = (
            f"namespace {self.namespace}" if resource == whole else f"resource 0x{resource.hex()}"
        )
        raise Revert(f"Caller {self.caller_id} is not an owner of {what}")

    def _take_rights(self, address: Address) -> None:
        """Revoke every right of an account."""
        resources = self.granted[address]
        for resource in list(resources):
            if self.writers[resource, address]:
                self.writers[resource, address] = False
                self.emit(WriterRevoked(resource, address))
            if self.owners[resource, address]:
                self.owners[resource, address] = False
                self.emit(OwnerRevoked(resource, address))
            resources.discard(resource)

    # Systems

    @call
    def register(self, name: str, address: Address) -> None:
        """Make `address` the system called `name`. An earlier system of that name is removed and loses all its rights."""
        self._require_owner(selector_of(self.namespace))
        require(name, "a system has a name")
        earlier = self.systems[name]
        if earlier not in (address, ZERO_ADDRESS):
            self.registered.discard(earlier)
            self._take_rights(earlier)
        self.systems[name] = address
        self.registered.add(address)
        self.emit(SystemRegistered(address, name))

    @view
    def system(self, name: str) -> Address:
        """Return the address of the system called `name`."""
        address = self.systems[name]
        require(address != ZERO_ADDRESS, f"World {self.namespace} has no system '{name}'")
        return address

    @view
    def namespace_name(self) -> str:
        """Return the namespace."""
        return self.namespace

    @view
    def selector(self, name: str) -> bytes32:
        """Return the resource of the model called `name`, or of the namespace if the name is empty."""
        return selector_of(self.namespace, name)
