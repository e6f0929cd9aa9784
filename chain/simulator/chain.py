"""The chain for scripts and tests: accounts, time, blocks, contracts, and queries on the receipt log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple, Self
from weakref import ref

from chain import creation_hooks
from chain.accounts import ACCOUNTS, LABELS, Account, account_of_key
from chain.concurrency.atomic_steps import read_only_step, reading, step, thread_state
from chain.errors import InvalidTransaction
from chain.ledger.block_limits import require_room
from chain.ledger.blocks import Block, Blocks, ChainConfig, Mining
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.machine.executor import Machine
from chain.machine.fork import DEFAULT
from chain.machine.state import EMPTY_CODE_HASH, State
from chain.machine.transaction import BLOB_TYPE, Transaction, checked
from chain.metering.program import check_classes
from chain.runtime import account_names
from chain.runtime.contract import Contract
from chain.schema import inputs
from chain.schema.inputs import AccountLike
from chain.schema.validation import short_repr
from chain.simulator.chain_scopes import Anchor, Holding, Loading
from chain.simulator.deploying import DeployMixin
from chain.simulator.log_queries import LogQueries
from chain.simulator.managed_scope import scope
from chain.simulator.overrides import StateOverrides
from chain.simulator.past import ChainAtBlock, block_at, state_at
from chain.simulator.persistence import FilePersistence
from chain.simulator.reader import ChainReader
from chain.simulator.rollback import Recovery
from chain.simulator.upgrade import Upgrading
from chain.types import Address

GENESIS_TIME = 1_704_067_200  # 2024-01-01 00:00:00 UTC
ETHER = 10**18
MEMORY = "memory"
FUNDS = 10_000 * ETHER


class Snapshot(NamedTuple):
    """The lengths of everything that grows. To revert is to truncate to them."""

    blocks: int
    moments: int
    receipts: int
    open: Block | None
    mining: Mining
    # The last objects of the ledger at that time. Once undone, the same objects never come back.
    tail_identity: tuple[Any, ...] = ()


def check_snapshot(thing: object) -> None:
    """Refuse anything that is not a snapshot."""
    if not isinstance(thing, Snapshot):
        raise TypeError(
            f"{short_repr(thing)} is not a snapshot: give back what chain.snapshot() gave"
        )


class Chain(
    Recovery, ChainReader, DeployMixin, Upgrading, LogQueries, FilePersistence, StateOverrides
):
    """A chain in memory, or in a file (`Chain.open`). The same script gives the same blocks on every machine, every time."""

    # Slots refuse a misspelled `chain.autmine = False` without slowing down a call.
    __slots__ = (
        "__weakref__",
        "_automine",
        "_block_interval",
        "_clock",
        "_database",
        "_held",
        "_node",
        "_overrides",
        "_store",
        "_web3",
        "accounts",
        "begun",
        "border",
        "chain_id",
        "keys",
        "ledger",
        "machine",
        "scopes",
        "state",
    )

    def __init__(
        self,
        *,
        seed: int = 0,
        chain_id: int = 31337,
        genesis_time: int = GENESIS_TIME,
        base_fee: int = 10**9,
        gas_limit: int | None = None,
        elastic_fees: bool = False,
        fork: str = DEFAULT.name,
        tx_gas_cap: bool = False,
        evm_only: bool = False,
        guard: bool = True,
    ) -> None:
        rules = ChainConfig.of(seed, chain_id, gas_limit, elastic_fees, fork, tx_gas_cap)
        inputs.flag(evm_only, "evm_only")
        self._initialize(rules, genesis_time, base_fee, evm_only, inputs.flag(guard, "guard"))
        creation_hooks.notify_created(self)

    def _initialize(
        self,
        rules: ChainConfig,
        genesis_time: int,
        base_fee: int,
        evm_only: bool = False,
        guard: bool = True,
    ) -> None:
        """Set all attributes to those of a chain with only its first block."""
        self.begun, self.scopes, self._store = None, (), None  # every call reads these
        self._database, self._node, self._web3 = None, None, None
        self.chain_id = rules.chain_id
        self.accounts: list[Account] = list(ACCOUNTS)
        self.keys: dict[bytes, Account] = {bytes(account): account for account in ACCOUNTS}
        self.state = State()
        self.machine = Machine(self.state, evm_only=evm_only, guards=guard)
        for account in ACCOUNTS:
            self.state.accounts[bytes(account)] = (0, FUNDS, EMPTY_CODE_HASH)
        self.ledger = Ledger(
            self.state, self.machine.programs, self.keys, rules, genesis_time, base_fee
        )
        self.border = self.ledger.border
        self.machine.block_hash = self.ledger.block_hash
        self.mining = Mining(genesis_time)
        self._held: ref[Holding] | None = None  # the `block()` scope that mines when it ends

    @classmethod
    def with_rules(
        cls, rules: ChainConfig, genesis_time: int, base_fee: int, *, guard: bool = True
    ) -> Self:
        """Return a chain under the rules of another one. The rules hold a hash of the seed, not the seed itself."""
        chain = cls.__new__(cls)
        chain._initialize(rules, genesis_time, base_fee, guard=guard)
        creation_hooks.notify_created(chain)
        return chain

    @classmethod
    def connect(
        cls, node: Any, *, contracts: Sequence[type[Contract]] = (), watch: Callable[[int], object] = int,
    ) -> Chain:  # fmt: skip
        """Return the chain of a node, for use like any other: `Chain.connect("http://127.0.0.1:8545")`.

        Name the classes of the contracts that are deployed there already; those deployed from here are known anyway. A long
        chain arrives in pages: `watch` is called with the number of receipts in each page but the last.
        """
        check_classes(contracts)
        inputs.callable_of(watch, "watch")
        chain: Chain = import_module("chain.simulator.connected").RemoteChain(
            node, contracts, watch
        )
        return chain

    @classmethod
    def reach(cls, where: str, *, contracts: Sequence[type[Contract]] = ()) -> Chain:
        """Return the chain that a text names: a new one for `memory`, that of a node for a URL, else that in a file."""
        if "://" in inputs.text(where, "the chain"):
            return cls.connect(where, contracts=contracts)
        if where != MEMORY:
            return cls.open(where, contracts=contracts)
        chain = cls()
        check_classes(contracts)
        for contract in contracts:
            chain.declare(contract)
        return chain

    # Time

    @property
    def now(self) -> int:
        """The chain's clock, which is the time of the next block.

        If it has not moved since the last block, the next block comes one block interval later.
        """
        self.settle()
        return self._clock

    def advance(self, seconds: int) -> None:
        """Move the clock forward by `seconds` for the next block."""
        self.set_time(self.now + inputs.duration(seconds))

    @step
    def set_time(self, timestamp: int) -> None:
        """Set the clock: the next block has this time."""
        self._clock = inputs.new_time(timestamp, self.head.timestamp)

    # Blocks

    @property
    def blocks(self) -> Blocks:
        self.settle()
        return self.ledger.blocks

    @property
    def head(self) -> Block:
        self.settle()
        return self.ledger.blocks.head

    def __repr__(self) -> str:
        return f"<Chain at block {self.ledger.blocks.head.number}>"

    def block_hash(self, number: int = -1) -> bytes:
        """Return the hash of a block, by default of the last one. It is computed on first use, then kept."""
        return self.ledger.block_hash(self.blocks.number(number))

    def state_root(self, number: int = -1) -> bytes:
        """Return the root of all accounts and storage at the end of a block, by default of the last one."""
        return self.ledger.header(self.blocks.number(number)).state_root

    @step
    def mine(self, n: int = 1) -> Block:
        """Close the open block, and add empty blocks until `n` are mined."""
        for _ in range(inputs.number_of_blocks(n)):
            self._close_block(self.pending)
        return self.head

    @scope
    def block(self) -> AbstractContextManager[Block]:
        """Scope for several transactions in one block, with one timestamp."""
        return Holding(self)

    @step
    def _hold(self, scope: Holding) -> Block:
        """Open a block for as long as `scope` lasts."""
        if self.is_held:
            raise RuntimeError("a block is already open: end its 'with' first")
        self._held = ref(scope)
        self.ledger.open = self.pending
        return self.ledger.open

    @step
    def _let_go(self) -> None:
        """Mine the block that was held open."""
        self._held = None
        if self.ledger.open is not None:
            self._close_block(self.ledger.open)

    @property
    def pending(self) -> Block:
        """The open block; if none is open, the next block as it would begin now."""
        self.settle()
        return self._next()

    def _next(self) -> Block:
        """Return the block that the next transaction runs in."""
        if self.ledger.open is not None:
            return self.ledger.open
        parent = self.ledger.blocks.head
        next_time = parent.timestamp + self._block_interval
        time = self._clock if self._clock > parent.timestamp else next_time
        timeline_index, receipt_index = parent.end_timeline_index, parent.end_receipt
        block = Block(
            parent.rules, parent.number + 1, time, parent.next_base_fee, parent.coinbase,
            timeline_index, receipt_index, timeline_index, receipt_index,
        )  # fmt: skip
        if parent.blob_gas_used or parent.excess_blob_gas:
            block.excess_blob_gas = parent.next_excess_blob_gas
        return replace(block, **self._overrides) if self._overrides else block

    def _close_block(self, block: Block) -> None:
        """Close `block` and add it to the chain."""
        self.ledger.close(block)
        self.ledger.open = None
        self._clock = block.timestamp
        if self._overrides:
            self._overrides = {}

    # Accounts

    @step
    def account(self, name: str) -> Account:
        """Return the account of that name, the same on every run. On first use it receives 10 000 ether.

        `alice` … `judy` are the ten of `chain.accounts`, so that no two accounts share a name.
        """
        if name in LABELS:
            return ACCOUNTS[LABELS.index(name)]
        account = account_of_key(account_names.private_key_for(name), name)
        if account not in self.keys:
            self.keys[account] = account
        if account_names.get_name(self.state, account) is None:
            account_names.set_name(self.state, account, name)
            self.state.add_balance(account, FUNDS)
            self.record_changes()
        return self.keys[account]

    # Calls

    def send(
        self, to: AccountLike | None, data: bytes = b"", *, sender: AccountLike | None = None, value: int = 0,
        gas: int | None = None,
    ) -> Receipt:  # fmt: skip
        """Send a transaction and, unless a block is held open, mine it."""
        border = self.border
        if (self.begun is not None and border._is_owned()) or thread_state.goes_on:
            return self._send(to, data, sender, value, gas)
        with border:  # the code of `step` inlined: the decorator would take a twentieth of the time of every call
            if self.begun is not None:
                self._recover()
            if self.scopes:
                self._refuse_others()
            try:
                self._begin_step()
                receipt = self._send(to, data, sender, value, gas)
                self._end_step()
            except BaseException:
                self._recover()
                raise
        return receipt

    def _send(
        self, to: AccountLike | None, data: bytes, sender: AccountLike | None, value: int, gas: int | None
    ) -> Receipt:  # fmt: skip
        """Validate the arguments and send the transaction, inside a step."""
        block = self._next()
        sender_address = self._sender(sender)
        if to is not None:
            to = bytes(to if isinstance(to, Address) else self.address_of(to, "to"))
        if type(data) is not bytes:
            data = inputs.raw_bytes(data, "data")
        if type(value) is not int:
            value = inputs.wei(value)
        if gas is not None:
            gas = inputs.gas_of(gas, wrong=InvalidTransaction)
        tx = Transaction(
            sender_address, to, data, value, block.gas_left if gas is None else gas,
            self.state.account(sender_address)[0], block.base_fee,
        )  # fmt: skip
        return self._apply(tx, block)

    @step
    def send_transaction(self, tx: Transaction) -> Receipt:
        """Send a transaction unchanged, or raise `InvalidTransaction` and change nothing."""
        return self._apply(checked(tx), self.pending)

    def _apply(self, tx: Transaction, block: Block) -> Receipt:
        """Run a transaction in `block` and, unless the block stays open, mine it."""
        receipt = self._include(tx, block)
        if self._automine and (self._held is None or not self.is_held):
            self._close_block(block)
        return receipt

    @step
    def add_to_open_block(self, tx: Transaction) -> Receipt:
        """Add a transaction to the open block, and leave the block open."""
        return self._include(checked(tx), self.pending)

    def _include(self, tx: Transaction, block: Block) -> Receipt:
        """Run a transaction in `block` and record its receipt there."""
        if tx.type == BLOB_TYPE or block.rules.has_large_blocks:
            require_room(self.ledger, tx, block, self.keys.get(tx.sender))
        receipt = self.ledger.append(tx, self.machine.transact(tx, block), block)
        self.ledger.open = block
        return receipt

    # Random numbers

    @scope
    def loaded(self, **outcomes: list[Any]) -> AbstractContextManager[None]:
        """Scope that forces the next outcomes of `self.random`, by tag. An outcome left unused is an error at the end."""
        return Loading(self, outcomes)

    # Undo

    @reading
    def snapshot(self) -> Snapshot:
        """Return a snapshot of the chain, for `revert`."""
        ledger = self.ledger
        open_block = copy(ledger.open) if ledger.open is not None else None
        blocks, timeline_length = len(ledger.blocks), len(ledger.timeline)
        tail_identity = ledger.last(blocks, timeline_length)
        return Snapshot(
            blocks, timeline_length, len(ledger.receipts), open_block, self.mining, tail_identity
        )

    def snapshot_at_end_of(self, number: int) -> Snapshot:
        """Return a snapshot of the end of a block. Its automine and interval are the current ones."""
        block = block_at(self.blocks, number)
        blocks, timeline_length = number + 1, block.end_timeline_index
        mining = self.mining._replace(clock=block.timestamp, overrides=())
        tail_identity = self.ledger.last(blocks, timeline_length)
        return Snapshot(blocks, timeline_length, block.end_receipt, None, mining, tail_identity)

    @step
    def revert(self, snapshot: Snapshot) -> None:
        """Undo everything since `snapshot`, including the clock, mining and the overrides of the next block."""
        check_snapshot(snapshot)
        ledger = self.ledger
        current_tail = ledger.last(snapshot.blocks, snapshot.moments)
        if (
            len(current_tail) < 2
            or current_tail[0] is not snapshot.tail_identity[0]
            or current_tail[1] is not snapshot.tail_identity[1]
        ):
            raise ValueError("this snapshot is of a future that was undone")
        ledger.truncate(snapshot.blocks, snapshot.moments, snapshot.receipts)
        ledger.open = copy(snapshot.open) if snapshot.open is not None else None
        self.mining = snapshot.mining

    @scope
    def anchor(self) -> AbstractContextManager[None]:
        """Scope that undoes everything at its end."""
        return Anchor(self)

    @reading
    def at(self, block: int) -> ChainAtBlock:
        """Return the chain as it was at the end of a block, for reading."""
        return ChainAtBlock(self.ledger, self.machine, block_at(self.blocks, block))

    @read_only_step
    def fork(self, at: int | None = None) -> Chain:
        """Return an independent chain that continues from the end of block `at`, or from now."""
        start = self.snapshot() if at is None else self.snapshot_at_end_of(at)
        fork = Chain(chain_id=self.chain_id)
        fork.accounts = list(self.accounts)
        fork.keys |= self.keys
        fork.state = state_at(self.ledger, start.moments)
        fork.machine = self.machine.with_state(fork.state)
        programs, lengths = fork.machine.programs, (start.blocks, start.moments, start.receipts)
        fork.ledger = self.ledger.copy(fork.state, programs, fork.keys, *lengths)
        fork.border = fork.ledger.border
        fork.machine.block_hash = fork.ledger.block_hash
        fork.ledger.open, fork.mining = start.open, start.mining
        return fork

    # Views, nodes and web3

    @property
    def view_block(self) -> Block:
        """The block that a read-only call sees: the last one, with the chain's current time."""
        head = self.head
        return Block(
            head.rules, head.number, self._clock, head.base_fee, head.coinbase, 0, 0, 0, 0,
            excess_blob_gas=head.excess_blob_gas,
        )  # fmt: skip

    @property
    def timeline_index(self) -> int:
        """The length of the ledger's timeline."""
        return len(self.ledger.timeline)

    @property
    def node(self) -> Any:
        """This chain as a JSON-RPC node: `chain.node.request("eth_blockNumber")`."""
        if self._node is None:
            self._node = import_module("chain.rpc.methods").node_of(self)
        return self._node

    @property
    def web3(self) -> Any:
        """A web3.py Web3 object that is connected to this chain."""
        if self._web3 is None:
            self._web3 = import_module("chain.rpc.web3_provider").web3_of(self)
        return self._web3
