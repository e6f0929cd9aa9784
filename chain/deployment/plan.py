"""A plan: an object with the interface of a chain, which only records steps.

A step is identified by its name. A contract is named after its class, a system after its world and its class, a call after
its entry and arguments: `Bank.pay_in(5)`. `with deployment.step("pay the owner"): …` gives a step another name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn, TypeVar, overload

from chain.crypto.accounts import ACCOUNTS, Account
from chain.crypto.hashing import keccak
from chain.deployment.stand_ins import refuse_parts, stand_in
from chain.deployment.step import Condition, Step
from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import Sealed, put
from chain.ledger.bytecode_classes import BytecodeProgram
from chain.ledger.decoded.formatting import ValueFormatter
from chain.metering.program import (
    Program,
    bytecode_program,
    parse_initcode,
    program_of,
    require_contract_class,
)
from chain.runtime import account_names
from chain.runtime.contract import Contract
from chain.runtime.system import System
from chain.runtime.world import World
from chain.simulator.deploying import DeployMixin
from chain.simulator.handle import Handle, resolve_target
from chain.simulator.world_handle import Resource, WorldHandle, Writer, name_of
from chain.spec.contracts import EntrySpec
from chain.spec.models import tag_of
from chain.types import Address
from chain.values.inputs import AccountLike, address_of, callable_of, gas_of, raw_bytes, text, wei

_LONGEST = 60  # characters of arguments that a name shows


@dataclass
class _Scope:
    """The `with` of one step: its name and its condition."""

    name: str
    unless: Condition | None
    is_used: bool = False


C = TypeVar("C", bound=Contract)


class Deployment(Sealed, DeployMixin):
    """The argument of `plan(deployment)`, which records the steps of the plan.

    `sender` sends the steps for which the plan names no sender.

    >>> deployment = Deployment()
    >>> race = deployment.deploy(Race)
    >>> with deployment.step("first roll", unless=lambda chain: chain.handle(race).square_of(alice) > 0):
    ...     planned = race.roll(sender=alice)
    >>> [step.name for step in deployment.steps]
    ['Race', 'first roll']
    """

    sender: Address  # the sender of steps without one
    steps: list[Step]  # the steps planned so far
    accounts: list[Account]  # the ten accounts of every chain
    named: dict[Address, str]  # accounts that the plan uses by name
    declared: dict[bytes, Program]  # contracts that the plan uses, by digest
    # Compiled contracts, by placeholder.
    bytecode: dict[Address, Program]

    def __init__(self, sender: Address = ACCOUNTS[0]) -> None:
        put(self, "sender", address_of(sender, "sender"))
        put(self, "steps", [])
        put(self, "accounts", list(ACCOUNTS))
        put(self, "named", {})
        put(self, "declared", {})
        put(self, "bytecode", {})
        self._compiled: dict[bytes, BytecodeProgram] = {}
        self._made: dict[Address, Step] = {}  # by placeholder
        self._names: set[str] = set()
        self._scope: _Scope | None = None
        self._label: str | None = None  # the label of the next step, if its data do not give it

    @contextmanager
    def step(self, name: str, *, unless: Condition | None = None) -> Iterator[None]:
        """Scope of one step, with a name of its own. A call with `unless` is sent only if that is false on the chain.

        Raise ValueError for a name that another step has.

        >>> plan = Deployment()
        >>> with plan.step("second race"):
        ...     plan.deploy(Race)
        <Race at 0xf616...>
        """
        if not text(name, "the name of a step").strip() or "@" in name:
            raise ValueError(f"{name!r} cannot name a step: use a text without @")
        if name in self._names:
            raise ValueError(f"two steps are called '{name}'")
        if unless is not None:
            callable_of(unless, "unless")
        if self._scope is not None:
            raise ValueError(f"'{name}' is inside '{self._scope.name}': a step has one name")
        self._scope = _Scope(name, unless)
        try:
            yield
        finally:
            self._scope = None

    def account(self, name: str) -> Account:
        """Return the account of that name, as on a chain; a new one is created and funded when the plan is applied.

        >>> Deployment().account("first.testnet").name
        'first.testnet'
        """
        account = account_names.account_named(name)
        self.named[account] = name
        return account

    def address_of(self, account: AccountLike, name: str = "address") -> Address:
        """Return the address of an account; `name` is the parameter that messages refer to.

        >>> Deployment().address_of("alice") == alice
        True
        """
        known = {known_account.name: known_account for known_account in self.accounts} | {
            label: address for address, label in self.named.items()
        }
        return address_of(account, name, known.get)

    def display(self, address: bytes) -> str:
        """Return the name of a contract or an account of the plan, or an address as text."""
        address = Address(address)
        if address in self._made:
            return self._made[address].name
        known: dict[Address, str] = {account: account.name for account in self.accounts}
        return (known | self.named).get(address, str(address))

    def need_contract(self, address: Address, what: str) -> None:
        """Accept any address: the contract is in this plan, or is deployed where the plan is applied."""

    def declare(self, contract: type[Contract]) -> Program:
        require_contract_class(contract)
        bytecode: BytecodeProgram | None = bytecode_program(contract)
        if bytecode is not None:
            self._compiled[bytecode.digest] = bytecode
            return bytecode
        program = program_of(contract)
        self.declared[program.digest] = program
        return program

    def deploy(self, contract: type[C], /, *args: Any, **options: Any) -> Handle[C]:
        """Plan a contract; the arguments after the class go to its `@init`.

        >>> Deployment().deploy(Race, sender=bob).contract
        <class 'tests.chain.reference_scene.Race'>
        """
        require_contract_class(contract)
        name = contract.__name__
        if contract is World:
            name = str(args[0]) if args else name
        elif (
            issubclass(contract, System)
            and args
            and isinstance(args[0], Address)
            and args[0] in self._made
        ):
            name = f"{self._made[args[0]].name}-{name}"
        with self.labelled(self._label or name):
            return super().deploy(contract, *args, **options)

    def _deploy_system(
        self, system: type[C], world: WorldHandle, sender: AccountLike | None
    ) -> Handle[C]:
        planned = self._made[world.address]
        if world.namespace == planned.target:
            return super()._deploy_system(system, world, sender)
        number = "".join(planned.name.partition("#")[1:])  # of worlds of one name
        with self.labelled(tag_of(world.namespace + number, system.__name__)):
            return super()._deploy_system(system, world, sender)

    def send(
        self, to: AccountLike | None, data: bytes = b"", *, sender: AccountLike | None = None, value: int = 0,
        gas: int | None = None,
    ) -> Step:  # fmt: skip
        """Plan a transaction.

        >>> Deployment().send(bob, value=10).what
        'bob.0x()'
        """
        to = None if to is None else self.address_of(to, "to")
        sender_address = self.sender if sender is None else self.address_of(sender, "sender")
        data, value, gas = raw_bytes(data, "data"), wei(value), None if gas is None else gas_of(gas)
        refuse_parts(data, self._made)
        step = self._create(data) if to is None else self._call(to, data)
        step = replace(step, sender=sender_address, value=value, gas=gas)
        self._check(step)
        self.steps.append(step)
        self._names.add(step.name)
        if step.placeholder is not None:
            self._made[step.placeholder] = step
        return step

    def handle(
        self, contract: type[C] | Handle[C], address: AccountLike | None = None
    ) -> Handle[C]:
        """Return a handle for a contract of the plan, or for one that is already on the chain.

        >>> Deployment().handle(Race, race.address).roll(sender=alice).name
        '0x5FbD....0xcd5e3c5d()'
        """
        contract, target = resolve_target(contract, address)
        self.declare(contract)
        # A plan can send, and refuses read-only calls.
        return Handle(self, contract, self.address_of(target))  # type: ignore[arg-type]

    def world(self, world: WorldHandle | AccountLike) -> WorldHandle:
        """Return a handle for a World of the plan.

        >>> plan = Deployment()
        >>> plan.world(plan.deploy_world("cup", systems=[League]).address).namespace
        'cup'
        """
        address = self.address_of(world, "world")
        if address not in self._made:
            raise TypeError(f"{address} is not a world of this plan")
        return PlannedWorld(self, address, world._given if isinstance(world, WorldHandle) else None)

    def call(self, *_: object, **__: object) -> NoReturn:
        """Refuse with a TypeError: nothing is deployed yet that could be queried."""
        raise TypeError(
            "a plan describes what will be done: it cannot call a view, because nothing is deployed "
            "yet. A step can: with deployment.step(name, unless=lambda chain: "
            "chain.handle(…).view())"
        )

    def _deployment_of(self, address: Address) -> NoReturn:
        raise TypeError("a plan describes what will be done: there are no receipts yet")

    @contextmanager
    def labelled(self, label: str) -> Iterator[None]:
        """Label the steps in the scope."""
        self._label = label
        try:
            yield
        finally:
            self._label = None

    def systems_of(self, world: Address) -> dict[str, Handle]:
        """Return the systems that are planned for a world, by tag."""
        registered = {args["tag"]: args["address"] for args in self._calls_of(world, "register")}
        return {
            tag: self.handle(program.spec.cls, address)
            for tag, address in registered.items()
            if address in self._made and (program := self._made[address].program) is not None
        }

    def _namespaces_of(self, world: Address) -> list[str]:
        """Return the namespaces that are planned for a world, the first one first."""
        others = self._calls_of(world, "register_namespace")
        return [self.label_of(world), *(args["namespace"] for args in others)]

    def _calls_of(self, address: Address, entry: str) -> Iterator[dict[str, Any]]:
        """Yield the arguments of each planned call of an entry of a contract."""
        for step in self.steps:
            if step.to == address and step.entry is not None and step.entry.name == entry:
                yield step.entry.name_args(step.data)

    def label_of(self, address: Address) -> str:
        """Return the name, without its number, of the contract with that placeholder."""
        return self._made[address].target

    # Steps

    def _create(self, data: bytes) -> Step:
        parsed = parse_initcode(data)
        program = None if parsed is None else self.declared.get(parsed[0])
        entry = None if program is None else program.spec.init
        args = data if parsed is None else parsed[1]
        compiled = next((each for each in self._compiled.values() if each.creates(data)), None)
        if compiled is not None:
            entry, args = compiled.spec.init, compiled.args_of(data)
        label = self._label or "contract"
        what = self._format(label, entry, args)
        name = self._name(label)
        placeholder = stand_in(name)
        if compiled is not None:
            self.bytecode[placeholder] = compiled
        return Step(name, what, True, self.sender, None, data, 0, None, program, entry, placeholder)

    def _call(self, to: Address, data: bytes) -> Step:
        target = self._made.get(to)
        program = self.bytecode.get(to) or (target.program if target is not None else None)
        entry = None if program is None else program.spec.by_selector.get(data[:4])
        called = f"0x{data[:4].hex()}" if entry is None else entry.name
        what = self._label or self._format(f"{self.display(to)}.{called}", entry, data)
        is_named = self._scope is not None
        unless = None if self._scope is None else self._scope.unless
        name = self._name(what)
        return Step(
            name, what, is_named, self.sender, to, data, 0, None, program, entry, None, unless
        )

    def _name(self, label: str) -> str:
        """Return the name that the scope gives, or the label, with a number if other steps have that name."""
        if self._scope is not None:
            if self._scope.is_used:
                raise ValueError(
                    f"'{self._scope.name}' is the name of one step, and this would be another"
                )
            self._scope.is_used = True
            return self._scope.name
        name, count = label, 1
        while name in self._names:
            count += 1
            name = f"{label}#{count}"
        return name

    def _check(self, step: Step) -> None:
        """Refuse a contract that differs from another one only in its position, and a condition that has no effect."""
        if step.to is not None:
            return
        if self._scope is not None:
            if self._scope.unless is not None:
                raise TypeError("'unless' is for calls: a contract is deployed once anyway")
            return
        for other in self._made.values():
            same = (other.data, other.sender, other.value) == (step.data, step.sender, step.value)
            if other.name.partition("#")[0] == step.target and not same:
                raise ValueError(
                    f"the plan deploys {step.target} twice: give one a name,"
                    f" with deployment.step('second {step.target}'): …"
                )

    def _format(self, label: str, entry: EntrySpec | None, data: bytes) -> str:
        """Format a step: a contract or an entry, with its arguments."""
        if entry is None:
            args = "" if len(data) <= 4 else f"0x{data[4:].hex()}"
        else:
            show = ValueFormatter(self).show
            args = ", ".join(map(show, entry.name_args(data).values()))
        for address, step in self._made.items():
            args = args.replace(str(address), step.name)
        if len(args) > _LONGEST:
            args = f"{args[:_LONGEST]}… {keccak(data)[:4].hex()}"
        return f"{label}({args})"


class PlannedWorld(WorldHandle):
    """A world of a plan: its systems can be called and its permissions granted."""

    def __init__(self, plan: Deployment, address: Address, namespace: str | None = None) -> None:
        put(self, "chain", plan)
        put(self, "address", address)
        put(self, "handle", plan.handle(World, address))
        self._plan, self._given = plan, namespace

    @property
    def namespace(self) -> str:
        return self._plan.label_of(self.address) if self._given is None else self._given

    @property
    def namespaces(self) -> list[str]:
        return self._plan._namespaces_of(self.address)

    @property
    def _stored(self) -> NoReturn:
        self._plan.call()

    @overload
    def system(self, system: type[C]) -> Handle[C]: ...
    @overload
    def system(self, system: str) -> Handle: ...
    def system(self, system: type[Contract] | str) -> Handle:
        name = name_of(system)
        tag = name if "-" in name else tag_of(self.namespace, name)
        systems = self._plan.systems_of(self.address)
        if tag not in systems:
            raise TypeError(f"the world {self.namespace} of this plan has no system '{name}'")
        return systems[tag]

    def _set(self, entry: Any, what: Resource, to: Writer, options: dict[str, object]) -> Any:
        is_first = self.namespace == self.namespaces[0]
        resource = getattr(what, "__name__", what) if is_first else self._tag(what)
        writer = (
            to.__name__
            if isinstance(to, type)
            else str(getattr(to, "name", None) or self._address(to))
        )
        world = self._plan.display(self.address)
        with self._plan.labelled(f"{world}.{entry.spec.name}({resource}, {writer})"):
            return super()._set(entry, what, to, options)
