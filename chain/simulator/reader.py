"""What can be seen of a chain without changing it: accounts, storage, contracts, and what a message would do.

`Chain` shows itself as it is now, `Past` (`chain.at(block)`) as it was. Both run views on a state of theirs; what such a
message changes is undone before anyone sees it.
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
    LOOKS,
    Steps,
    here,
    looking,
    reading,
    step,
)
from chain.errors import GuardError
from chain.ledger.decoded.build_trace import trace_of
from chain.ledger.decoded.trace import Trace
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.ledger.reexecution import recording_machine
from chain.machine.deep_calls import rest
from chain.machine.executor import Machine
from chain.machine.frame import (
    DELEGATION,
    BlockContext,
    Frame,
    TransactionContext,
)
from chain.machine.state import EMPTY_CODE_HASH, NO_ACCOUNT, LogRow, State
from chain.machine.transaction import Transaction, TransactionResult, checked
from chain.metering.fuel import GAS_PER_TICK
from chain.metering.program import (
    Program,
    program_of,
    require_contract_class,
)
from chain.metering.stack_room import read_source
from chain.runtime.contract import Contract
from chain.schema.inputs import (
    AccountLike,
    gas_of,
    raw_bytes,
    refuse_missing,
    wei,
    whole_number,
)
from chain.schema.validation import short_repr
from chain.simulator.handle import (
    Handle,
    bind_instance,
    resolve_target,
)
from chain.simulator.live_fields import FieldsFrame
from chain.simulator.world_handle import WorldHandle
from chain.types import Address

DEFAULT_SENDER: Final = bytes(ACCOUNTS[0])
_LOOK_GAS: Final = 2**50  # a look pays nobody, so it may look far
_LOOK_FUEL: Final = 30_000_000 // GAS_PER_TICK  # but no longer than a whole block's gas lets it


class ChainReader(Steps, ABC):
    """Something with a state to look at.

    Wherever an account is meant, its Address does, a handle, hex text, or the name by which the chain knows it.
    """

    __slots__ = ()

    state: State
    machine: Machine
    ledger: Ledger

    @property
    @abstractmethod
    def view_block(self) -> BlockContext:
        """The block that a message would see if it were sent to be looked at."""

    @property
    def pending(self) -> BlockContext:
        """The block that a transaction would run in."""
        return self.view_block

    @property
    @abstractmethod
    def timeline_index(self) -> int:
        """How much of the ledger's timeline has happened."""

    @abstractmethod
    def send(
        self, to: AccountLike | None, data: bytes = b"", *, sender: AccountLike | None = None, value: int = 0,
        gas: int | None = None,
    ) -> Receipt:  # fmt: skip
        """Send a transaction."""

    # Accounts

    def address_of(self, account: AccountLike, name: str = "address") -> Address:
        """The address of what stands for an account; `name` is what an error calls it."""
        return self.ledger.address_of(account, name)

    def _sender(self, sender: AccountLike | None) -> bytes:
        """AccountLike sends, as the machine knows it: the first account if nobody is named."""
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
        """A word of storage as it lies there."""
        return self.state.word(self.address_of(address), whole_number(slot, "slot"))

    # Contracts

    @reading
    def declare(self, contract: type[Contract]) -> Program:
        """Make a contract class known to the chain, so that anyone can deploy it by its bytecode."""
        require_contract_class(contract)
        if self.machine.guards:
            run_guard(contract)
        program = program_of(contract)
        if program.digest not in self.machine.programs:
            self.machine.declare(program)
        self.ledger.register_program(program)
        return program

    def handle(
        self, contract: type[Contract] | Handle, address: AccountLike | None = None
    ) -> Handle:
        """A handle here for a contract that is there: a class and an address, or a handle from elsewhere."""
        contract, who = resolve_target(contract, address)
        self.declare(contract)
        where = self.address_of(who)
        self.need_contract(where, contract.__name__)
        return Handle(self, contract, where)

    def need_contract(self, address: Address, what: str) -> None:
        """Refuse to call `what` where there is no code: it would do nothing, and seem to have worked."""
        if self.state.accounts.get(address, NO_ACCOUNT)[2] == EMPTY_CODE_HASH:
            refuse_missing(what, address)

    def world(self, world: WorldHandle | AccountLike) -> WorldHandle:
        """A handle here for a world that is there: its address, or a handle from elsewhere."""
        return WorldHandle(self, self.address_of(world, "world"))

    @reading
    def fields_of(self, handle: Handle) -> Contract:
        """The contract's own storage, to be read."""
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
        """Run a message on the state as it is and undo it: the finished frame, and the logs it would leave."""
        border = self.border
        if (self.begun is not None and border._is_owned()) or here.goes_on:
            return self._look(to, data, sender, value, gas, block)
        with border:  # what `looking` does, written out: every view goes through here
            if self.begun is not None:
                self._recover()
            if self.scopes:
                self._refuse_others()
            try:
                self.begun = LOOKS
                seen = self._look(to, data, sender, value, gas, block)
                self.begun = None
            except BaseException:
                self._recover()
                raise
        return seen

    def _look(
        self, to: AccountLike, data: bytes, sender: AccountLike | None, value: int, gas: int | None,
        block: BlockContext | None,
    ) -> tuple[Frame, Sequence[LogRow]]:  # fmt: skip
        frame = self._frame(self.machine, to, data, sender, value, gas, block or self.view_block)
        mark = self.state.mark()
        self.machine.execute(frame)
        _, logs = self.state.undo(mark)
        self.state.close()
        return frame, logs

    @looking
    def trace(
        self, to: AccountLike, data: bytes, *, sender: AccountLike | None = None, value: int = 0, gas: int | None = None
    ) -> Trace:  # fmt: skip
        """Run a message and undo it: all that it would do, step by step."""
        then = self.ledger.then(self.timeline_index)
        machine = recording_machine(then)
        machine.loaded = deepcopy(self.machine.loaded)
        frame = self._frame(machine, to, data, sender, value, gas, self.view_block)
        context = frame.context
        machine.execute(frame)
        changes = tuple(then.state.changes)
        outcome = TransactionResult(frame, context, frame.gas_limit - frame.gas, 0, changes, ())
        return trace_of(self.ledger, then, outcome, frame.gas_limit)

    @step
    def rehearse(self, tx: Transaction, block: BlockContext | None = None) -> TransactionResult:
        """Run a transaction in `block`, the next one if unsaid, and undo it: what it would do."""
        loaded = self.machine.loaded
        taken = loaded and loaded.taken
        try:
            outcome = self.machine.transact(checked(tx), block or self.pending)
        finally:
            if loaded is not None:
                loaded.go_back(taken)  # nothing is drawn for good
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
        context.fuel = _LOOK_FUEL if gas is None else gas // GAS_PER_TICK
        code = state.code(to)
        lent = code[len(DELEGATION) :] if code.startswith(DELEGATION) else None
        make = machine.frame
        return make(context, "call", to, sender, value, data, gas or _LOOK_GAS, code_address=lent)

    @property
    def web3(self) -> Any:
        """A web3.py Web3 on this very chain."""
        raise TypeError(
            "web3.py stands on a chain, not on its past: give its calls a block_identifier"
        )


@cache
def run_guard(contract: type[Contract]) -> None:
    """Refuse a contract in which the guard finds something. Each class is read once, and the guard imported when one is."""
    if getattr(contract, "__probe__", False):
        return  # it runs the functions of a test, whatever they do
    findings = read_source(contract, import_module("chain.guard").check_contract, contract)
    if findings:
        raise GuardError(contract.__name__, findings)
