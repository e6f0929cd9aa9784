"""py-evm's state of one transaction: the state of the machine, and the data that lasts as long as the transaction."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from eth.abc import (
    MessageAPI,
    TransactionContextAPI,
    TransactionExecutorAPI,
)
from eth.constants import BLANK_ROOT_HASH, MAX_PREV_HEADER_DEPTH
from eth.vm.forks.prague.computation import PragueComputation
from eth.vm.forks.prague.state import PragueState
from eth_typing import Address, Hash32
from eth_utils.logging import get_extended_debug_logger

from chain.machine.dispatch import run_call
from chain.machine.evm.state_adapter import BlockAdapter, StateAdapter
from chain.machine.frame import Frame, TransactionContext
from chain.machine.machine import Machine
from chain.metering.program import parse_code, parse_initcode


class EvmState(PragueState):
    """py-evm's state of one transaction."""

    logger = get_extended_debug_logger("eth.vm.state")

    def __init__(
        self,
        machine: Machine,
        context: TransactionContext,
        computation: type[PragueComputation],
        executor: type[TransactionExecutorAPI],
    ) -> None:
        self.computation_class, self.transaction_executor_class = computation, executor
        self.machine, self.context, self.world = machine, context, machine.state
        # Of that of py-evm, bytecode reads the origin, the gas price and the hashes of blobs. Ours has them, too.
        self.transaction_context: TransactionContextAPI = context  # type: ignore[assignment]
        self.is_free = False  # the transaction pays no fee
        self.gas_used = 0

    # What is rarely needed is made when it is.

    @cached_property
    def created(self) -> list[Address]:
        """The contracts that were created."""
        return []

    @cached_property
    def doomed(self) -> dict[Address, None]:
        """The contracts that destroyed themselves."""
        return {}

    @cached_property
    def _transient(self) -> dict[tuple[bytes, int], list[bytes]]:
        return {}

    @cached_property
    def execution_context(self) -> BlockAdapter:  # type: ignore[override]
        return BlockAdapter(self.context.block, self.machine.block_hash)

    @cached_property
    def _account_db(self) -> StateAdapter:  # type: ignore[override]
        return StateAdapter(self.world)

    @property
    def blob_base_fee(self) -> int:
        return self.context.block.blob_base_fee

    def get_tip(self, transaction: object) -> int:
        return max(0, self.context.gas_price - self.base_fee)

    def get_transaction_context(self, transaction: object) -> TransactionContextAPI:
        return self.transaction_context

    def python_runner(self, message: MessageAPI) -> Callable[[Frame], None] | None:
        """Return the function that runs a message whose code is a Python contract; None for any other code."""
        if message.is_create:
            parsed = parse_initcode(message.code)
            return (
                partial(self.machine.run_init_code, digest=parsed[0], args=parsed[1])
                if parsed
                else None
            )
        digest = parse_code(message.code)
        if digest is None:
            return None
        address, data = message.code_address or message.to, bytes(message.data)
        self.machine.require_declared(address, data)
        program = self.machine.program(digest)
        program = program or self.machine.undeclared_at(address, data)
        return partial(run_call, program=program) if program else None

    def get_ancestor_hash(self, block_number: int) -> Hash32:
        if not 0 < self.block_number - block_number <= MAX_PREV_HEADER_DEPTH:
            return Hash32(b"")
        return Hash32(self.machine.block_hash(block_number))

    # Marks

    def snapshot(self) -> Any:
        return BLANK_ROOT_HASH, (self.world.mark(), self.context.refund)

    def revert(self, snapshot: Any) -> None:
        self.context.undo_message(*snapshot[1])

    def commit(self, snapshot: object) -> None:
        """Do nothing: an unused mark costs nothing."""

    # Data that lives as long as the transaction; in the journal, so that it is undone with its message

    def get_transient_storage(self, address: Address, slot: int) -> bytes:
        values = self._transient.get((address, slot))
        return values[-1] if values else b""

    def set_transient_storage(self, address: Address, slot: int, value: bytes) -> None:
        values = self._transient.setdefault((address, slot), [])
        values.append(value)
        self.world.access_journal.append((values, -1))

    def clear_transient_storage(self) -> None:
        """Do nothing: transient storage ends with this object."""

    def schedule_selfdestruct(self, address: Address) -> None:
        """Schedule an account for deletion at the end of the transaction."""
        if address not in self.doomed:
            self.doomed[address] = None
            self.world.access_journal.append((self.doomed, address))

    def delete_doomed(self) -> None:
        """Delete the accounts that self-destructed."""
        for address in self.doomed:
            self.world.delete_account(address)
