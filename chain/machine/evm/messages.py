"""Messages in the py-evm executor, each for one frame: bytecode, precompiles, and Python contracts that bytecode calls.

A computation works for its frame. If the code belongs to a Python contract, it passes the frame to the contract and takes
over its gas, output or failure. If bytecode sends a message, it makes a frame for that message. py-evm collects logs, refunds,
and created and destroyed contracts from its tree of computations; here they go into the journal and the context instead,
because the tree has gaps where Python sends messages.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any, Final, cast

from eth.abc import ComputationAPI, MessageAPI, TransactionContextAPI
from eth.constants import (
    CREATE_CONTRACT_ADDRESS,
    GAS_COPY,
    GAS_MEMORY,
    GAS_SHA3WORD,
)
from eth.constants import GAS_MEMORY_QUADRATIC_DENOMINATOR as _PER_SQUARE
from eth.exceptions import Halt, OutOfGas, Revert, VMError
from eth.vm import opcode_values as ops
from eth.vm.code_stream import CodeStream
from eth.vm.forks.prague.computation import PragueComputation
from eth.vm.gas_meter import GasMeter
from eth.vm.logic.invalid import InvalidOpcode
from eth.vm.message import Message
from eth.vm.opcode import _FastOpcode as FixedPrice
from eth_typing import Address

from chain.abi.texts import revert_text
from chain.crypto.hashing import keccak
from chain.errors import FatalHalt
from chain.errors import OutOfGas as FrameOutOfGas
from chain.machine.deep_calls import THREAD_DEPTHS, run_on_new_thread
from chain.machine.evm.blocks import END, SIMPLE, Blocks, blocks_of
from chain.machine.evm.forks import OPERATIONS, Operations, precompiles_of
from chain.machine.evm.stack_and_memory import FastMemory, FastStack, Meter
from chain.machine.evm.transaction_state import EvmState
from chain.machine.failure import Failure
from chain.machine.failure_from_exception import failure_from_exception
from chain.machine.frame import Frame
from chain.machine.gas import word_count
from chain.machine.hardforks import Fork

_WORD: Final = 32  # bytes


class FrameMessage(Message):
    """A py-evm message that is sent for a frame, whose fields are valid."""

    def __init__(
        self,
        frame: Frame,
        code: bytes,
        *,
        should_transfer_value: bool = False,
        is_delegation: bool = False,
        refund: int = 0,
    ) -> None:
        sent: Any = frame  # its addresses are plain bytes
        creates = frame.kind == "create"
        self.frame, self.code, self.gas, self.value = frame, code, frame.gas, frame.value
        self.sender, self._storage_address, self.depth = sent.caller, sent.address, frame.depth
        self.to = CREATE_CONTRACT_ADDRESS if creates else sent.address
        self._code_address = CREATE_CONTRACT_ADDRESS if creates else sent.code_address
        self.data = b"" if creates else frame.data
        self.is_static, self._is_delegation = frame.static, is_delegation
        self.should_transfer_value, self.refund = should_transfer_value, refund


class Computation(PragueComputation):
    """One message in the py-evm executor, run for its frame: bytecode, a precompile, or a Python contract."""

    state: EvmState
    msg: FrameMessage
    _memory: FastMemory
    _gas_meter: GasMeter
    evm: str  # the name of its set of operations
    opcodes: dict[int, Any]

    def __init__(
        self, state: Any, message: Any, transaction_context: TransactionContextAPI
    ) -> None:
        """Set what py-evm's constructors set, except what is kept elsewhere here."""
        self.state, self.msg, self.transaction_context = state, message, transaction_context
        self.frame = self.msg.frame
        self.words: list[Any] = []  # the stack
        self._memory, self._gas_meter = FastMemory(), Meter(message.gas)
        self.state.world.warm_address(self.state.context.block.coinbase)  # EIP-3651

    # What only operations need that run one by one

    @cached_property
    def code(self) -> CodeStream:  # type: ignore[override]
        return CodeStream(self.msg.code)

    @cached_property
    def _stack(self) -> FastStack:  # type: ignore[override]
        return FastStack(self.words)

    @cached_property
    def children(self) -> list[ComputationAPI]:  # type: ignore[override]
        return []

    @cached_property
    def beneficiaries(self) -> list[Address]:  # type: ignore[override]
        return []

    @staticmethod
    def operations_of(evm: str) -> Operations:
        """Return the operations that a fork introduced, in the form for this class."""
        return OPERATIONS[evm]

    @classmethod
    def apply_computation(
        cls,
        state: Any,
        message: Any,
        transaction_context: TransactionContextAPI,
        parent_computation: ComputationAPI | None = None,
    ) -> ComputationAPI:
        body = state.python_runner(message)
        computation = cls(state, message, transaction_context)
        try:
            computation._run(body)
        except VMError as error:
            computation.__exit__(type(error), error, None)  # it notes the failure
        return computation

    def _run(self, body: Callable[[Frame], None] | None) -> None:
        """Run the message: that of a Python contract if there is a `body`."""
        frame = self.frame
        precompile = self._precompiles.get(frame.code_address)
        if body is not None:
            self.run_python_contract(body)
        elif frame.kind == "create":
            self.contracts_created.append(Address(frame.address))
            frame.storage = self.state.world.storages[frame.address]
            self.run_bytecode()
        elif precompile is None:
            self.run_bytecode()
        elif not self.msg.is_delegation:
            precompile(self)

    def run_bytecode(self) -> None:
        """Run the code block by block until it ends."""
        code, evm = self.msg.code, self.evm
        blocks = Blocks(code, evm) if self.frame.kind == "create" else blocks_of(code, evm)
        words = self.words  # numbers, after each block
        meter, position = self._gas_meter, 0
        try:
            while position != END:
                position = blocks[position](self, words, meter)
        except Halt:
            pass

    def run_plainly(self, position: int) -> int:
        """Run operations one by one until one is not simple, and return the position after it."""
        code, words = self.code, self.words
        raw = code._raw_code_bytes
        code.program_counter, opcode, end = position, ops.JUMPDEST, len(raw)
        while opcode in SIMPLE:
            position = code.program_counter
            opcode = ops.STOP
            if position < end:
                opcode = raw[position]
                code.program_counter = position + 1
            self._run_operation(opcode)
            if words and words[-1].__class__ is bytes:  # blocks expect numbers
                words[-1] = int.from_bytes(words[-1])
        return code.program_counter

    def _run_operation(self, opcode: int) -> None:
        """Run an operation as py-evm does. Fixed prices are charged here."""
        operation, meter = self.opcodes.get(opcode), self._gas_meter
        if type(operation) is FixedPrice:
            price = operation.gas_cost
            if price > meter.gas_remaining:
                meter.consume_gas(price, operation.mnemonic)  # raises, with the reason
            meter.gas_remaining -= price
            operation.logic_fn(self)
        else:
            (operation or InvalidOpcode(opcode))(computation=self)

    # What blocks call

    def jump(self, position: int) -> int:
        """Jump as py-evm does, which may fail. Return the position."""
        self.words.append(position)
        self.opcodes[ops.JUMP].logic_fn(self)
        return position

    def read_storage(self, slot: int) -> int:
        """Read and pay for a word of storage, as the frame does."""
        frame, meter = self.frame, self._gas_meter
        frame.gas = meter.gas_remaining
        try:
            word = frame.sload(slot)
        except FrameOutOfGas:
            raise OutOfGas("SLOAD") from None
        meter.gas_remaining = frame.gas
        return word

    def write_storage(self, slot: int, word: int) -> None:
        """Write and pay for a word of storage, as the frame does."""
        frame, meter = self.frame, self._gas_meter
        frame.gas = meter.gas_remaining
        try:
            frame.sstore(slot, word)
        except FrameOutOfGas:
            raise OutOfGas("SSTORE") from None
        meter.gas_remaining = frame.gas

    def load_word(self, start: int) -> int:
        return int.from_bytes(self.read_memory(start, _WORD))

    def store_word(self, start: int, word: int) -> None:
        memory, end = self._memory, start + _WORD
        if end > len(memory._bytes):
            self.extend_memory(start, _WORD)
        memory._bytes[start:end] = word.to_bytes(_WORD)

    def read_memory(self, start: int, size: int) -> bytes:
        memory, end = self._memory, start + size
        if end > len(memory._bytes):
            self.extend_memory(start, size)
        return bytes(memory._bytes[start:end])

    def hash_memory(self, start: int, size: int) -> int:
        raw = self.read_memory(start, size)
        self.consume_gas(GAS_SHA3WORD * word_count(size), "SHA3")
        return int.from_bytes(keccak(raw))

    def copy_to_memory(self, source: bytes, to: int, start: int, size: int) -> None:
        self.extend_memory(to, size)
        self.consume_gas(GAS_COPY * word_count(size), "copy")
        self._memory._bytes[to : to + size] = source[start : start + size].ljust(size, b"\0")

    def copy_memory(self, to: int, start: int, size: int) -> None:
        self.extend_memory(max(to, start), size)
        self.consume_gas(GAS_COPY * word_count(size), "copy")
        memory = self._memory._bytes
        memory[to : to + size] = memory[start : start + size]

    # A Python contract

    def run_python_contract(self, body: Callable[[Frame], None]) -> None:
        """Run a Python contract in the frame, and take over its gas, output or failure."""
        frame = self.frame
        try:
            body(frame)
        except MemoryError:
            raise
        except (Exception, FatalHalt) as error:
            frame.failure = failure_from_exception(frame, error)
        failure = frame.failure
        if failure is not None and failure.kind == "out of gas":
            raise OutOfGas(failure.text)
        self._gas_meter.gas_remaining = frame.gas
        if failure is not None:
            self.output = failure.data
            raise Revert(failure.data)
        self.output = frame.output

    def finish_frame(self) -> Frame:
        """Record the outcome of the message in its frame, and return the frame."""
        frame = self.frame
        if self._error is None:
            frame.gas, frame.output = self._gas_meter.gas_remaining, self._output
            return frame
        frame.gas = self.get_gas_remaining()
        if frame.failure is None:
            frame.failure = self._failure(self._error)
        frame.output, frame.result = frame.failure.data, None
        return frame

    def _failure(self, error: VMError) -> Failure:
        """Return the failure for an error of py-evm.

        If the revert data is that of a message below, return the failure of that message, which holds more detail.
        """
        frame, data = self.frame, self.output
        if isinstance(error, OutOfGas):
            return Failure("out of gas", f"{frame.name} ran out of gas")
        if not isinstance(error, Revert):
            return Failure("halt", f"{frame.name}: {error}")
        child_failures = (
            child.failure for child in reversed(frame.children) if child.failure is not None
        )
        original = next(
            (failure for failure in child_failures if data and failure.data == data), None
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
            call_type = "delegate" if "sender" in options else "call" if transfers else "static"
        self.state.mark_address_warm(address)  # warm already, except for precompiles
        frame = type(self.frame)(
            self.state.context, call_type, address, options.pop("sender", self.msg.storage_address), value,
            bytes(data), gas, static, self.msg.depth + 1, code_address,
        )  # fmt: skip
        return FrameMessage(frame, code, should_transfer_value=transfers, **options)

    def generate_child_computation(self, child_msg: MessageAPI) -> ComputationAPI:
        run = super().generate_child_computation
        return (
            run_on_new_thread(run, child_msg)
            if child_msg.depth in THREAD_DEPTHS
            else run(child_msg)
        )

    def add_child_computation(self, child_computation: ComputationAPI) -> None:
        self.frame.children.append(cast(Computation, child_computation).finish_frame())
        super().add_child_computation(child_computation)

    # State of the whole transaction

    def add_log_entry(self, account: Address, topics: tuple[int, ...], data: bytes) -> None:
        self.state.world.logs.append((account, topics, data, None, None))

    def extend_memory(self, start_position: int, size: int) -> None:
        before, end = len(self._memory._bytes), start_position + size
        if size and end > before:
            words, had = word_count(end), before // _WORD
            squares = words * words // _PER_SQUARE - had * had // _PER_SQUARE
            self.consume_gas(GAS_MEMORY * (words - had) + squares, "Expanding memory")
            self._memory.grow(words * _WORD - before)

    def consume_gas(self, amount: int, reason: str) -> None:
        meter = self._gas_meter
        if 0 <= amount <= meter.gas_remaining:
            meter.gas_remaining -= amount
        else:
            meter.consume_gas(amount, reason)  # raises, with the reason

    def refund_gas(self, amount: int) -> None:
        self.state.context.refund += amount

    def get_gas_refund(self) -> int:
        return self.msg.refund + self.state.context.refund

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

    def get_accounts_for_deletion(self) -> list[Address]:
        return list(self.state.doomed)


# py-evm looks each of them up again for every message, slowly.
for _name in (
    "pop_any", "pop_bytes", "pop_ints", "pop1_any", "pop1_bytes", "pop1_int", "push_bytes", "push_int",
):  # fmt: skip
    setattr(Computation, f"stack_{_name}", property(attrgetter(f"_stack.{_name}")))


@lru_cache(maxsize=64)  # a simulation may move precompiled contracts, which makes it another fork
def computation_of(base: type[Computation], fork: Fork) -> type[Computation]:
    """Return `base` with the operations and precompiled contracts of a fork. py-evm reads both from the class."""
    operations, precompiles = base.operations_of(fork.evm), precompiles_of(fork)
    tables = {"evm": fork.evm, "opcodes": operations, "_precompiles": precompiles}
    return type(base.__name__, (base,), tables)
