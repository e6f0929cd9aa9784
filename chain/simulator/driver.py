"""Drivers: the operations that depend on where a chain is. `Chain` is the interface over one of them.

A `Driver` gives access to a state: that of a chain, or a past one (`chain.simulator.past`). A `ChainDriver` also changes it,
in this process (`chain.simulator.local_driver`) or by asking a node (`chain.simulator.remote_driver`). It checks only the
arguments of transactions; `Chain` checks all others.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any, Final, TypeAlias
from weakref import ref

from chain.crypto.accounts import ACCOUNTS, Account
from chain.foundation.atomic_steps import Entered, Steps
from chain.foundation.thread_lock import ThreadLock
from chain.foundation.watchdog import DEFAULT_LIMITS, Limits
from chain.ledger.blocks import Block, BlockRow, ChainConfig, Mining, empty_block, set_row
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.machine.block_context import BlockContext
from chain.machine.deep_calls import rest
from chain.machine.forced_random import LoadedOutcomes
from chain.machine.machine import Machine
from chain.machine.state import EMPTY_CODE_HASH, State
from chain.machine.transaction import Transaction
from chain.metering.program import Program
from chain.simulator.block_time import WallClock, time_of_next_block
from chain.simulator.predeployed import has_history
from chain.simulator.snapshots import Snapshot
from chain.types import Address
from chain.values.inputs import AccountLike

ETHER: Final = 10**18
FUNDS: Final = 10_000 * ETHER
DEFAULT_SENDER: Final = bytes(ACCOUNTS[0])
BlockOverrides: TypeAlias = Mapping[str, int | bytes]  # fields of the next block
# `_make`, without a call of Python: a file asks after each step.
_mining_of: Final = partial(tuple.__new__, Mining)


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

    __slots__ = (
        "_viewed", "automine", "block_interval", "clock", "held", "keys", "overrides", "wall",
    )  # fmt: skip

    def __init__(
        self, machine: Machine, ledger: Ledger, keys: dict[bytes, Account], mining: Mining
    ) -> None:
        super().__init__(machine, ledger, ledger.lock)
        self.keys = keys
        self.held: ref[Entered] | None = None  # the `block()` scope that mines when it ends
        self.wall: WallClock | None = None  # the chain follows it unless its time is set
        self.mining = mining
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
        wall, clock = self.wall, self.clock
        if wall is None or self.block_interval != 1 or clock > self.ledger.blocks.head.timestamp:
            return clock
        return max(clock, wall.now)

    def resume(self) -> None:
        """Let the wall clock continue from the last block, after the chain was rolled back."""
        if self.wall is not None:
            self.wall = self.wall.at(self.ledger.blocks.head.timestamp)

    @property
    def mining(self) -> Mining:
        """The mining settings: the clock, automine, the block interval, and the overrides of the next block."""
        overrides = tuple(self.overrides.items()) if self.overrides else ()
        return _mining_of((self.clock, self.automine, self.block_interval, overrides))

    @mining.setter
    def mining(self, mining: Mining) -> None:
        self.clock, automine, self.block_interval, overrides = mining
        self.automine, self.overrides = bool(automine), dict(overrides)

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
        number, time, fee, coinbase, _, _, timeline_index, receipt, _, _, blob_gas, excess = (
            parent.row
        )
        if rules.elastic_fees:
            fee = parent.next_base_fee
        clock = self.clock if self.wall is None else self.now
        time = time_of_next_block(clock, time, self.block_interval)
        if blob_gas or excess:
            excess = parent.next_excess_blob_gas
        block = empty_block(rules, number + 1, time, fee, coinbase, timeline_index, receipt, excess)
        return block.with_fields(**self.overrides) if self.overrides else block

    @property
    def timeline_index(self) -> int:
        return len(self.ledger.timeline)

    @property
    def position(self) -> Snapshot:
        """The position where the content ends now."""
        ledger = self.ledger
        open_block = copy(ledger.open) if ledger.open is not None else None
        blocks, moments = len(ledger.blocks), len(ledger.timeline)
        last = ledger.last(blocks, moments)
        return Snapshot(blocks, moments, len(ledger.receipts), open_block, self.mining, last)

    def end_of(self, block: Block) -> Snapshot:
        """Return the end of a block. Its automine and interval are the current ones."""
        blocks, moments = block.number + 1, block.end_timeline_index
        mining = self.mining._replace(clock=block.timestamp, overrides=())
        last = self.ledger.last(blocks, moments)
        return Snapshot(blocks, moments, block.end_receipt, None, mining, last)

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
        block, timeline = ledger.open, ledger.timeline
        if loaded is not None:
            if loaded.is_wanted:
                place = loaded.taken
            else:
                loaded = self.machine.loaded = None
        ledger.tail = None
        self.begun = (
            0 if observer is None else observer.number,
            ledger.blocks.head.row[0], timeline.stored + len(timeline.new), len(timeline.notes),
            block, block and block.row, self.held, len(self.keys), loaded, place,
            self.clock, self.automine, self.block_interval, self.overrides, self.wall,
        )  # fmt: skip

    def roll_back(
        self, head: int, moments: int, notes: int, block: Block | None, row: BlockRow,
        held: ref[Entered] | None, keys: int, loaded: LoadedOutcomes | None, place: dict[str, int], *mining: Any,
    ) -> None:  # fmt: skip
        """Restore the content from the beginning of a step.

        `head` is the number of the last block; `moments`, `notes` and `keys` are lengths; `row` holds the fields of the open
        block; `place` is the position in the forced random outcomes.
        """
        self.ledger.undo((head + 1, moments, notes, moments - notes))
        if block is not None:
            set_row(block, row)
        self.ledger.open, self.held = block, held
        while len(self.keys) > keys:
            self.keys.popitem()
        self.machine.loaded = loaded
        if loaded is not None:
            loaded.roll_back(place)
        self.clock, self.automine, self.block_interval, self.overrides, self.wall = mining

    # Operations that depend on where the chain is. `Chain` calls those that change blocks, accounts or settings within a step.

    @abstractmethod
    def send(
        self, to: AccountLike | None, data: bytes, sender: AccountLike | None, value: int, gas: int | None
    ) -> Receipt:  # fmt: skip
        """Validate the arguments and send a transaction."""

    @abstractmethod
    def apply(self, tx: Transaction, block: Block) -> Receipt:
        """Run a transaction unchanged in `block` and, unless the block stays open, mine it."""

    @abstractmethod
    def include(self, tx: Transaction, block: Block) -> Receipt:
        """Run a transaction unchanged in `block`, and leave the block open."""

    @abstractmethod
    def lacking(self, programs: Sequence[Program]) -> Sequence[Program]:
        """Return the contracts that cannot be deployed there."""

    @abstractmethod
    def account(self, name: str) -> Account:
        """Return the account of a name, which is created and funded on first use."""

    @abstractmethod
    def mine(self, n: int) -> None:
        """Close the open block, and add empty blocks until `n` are mined."""

    @abstractmethod
    def hold(self, scope: Entered) -> Block:
        """Open a block for as long as `scope` lasts."""

    @abstractmethod
    def let_go(self) -> None:
        """Mine the block that was held open."""

    @abstractmethod
    def advance(self, seconds: int) -> None:
        """Move the clock forward."""

    @abstractmethod
    def set_time(self, timestamp: int) -> None:
        """Set the clock."""

    @abstractmethod
    def set_automine(self, on: bool) -> None:
        """Set whether each transaction is mined immediately."""

    @abstractmethod
    def set_block_interval(self, seconds: int) -> None:
        """Set the seconds from one block to the next."""

    @abstractmethod
    def override(self, overrides: BlockOverrides) -> None:
        """Override fields of the next block."""

    @abstractmethod
    def set_balance(self, address: bytes, amount: int) -> None:
        """Set the balance of an account."""

    @abstractmethod
    def set_nonce(self, address: bytes, nonce: int) -> None:
        """Set the nonce of an account."""

    @abstractmethod
    def set_code(self, address: bytes, code: bytes) -> None:
        """Set the code of an account."""

    @abstractmethod
    def set_word(self, address: bytes, slot: int, word: int) -> None:
        """Set a word in the storage of an account."""

    @abstractmethod
    def load(self, outcomes: LoadedOutcomes) -> None:
        """Force the next outcomes of `self.random`."""

    @abstractmethod
    def unload(self, outcomes: LoadedOutcomes) -> LoadedOutcomes:
        """Force outcomes no more, and return those that were not drawn."""

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """Return the position of the content, to which `revert` can go back."""

    @abstractmethod
    def revert(self, snapshot: Snapshot) -> None:
        """Undo everything since `snapshot`."""

    @abstractmethod
    def node(self, chain: object) -> Any:
        """Return the chain as a JSON-RPC node."""

    @abstractmethod
    def web3(self, chain: object) -> Any:
        """Return a web3.py Web3 object that is connected to the chain."""

    @abstractmethod
    def close(self) -> None:
        """Release the file or the connection of the chain."""


def genesis(
    rules: ChainConfig, genesis_time: int, base_fee: int, limits: Limits = DEFAULT_LIMITS, *, evm_only: bool = False,
    guard: bool = True,
) -> tuple[Machine, Ledger, dict[bytes, Account], Mining]:  # fmt: skip
    """Return the content of a chain with only its first block."""
    keys: dict[bytes, Account] = {bytes(account): account for account in ACCOUNTS}
    state = State()
    machine = Machine(state, evm_only=evm_only, guards=guard)
    machine.limit(limits)
    for account in ACCOUNTS:
        state.accounts[bytes(account)] = (0, FUNDS, EMPTY_CODE_HASH)
    ledger = Ledger(state, machine.programs, keys, rules, genesis_time, base_fee)
    ledger.genesis = dict(state.accounts)
    machine.block_hash = ledger.block_hash
    return machine, ledger, keys, Mining(genesis_time)
