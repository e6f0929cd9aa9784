"""Drivers: the operations that depend on where a chain is. `Chain` is the interface over one of them.

A `Driver` gives access to a state: that of a chain, or a past one (`chain.simulator.past`). A `ChainDriver` also changes it,
in this process, in memory or in a file: the machine runs transactions, the ledger records them. One that asks a node is in
`chain.simulator.remote_driver`. It checks only the arguments of transactions; `Chain` checks all others.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final, TypeAlias
from weakref import ref

from chain.crypto.accounts import ACCOUNTS, Account
from chain.crypto.address import ADDRESS_SIZE
from chain.errors import InvalidTransaction, Unfit
from chain.foundation.atomic_steps import Entered, Steps
from chain.foundation.thread_lock import ThreadLock
from chain.foundation.watchdog import DEFAULT_LIMITS, Limits
from chain.ledger.block_limits import require_blob_room
from chain.ledger.blocks import Block, ChainConfig, Head, Mining, block_row, empty_block, set_row
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.machine.block_context import BlockContext
from chain.machine.deep_calls import rest
from chain.machine.forced_random import LoadedOutcomes
from chain.machine.machine import Machine
from chain.machine.state import EMPTY_CODE_HASH, NO_ACCOUNT, State
from chain.machine.transaction import BLOB_TYPE, Transaction
from chain.metering.program import Program
from chain.runtime import account_names
from chain.simulator.block_time import WallClock, time_of_next_block
from chain.simulator.predeployed import HISTORY, has_history, write_parent_hash
from chain.types import Address
from chain.values import inputs
from chain.values.inputs import AccountLike

ETHER: Final = 10**18
FUNDS: Final = 10_000 * ETHER
DEFAULT_SENDER: Final = bytes(ACCOUNTS[0])
BlockOverrides: TypeAlias = Mapping[str, int | bytes]  # fields of the next block
_head_of: Final = partial(tuple.__new__, Head)  # `_make`, without a call of Python


class Driver(Steps):
    """Access to a state, with the ledger and the machine that belong to it."""

    __slots__ = ("ledger", "machine", "state")

    def __init__(self, machine: Machine, ledger: Ledger, lock: ThreadLock) -> None:
        super().__init__(lock)
        self.machine, self.ledger = machine, ledger
        self.state: State = machine.state

    @abstractmethod
    def view_block(self) -> Block:
        """The block that a read-only call sees."""

    @abstractmethod
    def next_block(self) -> Block:
        """The block that a transaction would run in."""

    def prepare(self, block: BlockContext) -> None:
        """Do what a block does before its first transaction. For a chain in a node, the node does it."""

    @property
    def timeline_index(self) -> int:
        """The length of the ledger's timeline at the time of this state."""
        raise NotImplementedError

    def abandon(self) -> None:
        rest()
        self.state.abandon()

    def sender(self, sender: AccountLike | None) -> bytes:
        """Return the address of the sender: that of the first account if none is given."""
        if sender is None:
            return DEFAULT_SENDER
        if type(sender) is Account:
            return sender.raw
        if isinstance(sender, Address):
            return bytes(sender)
        return bytes(self.ledger.address_of(sender, "sender"))


class ChainDriver(Driver):
    """The content of a chain in this process, and the operations on it that depend on where the chain is.

    The record of where a step begins holds the length of everything that grows, and the value of everything else. No data is
    copied when a step begins, because most steps succeed.
    """

    __slots__ = ("_viewed", "held", "keys", "mining", "wall")

    def __init__(
        self, machine: Machine, ledger: Ledger, keys: dict[bytes, Account], mining: Mining
    ) -> None:
        super().__init__(machine, ledger, ledger.lock)
        self.keys = keys
        self.held: ref[Entered] | None = None  # the `block()` scope that mines when it ends
        self.wall: WallClock | None = None  # the chain follows it unless its time is set
        self.mining = mining  # the clock, automine, the block interval, overrides of the next block
        # The last block, and that which calls saw then: most see the same one.
        self._viewed: tuple[Block | None, Block | None] = None, None

    # Content

    @property
    def ledger_token(self) -> str | None:
        """The identity of a node's ledger; None in this process."""
        return None

    @property
    def now(self) -> int:
        """The chain's clock: the time that was set for the next block, otherwise that of the wall clock, if it follows one."""
        wall, clock = self.wall, self.mining.clock
        if wall is None or self.mining.interval != 1 or clock > self.ledger.blocks.head.timestamp:
            return clock
        return max(clock, wall.now)

    def resume(self) -> None:
        """Let the wall clock continue from the last block, after the chain was rolled back."""
        if self.wall is not None:
            self.wall = self.wall.at(self.ledger.blocks.head.timestamp)

    @property
    def is_held(self) -> bool:
        """True if the open block waits for the end of a `block()` scope."""
        scope = None if self.held is None else self.held()
        return scope is not None and not scope.is_over

    def view_block(self) -> Block:
        """The last block, with the chain's current time."""
        head, now = self.ledger.blocks.head, self.now
        last, block = self._viewed
        if last is not head or block is None or block.timestamp != now:
            block = empty_block(
                head.rules, head.number, now, head.base_fee, head.coinbase,
                excess_blob_gas=head.excess_blob_gas,
            )  # fmt: skip
            self._viewed = head, block
        return block

    def next_block(self) -> Block:
        ledger = self.ledger
        if ledger.open is not None:
            return ledger.open
        parent = ledger.blocks.head
        rules = parent.rules
        row, mining, excess = parent.row, self.mining, 0
        fee = parent.next_base_fee if rules.elastic_fees else row.base_fee
        clock = mining.clock if self.wall is None else self.now
        time = time_of_next_block(clock, row.timestamp, mining.interval)
        if row.blob_gas_used or row.excess_blob_gas:
            excess = parent.next_excess_blob_gas
        ends = row.end_timeline_index, row.end_receipt
        first = row.number + 1, time, fee, row.coinbase, *ends, *ends, 0, None, 0, excess
        block = Block(rules, block_row(first))
        return block.with_fields(**dict(mining.overrides)) if mining.overrides else block

    @property
    def timeline_index(self) -> int:
        return len(self.ledger.timeline)

    @property
    def head(self) -> Head:
        """The lengths of the content now."""
        ledger = self.ledger
        blocks, moments, receipts = ledger.blocks._rows, ledger.timeline, ledger.receipts._rows
        return _head_of((  # every step begins here: the lengths are read without three calls of `len`
            blocks.stored + len(blocks.new), moments.stored + len(moments.new), receipts.stored + len(receipts.new),
            None if ledger.open is None else ledger.open.row, self.mining, (),
        ))  # fmt: skip

    def end_of(self, block: Block) -> Head:
        """Return the end of a block. Its automine and interval are the current ones."""
        blocks, moments = block.number + 1, block.end_timeline_index
        mining = self.mining._replace(clock=block.timestamp, overrides=())
        last = self.ledger.last(blocks, moments)
        return Head(blocks, moments, block.end_receipt, None, mining, last)

    def record_changes(self) -> None:
        """Add the changes made outside of any transaction to the timeline."""
        self.ledger.record_changes(self.state.close()[0])

    def begin_block(self, block: Block) -> None:
        if has_history(self.state):  # to change nothing takes some time, too
            self.prepare(block)
            self.record_changes()

    # Steps

    def begin_step(self) -> None:
        ledger, observer, loaded, place = self.ledger, self.observer, self.machine.loaded, None
        if loaded is not None:
            if loaded.is_wanted:
                place = loaded.taken
            else:
                loaded = self.machine.loaded = None
        if ledger.removed:
            ledger.removed = []
        self.begun = (
            0 if observer is None else observer.number,
            self.head, ledger.open, self.held, len(self.keys), loaded, place, self.wall,
        )  # fmt: skip

    def roll_back(
        self, head: Head, block: Block | None, held: ref[Entered] | None, keys: int, loaded: LoadedOutcomes | None,
        place: dict[str, int], wall: WallClock | None,
    ) -> None:  # fmt: skip
        """Restore the content from the beginning of a step.

        `block` is the open one, `keys` a length, `place` the position in the forced random outcomes.
        """
        self.ledger.undo(head[:3])
        if block is not None and head.open is not None:
            set_row(block, head.open)
        self.ledger.open, self.held = block, held
        while len(self.keys) > keys:
            self.keys.popitem()
        self.machine.loaded = loaded
        if loaded is not None:
            loaded.roll_back(place)
        self.mining, self.wall = head.mining, wall

    # Operations. `Chain` calls those that change blocks, accounts or settings within a step.

    def close(self) -> None:
        """Release the file or the connection of the chain."""
        if self.observer is not None:
            self.observer.close()

    # Transactions

    def send(
        self, to: AccountLike | None, data: bytes, sender: AccountLike | None, value: int, gas: int | None
    ) -> Receipt:  # fmt: skip
        """Validate the arguments and send a transaction."""
        sender_address = DEFAULT_SENDER if sender is None else self.sender(sender)
        if to is not None and (type(to) is not bytes or len(to) != ADDRESS_SIZE):
            to = bytes(to if isinstance(to, Address) else self.ledger.address_of(to, "to"))
        if type(data) is not bytes:
            data = inputs.raw_bytes(data, "data")
        if type(value) is not int:
            value = inputs.wei(value)
        if gas is not None:
            gas = inputs.gas_of(gas, wrong=InvalidTransaction)
        block = self.next_block()
        nonce, _, _ = self.state.accounts.get(sender_address, NO_ACCOUNT)
        if gas is None:
            gas = block.gas_left
        tx = Transaction(sender_address, to, data, value, gas, nonce, block.base_fee)
        try:
            return self.apply(tx, block)
        except InvalidTransaction as error:
            if error.reason is not Unfit.NO_FUNDS or sender_address in self.keys:
                raise
            # An account without a key, such as a contract: a test sends for it, and pays no fee.
            return self.apply(tx._replace(max_fee=0, is_free=True), block)

    def apply(self, tx: Transaction, block: Block) -> Receipt:
        """Run a transaction unchanged in `block` and, unless the block stays open, mine it."""
        closes = self.mining.automine and (self.held is None or not self.is_held)
        return self._include(tx, block, closes)

    def include(self, tx: Transaction, block: Block) -> Receipt:
        """Run a transaction unchanged in `block`, and leave the block open."""
        return self._include(tx, block, False)

    def _include(self, tx: Transaction, block: Block, closes: bool) -> Receipt:
        """Run a transaction in a block, which then is closed or stays open."""
        if tx.type == BLOB_TYPE:
            require_blob_room(tx, block)
        if HISTORY in self.state.accounts:  # to change nothing takes some time, too
            self.begin_block(block)
        ledger = self.ledger
        receipt = ledger.append(tx, self.machine.transact(tx, block), block, closes)
        if closes:
            self._begin_next(block)
        else:
            ledger.open = block
        return receipt

    def lacking(self, programs: Sequence[Program]) -> Sequence[Program]:
        """Return the contracts that cannot be deployed there."""
        return ()  # every declared contract can be deployed

    # Blocks

    def prepare(self, block: BlockContext) -> None:
        ledger = self.ledger
        if has_history(self.state) and ledger.open is None and block.number == len(ledger.blocks):
            write_parent_hash(self.state, block.number, ledger.block_hash)

    def _close_block(self, block: Block) -> None:
        """Close `block` and add it to the chain."""
        self.ledger.close(block)
        self._begin_next(block)

    def _begin_next(self, block: Block) -> None:
        """Go on after a block that was closed."""
        self.ledger.open = None
        self.mining = self.mining._replace(clock=block.timestamp, overrides=())

    def mine(self, n: int) -> None:
        """Close the open block, and add empty blocks until `n` are mined."""
        for _ in range(n):
            block = self.next_block()
            self.begin_block(block)
            self._close_block(block)

    def hold(self, scope: Entered) -> Block:
        """Open a block for as long as `scope` lasts."""
        self.held = ref(scope)
        block = self.next_block()
        self.begin_block(block)
        self.ledger.open = block
        return block

    def let_go(self) -> None:
        """Mine the block that was held open."""
        self.held = None
        if self.ledger.open is not None:
            self._close_block(self.ledger.open)

    def advance(self, seconds: int) -> None:
        """Move the clock forward."""
        last = self.ledger.blocks.head.timestamp
        time = inputs.new_time(self.now + seconds, last)
        if self.wall is None or self.mining.clock > last:
            self.mining = self.mining._replace(clock=time)
        if self.wall is not None:
            self.wall = self.wall.at(time)

    def set_time(self, timestamp: int) -> None:
        """Set the clock."""
        self.mining = self.mining._replace(clock=timestamp)
        if self.wall is not None:
            self.wall = self.wall.at(timestamp)

    def set_automine(self, on: bool) -> None:
        """Set whether each transaction is mined immediately."""
        self.mining = self.mining._replace(automine=on)

    def set_block_interval(self, seconds: int) -> None:
        """Set the seconds from one block to the next."""
        self.mining = self.mining._replace(interval=seconds)

    def override(self, overrides: BlockOverrides) -> None:
        """Override fields of the next block."""
        if self.ledger.open is not None:
            raise ValueError(
                "the next block is already open: mine it before you override its fields"
            )
        overrides = {**dict(self.mining.overrides), **overrides}
        self.mining = self.mining._replace(overrides=tuple(overrides.items()))

    # Accounts

    def account(self, name: str) -> Account:
        """Return the account of a name, which is created and funded on first use."""
        account = account_names.account_named(name)
        if account not in self.keys:
            self.keys[account] = account
        if account_names.get_name(self.state, account) is None:
            account_names.set_name(self.state, account, name)
            self.state.add_balance(account, FUNDS)
            self.record_changes()
        return self.keys[account]

    def set_balance(self, address: bytes, amount: int) -> None:
        """Set the balance of an account."""
        nonce, _, code_hash = self.state.account(address)
        self.state.set_account(address, (nonce, amount, code_hash))
        self.record_changes()

    def set_nonce(self, address: bytes, nonce: int) -> None:
        """Set the nonce of an account."""
        self.state.set_account(address, (nonce, *self.state.account(address)[1:]))
        self.record_changes()

    def set_code(self, address: bytes, code: bytes) -> None:
        """Set the code of an account."""
        self.state.set_code(address, code)
        self.record_changes()

    def set_word(self, address: bytes, slot: int, word: int) -> None:
        """Set a word in the storage of an account."""
        self.state.set_word(address, slot, word)
        self.record_changes()

    # Random numbers

    def load(self, outcomes: LoadedOutcomes) -> None:
        """Force the next outcomes of `self.random`."""
        loaded = self.machine.loaded
        if loaded is not None and loaded.is_wanted:
            raise RuntimeError("outcomes are already loaded: end the other 'with' first")
        self.machine.loaded = outcomes

    def unload(self, outcomes: LoadedOutcomes) -> LoadedOutcomes:
        """Force outcomes no more, and return those that were not drawn."""
        self.machine.loaded = None
        return outcomes

    # Undo

    def snapshot(self) -> Head:
        """Return the position of the content, to which `revert` can go back."""
        head = self.head
        return head._replace(last=self.ledger.last(head.blocks, head.moments))

    def revert(self, snapshot: Head) -> None:
        """Undo everything since `snapshot`."""
        last, ledger = snapshot.last, self.ledger
        now = ledger.last(snapshot.blocks, snapshot.moments)
        if len(now) < 2 or now[0] is not last[0] or now[1] is not last[1]:
            raise ValueError("this snapshot belongs to a state that was undone")
        ledger.truncate(snapshot.blocks, snapshot.moments, snapshot.receipts)
        ledger.open = None if snapshot.open is None else Block(ledger.blocks.rules, snapshot.open)
        self.mining = snapshot.mining

    # From outside

    def node(self, chain: object) -> Any:
        """Return the chain as a JSON-RPC node."""
        return import_module("chain.rpc.methods").node_of(chain)

    def web3(self, chain: object) -> Any:
        """Return a web3.py Web3 object that is connected to the chain."""
        return import_module("chain.rpc.web3_provider").web3_of(chain)


def genesis(
    rules: ChainConfig, genesis_time: int, base_fee: int, limits: Limits = DEFAULT_LIMITS, *,
    guard: bool = True,
) -> tuple[Machine, Ledger, dict[bytes, Account], Mining]:  # fmt: skip
    """Return the content of a chain with only its first block."""
    keys: dict[bytes, Account] = {bytes(account): account for account in ACCOUNTS}
    state = State()
    machine = Machine(state, guards=guard)
    machine.limit(limits)
    for account in ACCOUNTS:
        state.accounts[bytes(account)] = (0, FUNDS, EMPTY_CODE_HASH)
    ledger = Ledger(state, machine.programs, keys, rules, genesis_time, base_fee)
    ledger.genesis = dict(state.accounts)
    machine.block_hash = ledger.block_hash
    return machine, ledger, keys, Mining(genesis_time)
