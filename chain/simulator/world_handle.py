"""Handle of a World for scripts and tests: its systems, its models, and the permissions to write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar, overload

from chain import runtime, simulator
from chain.crypto.hashing import checksum_address
from chain.foundation.sealed import Sealed, put
from chain.ledger import decoded
from chain.ledger.decoded.world_namespace import is_world
from chain.ledger.receipts import Receipt
from chain.runtime.contract import Contract
from chain.simulator.handle import Handle
from chain.simulator.live_fields import FieldsFrame
from chain.spec.models import ModelSpec, model_spec, tag_of
from chain.types import Address
from chain.values import short_repr
from chain.values.inputs import AccountLike, items, text, with_addresses
from chain.values.kind import Words

if TYPE_CHECKING:
    from chain.simulator.reader import ChainReader

C = TypeVar("C", bound=Contract)
M = TypeVar("M")
Resource = type | str  # a model class, or the tag of a model or of a namespace
Writer: TypeAlias = "type[runtime.System] | AccountLike"


class WorldHandle(Sealed):
    """A deployed world: `world.system(Game).make_move(...)`, `world.read(Board, 1)`.

    It works in one namespace, the first one if none was asked for; `world("items")` is the same world in another one.

    >>> world.namespace, world.namespaces, world.system("league-League").address == league.address
    ('league', ['league'], True)
    """

    __slots__ = ("_given", "address", "chain", "handle")
    address: Address  # the address of the world
    chain: ChainReader  # the chain, or the past of one
    handle: Handle  # the handle of the contract `World`
    _given: str | None

    def __init__(self, chain: ChainReader, address: Address, namespace: str | None = None) -> None:
        program = chain.program_at(address)
        if program is None or not is_world(program):
            raise TypeError(f"there is no World at {checksum_address(address)}")
        put(self, "chain", chain)
        put(self, "address", address)
        put(self, "handle", Handle(chain, program.spec.cls, address))
        self._given = namespace

    def __call__(self, namespace: str) -> Self:
        """Return the same world in another of its namespaces. Raise TypeError if it has no such namespace."""
        if text(namespace, "the namespace") not in self.namespaces:
            raise TypeError(
                f"the world has no namespace {short_repr(namespace)}; it has {', '.join(self.namespaces)}"
            )
        other = copy(self)
        other._given = namespace
        return other

    @overload
    def system(self, system: type[C]) -> Handle[C]: ...
    @overload
    def system(self, system: str) -> Handle: ...
    def system(self, system: type[Contract] | str) -> Handle:
        """Return a handle for the system of that class, name or tag.

        >>> world.system(League).win(2, sender=bob).ok
        True
        """
        name = name_of(system)
        address = self.handle.system(name if "-" in name else tag_of(self.namespace, name))
        program = self.chain.program_at(address)
        if program is None:
            raise TypeError(f"the system '{name}' at {address} is not a Python contract known here")
        return Handle(self.chain, program.spec.cls, address)

    # Models

    def read(self, model: type[M], *keys: object) -> M:
        """Return the model with these keys; all fields are zero if it was never written.

        >>> world.read(Score, alice)
        Score(player=<Account alice 0xf39F...>, points=5)
        """
        return self._stored.read(model, *self._keys(model, keys))

    def exists(self, model: type, *keys: object) -> bool:
        """Return True if the model with these keys was written and not erased since.

        >>> world.exists(Score, alice), world.exists(Score, bob)
        (True, False)
        """
        return self._stored.exists(model, *self._keys(model, keys))

    def all(self, model: type[M]) -> list[M]:
        """Return all existing models of that class, in the order in which they were first written.

        >>> [score.points for score in world.all(Score)]
        [5]
        """
        return self._stored.all(model)

    def history(self, model: type[M], *keys: object) -> list[decoded.Version[M]]:
        """Return the model with these keys after each transaction that changed it.

        >>> [version.value.points for version in world.history(Score, alice)]
        [5]
        """
        return self._stored.history(model, *self._keys(model, keys))

    # Setting the scene

    def write(self, *models: object) -> None:
        """Put models in place for a test, inside `with chain.setting():`. No permission is asked, and no transaction runs.

        Outside of that scope it raises RuntimeError: models are written by systems.

        >>> with chain.anchor(), chain.setting():
        ...     world.write(Score(bob, 9))
        ...     world.read(Score, bob).points
        9
        """
        for model in models:
            self._set_model(model, ModelSpec.store)

    def erase(self, *models: object) -> None:
        """Erase models for a test, inside `with chain.setting():`.

        >>> with chain.anchor(), chain.setting():
        ...     world.erase(world.read(Score, alice))
        ...     world.exists(Score, alice)
        False
        """
        for model in models:
            self._set_model(model, lambda spec, words, slot, _: spec.clear(words, slot))

    def _set_model(self, model: Any, change: Callable[[ModelSpec, Words, int, Any], None]) -> None:
        spec, driver = self._stored.spec_of(type(model)), self.chain.driver
        spec.require_members(model)
        keys = self._keys(type(model), spec.keys_of(model))
        if simulator.open_setting(driver) is None:
            shown = ", ".join(map(repr, keys))
            raise RuntimeError(
                f"{spec.name}({shown}) is not changed: a test changes it inside 'with chain.setting():', and a system by"
                " self.world.write"
            )
        words = FieldsFrame(driver, self.address, self.chain.program_at(self.address))
        change(spec, words, spec.slot(words, self.namespace, keys), model)

    def _keys(self, model: type, keys: tuple[object, ...]) -> tuple[Any, ...]:
        """Return the keys with every account replaced by its Address."""
        members, resolve = model_spec(model).record.key_members, self.chain.address_of
        member_keys = zip(members, keys, strict=False)
        resolved = [
            with_addresses(member.kind, key, f"{model.__name__}.{member.name}", resolve)
            for member, key in member_keys
        ]
        return (*resolved, *keys[len(resolved) :])

    @property
    def namespace(self) -> str:
        """The namespace in which it works."""
        return self._stored.namespace

    @property
    def namespaces(self) -> list[str]:
        """All namespaces of the world, the first one first."""
        return self._stored.namespaces

    @property
    def _stored(self) -> decoded.StoredWorld:
        chain = self.chain  # the chain, or the past of one
        return decoded.StoredWorld(
            chain.ledger, chain.state, self.address, chain.timeline_index, self._given
        )

    # Permissions

    def grant_writer(self, what: Resource, to: Writer, **options: object) -> Receipt:
        """Let a system write a model, or all models of a namespace. `sender` and the other options are those of any call.

        The model is a class, which means that of this namespace, or a tag such as `"items-Sword"`.

        Like `revoke_writer`, `grant_owner` and `revoke_owner`, it raises `Reverted` if the sender owns neither.

        >>> world.grant_writer(Score, bob, sender=alice).ok, world.is_writer(Score, bob)
        (True, True)
        """
        return self._set(self.handle.grant_writer, what, to, options)

    def revoke_writer(self, what: Resource, to: Writer, **options: object) -> Receipt:
        """Revoke that permission.

        >>> world.revoke_writer(Score, League, sender=alice).ok, world.is_writer(Score, League)
        (True, False)
        """
        return self._set(self.handle.revoke_writer, what, to, options)

    def grant_owner(self, what: Resource, to: Writer, **options: object) -> Receipt:
        """Let an account or a system write a model, or all models, and grant that permission to others.

        >>> world.grant_owner("league", bob, sender=alice).ok, world.is_owner("league", bob)
        (True, True)
        """
        return self._set(self.handle.grant_owner, what, to, options)

    def revoke_owner(self, what: Resource, to: Writer, **options: object) -> Receipt:
        """Revoke that permission.

        >>> world.revoke_owner("league", alice, sender=alice).ok
        True
        """
        return self._set(self.handle.revoke_owner, what, to, options)

    def is_writer(self, what: Resource, who: Writer) -> bool:
        """Return True if a system or an account was granted to write a model, or all models of a namespace."""
        return bool(self.handle.is_writer(self._tag(what), self._address(who)))

    def is_owner(self, what: Resource, who: Writer) -> bool:
        """Return True if a system or an account owns a model, or a namespace."""
        return bool(self.handle.is_owner(self._tag(what), self._address(who)))

    def _set(
        self, entry: Callable[..., Any], what: Resource, to: Writer, options: dict[str, Any]
    ) -> Receipt:
        receipt: Receipt = entry(self._tag(what), self._address(to), **options)
        return receipt

    def _tag(self, what: Resource) -> str:
        """Return the tag of a model class, or the given tag if its namespace exists."""
        if isinstance(what, type):
            return tag_of(self.namespace, model_spec(what).name)
        if not isinstance(what, str) or what.partition("-")[0] not in self.namespaces:
            raise TypeError(
                f"{short_repr(what)} is neither a model class nor the tag of a model or a namespace of this world;"
                f" its namespaces are {', '.join(self.namespaces)}"
            )
        return what

    def _address(self, who: Writer) -> Address:
        """Return the address of a system class or of an account."""
        return self.system(who).address if isinstance(who, type) else self.chain.address_of(who)

    def __repr__(self) -> str:
        return f"<World {self.namespace} at {self.address}>"


def name_of(system: type[Contract] | str) -> str:
    """Return the name of a system, which is that of its class."""
    if not isinstance(system, type | str):
        raise TypeError(f"{short_repr(system)} is not a system: pass its class or its name")
    return system if isinstance(system, str) else system.__name__


def check_world(
    systems: Sequence[type[runtime.System]], init: Mapping[type[runtime.System], object],
    writers: Mapping[Resource, Sequence[Writer]],
) -> None:  # fmt: skip
    """Refuse systems that cannot be in one world, and `init` arguments and grants for other systems."""
    models: dict[str, type] = {}
    for i, system in enumerate(items(systems, "systems")):
        if not isinstance(system, type) or not runtime.is_system(system):
            name = getattr(system, "__name__", short_repr(system))
            raise TypeError(f"{name} is not a System, so it cannot be part of a World")
        if system in systems[:i]:
            raise TypeError(
                f"{system.__name__} is listed twice: a world has only one system of each name"
            )
        for spec in system.__spec__.models.values():
            if models.setdefault(spec.name, spec.record.cls) is not spec.record.cls:
                raise TypeError(
                    f"the systems use two models called {spec.name}: a world has only one model of each name"
                )
    for system, args in init.items():
        if system not in systems or system.__spec__.setup is None:
            name = getattr(system, "__name__", short_repr(system))
            raise TypeError(f"init: {name} is not among the systems or has no @init")
        if not isinstance(args, tuple):
            raise TypeError(
                f"init: pass the arguments of {system.__name__} as a tuple: ({args!r},)"
            )
    names = [system.__name__ for system in systems]
    for grantees in writers.values():
        for writer in items(grantees, "writers"):
            if isinstance(writer, type) and writer.__name__ not in names:
                raise TypeError(
                    f"writers: {writer.__name__} is not among the systems {', '.join(names)}; "
                    "grant_writer takes the handle of one of another namespace"
                )


def find_world(chain: ChainReader, world: WorldHandle | AccountLike) -> WorldHandle:
    """Return a handle for a deployed world, given one of its namespaces, its address, or a handle of another chain."""
    if not isinstance(world, str):
        given = world._given if isinstance(world, WorldHandle) else None
        return WorldHandle(chain, chain.address_of(world, "world"), given)
    spaces = list(decoded.worlds_of(chain.ledger))
    named = [space.address for space in spaces if space.namespace == world]
    if len(named) == 1:
        return WorldHandle(chain, Address(named[0]), world)
    if named:
        raise ValueError(f"{len(named)} worlds have a namespace '{world}': give an address")
    try:
        return WorldHandle(chain, chain.address_of(world, "world"))
    except ValueError as nobody:
        known = ", ".join(space.namespace for space in spaces) or "none"
        raise ValueError(f"{nobody}; the namespaces of its worlds are {known}") from None
