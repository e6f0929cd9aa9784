"""Recording of bytecode: the words and accounts that each operation accesses, and on request the operation itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, Final, cast

from eth.abc import ComputationAPI, MessageAPI, OpcodeAPI
from eth.exceptions import Revert, VMError
from eth.vm.logic.invalid import InvalidOpcode
from eth_typing import Address

from chain.foundation.dataclass import dataclass
from chain.machine.evm.executor import Computation, FrameMessage, PyEvmExecutor
from chain.machine.evm.forks import OPERATIONS, Operations
from chain.machine.recording import (
    CallStep,
    Destroyed,
    Logged,
    RecordingMachine,
    Touched,
    steps_of,
)

_SLOAD, _SSTORE, _SELFDESTRUCT = 0x54, 0x55, 0xFF
_LOOKING: Final = {0x31, 0x3B, 0x3C, 0x3F, _SELFDESTRUCT}  # BALANCE, EXTCODE…
_WORD: Final = 32  # bytes
_NAMES: Final = {"SHA3": "KECCAK256"}


@dataclass(slots=True)
class OpcodeStep:
    """One operation of bytecode, with the state of the virtual machine before it."""

    pc: int
    name: str
    gas: int
    depth: int
    stack: list[int]
    memory: bytes
    refund: int
    cost: int = 0
    storage: dict[int, int] = field(default_factory=dict)
    error: str | None = None


class ObservedComputation(Computation):
    """A message in the py-evm executor that records its steps in its frame."""

    now = ""  # the name of the running operation
    running: OpcodeStep | None = None  # the record of the running operation
    known: dict[int, int] | None = None  # the words that the message has read or written, by slot

    @property
    def words(self) -> list[Any]:
        """The stack."""
        return cast("list[Any]", cast(Any, self._stack).values)

    @property
    def machine(self) -> RecordingMachine:
        return cast(RecordingMachine, self.state.context.machine)

    @staticmethod
    def operations_of(evm: str) -> Operations:
        operations = OPERATIONS[evm]
        return {
            code: cast(OpcodeAPI, _recorded(code, operations.get(code) or InvalidOpcode(code)))
            for code in range(256)
        }

    def run_opcode(self, code: int, name: str, run: Callable[..., None]) -> None:
        """Run one operation and record its steps."""
        self.now = name
        steps, address = steps_of(self.frame), self.frame.address
        top = _number(self.words[-1]) if self.words else 0
        if code in _LOOKING:
            steps.append(Touched(top.to_bytes(32)[12:]))
        if code == _SELFDESTRUCT:
            balance = self.state.world.account(address)[1]
            steps.append(Destroyed(address, top.to_bytes(32)[12:], balance))
        machine = self.machine
        if machine.opcodes is None or len(machine.opcodes) >= machine.most_opcodes:
            self.running = None
            run(computation=self)
        else:
            self._note(code, name, run)

    def _note(self, code: int, name: str, run: Callable[..., None]) -> None:
        """Run one operation and record it in the list of operations."""
        machine, meter = self.machine, self._gas_meter
        machine.take_room(self._size(machine.keeps_memory))
        stack = [_number(item) for item in self.words]
        pc = max(0, self.code.program_counter - 1)
        step = OpcodeStep(
            pc, name, meter.gas_remaining, self.frame.depth + 1, stack,
            self._memory.read_bytes(0, len(self._memory)) if machine.keeps_memory else b"", self.state.context.refund,
        )  # fmt: skip
        cast(list[object], machine.opcodes).append(step)
        self.running, step.cost = step, -1
        try:
            run(computation=self)
        except VMError as error:
            step.error = None if isinstance(error, Revert) else str(error)
            raise
        finally:
            if step.cost < 0:  # the operation sent no message
                step.cost = step.gas - meter.gas_remaining
            if code in (_SLOAD, _SSTORE) and step.error is None:
                self._note_word(step, code, stack)

    def _size(self, with_memory: bool) -> int:
        """Return the approximate size in bytes of the next recorded operation."""
        return _WORD * (1 + len(self.words)) + (len(self._memory) if with_memory else 0)

    def _note_word(self, made: OpcodeStep, code: int, stack: list[int]) -> None:
        """Record the word that an SLOAD or SSTORE accessed; `made` is its record, `stack` the stack before it."""
        self.known = self.known or {}
        self.machine.take_room(2 * _WORD * (1 + len(self.known)))
        self.known[stack[-1]] = stack[-2] if code == _SSTORE else _number(self.words[-1])
        made.storage = dict(self.known)

    def generate_child_computation(self, child_msg: MessageAPI) -> ComputationAPI:
        if self.running is not None:
            self.running.cost = self.running.gas - self._gas_meter.gas_remaining
        steps_of(self.frame).append(CallStep(cast(FrameMessage, child_msg).frame, self.now))
        return super().generate_child_computation(child_msg)

    def add_log_entry(self, account: Address, topics: tuple[int, ...], data: bytes) -> None:
        super().add_log_entry(account, topics, data)
        steps_of(self.frame).append(Logged(self.state.world.logs[-1]))


def _number(item: Any) -> int:
    """Return a stack item, a number or bytes, as a number."""
    return item if isinstance(item, int) else int.from_bytes(item)


def _recorded(code: int, opcode: Any) -> Callable[..., None]:
    """Return a function that runs `opcode` and records it."""
    name = opcode.mnemonic
    name = _NAMES.get(name, name)

    def run(computation: ObservedComputation) -> None:
        computation.run_opcode(code, name, opcode)

    return run


class RecordingExecutor(PyEvmExecutor):
    """The py-evm executor that records operations."""

    computation = ObservedComputation
