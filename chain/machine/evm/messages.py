"""Messages on py-evm's road, each sent for a frame: bytecode, precompiles, and Python contracts that bytecode calls.

A computation works for its frame. Where the code is a Python contract's, it hands the frame to the contract and takes gas,
output or failure back; where bytecode sends a message, it makes a frame for that. What py-evm gathers from its tree of
computations (logs, refunds, contracts made and destroyed) goes into the journal and the context instead: the tree has gaps
where Python sends messages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

from eth.abc import ComputationAPI, MessageAPI, StateAPI, TransactionContextAPI
from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.exceptions import InsufficientStack, OutOfGas, Revert, VMError
from eth.vm import mnemonics, opcode_values
from eth.vm.forks.byzantium.opcodes import ensure_no_static
from eth.vm.forks.cancun.logic import selfdestruct_eip6780
from eth.vm.forks.prague.computation import PragueComputation
from eth.vm.forks.prague.opcodes import PRAGUE_OPCODES
from eth.vm.forks.tangerine_whistle.constants import GAS_SELFDESTRUCT_EIP150
from eth.vm.message import Message
from eth.vm.opcode import as_opcode
from eth.vm.stack import Stack
from eth_typing import Address

from chain.errors import FatalHalt
from chain.machine.deep_calls import (
    THREAD_DEPTHS,
    run_on_new_thread,
)
from chain.machine.executor import failure_from_exception
from chain.machine.frame import (
    Failure,
    Frame,
    revert_text,
)

if TYPE_CHECKING:
    from chain.machine.evm.py_evm_executor import EvmState

OPCODES: Final = {
    **PRAGUE_OPCODES,
    # py-evm's own warns of its deprecation each time it runs
    opcode_values.SELFDESTRUCT: as_opcode(
        ensure_no_static(selfdestruct_eip6780), mnemonics.SELFDESTRUCT, GAS_SELFDESTRUCT_EIP150
    ),
}
_STACK_METHODS: Final = (
    "pop_any", "pop_bytes", "pop_ints", "pop1_any", "pop1_bytes", "pop1_int", "push_bytes", "push_int",
)  # fmt: skip


class FastStack(Stack):
    """py-evm's stack, from which numbers are taken in one go: that is most of what bytecode does."""

    def pop_ints(self, num_items: int) -> tuple[int, ...]:
        words = self.values
        if num_items > len(words):
            raise InsufficientStack(f"Wanted {num_items} stack items, only had {len(words)}")
        taken = words[: -num_items - 1 : -1]
        del words[-num_items:]
        return tuple([x if isinstance(x, int) else int.from_bytes(x) for x in taken])

    def pop1_int(self) -> int:
        return self.pop_ints(1)[0]


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


class Computation(PragueComputation):
    """One message on py-evm's road, run for its frame: bytecode, a precompile, or a Python contract."""

    opcodes = OPCODES
    state: EvmState
    msg: FrameMessage

    def __init__(
        self, state: StateAPI, message: MessageAPI, transaction_context: TransactionContextAPI
    ) -> None:
        super().__init__(state, message, transaction_context)
        self.frame = self.msg.frame
        self._stack = FastStack()
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
        body = cast("EvmState", state).python_runner(message)
        if body is None:
            return super().apply_computation(
                state, message, transaction_context, parent_computation
            )
        with cls(state, message, transaction_context) as computation:
            cast(Computation, computation).run_python_contract(body)
        return computation

    def run_python_contract(self, body: Callable[[Frame], None]) -> None:
        """Let a Python contract run in the frame, and take over what became of it."""
        frame = self.frame
        try:
            body(frame)
        except MemoryError:
            raise
        except (Exception, FatalHalt) as problem:
            frame.failure = failure_from_exception(frame, problem)
        failure = frame.failure
        if failure is not None and failure.kind == "out of gas":
            raise OutOfGas(failure.text)
        self._gas_meter.gas_remaining = frame.gas
        if failure is not None:
            self.output = failure.data
            raise Revert(failure.data)
        self.output = frame.output

    def finish_frame(self) -> Frame:
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
        frame = type(self.frame)(
            self.state.context, kind, address, options.pop("sender", self.msg.storage_address), value,
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

    # What is kept for the whole transaction

    def add_log_entry(self, account: Address, topics: tuple[int, ...], data: bytes) -> None:
        self.state.world.logs.append((account, topics, data, None, None))

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
        self.state.schedule_selfdestruct(self.msg.storage_address)

    def get_accounts_for_deletion(self) -> list[Address]:
        return list(self.state.doomed)
