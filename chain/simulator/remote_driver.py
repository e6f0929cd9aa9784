"""The driver of a chain that runs in a node, as used by `Chain.connect`.

The local chain is a copy that never runs transactions. Before each read it fetches the new rows of the node's ledger, so
receipts, events, state, past and SQL are available locally and are identical to the bit; views run locally too. Changes are
requested from the node. The contract classes are local: a class whose source differs from the deployed one has another
digest, so the two cannot be confused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, NoReturn
from weakref import ref

from chain.crypto.accounts import Account
from chain.crypto.messagepack import decode
from chain.errors import InvalidTransaction
from chain.foundation.atomic_steps import Entered
from chain.ledger.blocks import Block, ChainConfig, Mining
from chain.ledger.file.replication import take_page
from chain.ledger.receipts import Receipt
from chain.machine.forced_random import LoadedOutcomes
from chain.machine.hardforks import fork_named
from chain.machine.transaction import Transaction
from chain.metering.program import Program
from chain.simulator.driver import BlockOverrides, ChainDriver, genesis
from chain.simulator.node_client import (
    HttpNodeClient,
    InProcessNodeClient,
    LocalNode,
    NodeClient,
    NodeError,
)
from chain.simulator.snapshots import Snapshot
from chain.values import inputs, short_repr
from chain.values.inputs import AccountLike

# The position after the content that every chain begins with: one block, the empty code, ten keys.
_START: Final = (0, 1, 0, 0, 1, 0, 10, 0)


class RemoteDriver(ChainDriver):
    """Runs a chain in a node, and keeps a copy of it here."""

    __slots__ = (
        "_automine_before",
        "_client",
        "_followed",
        "_is_undone",
        "_since",
        "_snapshots",
        "_token",
        "_url",
    )

    def __init__(self, node: str | LocalNode) -> None:
        self._url = node if isinstance(node, str) else None
        self._client: NodeClient
        if isinstance(node, str):
            self._client = HttpNodeClient(node)
        elif hasattr(node, "handle"):
            self._client = InProcessNodeClient(node)
        else:
            raise TypeError(f"{short_repr(node)} is not a node: pass its URL, or chain.node")
        try:
            settings = self._client("chain_rules")
        except NodeError as error:
            raise ValueError(f"the node at {self._url} is not a Boardchain node: {error}") from None
        self._token: str
        chain_id, seed, gas_limit, elastic, fork, cap, genesis_time, base_fee, self._token = (
            settings
        )
        rules = ChainConfig(
            chain_id, bytes.fromhex(seed[2:]), gas_limit, elastic, fork_named(fork), cap
        )
        super().__init__(*genesis(rules, genesis_time, int(base_fee, 16)))
        self.is_copy = True
        self.ledger.artifacts.is_copy = True
        # The position up to which the node's ledger is copied, and that position when the running step began.
        self._since: Sequence[int] = _START
        self._followed: Sequence[int] = _START
        self._snapshots: list[tuple[Snapshot, str]] = []  # including those of the node itself
        self._automine_before = self._is_undone = False

    @property
    def ledger_token(self) -> str:
        return self._token

    def close(self) -> None:
        self._client.close()

    # Following the node's ledger

    def follow(self, watch: Callable[[int], object]) -> None:
        """Fetch the whole ledger, page by page; call `watch` with the number of new receipts in each page but the last."""
        had = 0
        while self.run(self._fetch_page):
            watch(max(0, len(self.ledger.receipts) - had))
            had = len(self.ledger.receipts)

    def fetch(self) -> None:
        while self._fetch_page():
            pass

    def _fetch_page(self) -> bool:
        return self._apply_page(self._client("chain_follow", (self._token, [*self._since])))

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

    def begin_step(self) -> None:
        self._followed = self._since
        super().begin_step()

    def roll_back(self, *beginning: Any) -> None:
        super().roll_back(*beginning)
        self._since = self._followed

    # Transactions

    def send(
        self, to: AccountLike | None, data: bytes, sender: AccountLike | None, value: int, gas: int | None
    ) -> Receipt:  # fmt: skip
        if isinstance(to, str) or isinstance(sender, str):
            self.fetch()  # the name may be new
        fields = {
            "from": _hex(self.sender(sender)),
            "data": _hex(inputs.raw_bytes(data, "data")),
            "value": hex(inputs.wei(value, wrong=InvalidTransaction)),
        }
        if to is not None:
            fields["to"] = _hex(self.ledger.address_of(to, "to"))
        if gas is not None:
            fields["gas"] = hex(inputs.gas_of(gas, wrong=InvalidTransaction))
        try:
            request = fields, self._token, [*self._since]
            position, page = self._client("chain_sendFollowed", request)
        except NodeError as error:
            raise InvalidTransaction(str(error)) from None
        if self._apply_page(page):
            self.fetch()
        receipt: Receipt = self.ledger.receipts[position]
        return receipt

    def apply(self, tx: Transaction, block: Block) -> Receipt:
        if tx.raw is None:
            self.include(tx, block)
        try:
            answer = self._client("eth_sendRawTransaction", (_hex(tx.raw or b""),))
        except NodeError as error:
            raise InvalidTransaction(str(error)) from None
        self.fetch()
        receipt = self.ledger.find(bytes.fromhex(answer[2:]))
        if receipt is None:
            raise InvalidTransaction("the node keeps the transaction for a later block")
        return receipt

    def include(self, tx: Transaction, block: Block) -> NoReturn:
        raise TypeError("send a transaction object to a node with web3, from an account that signs")

    def lacking(self, programs: Sequence[Program]) -> Sequence[Program]:
        known_digests = {description["digest"] for description in self._client("chain_programs")}
        return [program for program in programs if _hex(program.digest) not in known_digests]

    # Blocks

    def mine(self, n: int) -> None:
        self._client("evm_mine", [{"blocks": hex(n)}])
        self.fetch()

    def hold(self, scope: Entered) -> Block:
        self._automine_before = self.automine
        self.set_automine(False)
        self.held, self._is_undone = ref(scope), False
        self.fetch()
        return self.next_block()

    def let_go(self) -> None:
        self.held = None
        if not self._is_undone or self.ledger.open is not None:
            self._client("evm_mine")
        self.set_automine(self._automine_before)

    def advance(self, seconds: int) -> None:
        self._client("evm_increaseTime", [hex(seconds)])

    def set_time(self, timestamp: int) -> None:
        self._client("evm_setNextBlockTimestamp", [hex(timestamp)])

    def set_automine(self, on: bool) -> None:
        self._client("evm_setAutomine", [on])

    def set_block_interval(self, seconds: int) -> None:
        self._client("anvil_setBlockTimestampInterval", [seconds])

    def override(self, overrides: BlockOverrides) -> None:
        for name, value in overrides.items():
            method, encode = _OVERRIDES[name]
            self._client(method, [encode(value)])

    # Accounts

    def account(self, name: str) -> Account:
        answer = self._client("chain_account", [name])
        self.fetch()
        return self.keys[bytes.fromhex(answer["address"][2:])]

    def set_balance(self, address: bytes, amount: int) -> None:
        self._client("anvil_setBalance", [_hex(address), hex(amount)])

    def set_nonce(self, address: bytes, nonce: int) -> None:
        self._client("anvil_setNonce", [_hex(address), hex(nonce)])

    def set_code(self, address: bytes, code: bytes) -> None:
        self._client("anvil_setCode", [_hex(address), _hex(code)])

    def set_word(self, address: bytes, slot: int, word: int) -> None:
        self._client("anvil_setStorageAt", [_hex(address), hex(slot), f"0x{word:064x}"])

    # Random numbers

    def load(self, outcomes: LoadedOutcomes) -> None:
        self._client("chain_load", [outcomes.outcomes])

    def unload(self, outcomes: LoadedOutcomes) -> LoadedOutcomes:
        return LoadedOutcomes(self._client("chain_unload"))

    # Undo

    def snapshot(self) -> Snapshot:
        snapshot = self.position
        self._snapshots.append((snapshot, self._client("evm_snapshot")))
        return snapshot

    def revert(self, snapshot: Snapshot) -> None:
        taken = (i for i, (known, _) in enumerate(self._snapshots) if known is snapshot)
        index = next(taken, None)
        if index is None or not self._client("evm_revert", [self._snapshots[index][1]]):
            raise ValueError("this snapshot belongs to a state that was undone")
        # A node's snapshot can be used only once.
        self._snapshots[index:] = [(snapshot, self._client("evm_snapshot"))]
        if self.is_held:  # the snapshot was taken before the block was opened
            self.set_automine(False)
            self._is_undone = True
        self.fetch()

    # From outside

    def node(self, chain: object) -> NoReturn:
        raise TypeError("this chain already runs in a node: send requests to that node")

    def web3(self, chain: object) -> Any:
        if self._url is None:
            raise TypeError("web3.py needs the address of a node: connect by its URL")
        return import_module("chain.rpc.web3_provider").web3_at(self._url)


def _hex(raw: bytes) -> str:
    return f"0x{bytes(raw).hex()}"


_OVERRIDES: Final[Mapping[str, tuple[str, Callable[[Any], str]]]] = {
    "forced_prevrandao": ("anvil_setPrevRandao", lambda number: f"0x{number:064x}"),
    "base_fee": ("anvil_setNextBlockBaseFeePerGas", hex),
    "coinbase": ("anvil_setCoinbase", _hex),
    "excess_blob_gas": ("chain_setExcessBlobGas", hex),
}
