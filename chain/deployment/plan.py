"""A plan: an object with the interface of a chain, which only records steps.

A contract that is not deployed yet has a placeholder for its address, twenty bytes derived from the step's name. It can be
used wherever an address can. When the step is done, the real address replaces it in the calldata of later steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from chain.accounts import ACCOUNTS, Account, account_of_key
from chain.crypto.hashing import keccak
from chain.metering.program import Program, parse_initcode, program_of, require_contract_class
from chain.runtime import account_names
from chain.runtime.contract import Contract
from chain.runtime.system import System
from chain.runtime.world import World
from chain.schema.inputs import AccountLike, address_of, gas_of, raw_bytes, wei
from chain.simulator.deploying import DeployMixin
from chain.simulator.handle import Handle, resolve_target
from chain.simulator.world_handle import Resource, WorldHandle, Writer, name_of
from chain.spec.contracts import EntrySpec
from chain.types import Address


@dataclass(frozen=True)
class Step:
    """One transaction of a plan."""

    name: str
    sender: Address
    to: Address | None  # None: create a contract
    data: bytes
    value: int
    gas: int | None
    program: Program | None  # of the contract that is created or called
    entry: EntrySpec | None
    placeholder: Address | None  # for the address of the contract that is created
    error: None = None  # a plan never fails, so it can be used like a receipt

    @property
    def address(self) -> Address | None:
        """The address of the contract that is called, or the placeholder of the one that is created."""
        return self.placeholder if self.to is None else self.to

    @property
    def init_args(self) -> bytes:
        """The encoded arguments of a contract that is created."""
        parsed = parse_initcode(self.data)
        return self.data if parsed is None else parsed[1]


class Deployment(DeployMixin):
    """The argument of `plan(deployment)`, which records the steps of the plan."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.accounts: list[Account] = list(ACCOUNTS)
        self.named: dict[Address, str] = {}  # accounts that the plan uses by name
        self._counts: Counter[str] = Counter()
        self._made: dict[Address, Step] = {}  # by placeholder
        self._declared: dict[bytes, Program] = {}
        self._name_now: str | None = None

    def account(self, name: str) -> Account:
        """Return the account of that name; it is created and funded when the plan is applied."""
        account = account_of_key(account_names.private_key_for(name), name)
        self.named[account] = name
        return account

    def address_of(self, account: AccountLike, name: str = "address") -> Address:
        """Return the address of an account; `name` is the parameter that messages refer to."""
        known = {known_account.name: known_account for known_account in self.accounts} | {
            label: address for address, label in self.named.items()
        }
        return address_of(account, name, known.get)

    def need_contract(self, address: Address, what: str) -> None:
        """Accept any address: the contract is in this plan, or is deployed where the plan is applied."""

    def declare(self, contract: type[Contract]) -> Program:
        program = program_of(contract)
        self._declared[program.digest] = program
        return program

    def deploy(self, contract: type[Contract], /, *args: Any, **options: Any) -> Handle:
        """Plan a contract; the arguments after the class go to its `@init`."""
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
        with self.naming(name):
            return super().deploy(contract, *args, **options)

    def send(
        self, to: AccountLike | None, data: bytes = b"", *, sender: AccountLike | None = None, value: int = 0,
        gas: int | None = None,
    ) -> Step:  # fmt: skip
        """Plan a transaction."""
        to = None if to is None else self.address_of(to, "to")
        sender_address = ACCOUNTS[0] if sender is None else self.address_of(sender, "sender")
        data, value, gas = raw_bytes(data, "data"), wei(value), None if gas is None else gas_of(gas)
        target = None if to is None else self._made.get(to)
        if to is None:
            parsed = parse_initcode(data)
            program = None if parsed is None else self._declared.get(parsed[0])
            entry = None if program is None else program.spec.init
        else:
            program = None if target is None else target.program
            entry = None if program is None else program.spec.by_selector.get(data[:4])
        name = self._name(target, entry, to)
        placeholder = (
            Address(keccak(f"boardchain stand-in {name}".encode())[12:]) if to is None else None
        )
        step = Step(name, sender_address, to, data, value, gas, program, entry, placeholder)
        self.steps.append(step)
        if placeholder is not None:
            self._made[placeholder] = step
        return step

    def handle(
        self, contract: type[Contract] | Handle, address: AccountLike | None = None
    ) -> Handle:
        contract, target = resolve_target(contract, address)
        # A plan can send, and refuses read-only calls.
        return Handle(self, contract, self.address_of(target))  # type: ignore[arg-type]

    def world(self, world: WorldHandle | AccountLike) -> WorldHandle:
        address = self.address_of(world, "world")
        if address not in self._made:
            raise TypeError(f"{address} is not a world of this plan")
        return PlannedWorld(self, address)

    def call(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(
            "a plan says what is to be done: it cannot ask a view, since nothing stands yet"
        )

    @contextmanager
    def naming(self, name: str) -> Iterator[None]:
        """Give this name to the steps that are planned in the scope."""
        self._name_now = name
        try:
            yield
        finally:
            self._name_now = None

    def systems_of(self, world: Address) -> dict[str, Handle]:
        """Return the systems that are planned for a world, by name."""
        prefix = f"{self._made[world].name}-"
        return {
            step.program.spec.name: self.handle(step.program.spec.cls, address)
            for address, step in self._made.items()
            if step.program is not None and step.name.startswith(prefix)
        }

    def name_of(self, address: Address) -> str:
        """Return the name of the step that creates the contract with that placeholder."""
        return self._made[address].name

    def _name(self, target: Step | None, entry: EntrySpec | None, to: Address | None) -> str:
        name = self._name_now
        if name is None:
            target_name = (
                target.name if target is not None else "contract" if to is None else str(to)
            )
            name = (
                f"{target_name}.{entry.name}"
                if entry is not None and to is not None
                else target_name
            )
        self._counts[name] += 1
        count = self._counts[name]
        return name if count == 1 else f"{name}#{count}"


class PlannedWorld(WorldHandle):
    """A world of a plan: its systems can be called and its permissions granted."""

    def __init__(self, plan: Deployment, address: Address) -> None:
        self.chain: Any = plan
        self._plan, self.address = plan, address
        self.handle = plan.handle(World, address)

    @property
    def namespace(self) -> str:
        return self._plan.name_of(self.address).partition("#")[0]

    @property
    def _stored(self) -> NoReturn:
        self._plan.call()

    def system(self, system: type[Contract] | str) -> Handle:
        name = name_of(system)
        systems = self._plan.systems_of(self.address)
        if name not in systems:
            raise TypeError(f"the world {self.namespace} of this plan has no system '{name}'")
        return systems[name]

    def _set(self, entry: Any, what: Resource, to: Writer, options: dict[str, Any]) -> Any:
        resource = getattr(what, "__name__", what)
        writer = (
            to.__name__
            if isinstance(to, type)
            else str(getattr(to, "name", None) or self._address(to))
        )
        with self._plan.naming(f"{self.namespace}.{entry.spec.name}({resource},{writer})"):
            return super()._set(entry, what, to, options)
