"""py-evm's road: transactions and messages that run bytecode, on the same state as the direct road.

Every message has a `Frame`, whichever road it takes. A py-evm computation works for its frame; where the code is a Python
contract's, the computation hands the frame to the contract and takes gas, output or failure back. What the frames of
a transaction share (logs, refunds, transient storage, what self-destructed) is kept once, in the journal of the state or
in the context, so that a failed message takes back all that was done below it, by either road.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from eth.abc import ComputationAPI, MessageAPI, StateAPI, TransactionContextAPI
from eth.constants import BLANK_ROOT_HASH, CREATE_CONTRACT_ADDRESS, MAX_PREV_HEADER_DEPTH
from eth.exceptions import OutOfGas, Revert, VMError
from eth.vm import mnemonics, opcode_values
from eth.vm.forks.berlin.transactions import calculate_txn_intrinsic_gas_berlin
from eth.vm.forks.byzantium.opcodes import ensure_no_static
from eth.vm.forks.cancun.logic import selfdestruct_eip6780
from eth.vm.forks.cancun.transaction_context import CancunTransactionContext
from eth.vm.forks.prague.computation import PragueComputation
from eth.vm.forks.prague.state import PragueState, PragueTransactionExecutor
from eth.vm.forks.spurious_dragon.state import SpuriousDragonTransactionExecutor
from eth.vm.forks.tangerine_whistle.constants import GAS_SELFDESTRUCT_EIP150
from eth.vm.message import Message
from eth.vm.opcode import as_opcode
from eth_hash.auto import keccak as eth_keccak
from eth_hash.backends import pysha3
from eth_typing import Address, Hash32
from eth_utils.exceptions import ValidationError
from eth_utils.logging import get_extended_debug_logger

from chain import contract
from chain.code import split_code, split_initcode
from chain.errors import Halt, InvalidTransaction
from chain.frame import BlockContext, Context, Failure, Frame, revert_text
from chain.machine import gas as cost
from chain.machine.direct import Machine, failure_of
from chain.machine.evm_state import Accounts, Surroundings
from chain.machine.nesting import STEPS, on_fresh_stack
from chain.machine.state import START
from chain.machine.transaction import Outcome, Transaction


eth_keccak.hasher = pysha3.keccak256  # type: ignore[assignment]  # five times as fast as what it finds by itself


class Evm:
    """Runs transactions and messages of a machine by py-evm."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def transact(self, tx: Transaction, block: BlockContext) -> Outcome:
        """Run `tx` by the Prague rules of py-evm, or raise `InvalidTransaction` and change nothing."""
        machine, world = self._machine, self._machine.state
        asked: Any = tx.signed if tx.type > 2 else Asked(tx)
        price = min(tx.max_fee, block.base_fee + tx.tip)
        blobs = tuple(asked.blob_versioned_hashes) if tx.type == 3 else ()
        context = Context(machine, block, tx.sender, tx.nonce, price, blobs, loaded=machine.loaded)
        state = self._state_of(context)
        try:
            if tx.gas < asked.intrinsic_gas:
                raise ValidationError(
                    f"{tx.gas} gas is too little: {asked.intrinsic_gas} is needed before anything runs"
                )
            computation = cast(Computation, state.apply_transaction(asked))
        except BaseException as problem:
            world.undo(START)
            world.close()
            if isinstance(problem, ValidationError | VMError):
                raise InvalidTransaction(str(problem)) from None
            raise
        frame = computation.settle()
        changes, logs = world.close()
        return Outcome(frame, state.gas_used, price, changes, logs)

    def run(self, frame: Frame) -> None:
        """Run one message by py-evm. How it went is written on the frame, a failure too; the machine undoes."""
        state = self._state_of(frame.context)
        if frame.kind == "create":
            apply, code = Computation.apply_create_message, frame.data
        else:
            apply, code = Computation.apply_computation, state.world.code(frame.code_address)
        message = FrameMessage(frame, code, is_delegation=frame.code_address != frame.address)
        try:
            computation = cast(Computation, apply(state, message, state.transaction_context))
        except VMError as error:  # refused before it began
            frame.gas = 0
            frame.failure = Failure("halt", f"{frame.name}: {error}")
        else:
            computation.settle()

    def _state_of(self, context: Context) -> EvmState:
        if context.evm is None:
            context.evm = EvmState(self._machine, context)
        return cast(EvmState, context.evm)


class Asked:
    """A transaction as py-evm wants to be asked for it. Whoever sends it has been identified before."""

    s = y_parity = r = 1  # stand for a valid signature

    def __init__(self, tx: Transaction) -> None:
        self.type_id = tx.type
        self.sender, self.nonce = tx.sender, tx.nonce
        self.to = CREATE_CONTRACT_ADDRESS if tx.to is None else Address(tx.to)
        self.data, self.value, self.gas = tx.data, tx.value, tx.gas
        self.access_list = tx.access_list
        self.max_fee_per_gas, self.max_priority_fee_per_gas = tx.max_fee, tx.tip

    def validate(self) -> None:
        """The machine has admitted it."""

    @property
    def intrinsic_gas(self) -> int:
        """With the charge for init code, which py-evm takes when the message starts (EIP-3860)."""
        initcode = cost.INITCODE_WORD * cost.words(len(self.data)) if not self.to else 0
        return calculate_txn_intrinsic_gas_berlin(cast(Any, self)) + initcode


class FrameMessage(Message):
    """A py-evm message that is sent for a frame."""

    def __init__(self, frame: Frame, code: bytes, **options: Any) -> None:
        create = frame.kind == "create"
        options.setdefault("should_transfer_value", False)
        options["create_address" if create else "code_address"] = (
            frame.address if create else frame.code_address
        )
        super().__init__(
            gas=frame.gas,
            to=CREATE_CONTRACT_ADDRESS if create else Address(frame.address),
            sender=Address(frame.caller),
            value=frame.value,
            data=b"" if create else frame.data,
            code=code,
            depth=frame.depth,
            is_static=frame.static,
            **options,
        )
        self.frame = frame


_STACK_METHODS = (
    "pop_any", "pop_bytes", "pop_ints", "pop1_any", "pop1_bytes", "pop1_int", "push_bytes", "push_int",
)  # fmt: skip


class Computation(PragueComputation):
    """One message on py-evm's road, run for its frame: bytecode, a precompile, or a Python contract."""

    opcodes = {
        **PragueComputation.opcodes,
        # py-evm's own warns of its deprecation each time it runs
        opcode_values.SELFDESTRUCT: as_opcode(
            ensure_no_static(selfdestruct_eip6780), mnemonics.SELFDESTRUCT, GAS_SELFDESTRUCT_EIP150
        ),
    }
    state: EvmState
    msg: FrameMessage

    def __init__(
        self, state: StateAPI, message: MessageAPI, transaction_context: TransactionContextAPI
    ) -> None:
        super().__init__(state, message, transaction_context)
        self.frame = self.msg.frame
        for name in _STACK_METHODS:  # py-evm finds each of them anew for every message, slowly
            setattr(self, f"stack_{name}", getattr(self._stack, name))

    @classmethod
    def apply_computation(
        cls,
        state: StateAPI,
        message: MessageAPI,
        transaction_context: TransactionContextAPI,
        parent_computation: ComputationAPI | None = None,
    ) -> ComputationAPI:
        body = cast(EvmState, state).python_body(message)
        if body is None:
            return super().apply_computation(
                state, message, transaction_context, parent_computation
            )
        with cls(state, message, transaction_context) as computation:
            cast(Computation, computation).run_python(body)
        return computation

    def run_python(self, body: Callable[[Frame], None]) -> None:
        """Let a Python contract run in the frame, and take over what became of it."""
        frame = self.frame
        try:
            body(frame)
        except (Exception, Halt) as problem:
            frame.failure = failure_of(frame, problem)
        failure = frame.failure
        if failure is not None and failure.kind == "out of gas":
            raise OutOfGas(failure.text)
        self._gas_meter.gas_remaining = frame.gas
        if failure is not None:
            self.output = failure.data
            raise Revert(failure.data)
        self.output = frame.output

    def settle(self) -> Frame:
        """Write on the frame how the message ended."""
        frame = self.frame
        frame.gas = self.get_gas_remaining()
        if self._error is None:
            frame.output = self.output
            return frame
        if frame.failure is None:
            frame.failure = self._failure(self._error)
        frame.output, frame.result = frame.failure.data, None
        return frame

    def _failure(self, error: VMError) -> Failure:
        """Revert data that a message below had given is passed on with all that is known of that failure."""
        frame, data = self.frame, self.output
        if isinstance(error, OutOfGas):
            return Failure("out of gas", f"{frame.name} ran out of gas")
        if not isinstance(error, Revert):
            return Failure("halt", f"{frame.name}: {error}")
        below = (child.failure for child in reversed(frame.children) if child.failure is not None)
        passed_on = next((failure for failure in below if data and failure.data == data), None)
        return passed_on or Failure("revert", revert_text(data), data)

    # Messages below

    def prepare_child_message(
        self, gas: int, to: Address, value: int, data: Any, code: bytes, **options: Any
    ) -> FrameMessage:
        static = options.pop("is_static", False)
        transfers = options.pop("should_transfer_value", True)
        address = options.pop("create_address", None)
        if address is not None:
            kind, data, code_address = "create", code, None
        else:
            address, code_address = to, options.pop("code_address", None)
            kind = "delegate" if "sender" in options else "call" if transfers else "static"
        self.state.mark_address_warm(address)  # as it is, but for precompiles
        frame = Frame(
            self.state.context, kind, address, options.pop("sender", self.msg.storage_address), value,
            bytes(data), gas, static, self.msg.depth + 1, code_address,
        )  # fmt: skip
        return FrameMessage(frame, code, should_transfer_value=transfers, **options)

    def generate_child_computation(self, child_msg: MessageAPI) -> ComputationAPI:
        run = super().generate_child_computation
        return on_fresh_stack(run, child_msg) if child_msg.depth in STEPS else run(child_msg)

    def add_child_computation(self, child_computation: ComputationAPI) -> None:
        self.frame.children.append(cast(Computation, child_computation).settle())
        super().add_child_computation(child_computation)

    # What is kept for the whole transaction

    def add_log_entry(self, account: Address, topics: tuple[int, ...], data: bytes) -> None:
        self.state.world.logs.append((account, topics, data, None))

    def consume_gas(self, amount: int, reason: str) -> None:
        meter = self._gas_meter
        if 0 <= amount <= meter.gas_remaining:
            meter.gas_remaining -= amount
        else:
            meter.consume_gas(amount, reason)  # raises, and says why

    def refund_gas(self, amount: int) -> None:
        self.state.context.refund += amount

    def get_gas_refund(self) -> int:
        return self.msg.refund + self.state.context.refund

    @classmethod
    def consume_initcode_gas_cost(cls, computation: ComputationAPI) -> None:
        """It is part of what a transaction pays before anything runs."""

    @property
    def contracts_created(self) -> list[Address]:
        return self.state.created

    @contracts_created.setter
    def contracts_created(self, value: list[Address]) -> None:
        """py-evm hands the list from message to message; there is one."""

    def register_account_for_deletion(self, beneficiary: Address) -> None:
        self.state.doom(self.msg.storage_address)

    def get_accounts_for_deletion(self) -> list[Address]:
        return list(self.state.doomed)


class Executor(PragueTransactionExecutor):
    """Runs a transaction by py-evm's rules."""

    vm_state: EvmState

    def build_evm_message(self, transaction: Any) -> FrameMessage:
        message, state = super().build_evm_message(transaction), self.vm_state
        address = message.storage_address
        state.mark_address_warm(address)
        frame = Frame(
            state.context, "create" if message.is_create else "call", address, message.sender,
            message.value, transaction.data, message.gas, code_address=message.code_address or None,
        )  # fmt: skip
        return FrameMessage(
            frame,
            message.code,
            should_transfer_value=True,
            is_delegation=message.is_delegation,
            refund=message.refund,
        )

    def finalize_computation(self, transaction: Any, computation: ComputationAPI) -> ComputationAPI:
        # Without the step that looks for touched empty accounts: there are none.
        super(SpuriousDragonTransactionExecutor, self).finalize_computation(
            transaction, computation
        )
        used = transaction.gas - computation.get_gas_remaining()
        refund = self.calculate_gas_refund(computation, used)
        self.vm_state.gas_used = used - refund + computation.data_floor_gas
        return computation


class EvmState(PragueState):
    """py-evm's state of one transaction."""

    computation_class = Computation
    transaction_executor_class = Executor
    logger = get_extended_debug_logger("eth.vm.state")

    def __init__(self, machine: Machine, context: Context) -> None:
        self.machine, self.context, self.world = machine, context, machine.state
        self.execution_context = Surroundings(context.block, machine.block_hash)
        self._account_db = Accounts(self.world)
        self.transaction_context = CancunTransactionContext(
            context.gas_price, Address(context.origin), [Hash32(h) for h in context.blob_hashes]
        )
        self.gas_used = 0
        self.created: list[Address] = []
        self.doomed: dict[Address, None] = {}
        self._transient: dict[tuple[bytes, int], list[bytes]] = {}

    def get_transaction_context(self, transaction: Any) -> TransactionContextAPI:
        return self.transaction_context

    def python_body(self, message: MessageAPI) -> Callable[[Frame], None] | None:
        """What to run where the code of a message is a Python contract's."""
        if message.is_create:
            ours = split_initcode(message.code)
            return partial(self.machine.construct, digest=ours[0], args=ours[1]) if ours else None
        digest = split_code(message.code)
        program = self.machine.programs.get(digest) if digest else None
        return partial(contract.run, program=program) if program else None

    def get_ancestor_hash(self, block_number: int) -> Hash32:
        if not 0 < self.block_number - block_number <= MAX_PREV_HEADER_DEPTH:
            return Hash32(b"")
        return Hash32(self.machine.block_hash(block_number))

    # Marks

    def snapshot(self) -> Any:
        return BLANK_ROOT_HASH, (self.world.mark(), self.context.refund)

    def revert(self, snapshot: Any) -> None:
        self.context.take_back(*snapshot[1])

    def commit(self, snapshot: Any) -> None:
        """A mark that nobody goes back to costs nothing."""

    # What lives as long as the transaction: in the journal, so that to undo a message undoes it

    def get_transient_storage(self, address: Address, slot: int) -> bytes:
        values = self._transient.get((address, slot))
        return values[-1] if values else b""

    def set_transient_storage(self, address: Address, slot: int, value: bytes) -> None:
        values = self._transient.setdefault((address, slot), [])
        values.append(value)
        self.world.accessed.append((values, -1))

    def clear_transient_storage(self) -> None:
        """It ends with this object."""

    def doom(self, address: Address) -> None:
        """Delete an account at the end of the transaction."""
        if address not in self.doomed:
            self.doomed[address] = None
            self.world.accessed.append((self.doomed, address))

    def delete_doomed(self) -> None:
        for address in self.doomed:
            self.world.delete_account(address)
