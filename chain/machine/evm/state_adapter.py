"""Adapters that give py-evm access to our state and our block.

py-evm reads accounts through `AccountDatabaseAPI` and the block through `ExecutionContextAPI`; both are official extension
points. `StateAdapter` works on the one `State` that the direct executor uses too: no tries, no copies, and a checkpoint of
py-evm is a mark in our journal. An account exists here only if it is not empty, so empty accounts (EIP-161) need no clearing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from eth.abc import AccountDatabaseAPI, ExecutionContextAPI
from eth.constants import BLANK_ROOT_HASH
from eth_typing import Address, BlockNumber, Hash32
from eth_utils.exceptions import ValidationError

from chain.machine.block_context import BlockContext
from chain.machine.state import NO_ACCOUNT, Account, State

_WORD = 2**256
_NONCES = 2**64


class StateAdapter(AccountDatabaseAPI):
    """Accounts, and warm addresses and slots of the running transaction, read from and written to a `State`."""

    def __init__(self, world: State) -> None:
        self._world = world

    # Words, which bytecode reads and writes through its frame

    def get_storage(self, *_: object) -> NoReturn:
        self._refuse_words()

    def set_storage(self, *_: object) -> NoReturn:
        self._refuse_words()

    def is_storage_warm(self, *_: object) -> NoReturn:
        self._refuse_words()

    def _refuse_words(self) -> NoReturn:
        raise NotImplementedError("bytecode reads and writes words through its frame")

    def delete_storage(self, address: Address) -> None:
        self._world.delete_storage(address)

    def mark_storage_warm(self, address: Address, slot: int) -> None:
        self._world.touch_slot(address, slot)

    # Accounts

    def get_balance(self, address: Address) -> int:
        return self._world.account(address)[1]

    def set_balance(self, address: Address, balance: int) -> None:
        if not 0 <= balance < _WORD:
            raise ValidationError(f"{balance} wei is not a balance")
        nonce, _, code_hash = self._world.account(address)
        self._put(address, (nonce, balance, code_hash))

    def get_nonce(self, address: Address) -> int:
        return self._world.account(address)[0]

    def set_nonce(self, address: Address, nonce: int) -> None:
        if not 0 <= nonce < _NONCES:
            raise ValidationError(f"{nonce} is not a nonce: it has 64 bits")
        _, balance, code_hash = self._world.account(address)
        self._put(address, (nonce, balance, code_hash))

    def increment_nonce(self, address: Address) -> None:
        self.set_nonce(address, self.get_nonce(address) + 1)

    def get_code(self, address: Address) -> bytes:
        return self._world.code(address)

    def get_code_hash(self, address: Address) -> Hash32:
        return Hash32(self._world.account(address)[2])

    def set_code(self, address: Address, code: bytes) -> None:
        if code != self._world.code(address):
            self._world.set_code(address, code)

    def delete_code(self, address: Address) -> None:
        self.set_code(address, b"")

    def _put(self, address: bytes, account: Account) -> None:
        if account != self._world.account(address):
            self._world.set_account(address, account)

    def account_has_code_or_nonce(self, address: Address) -> bool:
        return self._world.is_taken(address)

    def account_exists(self, address: Address) -> bool:
        return self._world.account(address) != NO_ACCOUNT

    def account_is_empty(self, address: Address) -> bool:
        return self._world.account(address) == NO_ACCOUNT

    def touch_account(self, address: Address) -> None:
        """Do nothing: an empty account does not exist, touched or not."""

    def delete_account(self, address: Address) -> None:
        self._world.delete_account(address)

    # Warmth

    def is_address_warm(self, address: Address) -> bool:
        return address in self._world.access

    def mark_address_warm(self, address: Address) -> None:
        if len(address) != 20:
            raise ValidationError(f"an address is 20 bytes, these are {len(address)}")
        self._world.warm_address(address)

    # Checkpoints

    def record(self) -> Any:
        return self._world.mark()

    def discard(self, checkpoint: Any) -> None:
        self._world.undo(checkpoint)

    def commit(self, checkpoint: object) -> None:
        """Do nothing: an unused mark costs nothing."""

    def lock_changes(self) -> None:
        """Do nothing: the machine ends transactions with `State.close`."""

    # Roots: py-evm reads one on every call, but computes none here

    @property
    def state_root(self) -> Hash32:
        return BLANK_ROOT_HASH

    @state_root.setter
    def state_root(self, value: Hash32) -> None:
        if value != BLANK_ROOT_HASH:
            self._refuse()

    def has_root(self, state_root: bytes) -> bool:
        return state_root == BLANK_ROOT_HASH

    def make_state_root(self) -> Hash32:
        self._refuse()

    def persist(self) -> Any:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NotImplementedError("py-evm runs messages here, not blocks: the ledger makes roots")


class BlockAdapter(ExecutionContextAPI):
    """The block of a message."""

    def __init__(self, block: BlockContext, block_hash: Callable[[int], bytes]) -> None:
        self._block = block
        self._block_hash = block_hash

    @property
    def coinbase(self) -> Address:
        return Address(self._block.coinbase)

    @property
    def timestamp(self) -> int:
        return self._block.timestamp

    @property
    def block_number(self) -> BlockNumber:
        return BlockNumber(self._block.number)

    @property
    def difficulty(self) -> int:
        return 0

    @property
    def mix_hash(self) -> Hash32:
        return Hash32(self._block.prevrandao.to_bytes(32))

    @property
    def gas_limit(self) -> int:
        return self._block.gas_limit

    @property
    def prev_hashes(self) -> Iterator[Hash32]:
        """The hashes of the earlier blocks, newest first, each computed on access."""
        return (
            Hash32(self._block_hash(number)) for number in range(self._block.number - 1, -1, -1)
        )

    @property
    def chain_id(self) -> int:
        return self._block.chain_id

    @property
    def base_fee_per_gas(self) -> int:
        return self._block.base_fee

    @property
    def excess_blob_gas(self) -> int:
        return self._block.excess_blob_gas
