"""A World: a store of models that several systems share, with permissions to write them.

The terms are those of Dojo. A world has namespaces, each with models, systems and an owner: whoever opened it. A tag names a
model, `mage_duel-Board`, a system, `mage_duel-Game`, or a whole namespace, `mage_duel`. A permission refers to a resource, the
keccak of the tag of a model or of a namespace. Writers of a resource may write its models. Owners may also grant and revoke
both rights. Rights to a namespace hold for all its models. The models are in the world's own storage, where its systems read
and write them directly (`chain.runtime.system`).
"""

from __future__ import annotations

from chain.errors import Revert, require
from chain.machine.frame import Frame
from chain.runtime.contract import Contract
from chain.spec.decorators import call, event, init, view
from chain.spec.models import selector_of, tag_of
from chain.storage.collections import Map, Set
from chain.types import ZERO_ADDRESS, Address, Key, bytes32, u32

_LONGEST = 31  # bytes of a namespace, so that it is stored in one word


@event
class WorldSpawned:
    """A world was deployed."""

    creator: Key[Address]
    namespace: str


@event
class NamespaceRegistered:
    """A world got another namespace."""

    owner: Key[Address]
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
    """A system was registered under a tag."""

    address: Key[Address]
    tag: str


class World(Contract):
    """The contract that `chain.deploy_world` deploys. The deploying account owns its first namespace.

    Use its `WorldHandle`; that asks these entries, which take a model, a system or a namespace by its tag.

    >>> world.handle.system("league-League") == league.address
    True
    """

    namespace: str  # the namespace that the world was deployed with
    uuids: u32  # how many uuids were given
    writers: Map[tuple[bytes32, Address], bool]  # the writers of each resource
    owners: Map[tuple[bytes32, Address], bool]  # the owners of each resource
    systems: Map[str, Address]  # the systems by tag
    registered: Set[Address]  # the systems that may use the world
    granted: Map[Address, Set[str]]  # the tags for which an account has, or had, a right
    homes: Map[Address, str]  # the namespace of each system
    other_namespaces: Set[str]  # the other namespaces

    @init
    def new(self, namespace: str) -> None:
        """Open a namespace; its owner is the caller."""
        self.namespace = namespace
        self._open(namespace)
        self.emit(WorldSpawned(self.caller, namespace))

    # Namespaces

    @call
    def register_namespace(self, namespace: str) -> None:
        """Open another namespace; its owner is the caller."""
        require(
            not self.has_namespace(namespace),
            f"World {self.namespace} has the namespace {namespace} already",
        )
        self._open(namespace)
        self.other_namespaces.add(namespace)
        self.emit(NamespaceRegistered(self.caller, namespace))

    def _open(self, namespace: str) -> None:
        require(
            namespace.isidentifier() and namespace.isascii() and len(namespace) <= _LONGEST,
            f"'{namespace}' is not a namespace: use 1 to {_LONGEST} letters, digits and '_', no digit first",
        )
        self.owners[selector_of(namespace), self.caller] = True

    @view
    def has_namespace(self, namespace: str) -> bool:
        """Return True if the world has this namespace."""
        return namespace == self.namespace or namespace in self.other_namespaces

    @view
    def namespaces(self) -> list[str]:
        """Return all namespaces, the first one first."""
        return [self.namespace, *self.other_namespaces]

    def namespace_of(self, system: Address) -> str:
        """Return the namespace of a system; the first one for a system that never was registered."""
        return self.homes[system] or self.namespace

    # Permissions

    @call
    def grant_writer(self, tag: str, address: Address) -> None:
        """Let an account write a model, or all models of a namespace."""
        self._require_owner(tag)
        self.writers[selector_of(tag), address] = True
        self.granted[address].add(tag)
        self.emit(WriterGranted(selector_of(tag), address))

    @call
    def revoke_writer(self, tag: str, address: Address) -> None:
        """Revoke that permission."""
        self._require_owner(tag)
        self.writers[selector_of(tag), address] = False
        self.emit(WriterRevoked(selector_of(tag), address))

    @call
    def grant_owner(self, tag: str, address: Address) -> None:
        """Let an account write a model, or all of a namespace, and grant permissions for it."""
        self._require_owner(tag)
        self.owners[selector_of(tag), address] = True
        self.granted[address].add(tag)
        self.emit(OwnerGranted(selector_of(tag), address))

    @call
    def revoke_owner(self, tag: str, address: Address) -> None:
        """Revoke that permission."""
        self._require_owner(tag)
        self.owners[selector_of(tag), address] = False
        self.emit(OwnerRevoked(selector_of(tag), address))

    @view
    def is_writer(self, tag: str, address: Address) -> bool:
        """Return True if an account is a writer of a model or a namespace."""
        return self.writers[selector_of(tag), address]

    @view
    def is_owner(self, tag: str, address: Address) -> bool:
        """Return True if an account is an owner of a model or a namespace."""
        return self.owners[selector_of(tag), address]

    def may_write(self, namespace: str, model: str, address: Address) -> bool:
        """Return True if `address` may write a model, as a writer or an owner."""
        resource = selector_of(tag_of(namespace, model))
        if self.writers[resource, address]:  # the usual case, decided by one read
            return True
        whole = selector_of(namespace)
        return (
            self.writers[whole, address]
            or self.owners[resource, address]
            or self.owners[whole, address]
        )

    def _owns(self, tag: str) -> bool:
        """Return True if the caller owns a model or a namespace, or the namespace of the model."""
        namespace = tag.partition("-")[0]
        return (
            self.owners[selector_of(tag), self.caller]
            or self.owners[selector_of(namespace), self.caller]
        )

    def _require_owner(self, tag: str) -> None:
        if not self._owns(tag):
            what = "model" if "-" in tag else "namespace"
            raise Revert(f"Caller {self.caller_id} is not an owner of {what} {tag}")

    def _take_rights(self, address: Address) -> None:
        """Revoke the rights of an account, except for those in namespaces of other owners."""
        tags = self.granted[address]
        for tag in list(tags):
            if not self._owns(tag):
                continue
            resource = selector_of(tag)
            if self.writers[resource, address]:
                self.writers[resource, address] = False
                self.emit(WriterRevoked(resource, address))
            if self.owners[resource, address]:
                self.owners[resource, address] = False
                self.emit(OwnerRevoked(resource, address))
            tags.discard(tag)

    # Systems

    @call
    def register(self, tag: str, address: Address) -> None:
        """Make `address` the system with that tag. An earlier system with that tag is removed and loses its rights."""
        namespace, _, name = tag.partition("-")
        require(name, f"'{tag}' is not the tag of a system: write {self.namespace}-{tag or 'Name'}")
        self._require_owner(namespace)
        home = self.homes[address]
        require(home in ("", namespace), f"{address} is a system of namespace {home}")
        earlier = self.systems[tag]
        if earlier not in (address, ZERO_ADDRESS):
            self.registered.discard(earlier)
            self._take_rights(earlier)
        self.systems[tag], self.homes[address] = address, namespace
        self.registered.add(address)
        self.emit(SystemRegistered(address, tag))

    @view
    def system(self, tag: str) -> Address:
        """Return the address of the system with that tag."""
        address = self.systems[tag]
        if address == ZERO_ADDRESS:
            namespace, _, name = tag.partition("-")
            raise Revert(f"World {namespace} has no system '{name}'")
        return address

    @view
    def selector(self, tag: str) -> bytes32:
        """Return the resource of a model or a namespace."""
        return selector_of(tag)


def world_at(words: Frame) -> World:
    """Return a World that reads and writes through `words`."""
    world = object.__new__(World)
    world._frame = words
    return world
