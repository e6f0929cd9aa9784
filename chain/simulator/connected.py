"""A chain that runs in a node, with the interface of a local chain: the result of `Chain.connect`.

It is a local copy that never runs transactions. Before each read it fetches the new rows of the node's ledger, so receipts,
events, state, past and SQL are available locally and are identical to the bit; views run locally too. Changes are requested
from the node. The contract classes are local: a class whose source differs from the deployed one has another digest, so the
two cannot be confused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from typing import Any, Concatenate, Final, NoReturn, ParamSpec, TypeVar
from weakref import ref

from chain.accounts import Account
from chain.concurrency.atomic_steps import step
from chain.crypto.cbor import decode
from chain.errors import InvalidTransaction
from chain.ledger.blocks import Block, Blocks, ChainConfig, Mining
from chain.ledger.file.replication import take_page
from chain.ledger.receipt_log import ReceiptLog
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import to_hex
from chain.ledger.sql.result import QueryResult
from chain.machine.forced_random import LoadedOutcomes
from chain.machine.transaction import Transaction
from chain.metering.program import Program, check_classes
from chain.runtime import account_names
from chain.runtime.contract import Contract
from chain.runtime.world import World
from chain.schema import inputs
from chain.schema.inputs import AccountLike
from chain.schema.validation import short_repr
from chain.simulator.chain import Chain, Snapshot, check_snapshot
from chain.simulator.chain_scopes import Holding
from chain.simulator.managed_scope import scope
from chain.simulator.node_client import HttpNodeClient, InProcessNodeClient, NodeError
from chain.simulator.past import ChainAtBlock
from chain.types import Address

P = ParamSpec("P")
R = TypeVar("R")
Ask = Callable[[str, Sequence[Any]], Any]

# The position after the content that every chain begins with: one block, the empty code, ten keys.
_START: Final = (0, 1, 0, 0, 1, 0, 10, 0)


def _synced(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Decorate a method so that it first fetches the new rows of the node's ledger."""

    @wraps(method)
    def wrapper(self: RemoteChain, /, *args: P.args, **named: P.kwargs) -> R:
        self._sync()
        return method(self, *args, **named)

    return wrapper


class RemoteChain(Chain):
    """The chain of a node."""

    __slots__ = (
        "_ask",
        "_followed",
        "_is_undone",
        "_mined_before",
        "_since",
        "_taken",
        "_token",
        "_wire",
        "url",
    )

    _since: Sequence[int]  # the position up to which the node's ledger is copied
    _followed: Sequence[int]  # that position when the running step began

    def __init__(
        self,
        node: Any,
        contracts: Sequence[type[Contract]] = (),
        watch: Callable[[int], object] = int,
    ) -> None:
        if not isinstance(node, str) and not hasattr(node, "handle"):
            raise TypeError(f"{short_repr(node)} is not a node: give its URL, or chain.node")
        check_classes(contracts)
        self.url = node if isinstance(node, str) else None
        self._wire = HttpNodeClient(node) if isinstance(node, str) else None
        self._ask: Ask = self._wire or InProcessNodeClient(node)
        try:
            settings = self._ask("chain_rules", ())
        except NodeError as error:
            raise ValueError(f"the node at {self.url} is not a Boardchain node: {error}") from None
        chain_id, seed, gas_limit, elastic, genesis_time, base_fee, self._token = settings
        rules = ChainConfig(chain_id, bytes.fromhex(seed[2:]), gas_limit, elastic)
        self._initialize(rules, genesis_time, int(base_fee, 16))
        self.ledger.artifacts.is_copy = True
        self._since = self._followed = _START
        self._taken: list[tuple[Snapshot, str]] = []
        declared: tuple[type[Contract], ...] = (World, *contracts)
        for contract in declared:
            self.declare(contract)
        for receipt_count in self._fetch_pages():
            watch(receipt_count)

    def close(self) -> None:
        """Close the connection to the node."""
        if self._wire is not None:
            self._wire.close()

    # Following the node's ledger

    @step
    def _sync(self) -> None:
        """Fetch all new rows of the node's ledger."""
        for _ in self._fetch_pages():
            pass

    def _fetch_pages(self) -> Iterator[int]:
        """Fetch the new rows page by page; yield the number of new receipts in each page but the last."""
        count_before = len(self.ledger.receipts)
        while self._apply_page(self._ask("chain_follow", (self._token, [*self._since]))):
            yield max(0, len(self.ledger.receipts) - count_before)
            count_before = len(self.ledger.receipts)

    @step
    def _apply_page(self, answer: str) -> bool:
        """Add one page of rows to the local ledger; return True if there are more.

        The page holds the number of truncations, the lengths to keep, the new position, and the rows themselves.
        """
        truncations, kept_lengths, position, has_more, block_state, page = decode(
            bytes.fromhex(answer[2:])
        )
        mining, open_block = block_state
        take_page(self.ledger, self.keys, kept_lengths, page, open_block)
        self._since = (truncations, *position)
        self.mining = Mining._make(mining)
        return bool(has_more)

    def _begin_step(self) -> None:
        self._followed = self._since
        super()._begin_step()

    def _roll_back(self, *found: Any) -> None:
        super()._roll_back(*found)
        self._since = self._followed

    # Reading

    def address_of(self, account: AccountLike, name: str = "address") -> Address:
        if isinstance(account, str):
            self._sync()
        return super().address_of(account, name)

    def need_contract(self, address: Address, what: str) -> None:
        if not self.state.has_code(address):
            self._sync()
        super().need_contract(address, what)

    balance = _synced(Chain.balance)
    nonce = _synced(Chain.nonce)
    code = _synced(Chain.code)
    storage = _synced(Chain.storage)
    block_hash = _synced(Chain.block_hash)
    state_root = _synced(Chain.state_root)
    fork = _synced(Chain.fork)
    rehearse = _synced(Chain.rehearse)
    handle = _synced(Chain.handle)
    world = _synced(Chain.world)
    export_jsonl = _synced(Chain.export_jsonl)
    export_csv = _synced(Chain.export_csv)
    activity = _synced(Chain.activity)

    def at(self, block: int) -> ChainAtBlock:
        self._sync()
        return super().at(block)

    def sql(self, question: str, /, *values: Any, **named: Any) -> QueryResult:
        self._sync()
        return super().sql(question, *values, **named)

    def events(self, event: Any, /, **values: Any) -> Any:
        self._sync()
        return super().events(event, **values)

    @property
    def receipts(self) -> ReceiptLog:
        self._sync()
        return super().receipts

    @property
    def now(self) -> int:
        self._sync()
        return super().now

    @property
    def automine(self) -> bool:
        self._sync()
        return super().automine

    @automine.setter
    def automine(self, on: bool) -> None:
        self._rpc("evm_setAutomine", inputs.flag(on, "automine"))

    @property
    def block_interval(self) -> int:
        self._sync()
        return super().block_interval

    @block_interval.setter
    def block_interval(self, seconds: int) -> None:
        self._rpc("anvil_setBlockTimestampInterval", inputs.interval(seconds))

    @property
    def blocks(self) -> Blocks:
        self._sync()
        return super().blocks

    @property
    def head(self) -> Block:
        self._sync()
        return super().head

    @property
    def pending(self) -> Block:
        self._sync()
        return super().pending

    @property
    def timeline_index(self) -> int:
        self._sync()
        return super().timeline_index

    # Changing

    def _lacking(self, programs: Sequence[Program]) -> Sequence[Program]:
        known_digests = {description["digest"] for description in self._rpc("chain_programs")}
        return [program for program in programs if to_hex(program.digest) not in known_digests]

    @step
    def send(
        self, to: AccountLike | None, data: bytes = b"", *, sender: AccountLike | None = None, value: int = 0,
        gas: int | None = None,
    ) -> Receipt:  # fmt: skip
        fields: dict[str, Any] = {
            "from": to_hex(self._sender(sender)),
            "data": to_hex(inputs.raw_bytes(data, "data")),
            "value": hex(inputs.wei(value, wrong=InvalidTransaction)),
        }
        if to is not None:
            fields["to"] = to_hex(self.address_of(to, "to"))
        if gas is not None:
            fields["gas"] = hex(inputs.gas_of(gas, wrong=InvalidTransaction))
        try:
            position, page = self._ask("chain_sendFollowed", (fields, self._token, [*self._since]))
        except NodeError as error:
            raise InvalidTransaction(str(error)) from None
        if self._apply_page(page):
            self._sync()
        receipt: Receipt = self.ledger.receipts[position]
        return receipt

    def _apply(self, tx: Transaction, block: Block) -> NoReturn:
        raise TypeError("send a transaction object to a node with web3, from an account that signs")

    def add_to_open_block(self, tx: Transaction) -> NoReturn:
        self._apply(tx, self.pending)

    def advance(self, seconds: int) -> None:
        self._rpc("evm_increaseTime", hex(inputs.duration(seconds)))

    def set_time(self, timestamp: int) -> None:
        time = inputs.new_time(timestamp, self.head.timestamp)
        self._rpc("evm_setNextBlockTimestamp", hex(time))

    def mine(self, n: int = 1) -> Block:
        self._rpc("evm_mine", {"blocks": hex(inputs.number_of_blocks(n))})
        return self.head

    def _hold(self, scope: Holding) -> Block:
        if self.is_held:
            raise RuntimeError("a block is already open: end its 'with' first")
        self._mined_before, self.automine = self.automine, False
        self._held, self._is_undone = ref(scope), False
        return self.pending

    def _let_go(self) -> None:
        self._held = None
        if not self._is_undone or self.ledger.open is not None:
            self._rpc("evm_mine")
        self.automine = self._mined_before

    def account(self, name: str) -> Account:
        account_names.check(name)
        answer = self._rpc("chain_account", name)
        self._sync()
        return self.keys[bytes.fromhex(answer["address"][2:])]

    def _put_balance(self, address: bytes, amount: int) -> None:
        self._rpc("anvil_setBalance", to_hex(address), hex(amount))

    def _put_nonce(self, address: bytes, nonce: int) -> None:
        self._rpc("anvil_setNonce", to_hex(address), hex(nonce))

    def _put_code(self, address: bytes, code: bytes) -> None:
        self._rpc("anvil_setCode", to_hex(address), to_hex(code))

    def _put_word(self, address: bytes, slot: int, word: int) -> None:
        self._rpc("anvil_setStorageAt", to_hex(address), hex(slot), f"0x{word:064x}")

    def _override(self, overrides: Mapping[str, Any]) -> None:
        for name, value in overrides.items():
            method, encode = _OVERRIDES[name]
            self._rpc(method, encode(value))

    @scope
    @contextmanager
    def loaded(self, **outcomes: list[Any]) -> Iterator[None]:
        LoadedOutcomes(outcomes)  # refuses anything that is not a list
        self._rpc("chain_load", outcomes)
        unused: dict[str, list[Any]] = {}
        try:
            yield
            unused = self._rpc("chain_unload")
        except BaseException:
            self._rpc("chain_unload")
            raise
        LoadedOutcomes(unused).check_empty()

    def snapshot(self) -> Snapshot:
        self._sync()
        snapshot = super().snapshot()
        self._taken.append((snapshot, self._rpc("evm_snapshot")))
        return snapshot

    def revert(self, snapshot: Snapshot) -> None:
        check_snapshot(snapshot)
        index = next((i for i, (taken, _) in enumerate(self._taken) if taken is snapshot), None)
        if index is None or not self._rpc("evm_revert", self._taken[index][1]):
            raise ValueError("this snapshot is of a future that was undone")
        # A node's snapshot can be used only once.
        self._taken[index:] = [(snapshot, self._rpc("evm_snapshot"))]
        if self.is_held:  # the snapshot was taken before the block was opened
            self.automine, self._is_undone = False, True
        self._sync()

    @step
    def _rpc(self, method: str, *params: Any) -> Any:
        """Call a method of the node as one step, and return its result."""
        return self._ask(method, params)

    @property
    def web3(self) -> Any:
        """A web3.py Web3 object that is connected to the node."""
        if self.url is None:
            raise TypeError("web3.py needs the address of a node: connect by its URL")
        return import_module("chain.rpc.web3_provider").web3_at(self.url)

    @property
    def node(self) -> NoReturn:
        raise TypeError("this chain runs in a node already: ask that")


_OVERRIDES: Final[Mapping[str, tuple[str, Callable[[Any], str]]]] = {
    "forced_prevrandao": ("anvil_setPrevRandao", lambda number: f"0x{number:064x}"),
    "base_fee": ("anvil_setNextBlockBaseFeePerGas", hex),
    "coinbase": ("anvil_setCoinbase", to_hex),
}
