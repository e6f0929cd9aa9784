"""py-evm as the executor of bytecode and precompiled contracts: it runs the code of one message, for its `Frame`.

Everything else of a message is the machine's: its value, its undoing, what it creates, the messages below it. So bytecode and
Python contracts call each other in one way. What py-evm collects from its tree of messages (logs, refunds, contracts created
and destroyed) goes into the journal of the state or into the context.
"""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace
from typing import Any, cast

from eth.abc import ComputationAPI, MessageAPI, TransactionContextAPI
from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.exceptions import OutOfGas, Revert, VMError
from eth.vm.forks.prague.computation import PragueComputation
from eth.vm.message import Message
from eth_hash.auto import keccak as eth_keccak
from eth_hash.backends import pysha3
from eth_typing import Address
from eth_utils.exceptions import ValidationError

from chain.abi.texts import revert_text
from chain.errors import InvalidTransaction
from chain.errors import OutOfGas as FrameOutOfGas
from chain.machine.evm.adapter import EvmState
from chain.machine.evm.forks import OPERATIONS, Operations, decode_transaction, precompiles_of
from chain.machine.failure import Failure
from chain.machine.frame import Frame, TransactionContext, lendable
from chain.machine.hardforks import Fork
from chain.machine.transaction import BLOB_TYPE, AddedFields, Transaction

eth_keccak.hasher = pysha3.keccak256  # type: ignore[assignment]  # five times as fast as the default backend


class FrameMessage(Message):
    """A py-evm message that is sent for a frame, whose fields are valid."""

    def __init__(self, frame: Frame, code: bytes) -> None:
        sent: Any = frame  # its addresses are plain bytes
        creates = frame.kind == "create"
        self.frame, self.code, self.gas, self.value = frame, code, frame.gas, frame.value
        self.sender, self._storage_address, self.depth = sent.caller, sent.address, frame.depth
        self.to = CREATE_CONTRACT_ADDRESS if creates else sent.address
        self._code_address = CREATE_CONTRACT_ADDRESS if creates else sent.code_address
        self.data = b"" if creates else frame.data
        self.is_static, self._is_delegation = frame.static, False


class Outcome:
    """The outcome of a message below, as the operation that sent it reads it."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.output = frame, frame.output
        self.is_error = frame.failure is not None
        self.should_return_gas, self.should_erase_return_data = True, False

    def get_gas_remaining(self) -> int:
        return self.frame.gas


class Computation(PragueComputation):
    """One message of bytecode, run for its frame."""

    state: EvmState
    msg: FrameMessage

    def __init__(
        self, state: Any, message: Any, transaction_context: TransactionContextAPI
    ) -> None:
        super().__init__(state, message, transaction_context)
        self.frame: Frame = message.frame

    @staticmethod
    def operations_of(evm: str) -> Operations:
        """Return the operations that a fork introduced, in the form for this class."""
        return OPERATIONS[evm]

    def read_storage(self, slot: int) -> int:
        """Read and pay for a word of storage, as the frame does."""
        frame, meter = self.frame, cast(Any, self._gas_meter)
        frame.gas = meter.gas_remaining
        try:
            word = frame.sload(slot)
        except FrameOutOfGas:
            raise OutOfGas("SLOAD") from None
        meter.gas_remaining = frame.gas
        return word

    def write_storage(self, slot: int, word: int) -> None:
        """Write and pay for a word of storage, as the frame does."""
        frame, meter = self.frame, cast(Any, self._gas_meter)
        frame.gas = meter.gas_remaining
        try:
            frame.sstore(slot, word)
        except FrameOutOfGas:
            raise OutOfGas("SSTORE") from None
        meter.gas_remaining = frame.gas

    def finish_frame(self) -> None:
        """Record the outcome of the message in its frame."""
        frame = self.frame
        frame.gas, frame.output = self.get_gas_remaining(), self.output
        if self._error is not None:
            frame.failure = self._failure(self._error)

    def _failure(self, error: VMError) -> Failure:
        """Return the failure for an error of py-evm.

        If the revert data is that of a message below, return the failure of that message, which holds more detail.
        """
        frame, data = self.frame, self.output
        if isinstance(error, OutOfGas):
            return Failure("out of gas", f"{frame.name} ran out of gas")
        if not isinstance(error, Revert):
            return Failure("halt", f"{frame.name}: {error}")
        failures = (child.failure for child in reversed(frame.children))
        original = next(
            (failed for failed in failures if data and failed and failed.data == data), None
        )
        return original or Failure("revert", revert_text(data), data)

    # Messages below

    def prepare_child_message(
        self, gas: int, to: Address, value: int, data: Any, code: bytes, **options: Any
    ) -> FrameMessage:
        static = options.pop("is_static", False)
        transfers = options.pop("should_transfer_value", True)
        address = options.pop("create_address", None)
        if address is not None:
            call_type, data, code_address = "create", code, None
        else:
            address, code_address = to, options.pop("code_address", None)
            if options.pop("is_delegation"):
                code_address = lendable(code_address, self.state.context.block)
            call_type = "delegate" if "sender" in options else "call" if transfers else "static"
        self.state.mark_address_warm(address)  # warm already, except for precompiles
        frame = type(self.frame)(
            self.state.context, call_type, address, options.pop("sender", self.msg.storage_address), value,
            bytes(data), gas, static, self.msg.depth + 1, code_address,
        )  # fmt: skip
        return FrameMessage(frame, code)

    def generate_child_computation(self, child_msg: MessageAPI) -> ComputationAPI:
        frame = cast(FrameMessage, child_msg).frame
        if frame.kind == "create":
            self.validate_create_message(child_msg)
        self.frame.children.append(frame)
        self.state.context.machine.execute(frame)
        return cast(ComputationAPI, Outcome(frame))

    def add_child_computation(self, child_computation: ComputationAPI) -> None:
        frame = cast(Outcome, child_computation).frame
        has_data = frame.kind != "create" or frame.failure is not None
        self.return_data = frame.output if has_data else b""

    # Data of the whole transaction

    def add_log_entry(self, account: Address, topics: tuple[int, ...], data: bytes) -> None:
        self.state.world.logs.append((account, topics, data, None, None))

    def refund_gas(self, amount: int) -> None:
        self.state.context.refund += amount

    @classmethod
    def consume_initcode_gas_cost(cls, computation: ComputationAPI) -> None:
        """Charge nothing: this cost is part of the intrinsic gas of a transaction."""

    @property
    def contracts_created(self) -> list[Address]:
        return self.state.created

    @contracts_created.setter
    def contracts_created(self, value: list[Address]) -> None:
        """Ignore the value: py-evm passes the list from message to message, but there is only one."""

    def register_account_for_deletion(self, beneficiary: Address) -> None:
        self.state.schedule_selfdestruct(self.msg.storage_address)


@lru_cache(maxsize=64)  # a simulation may move precompiled contracts, which makes it another fork
def computation_of(base: type[Computation], fork: Fork) -> type[Computation]:
    """Return `base` with the operations and precompiled contracts of a fork. py-evm reads both from the class."""
    tables = {"opcodes": base.operations_of(fork.evm), "_precompiles": precompiles_of(fork)}
    return type(base.__name__, (base,), tables)


class PyEvmExecutor:
    """The executor of bytecode of a machine."""

    computation: type[Computation] = Computation

    def __init__(self) -> None:
        self._fork: Fork | None = None  # that of the last block, and its computations
        self._computation: type[Computation] = self.computation

    def run(self, frame: Frame) -> None:
        """Run the code of a message, and record its outcome, also a failure, in the frame."""
        state = self._state_of(frame.context)
        creates = frame.kind == "create"
        code = frame.data if creates else state.world.code(frame.code_address)
        computation: Any = state.computation_class.apply_computation(
            state, FrameMessage(frame, code), state.transaction_context
        )
        if creates and not computation.is_error:
            _validate_code(computation)
        computation.finish_frame()

    def lend_code(self, context: TransactionContext, added: AddedFields) -> int:
        """Let accounts run the code that they permit (EIP-7702). Return the refund for accounts that exist."""
        body: Any = SimpleNamespace(authorization_list=added.authorizations)
        return self._state_of(context).process_set_code_authorizations(body)

    def added_fields(self, tx: Transaction) -> AddedFields:
        """Return the fields that a transaction of type 3 or 4 has besides those of other types."""
        body: Any = tx.signed or decode_transaction(tx.raw or b"")
        if tx.type == BLOB_TYPE:
            return AddedFields(tuple(body.blob_versioned_hashes), body.max_fee_per_blob_gas)
        try:
            for permission in body.authorization_list:
                permission.validate_for_transaction()
        except ValidationError as error:
            raise InvalidTransaction(str(error)) from None
        return AddedFields(authorizations=body.authorization_list)

    def _state_of(self, context: TransactionContext) -> EvmState:
        """Return py-evm's state of the transaction, made on first use."""
        state: EvmState | None = context.evm
        if state is None:
            fork = context.block.fork
            if fork is not self._fork:
                self._fork, self._computation = fork, computation_of(self.computation, fork)
            context.evm = state = EvmState(context, self._computation)
        return state


def _validate_code(computation: Computation) -> None:
    """Refuse code that no account can have (EIP-170, EIP-3541)."""
    try:
        computation.validate_contract_code(computation.output)
    except VMError as error:
        computation.__exit__(type(error), error, None)  # it notes the failure
