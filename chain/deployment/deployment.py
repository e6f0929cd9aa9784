"""A chain on which a script does each step once.

A step is identified by its name. A contract is named after its class, a system after its world and its class, a call after
its entry and arguments: `Bank.pay_in(5)`; the second step of a name is `Bank#2`. `name=` or
`with deployment.step("pay the owner"): …` gives a step another name.

A step is done if the journal says so and its transaction is on the chain. A transaction whose record was not completed is
found by what it sends, among those that its sender has made since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from chain.abi.formatting import ValueFormatter
from chain.crypto.accounts import ACCOUNTS, Account
from chain.crypto.hashing import keccak
from chain.deployment.journal import DONE, REMOVED, REPLACED, RESUME, Journal, Record, sent
from chain.deployment.signed import send_signed
from chain.deployment.steps import (
    ADOPT,
    BESIDE,
    CALL,
    CREATE,
    LEAVE,
    RESEND,
    UPGRADE,
    Choices,
    Step,
    StepStatus,
    class_of,
    compare,
    find_done,
)
from chain.errors import Reverted
from chain.foundation.sealed import sealed
from chain.ledger.receipts import Receipt
from chain.metering.program import Program, require_contract_class
from chain.runtime.contract import Contract
from chain.runtime.world import World
from chain.simulator.chain import Chain
from chain.simulator.deploying import DeployMixin
from chain.simulator.handle import Handle
from chain.simulator.upgrade import CannotUpgrade
from chain.simulator.world_handle import WorldHandle
from chain.spec.contracts import UPGRADE as UPGRADE_ENTRY
from chain.spec.contracts import ContractSpec, EntrySpec
from chain.spec.models import tag_of
from chain.types import Address
from chain.values.inputs import AccountLike, callable_of, gas_of, raw_bytes, text, wei

_LONGEST = 60  # characters of arguments that a name shows
_NO_CHOICES = Choices()
C = TypeVar("C", bound=Contract)
Condition = Callable[["Deployment"], object]


class StepFailed(ValueError):
    """A step was refused by its contract; the message says which and why."""


class NotSent:
    """In place of the receipt of a call that was not sent, because its condition holds."""

    error = None

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"this call was not sent, so it has no receipt and no {name}")


class _Arguments(ValueFormatter):
    """Arguments as text: in full, since they tell one step from another."""

    def raw(self, value: bytes | bytearray) -> str:
        return f"0x{value.hex()}"


@dataclass
class _Scope:
    """The `with` of one step: its name and its condition."""

    name: str
    unless: Condition | None
    is_used: bool = False


@sealed
@dataclass(frozen=True, eq=False, repr=False)
class Deployment(DeployMixin):
    """The argument of `plan(deployment)`: a chain on which each step is done once, and found again by its name.

    What it does not have itself is that of the chain: `deployment.balance(bob)`, `deployment.accounts`. `sender` sends the
    steps for which the script names no sender.

    >>> deployment = Deployment(chain)
    >>> race = deployment.deploy(Race, name="second race")
    >>> with deployment.step("first roll", unless=lambda chain: chain.handle(race).square_of(alice) > 0):
    ...     receipt = race.roll(sender=alice)
    >>> if not race.square_of(bob):
    ...     receipt = race.roll(sender=bob)
    >>> [step.name for step in deployment.steps]
    ['second race', 'first roll', 'second race.roll()']
    """

    chain: Chain  # the chain itself, or a fork of it in a preview
    journal: Journal = field(default_factory=Journal)  # what was done on the chain
    sender: Address = ACCOUNTS[0]  # the sender of steps without one
    signer: Account | None = None  # whose transactions are signed here; the chain needs no key
    choices: Choices = _NO_CHOICES  # what to do about steps that changed
    watch: Callable[[StepStatus], object] = bool  # called after each step
    steps: list[StepStatus] = field(default_factory=list)  # the steps so far
    # Records of steps that were on the chain, and not in the journal.
    adopted: dict[str, Record] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._specs: dict[Address, ContractSpec] = {}
        self._made: dict[Address, str] = {}  # names of steps, by contract
        self._names: set[str] = set()
        self._scope: _Scope | None = None
        self._creates: tuple[str, Program] | None = None  # label and program of the next step
        self._resumed = self.journal.recover(self.chain)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "chain":
            raise AttributeError(name)
        return getattr(self.chain, name)

    @contextmanager
    def step(self, name: str, *, unless: Condition | None = None) -> Iterator[None]:
        """Scope of one step, with a name of its own. A call with `unless` is sent only if that is false on the chain.

        Raise ValueError for a name that another step has.

        >>> deployment = Deployment(chain)
        >>> with deployment.step("second race"):
        ...     deployment.deploy(Race)
        <Race at 0x...>
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

    def deploy(  # type: ignore[override]
        self, contract: type[C], /, *args: Any, name: str | None = None, **options: Any
    ) -> Handle[C]:
        """Deploy a contract, unless that was done; return its handle. The arguments after the class go to its `@init`.

        `name` is the name of the step, but for a contract whose `@init` has an argument of that name.

        >>> Deployment(chain).deploy(Race, sender=bob).contract
        <class 'tests.chain.reference_scene.Race'>
        """
        require_contract_class(contract)
        label = str(args[0]) if contract is World and args else contract.__name__
        init = contract.__spec__.init
        is_argument = init is not None and "name" in {param.name for param in init.params}
        if name is None or is_argument:
            options |= {} if name is None else {"name": name}
            return self._deploy(label, contract, *args, **options)
        with self.step(name):
            return self._deploy(label, contract, *args, **options)

    def _deploy(self, label: str, contract: type[C], *args: Any, **options: Any) -> Handle[C]:
        self._creates = label, self.declare(contract)
        try:
            return super().deploy(contract, *args, **options)
        finally:
            self._creates = None

    def _deploy_system(
        self, system: type[C], world: WorldHandle, sender: AccountLike | None
    ) -> Handle[C]:
        tag = tag_of(world.namespace, system.__name__)
        return self._deploy(tag, system, world.address, sender=sender)

    def send(
        self,
        to: AccountLike | None,
        data: bytes = b"",
        *,
        sender: AccountLike | None = None,
        value: int = 0,
        gas: int | None = None,
        name: str | None = None,
    ) -> Receipt:
        """Send a transaction, unless that was done; return its receipt. `name` is the name of the step.

        >>> Deployment(chain).send(bob, value=10, name="pay bob").value
        10
        """
        if name is not None:
            with self.step(name):
                return self.send(to, data, sender=sender, value=value, gas=gas)
        target, data = None if to is None else self.address_of(to, "to"), raw_bytes(data, "data")
        who = self.sender if sender is None else self.address_of(sender, "sender")
        value, gas = wei(value), None if gas is None else gas_of(gas)
        label, program = self._creates or ("contract", None)
        if target is None:
            what = self._created(label, program, data)
        else:
            label = what = self._called(target, data)
        name, unless = self._take_name(label, target)
        return self._do(Step(name, what, who, target, data, value, gas, program), unless)

    def address_of(self, account: AccountLike, name: str = "address") -> Address:
        return self.chain.address_of(account, name)

    def declare(self, contract: type[Contract]) -> Program:
        return self.chain.declare(contract)

    def handle(
        self, contract: type[C] | Handle[C], address: AccountLike | None = None
    ) -> Handle[C]:
        """Return a handle for a contract on the chain, whose calls are steps.

        >>> Deployment(chain).handle(Race, race.address).roll(sender=alice).ok
        True
        """
        found = self.chain.handle(contract, address)
        self._specs[found.address] = found.contract.__spec__
        return Handle(self, found.contract, found.address)  # type: ignore[arg-type]

    def world(self, world: WorldHandle | AccountLike) -> WorldHandle:
        """Return a handle for a World on the chain, whose grants are steps.

        >>> deployment = Deployment(chain)
        >>> deployment.world(deployment.deploy_world("cup", systems=[League]).address).namespace
        'cup'
        """
        found = self.chain.world(world)
        return WorldHandle(self, found.address, found._given)  # type: ignore[arg-type]

    # The end

    @property
    def gone(self) -> dict[str, Record]:
        """The records of steps that the script did not come to."""
        records = self.journal.records.items()
        left = {name: each for name, each in records if name not in self._names}
        return {name: each for name, each in left.items() if each["status"] != REPLACED}

    def finish(self) -> None:
        """Record which steps are gone, and keep the records in the order of the script."""
        records = self.journal.records
        in_order = {step.name: records[step.name] for step in self.steps if step.name in records}
        removed = {name: {**record, "status": REMOVED} for name, record in self.gone.items()}
        self.journal.keep({**in_order, **records, **removed})

    # Names

    def display(self, address: bytes) -> str:
        """Return the name of a contract or an account, or an address as text."""
        address = Address(address)
        account = self.chain.keys.get(bytes(address))
        return self._made.get(address) or (str(address) if account is None else account.name)

    def _created(self, label: str, program: Program | None, data: bytes) -> str:
        """Return the text of a contract, with its arguments."""
        if program is None:
            return self._format(label, None, data)
        return self._format(label, program.spec.init, program.args_of(data))

    def _called(self, to: Address, data: bytes) -> str:
        """Return the text of a call, with its arguments."""
        spec = self._specs.get(to)
        if spec is None and self.chain.code(to):
            try:
                spec = self.chain.contract(to).contract.__spec__
            except LookupError:  # bytecode, or an unknown class
                spec = None
        entry = None if spec is None else spec.by_selector.get(data[:4])
        called = f"0x{data[:4].hex()}" if entry is None else entry.name
        return self._format(f"{self.display(to)}.{called}", entry, data)

    def _format(self, label: str, entry: EntrySpec | None, data: bytes) -> str:
        """Format a step: a contract or an entry, with its arguments."""
        if entry is None:
            args = "" if len(data) <= 4 else f"0x{data[4:].hex()}"
        else:
            args = ", ".join(map(_Arguments(self).show, entry.name_args(data).values()))
        for address, name in self._made.items():
            args = args.replace(str(address), name)
        if len(args) > _LONGEST:
            args = f"{args[:_LONGEST]}… {keccak(args.encode())[:4].hex()}"
        return f"{label}({args})"

    def _take_name(self, label: str, to: Address | None) -> tuple[str, Condition | None]:
        """Return the name that the scope gives, and its condition, or the label, with a number if other steps have that."""
        name, unless, count = label, None, 1
        if (scope := self._scope) is not None:
            if scope.is_used:
                raise ValueError(
                    f"'{scope.name}' is the name of one step, and this would be another"
                )
            name, unless, scope.is_used = scope.name, scope.unless, True
            if to is None and unless is not None:
                raise TypeError("'unless' is for calls: a contract is deployed once anyway")
        while name in self._names:
            count += 1
            name = f"{label}#{count}"
        self._names.add(name)
        return name, unless

    # Doing

    def _do(self, step: Step, unless: Condition | None) -> Receipt:
        journal = self.journal
        record = journal.records.get(step.name)
        if record is None and self.choices.adopt:
            record = find_done(step, self.chain, journal.known)
            if record is not None:
                self.adopted[step.name] = record
                journal.keep({**journal.records, step.name: record}, {step.name: ADOPT})
        status = self._examine(step, record, unless)
        self.steps.append(status)
        did = self.choices.decide(status)
        if did in (CREATE, CALL, BESIDE, RESEND):
            record = self._send(step, did)
        elif did in (UPGRADE, RESUME) and status.is_contract and step.name != self._resumed:
            record = self._upgrade(status)
        elif did == status.action and record is not None and unless is None:
            record = {**record, "what": step.what, "status": DONE}
            journal.keep({**journal.records, step.name: record})
        self.steps[-1] = status = replace(status, did=did, record=record)
        self.watch(status)
        if record is None:
            return NotSent()  # type: ignore[return-value]
        if step.to is None:
            self._made[Address(record["address"])] = step.name
        return self.chain.receipts[record["receipt"]]

    def _examine(self, step: Step, record: Record | None, unless: Condition | None) -> StepStatus:
        """Return the action that a step needs."""
        is_new, is_resumed = record is None, step.name == self._resumed
        if unless is not None and not is_resumed:
            return StepStatus(step, LEAVE if unless(self) else CALL, LEAVE, record, is_new=is_new)
        if record is None:
            return StepStatus(step, CREATE if step.to is None else CALL, is_new=True)
        status = compare(step, record, self.display, self.chain)
        return replace(status, action=RESUME) if is_resumed and status.action == LEAVE else status

    def _send(self, step: Step, action: str) -> Record:
        nonce = self.chain.nonce(step.sender)
        self.journal.announce(step.name, {**step.sent, "nonce": nonce})
        receipt = self._transact(step, step.to, step.data, step.value, step.gas)
        if receipt.error is not None:
            self.journal.withdraw()
            raise StepFailed(f"{step.name} was refused: {receipt.error}") from Reverted(receipt)
        return self.journal.finish(receipt, action)

    def _transact(
        self, step: Step, to: Address | None, data: bytes, value: int = 0, gas: int | None = None
    ) -> Receipt:
        """Send a transaction from the sender of a step; sign it if that is the signer."""
        chain, signer = self.chain, self.signer
        if signer is None or step.sender != signer:
            return chain.send(to, data, sender=step.sender, value=value, gas=gas)
        return send_signed(chain, signer, to, data, value, gas)

    def _upgrade(self, status: StepStatus) -> Record:
        """Upgrade the contract from the account that deployed it. A second upgrade changes nothing."""
        step, record, program = status.step, status.record, status.step.program
        if status.obstacles:
            reasons = "; ".join(status.obstacles)
            raise CannotUpgrade(f"{status.name} cannot be upgraded in place: {reasons}")
        assert program is not None and record is not None
        address = Address(record["address"])
        if status.action == RESUME or step.sender != self.signer:
            receipt = self.chain.upgrade(address, program.spec.cls, sender=step.sender)
        else:
            data = UPGRADE_ENTRY.encode_args((program.digest,), {})
            receipt = self._transact(step, address, data)
            if receipt.error is not None:
                raise Reverted(receipt)
        record = {**record, **class_of(program), "what": step.what, "upgrade": sent(receipt)}
        self.journal.keep({**self.journal.records, status.name: record}, {status.name: UPGRADE})
        return record
