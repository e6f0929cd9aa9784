"""Read access to a chain: accounts, storage, contracts, and the effects that a message would have.

A `ChainReader` reads the state of its driver: for a `Chain` the current one, for a `ChainAtBlock` (`chain.at(block)`) a past
one. Views run on that state; the changes of such a message are undone before another caller can see them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from importlib import import_module
from typing import Any, Final, TypeVar

from chain.crypto.address import ADDRESS_SIZE
from chain.errors import GuardError
from chain.foundation.atomic_steps import (
    READ_ONLY,
    locked,
    read_only_step,
    reading,
    step,
    thread_state,
)
from chain.foundation.sealed import Sealed, put
from chain.foundation.thread_lock import ThreadLock
from chain.ledger import decoded
from chain.ledger.blocks import Block
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.field_reader import field_reader
from chain.ledger.edits import are_versions, warn_of_edit
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.machine.block_context import BlockContext
from chain.machine.frame import Frame, TransactionContext
from chain.machine.hardforks import DEFAULT
from chain.machine.machine import Machine
from chain.machine.state import EMPTY_CODE_HASH, NO_ACCOUNT, LogRow, State
from chain.machine.transaction import Transaction, TransactionResult, checked
from chain.metering.fuel import GAS_PER_TICK
from chain.metering.program import (
    DEPLOYED,
    Program,
    bytecode_program,
    findings_of,
    parse_code,
    program_of,
    require_contract_class,
)
from chain.runtime.contract import Contract
from chain.simulator.driver import Driver
from chain.simulator.handle import Handle, bind_instance, resolve_target
from chain.simulator.live_fields import FieldsFrame
from chain.simulator.world_handle import WorldHandle, find_world
from chain.types import Address
from chain.values import ValueType, short_repr
from chain.values.inputs import (
    AccountLike,
    gas_of,
    raw_bytes,
    refuse_missing,
    text,
    wei,
    whole_number,
    with_addresses,
)

C = TypeVar("C", bound=Contract)

_CALL_GAS: Final = 2**50  # a read-only call costs nothing, so it may read a lot
# But its code may run no longer than the gas of a whole block allows.
_CALL_FUEL: Final = DEFAULT.gas_limit // GAS_PER_TICK


class ChainReader(Sealed, ABC):
    """The queries that every chain answers, whatever its driver.

    An account is given as its Address, a handle, hex text, or the name under which the chain knows it.
    """

    __slots__ = ("driver", "ledger", "machine", "state")

    driver: Driver  # runs the operations that depend on where the chain is
    ledger: Ledger  # its blocks, receipts and logs
    machine: Machine  # the state transition
    state: State  # its accounts and their storage

    def __init__(self, driver: Driver) -> None:
        put(self, "driver", driver)
        put(self, "ledger", driver.ledger)
        put(self, "machine", driver.machine)
        put(self, "state", driver.state)

    def settle(self) -> None:
        """Bring `ledger` and `state` up to date: undo an unfinished step, and fetch what is new in a node."""
        self.driver.settle()

    @property
    def lock(self) -> ThreadLock:
        """The lock, held by the thread that uses the chain."""
        return self.driver.lock

    @property
    def view_block(self) -> Block:
        """The block that a read-only call sees: the last one, with the chain's current time."""
        self.driver.settle()
        return self.driver.view_block()

    @property
    def pending(self) -> Block:
        """The open block; if none is open, the next block as it would begin now."""
        self.driver.settle()
        return self.driver.next_block()

    @property
    def timeline_index(self) -> int:
        """The length of the ledger's timeline at the time of this state."""
        self.driver.settle()
        return self.driver.timeline_index

    @abstractmethod
    def send(
        self, to: AccountLike | None, data: bytes = b"", *, sender: AccountLike | None = None, value: int = 0,
        gas: int | None = None,
    ) -> Receipt:  # fmt: skip
        """Send a transaction."""

    # Accounts

    def address_of(self, account: AccountLike, name: str = "address") -> Address:
        """Return the address of an account; `name` is the name of the argument for error texts."""
        if isinstance(account, str):
            self.settle()
        return self.ledger.address_of(account, name)

    @reading
    def balance(self, address: AccountLike) -> int:
        """Return the wei of an account."""
        return self.state.account(self.address_of(address))[1]

    @reading
    def nonce(self, address: AccountLike) -> int:
        """Return the number of transactions that an account has sent."""
        return self.state.account(self.address_of(address))[0]

    @reading
    def code(self, address: AccountLike) -> bytes:
        """Return the code of a contract; empty for an account."""
        return self.state.code(self.address_of(address))

    @reading
    def storage(self, address: AccountLike, slot: int) -> int:
        """Return the raw word in a storage slot of an account."""
        return self.state.word(self.address_of(address), whole_number(slot, "slot"))

    # Contracts

    @locked
    def declare(self, contract: type[Contract]) -> Program:
        """Register a contract class with the chain, so that its bytecode can be deployed."""
        require_contract_class(contract)
        stand_in: Program | None = bytecode_program(contract) or vars(contract).get(DEPLOYED)
        if stand_in is not None:
            return stand_in
        if self.machine.guards:
            run_guard(contract, debugs=self.machine.debugs)
        program = program_of(contract)
        if program.digest not in self.machine.programs:
            self.machine.declare(program)
        return program

    @reading
    def handle(
        self, contract: type[C] | Handle[C], address: AccountLike | None = None
    ) -> Handle[C]:
        """Return a handle for a deployed contract, given its class and address, or a handle of another chain.

        If the class was edited since the deployment, it is a handle for the deployed version, and a warning says so once.
        """
        contract, target = resolve_target(contract, address)
        program, contract_address = self.declare(contract), self.address_of(target)
        self.need_contract(contract_address, contract.__name__)
        if bytecode_program(contract) is not None:
            self.ledger.load_abi(contract_address, program)
        elif parse_code(self.state.code(contract_address)) != program.digest:
            deployed = self.program_at(contract_address)
            if deployed is not None and are_versions(deployed, program):
                warn_of_edit(self.ledger, program)
                contract = deployed.spec.cls
        return Handle(self, contract, contract_address)

    @reading
    def program_at(self, address: AccountLike) -> Program | None:
        """Return the Python contract at an address, as it is seen from outside; None if it cannot run here."""
        program = self.machine.program_at(bytes(self.address_of(address)))
        return program and (self.ledger.program(program.digest) or program)

    def load(
        self, address: AccountLike, abi: list[dict[str, Any]], name: str = "Bytecode"
    ) -> Handle:
        """Return a handle for bytecode by its JSON ABI. From now on it has this name, and its calls and events are decoded.

        The chain keeps none of this, so load it again after a file is opened. `compiled` reads the files of compilers.
        """
        classes = import_module("chain.ledger.bytecode_classes")
        return self.handle(classes.contract_of_abi(abi, text(name, "name")), address)

    @reading
    def contract(self, name: str | Address) -> Handle:
        """Return a handle for the contract of that name or address, with its present class.

        A contract is named after its class, the second one of a class `Game#2`; a name from before an upgrade is valid too.
        """
        if isinstance(name, type):
            raise TypeError(f"a class may be deployed often: give the name, '{name.__name__}'")
        if isinstance(name, str):
            name = name.strip()
        book = AddressBook(self.ledger)
        if isinstance(name, str) and not name.startswith("0x"):
            if name not in book.former:
                known = ", ".join(book.contracts.values()) or "none"
                raise LookupError(f"there is no contract {name!r} on this chain; there are {known}")
            name = Address(book.former[name])
        address = self.address_of(name, "name")
        code = self.state.code(address)
        program = self.program_at(address) or self.ledger.foreign.get(address)
        if program is None:
            raise LookupError(self._why_no_handle(address, code))
        cls: type[Contract] = program.spec.cls
        return Handle(self, cls, address)

    def _why_no_handle(self, address: Address, code: bytes) -> str:
        if not code:
            return f"there is no contract at {address}"
        digest = parse_code(code)
        if digest is None:
            return f"the contract at {address} is bytecode, not a Python contract: chain.load(address, abi) returns a handle"
        reason = self.machine.programs.reasons.get(digest)
        return (
            f"the class of the contract at {address} is not known here in its deployed form"
            f"{f': {reason};' if reason else ', because it was changed since or is in another package:'} "
            "pass the class as it was (contracts=[…], or --contracts PACKAGE), "
            "or upgrade the contract (boardchain deploy PLAN --upgrade)"
        )

    @reading
    def _deployment_of(self, address: Address) -> Receipt:
        """Return the receipt of the transaction that created the contract at an address, or failed to."""
        receipts = self.ledger.receipts
        for creation in self.ledger.creations.rows:
            if creation.address == address and not creation.is_upgrade:
                return receipts[creation.position]
        if (receipt := receipts.where(to=None, address=address).first()) is not None:
            return receipt
        raise LookupError(f"no transaction of this chain created the contract at {address}")

    def need_contract(self, address: bytes, what: str) -> None:
        """Refuse a call to an address without code, because it would do nothing and seem to succeed.

        `what` is the name of the contract for the error text.
        """
        if self.state.accounts.get(address, NO_ACCOUNT)[2] == EMPTY_CODE_HASH:
            self.settle()  # it may be new
            if not self.state.has_code(address):
                refuse_missing(what, address)

    @reading
    def world(self, world: WorldHandle | AccountLike) -> WorldHandle:
        """Return a handle for a deployed world, given one of its namespaces, its address, or a handle of another chain."""
        return find_world(self, world)

    @reading
    def fields_of(self, handle: Handle[C]) -> C:
        """Return an object that reads the contract's own storage, and inside `chain.setting()` writes it."""
        if not isinstance(handle, Handle):
            raise TypeError(f"{short_repr(handle)} is not a handle: pass the result of deploy")
        return bind_instance(
            handle.contract, FieldsFrame(self.driver, handle.address, program_of(handle.contract))
        )

    @reading
    def history(self, handle: Handle, field: str, *keys: object) -> list[decoded.Version[Any]]:
        """Return the value of a contract's field after each transaction that changed it: `chain.history(game, "pot")`.

        `keys` select an item of a Map, Vector or Set: `chain.history(game, "players", 3, alice)`.
        """
        if not isinstance(handle, Handle):
            raise TypeError(f"{short_repr(handle)} is not a handle: pass the result of deploy")
        spec, ledger = program_of(handle.contract).spec, self.ledger
        moment = self.driver.timeline_index

        def read_key(kind: ValueType, key: object, path: str) -> Any:
            return with_addresses(kind, key, path, ledger.address_of)

        read = field_reader(spec, text(field, "field"), keys, read_key)
        return ledger.history.versions(bytes(handle.address), read, moment)

    # Messages

    def call(
        self, to: AccountLike, data: bytes, *, sender: AccountLike | None = None, value: int = 0, gas: int | None = None,
        block: BlockContext | None = None,
    ) -> tuple[Frame, Sequence[LogRow]]:  # fmt: skip
        """Run a message on the current state and undo it; return the finished frame and the logs."""
        driver = self.driver
        lock = driver.lock
        if (driver.begun is not None and lock._is_owned()) or thread_state.goes_on:
            return self._look(to, data, sender, value, gas, block)
        with lock:  # the code of `read_only_step` inlined for speed: every view goes through here
            if driver.begun is not None or driver.is_copy:
                driver.refresh()
            if driver.scopes:
                driver.refuse_others()
            try:
                driver.begun = READ_ONLY
                result = self._look(to, data, sender, value, gas, block)
                driver.begun = None
            except BaseException:
                driver.recover()
                raise
        return result

    def _look(
        self, to: AccountLike, data: bytes, sender: AccountLike | None, value: int, gas: int | None,
        block: BlockContext | None,
    ) -> tuple[Frame, Sequence[LogRow]]:  # fmt: skip
        """Run a read-only call: the message of `call`, without the lock."""
        frame = self._frame(
            self.machine, to, data, sender, value, gas, block or self.driver.view_block()
        )
        mark = self.state.mark()
        if block is not None:
            self.driver.prepare(block)
        context = frame.context
        self.machine.execute(frame)
        context.evm = None  # it refers to the context: a cycle would be work for the collector
        _, logs = self.state.undo(mark)
        self.state.close()
        return frame, logs

    @read_only_step
    def trace(
        self, to: AccountLike, data: bytes, *, sender: AccountLike | None = None, value: int = 0, gas: int | None = None
    ) -> decoded.Trace:  # fmt: skip
        """Run a message and undo it; return a trace of all its steps."""
        past_ledger = self.ledger.then(self.driver.timeline_index)
        machine = import_module("chain.ledger.reexecution").recording_machine(past_ledger)
        machine.loaded, machine.mocks = deepcopy(self.machine.loaded), self.machine.mocks
        frame = self._frame(machine, to, data, sender, value, gas, self.driver.view_block())
        context = frame.context
        machine.execute(frame)
        changes = tuple(past_ledger.state.changes)
        outcome = TransactionResult(frame, context, frame.gas_limit - frame.gas, 0, changes, ())
        return decoded.trace_of(self.ledger, past_ledger, outcome, frame.gas_limit)

    @step
    def rehearse(self, tx: Transaction, block: BlockContext | None = None) -> TransactionResult:
        """Run a transaction in `block`, by default the next one, and undo it; return its result."""
        loaded = self.machine.loaded
        taken = loaded and loaded.taken
        tx, block = checked(tx), block or self.driver.next_block()
        self.driver.prepare(block)
        try:
            outcome = self.machine.transact(tx, block)
        finally:
            if loaded is not None:
                loaded.roll_back(taken)  # a rehearsal uses up no forced outcomes
        self.state.abandon()
        return outcome

    def _frame(
        self, machine: Machine, to: AccountLike, data: bytes, sender: AccountLike | None, value: int, gas: int | None,
        block: BlockContext,
    ) -> Frame:  # fmt: skip
        """Return a frame for a message on `machine`, with its arguments validated."""
        if type(sender) is not bytes or len(sender) != ADDRESS_SIZE:
            sender = self.driver.sender(sender)
        if type(to) is not bytes or len(to) != ADDRESS_SIZE:
            to = bytes(to if isinstance(to, Address) else self.ledger.address_of(to, "to"))
        if type(data) is not bytes:
            data = raw_bytes(data, "data")
        if value or type(value) is not int:
            value = wei(value)
        if gas is not None:
            gas = gas_of(gas)
        state = machine.state
        state.access = {sender: {}}
        context = TransactionContext(machine, block, sender, state.account(sender)[0], 0)
        context.fuel = _CALL_FUEL if gas is None else gas // GAS_PER_TICK
        return machine.first_frame(context, to, value, data, gas or _CALL_GAS)

    @property
    def web3(self) -> Any:
        """A web3.py Web3 object that is connected to this chain."""
        raise TypeError(
            "web3.py connects to a chain, not to its past: pass a block_identifier to its calls"
        )


def run_guard(contract: type[Contract], *, debugs: bool = False) -> None:
    """Refuse a contract in which the guard finds a mistake. Debug statements do not count on a chain where they run."""
    findings = [each for each in findings_of(contract) if not (debugs and each.rule == "debug")]
    if findings:
        raise GuardError(contract.__name__, findings)
