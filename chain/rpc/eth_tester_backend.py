"""A backend for eth-tester, so that tests written for it run on this chain: `EthereumTester(ChainBackend())`.

eth-tester itself keeps the transaction queue, the filters and the passwords. It requests plain Python values from its backend
under its own names, which are converted from the JSON that every other client gets. Without a chain, the backend creates one
like eth-tester's own: with its chain id, which web3.py assumes, and a base fee that follows demand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from eth.exceptions import UnrecognizedTransactionType
from eth_tester.backends.base import BaseChainBackend
from eth_tester.exceptions import (
    BlockNotFound,
    TransactionFailed,
    TransactionNotFound,
    ValidationError,
)
from rlp.exceptions import DecodingError

from chain.abi.texts import revert_data, revert_text
from chain.crypto.accounts import account_of_key
from chain.errors import InvalidTransaction
from chain.ledger.blocks import Block, change_block
from chain.ledger.receipts import Receipt
from chain.ledger.signing import TYPES, attach_signature, encode_signed, tx_type
from chain.machine.transaction import Transaction
from chain.rpc import json_format, transaction_fields, typed_transactions
from chain.rpc.block_tags import LATEST, PENDING, find_block, state_at
from chain.rpc.errors import RpcError
from chain.rpc.eth import calls
from chain.rpc.tester_format import Values, block_values, camel, receipt_values, transaction_values
from chain.simulator.chain import Chain
from chain.simulator.reader import ChainReader
from chain.types import Address

T = TypeVar("T")

CHAIN_ID: Final = 131277322940537
_DEFAULT_FEE: Final = 10**9
_LONGEST_HISTORY: Final = 1024


class ChainBackend(BaseChainBackend):  # type: ignore[misc]
    """The eth-tester backend of a chain.

    >>> from eth_tester import EthereumTester
    >>> tester = EthereumTester(ChainBackend(chain))
    >>> tester.get_balance(str(alice)) == chain.balance(alice), tester.backend.chain == chain
    (True, True)
    """

    def __init__(self, chain: Chain | None = None) -> None:
        self.chain = chain or Chain(chain_id=CHAIN_ID, elastic_fees=True)  # the chain
        self._beginning = self.chain.snapshot()

    # Snapshots, time, mining

    def take_snapshot(self) -> object:
        """Return a snapshot."""
        return self.chain.snapshot()

    def revert_to_snapshot(self, snapshot: Any) -> None:
        """Go back to a snapshot."""
        self.chain.revert(snapshot)

    def reset_to_genesis(self) -> None:
        """Go back to the state at the creation of the backend."""
        self.chain.revert(self._beginning)

    def time_travel(self, to_timestamp: int) -> None:
        """Mine a block such that the next one has this timestamp."""
        if self.chain.ledger.open is not None:
            self.chain.mine()
        self.chain.set_time(to_timestamp - 1)
        self.chain.mine()

    def mine_blocks(self, num_blocks: int = 1, coinbase: bytes = bytes(20)) -> tuple[bytes, ...]:
        """Mine blocks, and return their hashes."""
        return tuple(self._mine(coinbase) for _ in range(num_blocks))

    def _mine(self, coinbase: bytes) -> bytes:
        with self.chain.block() as block:
            if not block.gas_used:  # earlier transactions ran with the old coinbase
                change_block(block, coinbase=coinbase)
        return self.chain.block_hash()

    # Accounts

    def get_accounts(self) -> tuple[bytes, ...]:
        """Return the accounts with known keys."""
        return tuple(self.chain.keys)

    def add_account(self, private_key: bytes) -> None:
        """Add a key."""
        account = account_of_key(private_key, "added")
        self.chain.keys[bytes(account)] = account

    def get_nonce(self, account: bytes, block_number: object = LATEST) -> int:
        """Return the nonce of an account."""
        return self._at(block_number).nonce(Address(account))

    def get_balance(self, account: bytes, block_number: object = LATEST) -> int:
        """Return the wei of an account."""
        return self._at(block_number).balance(Address(account))

    def get_code(self, account: bytes, block_number: object = LATEST) -> bytes:
        """Return the code of an account."""
        return self._at(block_number).code(Address(account))

    def get_storage(self, account: bytes, slot: int, block_number: object = LATEST) -> int:
        """Return a word of an account."""
        return self._at(block_number).storage(Address(account), slot)

    def _at(self, block: object) -> ChainReader:
        self._block(block)
        return state_at(self.chain, block)[0]

    # Blocks, transactions, receipts

    def get_block_by_number(self, block_number: object, full_transaction: bool = True) -> Values:
        """Return a block."""
        return block_values(self._json(self._block(block_number), full_transaction))

    def get_block_by_hash(self, block_hash: bytes, full_transaction: bool = True) -> Values:
        """Return a block."""
        return block_values(self._json(self._block(block_hash), full_transaction))

    def _json(self, block: Block, full: bool) -> json_format.Json:
        return json_format.block_json(self.chain.ledger, block, full)

    def _block(self, block: object) -> Block:
        found_block = None if block is None else find_block(self.chain, block)
        if found_block is None:
            raise BlockNotFound(f"No block found for block number: {block}")
        return found_block

    def get_transaction_by_hash(self, transaction_hash: bytes) -> Values:
        """Return a transaction."""
        receipt = self._find(transaction_hash)
        return transaction_values(json_format.transaction_json(self.chain.ledger, receipt))

    def get_transaction_receipt(self, transaction_hash: bytes) -> Values:
        """Return the receipt of a transaction."""
        receipt = self._find(transaction_hash)
        return receipt_values(json_format.receipt_json(self.chain.ledger, receipt))

    def _find(self, transaction_hash: bytes) -> Receipt:
        receipt = self.chain.ledger.find(transaction_hash)
        if receipt is None:
            raise TransactionNotFound(f"No transaction found for hash: 0x{transaction_hash.hex()}")
        return receipt

    def get_fee_history(
        self, block_count: int = 1, newest_block: object = LATEST, reward_percentiles: object = ()
    ) -> Values:
        """Return what eth-tester's suite expects: blocks before the newest, last first, counted from 1, without rewards."""
        if not 1 <= block_count <= _LONGEST_HISTORY:
            raise ValidationError(f"block_count must be between 1 and {_LONGEST_HISTORY}")
        newest = self._block(LATEST if newest_block == PENDING else newest_block).number
        blocks = self.chain.blocks[max(newest - block_count, 0) : newest][::-1]
        return {
            "oldest_block": 1,
            "base_fee_per_gas": [block.base_fee for block in blocks],
            "gas_used_ratio": [block.gas_used / block.gas_limit for block in blocks],
            "reward": [],
        }

    # Transactions

    def send_transaction(self, transaction: Values) -> bytes:
        """Send the transaction of an account with a known key, and return its hash."""
        with _refusals():
            tx = self._transaction(transaction)
            if tx.sender not in self.chain.keys:
                raise ValidationError(
                    f"There is no key for 'from', 0x{tx.sender.hex()}: add the account first"
                )
            if tx.type == 0:
                # eth-tester wants a v of one byte, so nothing about the chain can be in it
                tx = tx._replace(raw=encode_signed(tx, None, self.chain.keys[tx.sender]))
            return self.chain.add_to_open_block(tx).tx_hash

    def send_raw_transaction(self, raw_transaction: bytes) -> bytes:
        """Send signed bytes, and return their hash."""
        try:
            tx = transaction_fields.parse_signed(self.chain, raw_transaction)
        except InvalidTransaction as error:
            type_number = tx_type(raw_transaction)
            if type_number not in (*TYPES, *typed_transactions.TYPES):
                raise UnrecognizedTransactionType(type_number, str(error)) from error
            raise DecodingError(str(error), raw_transaction) from error
        with _refusals():
            return self.chain.add_to_open_block(tx).tx_hash

    def send_signed_transaction(self, transaction: Values) -> bytes:
        """Send a transaction that is signed with `v`, `r` and `s`, and return its hash."""
        v, r, s = (transaction[name] for name in "vrs")
        with _refusals():
            raw = attach_signature(self._transaction(transaction), self.chain.chain_id, v, r, s)
            return self.chain.add_to_open_block(
                transaction_fields.parse_signed(self.chain, raw)
            ).tx_hash

    def estimate_gas(self, transaction: Values, block_number: object = LATEST) -> int:
        """Return the gas that a transaction needs."""
        fields = {**self._fields(transaction), "gas": None}
        return int(self._call(calls.estimate_gas, fields, block_number), 16)

    def call(self, transaction: Values, block_number: object = LATEST) -> bytes:
        """Run a message, undo it, and return its output."""
        answer = self._call(calls.call, self._fields(transaction), block_number)
        return bytes.fromhex(answer[2:])

    def _call(self, method: Callable[..., str], fields: Values, block: object) -> str:
        self._block(block)
        try:
            return method(self.chain.node, fields, block)
        except RpcError as error:
            raise TransactionFailed(_reason(error)) from error

    def _transaction(self, transaction: Values) -> Transaction:
        if transaction.keys() & {"authorization_list", "blob_versioned_hashes"}:
            raise ValidationError(
                "Transactions of types 3 and 4 must be raw and signed by their sender"
            )
        fields = self._fields(transaction)
        if not fields.keys() & set(transaction_fields.FEES):
            fields |= {"maxFeePerGas": _DEFAULT_FEE, "maxPriorityFeePerGas": _DEFAULT_FEE}
        return transaction_fields.parse_fields(self.chain, fields, self.chain.pending)

    def _fields(self, transaction: Values) -> Values:
        """Return a transaction of eth-tester under the names of JSON-RPC, without its signature."""
        fields = {camel(name): value for name, value in transaction.items() if name not in "vrs"}
        if "accessList" in fields:
            fields["accessList"] = [
                {"address": address, "storageKeys": [slot.to_bytes(32) for slot in slots]}
                for address, slots in fields["accessList"]
            ]
        return fields


@contextmanager
def _refusals() -> Iterator[None]:
    """Raise the chain's refusals as eth-tester's `ValidationError`."""
    try:
        yield
    except (InvalidTransaction, RpcError) as error:
        raise ValidationError(str(error)) from error


def _reason(no: RpcError) -> str:
    """Return the text of a failed call, or its revert data as Python writes bytes, which web3.py parses again."""
    if no.data is None:
        return no.message
    raw = bytes.fromhex(no.data[2:])
    return revert_text(raw) if raw.startswith(revert_data("")[:4]) else str(raw)
