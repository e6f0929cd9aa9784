"""The chain for scripts and tests: accounts, time, blocks, contracts, and queries on the receipt log."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from copy import copy
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from chain import runtime, simulator
from chain.crypto.accounts import ACCOUNTS, LABELS, Account
from chain.errors import Revert
from chain.foundation import creation_hooks
from chain.foundation.atomic_steps import read_only_step, reading, step, thread_state
from chain.foundation.sealed import put
from chain.foundation.watchdog import Limits
from chain.ledger.blocks import Block, Blocks, ChainConfig, Head
from chain.ledger.receipts import Receipt
from chain.ledger.signing import decode_signed
from chain.machine.hardforks import DEFAULT
from chain.machine.transaction import Transaction, checked
from chain.metering.program import check_classes
from chain.runtime import account_names
from chain.runtime.contract import Contract
from chain.simulator.deploying import DeployMixin
from chain.simulator.driver import ChainDriver, genesis
from chain.simulator.handle import Entry
from chain.simulator.log_queries import LogQueries
from chain.simulator.managed_scope import scope
from chain.simulator.overrides import StateSetters
from chain.simulator.past import ChainAtBlock, block_at, chain_at, check_receipt
from chain.simulator.persistence import FilePersistence
from chain.simulator.upgrade import Upgrading
from chain.values import inputs, short_repr
from chain.values.inputs import AccountLike

if TYPE_CHECKING:
    from chain.simulator.node_client import LocalNode

GENESIS_TIME = 1_704_067_200  # 2024-01-01 00:00:00 UTC
MEMORY = "memory"


class Chain(LogQueries, Upgrading, StateSetters, FilePersistence, DeployMixin):
    """A chain in memory, or in a file (`Chain.open`). The same script gives the same blocks on every machine, every time.

    `seed` determines the random numbers, `elastic_fees` lets the base fee follow demand, `tx_gas_cap` limits a transaction to
    2**24 gas, `guard=False` deploys contracts that the determinism lint refuses, `debug` lets contracts print.

    >>> chain.advance(60)  # time
    >>> chain.set_time(chain.now + 60)
    >>> with chain.block():  # several transactions in one block
    ...     chain.send(bob, value=1, sender=alice)
    <Receipt 0x7099... in block 9: ok>
    >>> chain.mine(2) == chain.head == chain.blocks[-1], len(chain.block_hash()), len(chain.state_root())
    (True, 32, 32)

    >>> chain.balance(chain.account("carol.testnet")), chain.nonce(alice), len(chain.keys) > 10  # accounts
    (10000000000000000000000, 9, True)
    >>> chain.code(alice), chain.storage(race, 0), chain.address_of("alice") == alice
    (b'', 0, True)

    >>> chain.revert(chain.snapshot())  # undoing
    >>> with chain.anchor(), chain.loaded(die=[5]), chain.mock(race.square_of, returns=9):
    ...     race.roll().return_value, race.square_of(bob)
    (6, 9)
    >>> with chain.setting():
    ...     race.fields.squares[bob] = 3

    >>> past = chain.at(block=0), chain.before(receipt), chain.after(receipt)  # the past
    >>> past[2].handle(race).square_of(alice), chain.fork(at=3).handle(race).roll().ok
    (4, True)

    >>> chain.contract("Race").address == race.address, chain.world("league")  # deployed contracts
    (True, <World league at 0xCf7E...>)
    >>> chain.history(race, "squares", alice)[-1].value, chain.trace(race.address, race.square_of.calldata(alice)).result
    (4, 4)
    >>> chain.load(race.address, race.abi, "Bytecode").address == race.address, chain.declare(Race).spec.name
    (True, 'Race')
    >>> Chain.reach("memory"), Chain.connect(chain.fork().node), chain.node.request("eth_blockNumber")  # other chains
    (<Chain at block 0>, <Chain at block 11>, '0xb')
    """

    # Slots refuse a misspelled `chain.autmine = False` without slowing down a call.
    __slots__ = ("__weakref__", "_node", "_web3", "accounts", "chain_id")

    driver: ChainDriver  # runs the operations that depend on where the chain is
    chain_id: int  # the id of the chain, 31337 unless another was given
    # Ten funded accounts, `alice` to `judy`, as in anvil and hardhat.
    accounts: list[Account]

    def __init__(
        self,
        *,
        seed: int = 0,
        chain_id: int = 31337,  # the id of the chain, 31337 unless another was given
        genesis_time: int = GENESIS_TIME,
        base_fee: int = 10**9,
        gas_limit: int | None = None,
        elastic_fees: bool = False,
        fork: str = DEFAULT.name,
        tx_gas_cap: bool = False,
        guard: bool = True,
        debug: bool = False,
        time_limit: float | None = 10,
        memory_limit: int | None = 2**30,
    ) -> None:
        """Create a chain in memory.

        A message that computes for more than `time_limit` seconds, or takes more than `memory_limit` bytes of memory, ends with
        `LimitExceeded`; None is no limit.

        With `debug` the statements `print(…)` and `breakpoint()` of contracts run; gas and hashes are as without them.
        """
        rules = ChainConfig.of(seed, chain_id, gas_limit, elastic_fees, fork, tx_gas_cap)
        inputs.flag(guard, "guard")
        limits = Limits(*inputs.message_limits(time_limit, memory_limit))
        content = genesis(rules, genesis_time, base_fee, limits, guard=guard)
        if inputs.flag(debug, "debug") or not guard:
            content[0].debug()
        self._set_driver(ChainDriver(*content))
        creation_hooks.notify_created(self)

    def _set_driver(self, driver: ChainDriver) -> None:
        """Set all attributes to those of a chain with this driver."""
        super().__init__(driver)
        self._node, self._web3 = None, None
        put(self, "chain_id", driver.ledger.blocks.rules.chain_id)
        put(self, "accounts", list(ACCOUNTS))

    @classmethod
    def _of(cls, driver: ChainDriver) -> Self:
        """Return the chain of a driver."""
        chain = cls.__new__(cls)
        chain._set_driver(driver)
        return chain

    @classmethod
    def with_rules(
        cls, rules: ChainConfig, genesis_time: int, base_fee: int, *, guard: bool = True
    ) -> Self:
        """Return a chain under the rules of another one. The rules hold a hash of the seed, not the seed itself."""
        chain = cls._of(ChainDriver(*genesis(rules, genesis_time, base_fee, guard=guard)))
        creation_hooks.notify_created(chain)
        return chain

    @classmethod
    def connect(cls, node: str | LocalNode, *, contracts: Sequence[type[Contract]] = ()) -> Self:
        """Return the chain of a node, for use like any other: `Chain.connect("http://127.0.0.1:8545")`.

        `contracts` are the classes of the contracts that are already deployed there; those deployed from here are known.
        The node is asked for what is read; `chain.fork()` fetches all of it.
        """
        check_classes(contracts)
        chain = cls._of(import_module("chain.simulator.remote_driver").RemoteDriver(node))
        declared: tuple[type[Contract], ...] = (runtime.World, *contracts)
        for contract in declared:
            chain.declare(contract)
        return chain

    @classmethod
    def reach(cls, where: str, *, contracts: Sequence[type[Contract]] = ()) -> Chain:
        """Return the chain that a text names: a new one for `memory`, that of a node for a URL, otherwise that in a file."""
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
        """The chain's clock, which is the time of the next block: a block interval after the last one, if it was not moved."""
        self.driver.settle()
        return self.driver.now

    @step
    def advance(self, seconds: int) -> None:
        """Move the clock forward by `seconds` for the next block."""
        self.driver.advance(inputs.duration(seconds))

    @step
    def set_time(self, timestamp: int) -> None:
        """Set the clock: the next block has this time. Raise ValueError if that is not after the last block."""
        self.driver.set_time(inputs.new_time(timestamp, self.head.timestamp))

    # Blocks

    @property
    def blocks(self) -> Blocks:
        """All closed blocks: `chain.blocks[3]`, `chain.blocks[-1]`."""
        self.driver.settle()
        return self.ledger.blocks

    @property
    def head(self) -> Block:
        """The last closed block."""
        self.driver.settle()
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
        self.driver.mine(inputs.number_of_blocks(n))
        return self.head

    @scope
    def block(self) -> AbstractContextManager[Block]:
        """Scope for several transactions in one block, with one timestamp."""
        return simulator.Holding(self.driver)

    @property
    def is_held(self) -> bool:
        """True if the open block waits for the end of a `block()` scope."""
        return self.driver.is_held

    # Accounts

    @step
    def account(self, name: str) -> Account:
        """Return the account of that name, the same on every run. On first use it receives 10 000 ether.

        `alice` … `judy` are the ten of `chain.accounts`, so that no two accounts share a name.
        """
        account_names.check(name)
        return ACCOUNTS[LABELS.index(name)] if name in LABELS else self.driver.account(name)

    @property
    def keys(self) -> dict[bytes, Account]:
        """The accounts for which the chain signs, by address."""
        return self.driver.keys

    # Calls

    def send(
        self, to: AccountLike | None, data: bytes = b"", *, sender: AccountLike | None = None, value: int = 0,
        gas: int | None = None,
    ) -> Receipt:  # fmt: skip
        """Send a transaction and, unless a block is held open, mine it."""
        driver = self.driver
        lock = driver.lock
        if driver.begun is not None and (lock._is_owned() or thread_state.goes_on):
            return driver.send(to, data, sender, value, gas)
        # The code of `step` inlined: the decorator would take a twentieth of the time of every call. It fetches nothing from a
        # node before, as a node sends back what is new with the receipt.
        with lock:
            if driver.begun is not None:
                driver.recover()
            if driver.scopes:
                driver.refuse_others()
            try:
                driver.begin_step()
                receipt = driver.send(to, data, sender, value, gas)
                driver.end_step()
            except BaseException:
                driver.recover()
                raise
        return receipt

    @step
    def send_transaction(self, tx: Transaction) -> Receipt:
        """Send a transaction unchanged, or raise `InvalidTransaction` and change nothing."""
        return self.driver.apply(checked(tx), self.driver.next_block())

    @step
    def send_raw(self, raw: bytes) -> Receipt:
        """Send a transaction that is signed already, of type 0, 1 or 2."""
        tx = decode_signed(inputs.raw_bytes(raw, "raw"), self.chain_id)
        return self.driver.apply(tx, self.driver.next_block())

    @step
    def add_to_open_block(self, tx: Transaction) -> Receipt:
        """Add a transaction to the open block, and leave the block open."""
        return self.driver.include(checked(tx), self.driver.next_block())

    # Random numbers

    @scope
    def loaded(self, **outcomes: list[Any]) -> AbstractContextManager[None]:
        """Scope that forces the next outcomes of `self.random`, by tag. One left unused is an AssertionError at the end."""
        return simulator.Loading(self.driver, outcomes)

    # Fields and results that a test sets

    @scope
    def setting(self) -> AbstractContextManager[None]:
        """Scope in which the fields of handles can be set: `with chain.setting(): game.fields.round = 5`.

        A world takes models in it: `world.write(Position(alice, 3))`.

        This is not a transaction: no code runs, nothing is paid, and there is no receipt.
        """
        return simulator.Setting(self.driver)

    @scope
    def mock(
        self, entry: Entry, /, *args: object, returns: object = None, reverts: str | Revert | None = None, **named: Any
    ) -> AbstractContextManager[None]:  # fmt: skip
        """Scope in which all calls to an entry of a contract return `returns`, or revert, without running its code.

        With arguments, only calls with these: `with chain.mock(oracle.price, "gold", returns=7):`. The last match counts.
        """
        mock = simulator.mock_of(self, entry, args, named, returns, reverts)
        return simulator.Mocking(self.driver, mock)

    # Undo

    @reading
    def snapshot(self) -> Head:
        """Return a snapshot of the chain, for `revert`."""
        return self.driver.snapshot()

    def snapshot_at_end_of(self, number: int) -> Head:
        """Return a snapshot of the end of a block. Its automine and interval are the current ones."""
        return self.driver.end_of(block_at(self.blocks, number))

    @step
    def revert(self, snapshot: Head) -> None:
        """Undo everything since `snapshot`, including the clock, mining and the overrides of the next block."""
        if not isinstance(snapshot, Head):
            given = short_repr(snapshot)
            raise TypeError(f"{given} is not a snapshot: pass a result of chain.snapshot()")
        self.driver.revert(snapshot)

    @scope
    def anchor(self) -> AbstractContextManager[None]:
        """Scope that undoes everything at its end."""
        return simulator.Anchor(self.driver)

    @reading
    def at(self, block: int) -> ChainAtBlock:
        """Return the chain as it was at the end of a block, for reading. Raise ValueError if there is no such block."""
        found = block_at(self.blocks, block)
        return chain_at(found, found.end_timeline_index, self.ledger, self.machine)

    @reading
    def before(self, receipt: Receipt) -> ChainAtBlock:
        """Return the chain as it was just before a transaction, for reading."""
        return self._around(receipt, 0)

    @reading
    def after(self, receipt: Receipt) -> ChainAtBlock:
        """Return the chain as it was just after a transaction, for reading."""
        return self._around(receipt, 1)

    def _around(self, receipt: Receipt, changes: int) -> ChainAtBlock:
        check_receipt(receipt, self.ledger)
        block, moment = self.ledger.block(receipt.block_number), self.ledger.timeline_index(receipt)
        return chain_at(copy(block), moment + changes, self.ledger, self.machine)

    @read_only_step
    def fork(self, at: int | None = None) -> Chain:
        """Return an independent chain that continues from the end of block `at`, or from now."""
        start = self.driver.head if at is None else self.snapshot_at_end_of(at)
        state, keys = self.ledger.past.fork(start.moments), dict(self.keys)
        machine = self.machine.with_state(state)
        lengths = start.blocks, start.moments, start.receipts
        ledger = self.ledger.copy(state, machine.programs, keys, *lengths)
        machine.block_hash = ledger.block_hash
        ledger.open = None if start.open is None else Block(ledger.blocks.rules, start.open)
        fork = Chain._of(ChainDriver(machine, ledger, keys, start.mining))
        put(fork, "accounts", list(self.accounts))
        creation_hooks.notify_created(fork)
        return fork

    # Nodes and web3

    @property
    def node(self) -> Any:
        """This chain as a JSON-RPC node: `chain.node.request("eth_blockNumber")`."""
        if self._node is None:
            self._node = self.driver.node(self)
        return self._node

    @property
    def web3(self) -> Any:
        """A web3.py Web3 object that is connected to this chain."""
        if self._web3 is None:
            self._web3 = self.driver.web3(self)
        return self._web3
