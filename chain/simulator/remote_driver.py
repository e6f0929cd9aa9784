"""The driver of a chain that runs in a node, as used by `Chain.connect`.

Before each read the node is asked what is new; rows, words and the results of queries are read when they are asked for
(`chain.simulator.node_ledger`). Views and traces run here, on the node's state. Changes are requested from the node. The
contract classes are local: a class whose source differs from the deployed one has another digest, so the two cannot be
confused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, NoReturn
from weakref import ref

from chain.crypto.accounts import Account
from chain.errors import InvalidTransaction
from chain.foundation.atomic_steps import Entered
from chain.ledger.blocks import Block, ChainConfig, Head, Mining
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import to_hex
from chain.machine.block_context import BlockContext
from chain.machine.forced_random import LoadedOutcomes
from chain.machine.hardforks import fork_named
from chain.machine.transaction import Transaction
from chain.metering.program import Program
from chain.simulator.driver import BlockOverrides, ChainDriver, genesis
from chain.simulator.node_client import (
    HttpNodeClient,
    InProcessNodeClient,
    LocalNode,
    NodeError,
    explaining,
)
from chain.simulator.node_ledger import LISTS, Node, NodeLedger
from chain.values import inputs, short_repr
from chain.values.inputs import AccountLike


class RemoteDriver(ChainDriver):
    """Asks a node for the operations of its chain."""

    __slots__ = (
        "_automine_before",
        "_client",
        "_is_undone",
        "_known",
        "_snapshots",
        "_url",
    )

    def __init__(self, node: str | LocalNode) -> None:
        self._url = node if isinstance(node, str) else None
        if not isinstance(node, str) and not hasattr(node, "handle"):
            raise TypeError(f"{short_repr(node)} is not a node: pass its URL, or chain.node")
        self._client = client = (
            HttpNodeClient(node) if isinstance(node, str) else InProcessNodeClient(node)
        )
        try:
            head = Node(client).ask("chain_head", "", [0] * LISTS)
        except NodeError as error:
            raise ValueError(f"the node at {self._url} is not a Boardchain node: {error}") from None
        with explaining():
            _, _, (chain_id, seed, gas_limit, elastic, fork, cap), first, *_ = head
            is_elastic, is_capped = bool(elastic), bool(cap)
            rules = ChainConfig(chain_id, seed, gas_limit, is_elastic, fork_named(fork), is_capped)
            _, genesis_time, base_fee, *_ = first
            super().__init__(*genesis(rules, genesis_time, base_fee))
        self.is_copy = True
        self._known = NodeLedger(self.ledger, self.keys, client)
        self._snapshots: list[tuple[Head, str]] = []  # including those of the node itself
        self._automine_before = self._is_undone = False
        self._take(head)

    @property
    def ledger_token(self) -> str:
        return self._known.node.mark.partition(".")[0]

    def close(self) -> None:
        self._client.close()

    # The node's head

    def fetch(self) -> None:
        self._take(self._known.node.ask("chain_head", *self._known.since))

    def _take(self, head: Any) -> None:
        with explaining():
            while self._known.take(head):
                head = self._known.node.ask("chain_head", *self._known.since)
            self.mining = Mining.of(head[7])

    def begin_step(self) -> None:
        self.begun = (0,)

    def roll_back(self, *beginning: Any) -> None:
        """Do nothing: what is here follows from the node."""

    # Transactions

    def send(
        self, to: AccountLike | None, data: bytes, sender: AccountLike | None, value: int, gas: int | None
    ) -> Receipt:  # fmt: skip
        if isinstance(to, str) or isinstance(sender, str):
            self.fetch()  # the name may be new
        fields = {
            "from": to_hex(self.sender(sender)),
            "data": to_hex(inputs.raw_bytes(data, "data")),
            "value": hex(inputs.wei(value, wrong=InvalidTransaction)),
        }
        if to is not None:
            fields["to"] = to_hex(self.ledger.address_of(to, "to"))
        if gas is not None:
            fields["gas"] = hex(inputs.gas_of(gas, wrong=InvalidTransaction))
        try:
            answer = self._known.node.ask("chain_transact", *self._known.since, fields)
        except NodeError as error:
            raise InvalidTransaction(str(error)) from None
        position, row, head = answer
        self._known.put(position, row)
        self._take(head)
        receipt: Receipt = self.ledger.receipts[position]
        return receipt

    def apply(self, tx: Transaction, block: Block) -> Receipt:
        if tx.raw is None:
            self.include(tx, block)
        try:
            answer = self._client("eth_sendRawTransaction", (to_hex(tx.raw or b""),))
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
        return [program for program in programs if to_hex(program.digest) not in known_digests]

    # Blocks

    def mine(self, n: int) -> None:
        self._client("evm_mine", [{"blocks": hex(n)}])
        self.fetch()

    def hold(self, scope: Entered) -> Block:
        self._automine_before = self.mining.automine
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
        self._client("anvil_setBalance", [to_hex(address), hex(amount)])

    def set_nonce(self, address: bytes, nonce: int) -> None:
        self._client("anvil_setNonce", [to_hex(address), hex(nonce)])

    def set_code(self, address: bytes, code: bytes) -> None:
        self._client("anvil_setCode", [to_hex(address), to_hex(code)])

    def set_word(self, address: bytes, slot: int, word: int) -> None:
        self._client("anvil_setStorageAt", [to_hex(address), hex(slot), f"0x{word:064x}"])

    # Random numbers

    def load(self, outcomes: LoadedOutcomes) -> None:
        self._client("chain_load", [outcomes.outcomes])

    def unload(self, outcomes: LoadedOutcomes) -> LoadedOutcomes:
        return LoadedOutcomes(self._client("chain_unload"))

    def prepare(self, block: BlockContext) -> None:
        """Do nothing: the node does it."""

    # Undo

    def snapshot(self) -> Head:
        snapshot = self.head
        self._snapshots.append((snapshot, self._client("evm_snapshot")))
        return snapshot

    def revert(self, snapshot: Head) -> None:
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


_OVERRIDES: Final[Mapping[str, tuple[str, Callable[[Any], str]]]] = {
    "forced_prevrandao": ("anvil_setPrevRandao", lambda number: f"0x{number:064x}"),
    "base_fee": ("anvil_setNextBlockBaseFeePerGas", hex),
    "coinbase": ("anvil_setCoinbase", to_hex),
    "excess_blob_gas": ("chain_setExcessBlobGas", hex),
}
