"""A System: a contract that belongs to a World and shares its models with the other systems there.

It is deployed with the address of the world as the argument of its constructor. Its own `@init` corresponds to `dojo_init` in
Dojo: an entry that an owner of the namespace calls once, after the world has registered the system and granted it its rights.

`self.world` works on the words of the world in the same message, through a second frame at the world's address; only the gas
is passed between the two. Each use pays for an access to the account, then for the words, as anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import wraps
from typing import Any, Final, TypeVar, cast

from chain.crypto.hashing import checksum_address, keccak
from chain.errors import Revert, require
from chain.foundation.sealed import Sealed, put
from chain.machine.frame import Frame
from chain.machine.gas import COLD_ACCOUNT, WARM
from chain.metering.program import require_contract_class
from chain.runtime.contract import Contract, encode_event
from chain.runtime.contract_proxy import ContractProxy
from chain.runtime.model_edit import OpenModel
from chain.runtime.world import World, world_at
from chain.spec.contracts import REQUIRED, ContractSpec, EntrySpec
from chain.spec.models import ModelSpec, model_spec, tag_of
from chain.storage.fields import FieldsLayout
from chain.types import ZERO_ADDRESS, Address
from chain.values import AddressType, BoolType, Field

C = TypeVar("C", bound=Contract)
M = TypeVar("M")

# The slot where a system keeps `HOME_FIELDS`.
SYSTEM_SLOT: Final = int.from_bytes(keccak(b"boardchain home"))
HOME_FIELDS: Final = FieldsLayout(["world", "initialized"], [AddressType(), BoolType()])
_load_world, _store_world = HOME_FIELDS.accessors(0)
_load_initialized, _store_initialized = HOME_FIELDS.accessors(1)

_IS_OPEN: Final = "{name}{keys} is open in place, and its end would overwrite this: set its members there, or write it later"


class WorldModels(Sealed):
    """The models of a world, as one of its systems reads and writes them: `self.world.read(Score, alice)`.

    These are the models of the namespace in which the system is registered; `self.world("items")` has those of another one.

    >>> self.world.namespace, self.world.address == world.address
    ('league', True)
    """

    __slots__ = ("_allowed", "_calls", "_frame", "_words", "address", "namespace")
    address: Address  # the address of the world
    namespace: str  # the namespace it works in
    _frame: Frame  # of the system
    _words: Frame  # of the same message at the world
    _allowed: set[str]  # the models that the system may write; "" if it is registered
    _calls: int  # the number of calls to other contracts when that was checked

    def __init__(self, frame: Frame, address: Address) -> None:
        put(self, "address", address)
        put(self, "_frame", frame)
        put(self, "_allowed", set())
        put(self, "_calls", 0)
        frame.charge(COLD_ACCOUNT - WARM if frame.state.warm_address(address) else 0)
        put(self, "_words", words := frame.at_address(bytes(address)))
        words.gas = frame.gas - WARM
        try:
            put(self, "namespace", world_at(words).namespace_of(Address(frame.address)))
        finally:
            frame.gas = words.gas

    def __call__(self, namespace: str) -> WorldModels:
        """Return the same world in another of its namespaces; revert if it has no such namespace."""
        words = self._world_frame()
        try:
            known = self._world.has_namespace(namespace)
            require(known, f"World {self.namespace} has no namespace '{namespace}'")
        finally:
            self._frame.gas = words.gas
        other = copy(self)
        other._allowed = set()
        put(other, "namespace", namespace)
        return other

    def _missing(self, name: str) -> str:
        names = ", ".join(name for name in dir(type(self)) if not name.startswith("_"))
        return f"self.world has no '{name}'; it has {names}"

    # Reading

    def read(self, model: type[M], *keys: object) -> M:
        """Return the model with these keys; all zero if it was never written.

        >>> self.world.read(Score, alice)
        Score(player=<Account alice 0xf39F...>, points=5)
        """
        spec, words = model_spec(model), self._world_frame()
        try:
            instance: M = spec.load(words, spec.slot(words, self.namespace, keys), keys)
            return instance
        finally:
            self._frame.gas = words.gas

    def read_member(self, model: type, *keys_and_name: Any) -> Any:
        """Return one member of the model with these keys: `read_member(Board, 1, "moves_done")`.

        >>> self.world.read_member(Score, alice, "points")
        5
        """
        *keys, name = keys_and_name
        spec, words = model_spec(model), self._world_frame()
        try:
            return spec.load_member(words, spec.slot(words, self.namespace, tuple(keys)), name)
        finally:
            self._frame.gas = words.gas

    def exists(self, model: type, *keys: object) -> bool:
        """Return True if the model with these keys was written (and not erased).

        >>> self.world.exists(Score, bob)
        False
        """
        spec, words = model_spec(model), self._world_frame()
        try:
            return spec.exists(words, spec.slot(words, self.namespace, keys))
        finally:
            self._frame.gas = words.gas

    # Writing

    def write(self, *models: object) -> None:
        """Write these models as a whole. Words that stay the same cost only as much as reading them.

        Like all methods that write, it reverts if the system may not write the model.

        >>> self.world.write(Score(alice, 6), Score(bob, 1))
        """
        for model in models:
            self._change(model, ModelSpec.store)

    def write_member(self, model: object, *names: str) -> None:
        """Write only these members of `model`.

        >>> score = self.world.read(Score, alice)
        >>> score.points = 9
        >>> self.world.write_member(score, "points")
        """
        self._change(model, ModelSpec.store_members, names)

    def change(self, before: M, after: M) -> None:
        """Write only the members of `after` that are not the same objects as in `before`, the model as it was read.

        >>> score = self.world.read(Score, alice)
        >>> self.world.change(score, Score(alice, 8))
        """
        spec = model_spec(type(after))
        if spec.keys_of(before) != spec.keys_of(after):
            raise TypeError(f"change: these are two different {spec.name} models")
        self._change(after, ModelSpec.change, before)

    def in_place(self, model: type[M], *keys: object) -> OpenModel[M]:
        """Open the model with these keys: `with self.world.in_place(UnionFind, 1) as union_find: …`.

        Its lists are those of the storage, read and written item by item. Other members are written when the scope ends.

        >>> with self.world.in_place(Score, alice) as score:
        ...     score.points += 1
        """
        spec, words = model_spec(model), self._world_frame()
        try:
            slot = spec.slot(words, self.namespace, keys)
        finally:
            self._frame.gas = words.gas
        frame, key = self._frame, (words.address, slot)
        return OpenModel(spec, (frame, words), key, keys, self._open, frame.context)

    def _open(self, model: str) -> None:
        """Refuse to open a model that the system may not write."""
        words = self._world_frame()
        try:
            if not self._is_known(model):
                self._require_writer(model)
        finally:
            self._frame.gas = words.gas

    def erase(self, model: object) -> None:
        """Erase the model: its keys then read as zero again.

        >>> self.world.erase(self.world.read(Score, alice))
        """
        self._change(model, lambda spec, words, slot, model: spec.clear(words, slot))

    def _change(self, model: object, how: Callable[..., None], *more: object) -> None:
        """Check that `model` may be written, and call `how` with its slot, the model and `more`."""
        spec, words, frame = model_spec(type(model)), self._world_frame(), self._frame
        if len(model.__dict__) != spec.size:
            spec.require_members(model)
        try:
            if not self._is_known(spec.name):
                self._require_writer(spec.name)
            keys = spec.keys_of(model)
            slot = spec.slot(words, self.namespace, keys)
            open_models = frame.context.open_models
            if open_models and (words.address, slot) in open_models:
                raise TypeError(_IS_OPEN.format(name=spec.name, keys=keys))
            how(spec, words, slot, model, *more)
        finally:
            frame.gas = words.gas

    # The world itself

    def system(self, system: type[C], *, value: int = 0, gas: int | None = None) -> C:
        """Return the system of that class in this world, with its entries as methods, as `self.at` does.

        >>> self.world.system(League).win(2)
        """
        require_contract_class(system)
        words, name = self._world_frame(), system.__name__
        try:
            address = self._world.systems[tag_of(self.namespace, name)]
        finally:
            self._frame.gas = words.gas
        require(address != ZERO_ADDRESS, f"World {self.namespace} has no system '{name}'")
        return cast(C, ContractProxy(self._frame, address, system.__spec__, value, gas))

    def emit(self, event: object) -> None:
        """Emit an `@event` from the address of the world.

        >>> self.world.emit(Moved(alice, 3))
        """
        topics, data, all_fields = encode_event(event)
        words = self._world_frame()
        try:
            if not self._is_known(""):
                self._require_registered("emit")
            words.emit(topics, data, all_fields)
        finally:
            self._frame.gas = words.gas

    def uuid(self) -> int:
        """Return a number that this world has not returned before: 0, 1, 2 …

        >>> self.world.uuid(), self.world.uuid()
        (0, 1)
        """
        words = self._world_frame()
        try:
            if not self._is_known(""):
                self._require_registered("take a uuid")
            world = self._world
            number = world.uuids
            world.uuids = number + 1
            return number
        finally:
            self._frame.gas = words.gas

    def is_owner(self, address: Address, model: type | None = None) -> bool:
        """Return True if `address` owns the namespace, or this model in it.

        >>> self.world.is_owner(alice), self.world.is_owner(bob, Score)
        (True, False)
        """
        tags = [self.namespace]
        if model is not None:
            tags.append(tag_of(self.namespace, model_spec(model).name))
        words = self._world_frame()
        try:
            return any(self._world.is_owner(tag, address) for tag in tags)
        finally:
            self._frame.gas = words.gas

    def _world_frame(self) -> Frame:
        """Return the frame at the world with this frame's gas. The caller must copy the remaining gas back."""
        words = self._words
        words.gas = self._frame.gas - WARM
        return words

    def _require_writer(self, model: str) -> None:
        system = self._frame.address
        if not self._world.may_write(self.namespace, model, Address(system)):
            raise Revert(
                f"Caller {self._name} has no write access on model {self.namespace}-{model}"
            )
        self._allowed.add(model)

    def _require_registered(self, what: str) -> None:
        if Address(self._frame.address) not in self._world.registered:
            raise Revert(
                f"Caller {self._name} is not registered in world {self.namespace}, so it cannot {what} there"
            )
        self._allowed.add("")

    def _is_known(self, right: str) -> bool:
        """Return True if the world has granted this right before. Rights are checked again after a call to another contract."""
        calls = len(self._frame.children)
        if calls != self._calls:
            self._allowed.clear()
            self._calls = calls
        return right in self._allowed

    @property
    def _world(self) -> World:
        """The contract of the world, for what it alone knows how to read."""
        return world_at(self._words)

    @property
    def _name(self) -> str:
        """The name of this system, or its address if its class is not known."""
        program = self._frame.program
        return program.spec.name if program else checksum_address(self._frame.address)


class System(Contract):
    """The base class of contracts that work on the models of a World.

    >>> class Cup(System):
    ...     @call
    ...     def award(self, points: u8) -> None:
    ...         self.world.write(Score(self.caller, points))
    >>> cup = chain.deploy_world("cup", systems=[Cup], writers={Score: [Cup]})
    >>> cup.system(Cup).award(3, sender=alice).ok, cup.read(Score, alice).points
    (True, 3)
    """

    __slots__ = ("_storage",)
    _storage: WorldModels

    @property
    def world(self) -> WorldModels:
        """The models of the world that this system belongs to."""
        try:
            return self._storage
        except AttributeError:
            self._storage = WorldModels(self._frame, _load_world(self._frame, SYSTEM_SLOT))
            return self._storage

    @classmethod
    def _finalize_spec(cls, spec: ContractSpec) -> ContractSpec:
        """Give the contract a constructor that takes the world, and make the author's `@init` an entry."""
        system_spec = replace(spec, init=replace(_CONSTRUCTOR, contract=spec.name))
        if spec.init is None:
            return system_spec
        setup = replace(spec.init, kind="call", function=_run_once(spec.init.function), method="")
        return replace(system_spec, setup=setup, entries={setup.name: setup, **spec.entries})


def _bind_to_world(system: System, world: Address) -> None:
    """Store the world of a system that is being deployed."""
    frame = system._frame
    frame.touch(world)
    program = frame.context.machine.program_at(world)
    require(
        program is not None and issubclass(program.spec.cls, World),
        f"there is no World at {world}: a system is deployed with the address of its world",
    )
    _store_world(frame, SYSTEM_SLOT, world)


_CONSTRUCTOR: Final = EntrySpec(
    "System", "constructor", "init", False, False, True, _bind_to_world, (Field("world", AddressType()),), (REQUIRED,), None
)  # fmt: skip


def _run_once(function: Callable[..., None]) -> Callable[..., None]:
    """Return the author's `@init` behind two checks: the caller owns the namespace, and it has not run before."""

    @wraps(function)
    def setup(system: System, *args: object) -> None:
        frame, world = system._frame, system.world
        require(
            world.is_owner(system.caller),
            f"Caller {system.caller_id} is not an owner of namespace {world.namespace}, so it cannot call {frame.name}",
        )
        require(
            not _load_initialized(frame, SYSTEM_SLOT), f"{frame.name} has run before: it runs once"
        )
        _store_initialized(frame, SYSTEM_SLOT, True)
        function(system, *args)

    return setup
