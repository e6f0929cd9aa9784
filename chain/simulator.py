"""The chain as a person uses it: accounts, time, blocks, contracts, and the questions to the receipt log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

from chain import names
from chain.accounts import ACCOUNTS, Account, account_of_key
from chain.code import Program, program_of
from chain.contract import Contract, no_init_args
from chain.errors import Reverted
from chain.frame import Context, Frame
from chain.handle import Handle, bound
from chain.hashing import keccak
from chain.ledger.blocks import Block, Blocks, Rules
from chain.ledger.ledger import Ledger
from chain.ledger.queries import Query, ReceiptLog
from chain.ledger.receipts import Receipt
from chain.loaded import Loaded
from chain.machine.direct import Machine
from chain.machine.state import EMPTY_CODE_HASH, LogRow, State
from chain.machine.transaction import Transaction
from chain.types import Address

GENESIS_TIME = 1_704_067_200  # 2024-01-01 00:00:00 UTC
ETHER = 10**18
_FUNDS = 10_000 * ETHER
_DEFAULT_SENDER = bytes(ACCOUNTS[0])
_LOOK_GAS = 2**50  # a look pays nobody, so it may look long


class Snapshot(NamedTuple):
    """Lengths of everything that grows; to revert is to cut back to them."""

    blocks: int
    moments: int
    receipts: int
    open: Block | None
    clock: int


class Chain:
    """A chain in memory. The same script gives the same blocks, on every machine, every time."""

    def __init__(
        self,
        *,
        seed: int = 0,
        chain_id: int = 31337,
        genesis_time: int = GENESIS_TIME,
        base_fee: int = 10**9,
        gas_limit: int = 30_000_000,
        evm_only: bool = False,
    ) -> None:
        self.chain_id = chain_id
        self.accounts: list[Account] = list(ACCOUNTS)
        self.keys: dict[bytes, Account] = {bytes(account): account for account in ACCOUNTS}
        self.state = State()
        self.machine = Machine(self.state, evm_only=evm_only)
        for account in ACCOUNTS:
            self.state.accounts[bytes(account)] = (0, _FUNDS, EMPTY_CODE_HASH)
        rules = Rules(chain_id, keccak(seed.to_bytes(32)), gas_limit)
        self.ledger = Ledger(self.state, self.machine.programs, rules, genesis_time, base_fee)
        self._clock = genesis_time
        self._held = False  # a `block()` scope is open: do not mine after each transaction

    # Time

    @property
    def now(self) -> int:
        """The chain's clock. A block is stamped with it, or one second after its parent if it has not moved since."""
        return self._clock

    def advance(self, seconds: int) -> None:
        """Move the clock: the next block comes exactly so long after the last."""
        if seconds < 0:
            raise ValueError(
                f"time does not run backwards: advance by 0 seconds or more, not {seconds}"
            )
        self._clock += seconds

    def set_time(self, timestamp: int) -> None:
        """Set the clock: the next block has this time."""
        if timestamp < self.head.timestamp:
            raise ValueError(
                f"time does not run backwards: the last block is at {self.head.timestamp}, not after {timestamp}"
            )
        self._clock = timestamp

    # Blocks

    @property
    def blocks(self) -> Blocks:
        return self.ledger.blocks

    @property
    def head(self) -> Block:
        return self.ledger.blocks.head

    def mine(self, n: int = 1) -> Block:
        """Close the open block, and add empty ones until `n` are made."""
        for _ in range(n):
            self._seal(self._begin())
        return self.head

    @contextmanager
    def block(self) -> Iterator[Block]:
        """Several transactions in one block, one timestamp."""
        if self._held:
            raise RuntimeError("a block is already open: end its 'with' first")
        self._held = True
        try:
            yield self._begin()
        finally:
            self._held = False
            if self.ledger.open is not None:
                self._seal(self.ledger.open)

    def _begin(self) -> Block:
        ledger = self.ledger
        if ledger.open is None:
            parent = ledger.blocks.head
            time = self._clock if self._clock > parent.timestamp else parent.timestamp + 1
            moment, receipt = parent.end_moment, parent.end_receipt
            ledger.open = Block(
                parent.rules,
                parent.number + 1,
                time,
                parent.base_fee,
                parent.coinbase,
                moment,
                receipt,
                moment,
                receipt,
            )
        return ledger.open

    def _seal(self, block: Block) -> None:
        self.ledger.close(block)
        self.ledger.open = None
        self._clock = block.timestamp

    # Accounts

    def account(self, name: str) -> Account:
        """The account of that name, the same on every run; the first time it is given 10 000 ether."""
        made = account_of_key(names.secret_of(name), name)
        if made not in self.keys:
            self.keys[made] = made
        if names.read(self.state, made) is None:
            names.write(self.state, made, name)
            self.state.add_balance(made, _FUNDS)
            self._note()
        return self.keys[made]

    def balance(self, address: Address) -> int:
        return self.state.account(address)[1]

    def nonce(self, address: Address) -> int:
        return self.state.account(address)[0]

    def code(self, address: Address) -> bytes:
        return self.state.code(address)

    def storage(self, address: Address, slot: int) -> int:
        """A word of storage as it lies there."""
        return self.state.word(address, slot)

    def set_balance(self, address: Address, amount: int) -> None:
        nonce, _, code_hash = self.state.account(address)
        self.state.set_account(address, (nonce, amount, code_hash))
        self._note()

    def _note(self) -> None:
        self.ledger.note(self.state.close()[0])

    # Contracts

    def declare(self, contract: type[Contract]) -> Program:
        """Make a contract class known to the chain, so that anyone can deploy it by its bytecode."""
        program = program_of(contract)
        if program.digest not in self.machine.programs:
            self.machine.declare(program)
        self.ledger.learn(program.spec)
        return program

    def deploy(
        self, contract: type[Contract], *args: Any, sender: Address | None = None, value: int = 0,
        gas: int | None = None, **named: Any,
    ) -> Handle:  # fmt: skip
        """Deploy a contract; what follows the class goes to its `@init`."""
        program, init = self.declare(contract), contract.__spec__.init
        data = init.encode_args(args, named) if init else no_init_args(contract, args, named)
        receipt = self.send(None, program.initcode + data, sender=sender, value=value, gas=gas)
        if receipt.error is not None:
            raise Reverted(receipt) from receipt.error.cause
        return Handle(self, contract, receipt.address)

    def handle(self, contract: type[Contract] | Handle, address: Address | None = None) -> Handle:
        """A handle on this chain for a contract that is there: a class and an address, or a handle from elsewhere."""
        if isinstance(contract, Handle):
            address, contract = contract.address, contract.contract
        if address is None:
            raise TypeError(f"handle({contract.__name__}) needs the address where it was deployed")
        self.declare(contract)
        return Handle(self, contract, address)

    def fields_of(self, handle: Handle) -> Contract:
        return bound(
            handle.contract, self._frame(bytes(handle.address), b"", _DEFAULT_SENDER, 0, None)
        )

    # Calls

    def send(
        self,
        to: Address | None,
        data: bytes = b"",
        *,
        sender: Address | None = None,
        value: int = 0,
        gas: int | None = None,
    ) -> Receipt:
        """Send a transaction and, unless a block is held open, mine it."""
        block = self.ledger.open or self._begin()
        who = _DEFAULT_SENDER if sender is None else bytes(sender)
        tx = Transaction(
            who, None if to is None else bytes(to), data, value, block.gas_limit - block.gas_used if gas is None else gas,
            self.state.account(who)[0], block.base_fee,
        )  # fmt: skip
        return self.apply(tx)

    def apply(self, tx: Transaction) -> Receipt:
        """Put a transaction into the open block as it is, or raise `InvalidTransaction` and change nothing."""
        block = self.ledger.open or self._begin()
        receipt = self.ledger.append(tx, self.machine.transact(tx, block), block)
        if not self._held:
            self._seal(block)
        return receipt

    def look(
        self,
        to: Address,
        data: bytes,
        *,
        sender: Address | None = None,
        value: int = 0,
        gas: int | None = None,
    ) -> tuple[Frame, Sequence[LogRow]]:
        """Run a message on the state as it is and undo it: the finished frame, and the logs it would leave."""
        frame = self._frame(
            bytes(to), data, _DEFAULT_SENDER if sender is None else bytes(sender), value, gas
        )
        mark = self.state.mark()
        self.machine.execute(frame)
        _, logs = self.state.undo(mark)
        self.state.close()
        return frame, logs

    def _frame(self, to: bytes, data: bytes, sender: bytes, value: int, gas: int | None) -> Frame:
        head, state = self.head, self.state
        block = Block(
            head.rules, head.number, self._clock, head.base_fee, head.coinbase, 0, 0, 0, 0
        )
        state.access = {sender: {}, to: {}}
        context = Context(self.machine, block, sender, state.account(sender)[0], 0)
        return Frame(context, "call", to, sender, value, data, gas or _LOOK_GAS)

    # Chance

    @contextmanager
    def loaded(self, **outcomes: list[Any]) -> Iterator[None]:
        """Force the next outcomes of `self.random`, by tag; one that nobody drew is an error at the end."""
        if self.machine.loaded is not None:
            raise RuntimeError("outcomes are already loaded: end the other 'with' first")
        self.machine.loaded = loaded = Loaded(outcomes)
        try:
            yield
            loaded.check_empty()
        finally:
            self.machine.loaded = None

    # Going back

    def snapshot(self) -> Snapshot:
        ledger = self.ledger
        held = copy(ledger.open) if ledger.open is not None else None
        return Snapshot(
            len(ledger.blocks), len(ledger.timeline), len(ledger.receipts), held, self._clock
        )

    def revert(self, snapshot: Snapshot) -> None:
        """Undo everything since `snapshot`, the clock included."""
        ledger = self.ledger
        if snapshot.blocks > len(ledger.blocks) or snapshot.moments > len(ledger.timeline):
            raise ValueError("this snapshot is of a future that was undone")
        ledger.cut(snapshot.blocks, snapshot.moments, snapshot.receipts)
        ledger.open = copy(snapshot.open) if snapshot.open is not None else None
        self._clock = snapshot.clock

    @contextmanager
    def anchor(self) -> Iterator[None]:
        """A scope after which everything is undone."""
        snapshot = self.snapshot()
        try:
            yield
        finally:
            self.revert(snapshot)

    # Questions

    @property
    def receipts(self) -> ReceiptLog:
        return self.ledger.receipts

    def events(self, event: type | str, **values: Any) -> Query[Any]:
        """Events of one kind, by the values of their fields."""
        return self.ledger.events.ask(event, values)

    @cached_property
    def web3(self) -> Any:
        """A web3.py Web3 on this very chain."""
        return import_module("chain.rpc.provider").web3_of(self)
