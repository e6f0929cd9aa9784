"""A block: when, which transactions, and, once someone asks, its header and hash."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chain.hashing import keccak
from chain.types import ZERO_ADDRESS, Address

if TYPE_CHECKING:
    from chain.ledger.receipts import Receipt


@dataclass(slots=True, eq=False)
class Block:
    """A block, open while transactions still go in. It is also the context that their messages see."""

    number: int
    timestamp: int
    seed: bytes
    chain_id: int
    base_fee: int
    gas_limit: int
    start: int  # where its changes begin in the chain's timeline
    end: int = -1  # where they end; -1 while the block is open
    coinbase: Address = ZERO_ADDRESS
    gas_used: int = 0
    receipts: list[Receipt] = field(default_factory=list)
    forced_prevrandao: int | None = None

    @property
    def prevrandao(self) -> int:
        """By rule: the seed of the chain and the number of the block."""
        if self.forced_prevrandao is not None:
            return self.forced_prevrandao
        return int.from_bytes(keccak(self.seed + self.number.to_bytes(8)))
