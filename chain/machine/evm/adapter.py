"""py-evm's state of one transaction: our accounts, our block, and the data that lasts as long as the transaction.

py-evm asks this object for accounts and the block. They are those of the one `State` that Python contracts use, too: no tries,
no copies. An account exists here only if it is not empty, so empty accounts (EIP-161) need no clearing.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from eth.constants import BLANK_ROOT_HASH, MAX_PREV_HEADER_DEPTH
from eth.vm.forks.prague.computation import PragueComputation
from eth.vm.forks.prague.state import PragueState
from eth_typing import Address, BlockNumber, Hash32
from eth_utils.logging import get_extended_debug_logger

from chain.machine.block_context import BlockContext
from chain.machine.frame import TransactionContext
from chain.machine.state import NO_ACCOUNT


class EvmState(PragueState):
    """py-evm's state of one transaction."""

    logger = get_extended_debug_logger("eth.vm.state")

    def __init__(self, context: TransactionContext, computation: type[PragueComputation]) -> None:
        self.computation_class = computation
        self.context, self.world = context, context.machine.state
        # Bytecode reads the origin, the gas price and the hashes of blobs of py-evm's. Ours has them, too.
        self.transaction_context: Any = context

    # The block

    @property
    def execution_context(self) -> BlockContext:  # type: ignore[override]
        return self.context.block

    @property
    def block_number(self) -> BlockNumber:
        return BlockNumber(self.context.block.number)

    @property
    def mix_hash(self) -> Hash32:
        return Hash32(self.context.block.prevrandao.to_bytes(32))

    @property
    def base_fee(self) -> int:
        return self.context.block.base_fee

    @property
    def blob_base_fee(self) -> int:
        return self.context.block.blob_base_fee

    def get_ancestor_hash(self, block_number: int) -> Hash32:
        if not 0 < self.block_number - block_number <= MAX_PREV_HEADER_DEPTH:
            return Hash32(b"")
        return Hash32(self.context.machine.block_hash(block_number))

    # Accounts. Words are read and written through the frame.

    def get_balance(self, address: Address) -> int:
        return self.world.account(address)[1]

    def set_balance(self, address: Address, balance: int) -> None:
        self.delta_balance(address, balance - self.get_balance(address))

    def delta_balance(self, address: Address, delta: int) -> None:
        if delta:
            self.world.add_balance(address, delta)

    def get_nonce(self, address: Address) -> int:
        return self.world.account(address)[0]

    def increment_nonce(self, address: Address) -> None:
        nonce, balance, code_hash = self.world.account(address)
        self.world.set_account(address, (nonce + 1, balance, code_hash))

    def get_code(self, address: Address) -> bytes:
        return self.world.code(address)

    def get_code_hash(self, address: Address) -> Hash32:
        return Hash32(self.world.account(address)[2])

    def set_code(self, address: Address, code: bytes) -> None:
        if code != self.world.code(address):
            self.world.set_code(address, code)

    def delete_code(self, address: Address) -> None:
        self.set_code(address, b"")

    def delete_storage(self, address: Address) -> None:
        """Do nothing: where words are left over, nothing is created."""

    def has_code_or_nonce(self, address: Address) -> bool:
        return self.world.is_taken(address)

    def account_exists(self, address: Address) -> bool:
        return self.world.account(address) != NO_ACCOUNT

    def account_is_empty(self, address: Address) -> bool:
        return self.world.account(address) == NO_ACCOUNT

    def is_address_warm(self, address: Address) -> bool:
        return address in self.world.access or address in self.context.block.fork.precompiles

    def mark_address_warm(self, address: Address) -> None:
        self.world.warm_address(address)

    # Marks. The machine undoes a failed message.

    def snapshot(self) -> Any:
        return BLANK_ROOT_HASH, None

    def revert(self, snapshot: Any) -> None:
        """Do nothing: the machine has undone the message."""

    def commit(self, snapshot: object) -> None:
        """Do nothing: there is no mark."""

    # Data that lives as long as the transaction, in the journal, so that it is undone with its message

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

    def get_transient_storage(self, address: Address, slot: int) -> bytes:
        values = self._transient.get((address, slot))
        return values[-1] if values else b""

    def set_transient_storage(self, address: Address, slot: int, value: bytes) -> None:
        values = self._transient.setdefault((address, slot), [])
        values.append(value)
        self.world.access_journal.append((values, -1))

    def schedule_selfdestruct(self, address: Address) -> None:
        """Schedule an account for deletion at the end of the transaction."""
        if address not in self.doomed:
            self.doomed[address] = None
            self.world.access_journal.append((self.doomed, address))

    def delete_doomed(self) -> None:
        """Delete the accounts that self-destructed."""
        for address in self.doomed:
            self.world.delete_account(address)
