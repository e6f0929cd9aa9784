"""Read access to a chain: accounts, storage, contracts, and the effects that a message would have.

`Chain` reads its current state, `ChainAtBlock` (`chain.at(block)`) a past one. Both run views on their own state; the changes
of such a message are undone before another caller can see them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from importlib import import_module
from typing import Any, Final

from chain.accounts import ACCOUNTS
from chain.concurrency.atomic_steps import (
    READ_ONLY,
    Steps,
    read_only_step,
    reading,
    step,
    thread_state,
)
from chain.errors import GuardError
from chain.ledger.decoded.build_trace import trace_of
from chain.ledger.decoded.trace import Trace
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.ledger.reexecution import recording_machine
from chain.machine.deep_calls import rest
from chain.machine.executor import Machine
from chain.machine.fork import DEFAULT
from chain.machine.frame import DELEGATION, BlockContext, Frame, TransactionContext
from chain.machine.state import EMPTY_CODE_HASH, NO_ACCOUNT, LogRow, State
from chain.machine.transaction import Transaction, TransactionResult, checked
from chain.metering.fuel import GAS_PER_TICK
from chain.metering.program import Program, program_of, require_contract_class
from chain.metering.stack_room import read_source
from chain.runtime.contract import Contract
from chain.schema.inputs import AccountLike, gas_of, raw_bytes, refuse_missing, wei, whole_number
from chain.schema.validation import short_repr
from chain.simulator.handle import Handle, bind_instance, resolve_target
from chain.simulator.live_fields import FieldsFrame
from chain.simulator.world_handle import WorldHandle
from chain.types import Address

DEFAULT_SENDER: Final = bytes(ACCOUNTS[0])
_CALL_GAS: Final = 2**50  # a read-only call costs nothing, so it may read a lot
# But its code may run no longer than the gas of a whole block allows.
_CALL_FUEL: Final = DEFAULT.gas_limit // GAS_PER_TICK


class ChainReader(Steps, ABC):
    """Base class for anything with a state to read.

    An account is given as its Address, a handle, hex text, or the name under which the chain knows it.
    """

    __slots__ = ()

    state: State
    machine: Machine
    ledger: Ledger

    @property
    @abstractmethod
    def view_block(self) -> BlockContext:
        """The block that a read-only call sees."""

    @property
    def pending(self) -> BlockContext:
        """The block that a transaction would run in."""
        return self.view_block

    @property
    @abstractmethod
    def timeline_index(self) -> int:
        """The length of the ledger's timeline at the time of this state."""

    @abstractmethod
    def send(
        self, to: AccountLike | None, data: bytes = b"", *, sender: AccountLike | None = None, value: int = 0,
        gas: int | None = None,
    ) -> Receipt:  # fmt: skip
        """Send a transaction."""

    # Accounts

    def address_of(self, account: AccountLike, name: str = "address") -> Address:
        """Return the address of an account; `name` is the name of the argument for error texts."""
        return self.ledger.address_of(account, name)

    def _sender(self, sender: AccountLike | None) -> bytes:
        """Return the address of the sender: that of the first account if none is given."""
        if sender is None:
            return DEFAULT_SENDER
        return bytes(sender if isinstance(sender, Address) else self.address_of(sender, "sender"))

    @reading
    def balance(self, address: AccountLike) -> int:
        return self.state.account(self.address_of(address))[1]

    @reading
    def nonce(self, address: AccountLike) -> int:
        return self.state.account(self.address_of(address))[0]

    @reading
    def code(self, address: AccountLike) -> bytes:
        return self.state.code(self.address_of(address))

    @reading
    def storage(self, address: AccountLike, slot: int) -> int:
        """Return the raw word in a storage slot of an account."""
        return self.state.word(self.address_of(address), whole_number(slot, "slot"))

    # Contracts

    @reading
    def declare(self, contract: type[Contract]) -> Program:
        """Register a contract class with the chain, so that its bytecode can be deployed."""
        require_contract_class(contract)
        if self.machine.guards:
            run_guard(contract)
        program = program_of(contract)
        if program.digest not in self.machine.programs:
            self.machine.declare(program)
        return program

    def handle(
        self, contract: type[Contract] | Handle, address: AccountLike | None = None
    ) -> Handle:
        """Return a handle for a deployed contract, given its class and address, or a handle of another chain."""
        contract, target = resolve_target(contract, address)
        self.declare(contract)
        contract_address = self.address_of(target)
        self.need_contract(contract_address, contract.__name__)
        return Handle(self, contract, contract_address)

    def need_contract(self, address: Address, what: str) -> None:
        """Refuse a call to an address without code, because it would do nothing and seem to succeed.

        `what` is the name of the contract for the error text.
        """
        if self.state.accounts.get(address, NO_ACCOUNT)[2] == EMPTY_CODE_HASH:
            refuse_missing(what, address)

    def world(self, world: WorldHandle | AccountLike) -> WorldHandle:
        """Return a handle for a deployed world, given its address or a handle of another chain."""
        return WorldHandle(self, self.address_of(world, "world"))

    @reading
    def fields_of(self, handle: Handle) -> Contract:
        """Return an object that reads the contract's own storage."""
        if not isinstance(handle, Handle):
            raise TypeError(f"{short_repr(handle)} is not a handle: give what deploy returned")
        return bind_instance(
            handle.contract, FieldsFrame(self, handle.address, program_of(handle.contract))
        )

    # Messages

    def call(
        self, to: AccountLike, data: bytes, *, sender: AccountLike | None = None, value: int = 0, gas: int | None = None,
        block: BlockContext | None = None,
    ) -> tuple[Frame, Sequence[LogRow]]:  # fmt: skip
        """Run a message on the current state and undo it; return the finished frame and the logs."""
        border = self.border
        if (self.begun is not None and border._is_owned()) or thread_state.goes_on:
            return self._look(to, data, sender, value, gas, block)
        with border:  # the code of `looking` inlined for speed: every view goes through here
            if self.begun is not None:
                self._recover()
            if self.scopes:
                self._refuse_others()
            try:
                self.begun = READ_ONLY
                result = self._look(to, data, sender, value, gas, block)
                self.begun = None
            except BaseException:
                self._recover()
                raise
        return result

    def _look(
        self, to: AccountLike, data: bytes, sender: AccountLike | None, value: int, gas: int | None,
        block: BlockContext | None,
    ) -> tuple[Frame, Sequence[LogRow]]:  # fmt: skip
        """Run a read-only call: the message of `call`, without the lock."""
        frame = self._frame(self.machine, to, data, sender, value, gas, block or self.view_block)
        mark = self.state.mark()
        self.machine.execute(frame)
        _, logs = self.state.undo(mark)
        self.state.close()
        return frame, logs

    @read_only_step
    def trace(
        self, to: AccountLike, data: bytes, *, sender: AccountLike | None = None, value: int = 0, gas: int | None = None
    ) -> Trace:  # fmt: skip
        """Run a message and undo it; return a trace of all its steps."""
        past_ledger = self.ledger.then(self.timeline_index)
        machine = recording_machine(past_ledger)
        machine.loaded = deepcopy(self.machine.loaded)
        frame = self._frame(machine, to, data, sender, value, gas, self.view_block)
        context = frame.context
        machine.execute(frame)
        changes = tuple(past_ledger.state.changes)
        outcome = TransactionResult(frame, context, frame.gas_limit - frame.gas, 0, changes, ())
        return trace_of(self.ledger, past_ledger, outcome, frame.gas_limit)

    @step
    def rehearse(self, tx: Transaction, block: BlockContext | None = None) -> TransactionResult:
        """Run a transaction in `block`, by default the next one, and undo it; return its result."""
        loaded = self.machine.loaded
        taken = loaded and loaded.taken
        try:
            outcome = self.machine.transact(checked(tx), block or self.pending)
        finally:
            if loaded is not None:
                loaded.roll_back(taken)  # a rehearsal uses up no forced outcomes
        self.state.abandon()
        return outcome

    def _recover(self) -> None:
        if self.begun is not None:
            rest()
            self.state.abandon()
            self.begun = None

    def _frame(
        self,
        machine: Machine,
        to: AccountLike,
        data: bytes,
        sender: AccountLike | None,
        value: int,
        gas: int | None,
        block: BlockContext,
    ) -> Frame:
        """Return a frame for a message on `machine`, with its arguments validated."""
        sender = self._sender(sender)
        to = bytes(to if isinstance(to, Address) else self.address_of(to, "to"))
        if type(data) is not bytes:
            data = raw_bytes(data, "data")
        if value or type(value) is not int:
            value = wei(value)
        if gas is not None:
            gas = gas_of(gas)
        state = machine.state
        state.access = {sender: {}, to: {}}
        context = TransactionContext(machine, block, sender, state.account(sender)[0], 0)
        context.fuel = _CALL_FUEL if gas is None else gas // GAS_PER_TICK
        code = state.code(to)
        delegate = code[len(DELEGATION) :] if code.startswith(DELEGATION) else None
        frame_type = machine.frame
        return frame_type(
            context, "call", to, sender, value, data, gas or _CALL_GAS, code_address=delegate
        )

    @property
    def web3(self) -> Any:
        """A web3.py Web3 object that is connected to this chain."""
        raise TypeError(
            "web3.py connects to a chain, not to its past: give its calls a block_identifier"
        )


@cache
def run_guard(contract: type[Contract]) -> None:
    """Refuse a contract in which the guard finds a mistake.

    Each class is checked once. The guard is imported on first use.
    """
    if getattr(contract, "__probe__", False):
        return  # a probe runs functions of a test, which are exempt
    findings = read_source(contract, import_module("chain.guard").check_contract, contract)
    if findings:
        raise GuardError(contract.__name__, findings)
