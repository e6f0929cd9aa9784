"""The driver of a chain in this process, in memory or in a file: the machine runs transactions, the ledger records them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from importlib import import_module
from typing import Any
from weakref import ref

from chain.crypto.accounts import Account
from chain.crypto.address import ADDRESS_SIZE
from chain.errors import InvalidTransaction, Unfit
from chain.foundation.atomic_steps import Entered
from chain.ledger.block_limits import require_blob_room
from chain.ledger.blocks import Block
from chain.ledger.receipts import Receipt
from chain.machine.block_context import BlockContext
from chain.machine.forced_random import LoadedOutcomes
from chain.machine.transaction import BLOB_TYPE, Transaction
from chain.metering.program import Program
from chain.runtime import account_names
from chain.simulator.driver import DEFAULT_SENDER, FUNDS, BlockOverrides, ChainDriver
from chain.simulator.fast_path import call_and_mine
from chain.simulator.predeployed import has_history, write_parent_hash
from chain.simulator.snapshots import Snapshot
from chain.types import Address
from chain.values import inputs
from chain.values.inputs import AccountLike


class LocalDriver(ChainDriver):
    """Runs a chain in this process."""

    __slots__ = ()

    def close(self) -> None:
        if self.observer is not None:
            self.observer.close()

    # Transactions

    def send(
        self, to: AccountLike | None, data: bytes, sender: AccountLike | None, value: int, gas: int | None
    ) -> Receipt:  # fmt: skip
        sender_address = DEFAULT_SENDER if sender is None else self.sender(sender)
        if gas is None and type(to) is type(data) is bytes and type(value) is int and not value:
            receipt = call_and_mine(self, to, data, sender_address)
            if receipt is not None:
                return receipt
        if to is not None and (type(to) is not bytes or len(to) != ADDRESS_SIZE):
            to = bytes(to if isinstance(to, Address) else self.ledger.address_of(to, "to"))
        if type(data) is not bytes:
            data = inputs.raw_bytes(data, "data")
        if type(value) is not int:
            value = inputs.wei(value)
        if gas is not None:
            gas = inputs.gas_of(gas, wrong=InvalidTransaction)
        block = self.next_block()
        tx = Transaction(
            sender_address, to, data, value, block.gas_left if gas is None else gas,
            self.state.account(sender_address)[0], block.base_fee,
        )  # fmt: skip
        try:
            return self.apply(tx, block)
        except InvalidTransaction as error:
            if error.reason is not Unfit.NO_FUNDS or sender_address in self.keys:
                raise
            # An account without a key, such as a contract: a test sends for it, and pays no fee.
            return self.apply(replace(tx, max_fee=0, is_free=True), block)

    def apply(self, tx: Transaction, block: Block) -> Receipt:
        receipt = self.include(tx, block)
        if self.automine and (self.held is None or not self.is_held):
            self._close_block(block)
        return receipt

    def include(self, tx: Transaction, block: Block) -> Receipt:
        if tx.type == BLOB_TYPE:
            require_blob_room(tx, block)
        self.begin_block(block)
        receipt = self.ledger.append(tx, self.machine.transact(tx, block), block)
        self.ledger.open = block
        return receipt

    def lacking(self, programs: Sequence[Program]) -> Sequence[Program]:
        return ()  # every declared contract can be deployed

    # Blocks

    def prepare(self, block: BlockContext) -> None:
        ledger = self.ledger
        if has_history(self.state) and ledger.open is None and block.number == len(ledger.blocks):
            write_parent_hash(self.state, block.number, ledger.block_hash)

    def _close_block(self, block: Block) -> None:
        """Close `block` and add it to the chain."""
        self.ledger.close(block)
        self.ledger.open = None
        self.clock = block.timestamp
        if self.overrides:
            self.overrides = {}

    def mine(self, n: int) -> None:
        for _ in range(n):
            block = self.next_block()
            self.begin_block(block)
            self._close_block(block)

    def hold(self, scope: Entered) -> Block:
        self.held = ref(scope)
        block = self.next_block()
        self.begin_block(block)
        self.ledger.open = block
        return block

    def let_go(self) -> None:
        self.held = None
        if self.ledger.open is not None:
            self._close_block(self.ledger.open)

    def advance(self, seconds: int) -> None:
        last = self.ledger.blocks.head.timestamp
        time = inputs.new_time(self.now + seconds, last)
        if self.wall is None or self.clock > last:
            self.clock = time
        if self.wall is not None:
            self.wall = self.wall.at(time)

    def set_time(self, timestamp: int) -> None:
        self.clock = timestamp
        if self.wall is not None:
            self.wall = self.wall.at(timestamp)

    def set_automine(self, on: bool) -> None:
        self.automine = on

    def set_block_interval(self, seconds: int) -> None:
        self.block_interval = seconds

    def override(self, overrides: BlockOverrides) -> None:
        if self.ledger.open is not None:
            raise ValueError(
                "the next block is already open: mine it before you override its fields"
            )
        self.overrides = {**self.overrides, **overrides}

    # Accounts

    def account(self, name: str) -> Account:
        account = account_names.account_named(name)
        if account not in self.keys:
            self.keys[account] = account
        if account_names.get_name(self.state, account) is None:
            account_names.set_name(self.state, account, name)
            self.state.add_balance(account, FUNDS)
            self.record_changes()
        return self.keys[account]

    def set_balance(self, address: bytes, amount: int) -> None:
        nonce, _, code_hash = self.state.account(address)
        self.state.set_account(address, (nonce, amount, code_hash))
        self.record_changes()

    def set_nonce(self, address: bytes, nonce: int) -> None:
        self.state.set_account(address, (nonce, *self.state.account(address)[1:]))
        self.record_changes()

    def set_code(self, address: bytes, code: bytes) -> None:
        self.state.set_code(address, code)
        self.record_changes()

    def set_word(self, address: bytes, slot: int, word: int) -> None:
        self.state.set_word(address, slot, word)
        self.record_changes()

    # Random numbers

    def load(self, outcomes: LoadedOutcomes) -> None:
        loaded = self.machine.loaded
        if loaded is not None and loaded.is_wanted:
            raise RuntimeError("outcomes are already loaded: end the other 'with' first")
        self.machine.loaded = outcomes

    def unload(self, outcomes: LoadedOutcomes) -> LoadedOutcomes:
        self.machine.loaded = None
        return outcomes

    # Undo

    def snapshot(self) -> Snapshot:
        return self.position

    def revert(self, snapshot: Snapshot) -> None:
        last, ledger = snapshot.tail_identity, self.ledger
        now = ledger.last(snapshot.blocks, snapshot.moments)
        if len(now) < 2 or now[0] is not last[0] or now[1] is not last[1]:
            raise ValueError("this snapshot belongs to a state that was undone")
        ledger.truncate(snapshot.blocks, snapshot.moments, snapshot.receipts)
        ledger.open = copy(snapshot.open) if snapshot.open is not None else None
        self.mining = snapshot.mining

    # From outside

    def node(self, chain: object) -> Any:
        return import_module("chain.rpc.methods").node_of(chain)

    def web3(self, chain: object) -> Any:
        return import_module("chain.rpc.web3_provider").web3_of(chain)
