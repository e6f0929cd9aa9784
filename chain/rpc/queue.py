"""Transactions that are ahead of their account's nonce: they wait until those before them have come.

A queue is a value: adding a transaction creates another queue. So a failed request leaves the node's queue unchanged. It
belongs to the node, not to the chain: it is not in the chain's file, and is lost when the node ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final

from chain.crypto.hashing import keccak
from chain.errors import Unfit
from chain.foundation.dataclass import dataclass
from chain.ledger.receipts import Receipt
from chain.ledger.signing import encode_signed
from chain.machine.state import State
from chain.machine.transaction import Transaction
from chain.machine.validation import validate
from chain.rpc.errors import refused
from chain.rpc.hex_values import data
from chain.simulator.chain import Chain

_MORE: Final = 110  # per cent of the old fees, as in Ethereum's pools


@dataclass(frozen=True, slots=True)
class Queue:
    """The waiting transactions, by sender and nonce."""

    items: Mapping[tuple[bytes, int], Transaction] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.items)

    def waiting(self, state: State) -> list[Transaction]:
        """Return the transactions whose nonce is not used up, by sender and nonce."""
        return [
            tx for (sender, nonce), tx in sorted(self.items.items()) if nonce >= state.account(sender)[0]
        ]  # fmt: skip

    def ready(self, state: State) -> list[Transaction]:
        """Return the transactions whose turn it is."""
        return [tx for tx in self.waiting(state) if tx.nonce == state.account(tx.sender)[0]]

    def with_transaction(self, chain: Chain, tx: Transaction, limit: int) -> Queue:
        """Return the queue with another transaction, if it can be in a block once its turn comes."""
        state, block = chain.state, chain.pending
        account = state.account(tx.sender)
        validate(tx._replace(nonce=account[0]), block, state, account)
        items = {(other.sender, other.nonce): other for other in self.waiting(state)}
        old = items.get((tx.sender, tx.nonce))
        if old is not None:
            require_higher_fees(tx, old, is_known=raw_bytes_of(chain, old) == tx.raw)
        elif len(items) >= limit:
            raise refused(
                f"{Unfit.NONCE_TOO_HIGH.value}: it is {tx.nonce}, the next of {data(tx.sender)} is {account[0]},"
                f" and {limit} transactions are already waiting"
            )
        return Queue({**items, (tx.sender, tx.nonce): tx})

    def without(self, is_dropped: Callable[[Transaction], bool]) -> Queue:
        return Queue({key: tx for key, tx in self.items.items() if not is_dropped(tx)})

    def find(self, chain: Chain, tx_hash: bytes) -> Transaction | None:
        for tx in self.waiting(chain.state):
            if hash_of(chain, tx) == tx_hash:
                return tx
        return None


def require_higher_fees(tx: Transaction, old: Transaction | Receipt, *, is_known: bool) -> None:
    """Refuse a transaction that would replace another one, unless it pays a tenth more."""
    if is_known:
        raise refused("already known: this transaction waits for its block")
    for new_fee, fee in ((tx.max_fee, old.max_fee), (tx.tip, old.tip)):
        if new_fee * 100 < fee * _MORE:
            raise refused(
                "replacement transaction underpriced: it must pay a tenth more in each fee"
            )


def raw_bytes_of(chain: Chain, tx: Transaction) -> bytes:
    """Return the signed bytes of a waiting transaction."""
    return tx.raw or encode_signed(tx, chain.chain_id, chain.keys.get(tx.sender))


def hash_of(chain: Chain, tx: Transaction) -> bytes:
    return keccak(raw_bytes_of(chain, tx))
