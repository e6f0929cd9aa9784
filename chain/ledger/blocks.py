"""Blocks: the context of a block's transactions, and the transactions in it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import field
from functools import partial
from operator import attrgetter
from typing import Any, Final, NamedTuple, overload

from chain.crypto.hashing import keccak
from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import Sealed, put, setter
from chain.ledger.rows import Rows
from chain.machine.gas import TRANSACTION
from chain.machine.hardforks import DEFAULT, Fork, fork_named
from chain.values import short_repr
from chain.values.inputs import FEE, GAS, LAST_TIME, flag, whole_number


class BlockRow(NamedTuple):
    """A block as it is stored, without the settings of its chain."""

    number: int
    timestamp: int
    base_fee: int
    coinbase: bytes
    first_timeline_index: int
    first_receipt: int
    end_timeline_index: int
    end_receipt: int
    gas_used: int = 0
    forced_prevrandao: int | None = None
    blob_gas_used: int = 0
    excess_blob_gas: int = 0


block_row: Final = partial(tuple.__new__, BlockRow)  # `_make`, without a call of Python


@dataclass(frozen=True, slots=True)
class ChainConfig:
    """The settings that never change along a chain."""

    chain_id: int
    seed: bytes
    gas_limit: int
    elastic_fees: bool = False  # the base fee follows demand (EIP-1559); otherwise it is constant
    fork: Fork = DEFAULT
    tx_gas_cap: bool = (
        False  # EIP-7825: a transaction has at most 2**24 gas, where the fork says so
    )
    max_transaction_gas: int = field(init=False)

    def __post_init__(self) -> None:
        cap = self.fork.max_transaction_gas if self.tx_gas_cap else None
        most = self.gas_limit if cap is None else min(cap, self.gas_limit)
        object.__setattr__(self, "max_transaction_gas", most)

    @classmethod
    def of(
        cls, seed: int, chain_id: int, gas_limit: int | None, elastic_fees: bool, fork: str, tx_gas_cap: bool
    ) -> ChainConfig:  # fmt: skip
        """Check the values, and return the settings with them. Without a gas limit, blocks have that of the fork."""
        rules = fork_named(fork)
        if gas_limit is None:
            gas_limit = rules.gas_limit
        return cls(
            whole_number(chain_id, "chain_id", LAST_TIME, 1),
            keccak(whole_number(seed, "seed").to_bytes(32)),
            whole_number(
                gas_limit, "gas_limit", GAS, TRANSACTION
            ),  # room for at least one transaction
            flag(elastic_fees, "elastic_fees"),
            rules,
            flag(tx_gas_cap, "tx_gas_cap"),
        )


def _of_row(name: str) -> Any:
    """Return a read-only property for the row's item of that name."""
    return property(attrgetter(f"row.{name}"))


class Block(Sealed):
    """A block, and the context that its messages see. Its fields cannot be set.

    >>> block = chain.head
    >>> block.number, block.timestamp, block.gas_used > 0, block.base_fee, block.gas_limit == block.gas_left + block.gas_used
    (8, 1704067208, True, 1000000000, True)
    """

    __slots__ = ("row", "rules")

    rules: ChainConfig  # the settings of the chain
    row: BlockRow  # the block as it is stored, without the settings
    number: int = _of_row("number")  # its number; 0 is the first
    timestamp: int = _of_row("timestamp")  # its time, in seconds since 1970
    base_fee: int = _of_row("base_fee")  # the wei that are burnt for a unit of gas
    coinbase: bytes = _of_row("coinbase")  # the account that gets the tips
    # An index into the ledger's timeline.
    first_timeline_index: int = _of_row("first_timeline_index")
    first_receipt: int = _of_row("first_receipt")  # the position of its first receipt
    end_timeline_index: int = _of_row("end_timeline_index")  # one past the last
    end_receipt: int = _of_row("end_receipt")  # the position after its last receipt
    gas_used: int = _of_row("gas_used")  # the gas that all its transactions used
    forced_prevrandao: int | None = _of_row("forced_prevrandao")  # the value from `set_next_block`
    blob_gas_used: int = _of_row("blob_gas_used")  # the gas of all its blobs
    excess_blob_gas: int = _of_row("excess_blob_gas")  # determines the price of blobs

    def __init__(self, rules: ChainConfig, row: BlockRow) -> None:
        _set_rules(self, rules)
        set_row(self, row)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Block):
            return NotImplemented
        return self.row == other.row and self.rules == other.rules

    def __hash__(self) -> int:
        return hash(self.row)

    def with_fields(self, *, rules: ChainConfig | None = None, **fields: Any) -> Block:
        """Return a block that is like this one but for these fields."""
        return Block(rules or self.rules, self.row._replace(**fields))

    @property
    def gas_limit(self) -> int:
        """The most gas that all transactions of the block can have."""
        return self.rules.gas_limit

    @property
    def chain_id(self) -> int:
        """The id of the chain."""
        return self.rules.chain_id

    @property
    def fork(self) -> Fork:
        """The rules of Ethereum that apply."""
        return self.rules.fork

    @property
    def max_transaction_gas(self) -> int:
        """The most gas that any transaction can have."""
        return self.rules.max_transaction_gas

    @property
    def gas_left(self) -> int:
        """The most gas that the next transaction can have."""
        rules = self.rules  # every call reads it
        room, most = rules.gas_limit - self.gas_used, rules.max_transaction_gas
        return room if room < most else most

    @property
    def blob_base_fee(self) -> int:
        """The price of a unit of blob gas."""
        return self.fork.blobs.base_fee(self.excess_blob_gas)

    @property
    def next_excess_blob_gas(self) -> int:
        """The excess blob gas of the next block."""
        return self.fork.next_excess_blob_gas(
            self.excess_blob_gas, self.blob_gas_used, self.base_fee
        )

    @property
    def next_base_fee(self) -> int:
        """The base fee of the next block: at most an eighth more or less, depending on how full this one is (EIP-1559)."""
        if not self.rules.elastic_fees:
            return self.base_fee
        fee, target = self.base_fee, self.gas_limit // 2
        if self.gas_used == target:
            return fee
        change = fee * abs(self.gas_used - target) // target // 8
        return fee + max(change, 1) if self.gas_used > target else fee - change

    @property
    def prevrandao(self) -> int:
        """The forced value, otherwise a hash of the chain's seed and the block number."""
        if self.forced_prevrandao is not None:
            return self.forced_prevrandao
        return int.from_bytes(keccak(self.rules.seed + self.number.to_bytes(8)))

    def __repr__(self) -> str:
        count = self.end_receipt - self.first_receipt
        return f"<Block {self.number} at {self.timestamp}, {count} transaction{'s' * (count != 1)}>"


set_row = setter(Block, "row")
_set_rules = setter(Block, "rules")


def empty_block(
    rules: ChainConfig, number: int, timestamp: int, base_fee: int, coinbase: bytes, timeline_index: int = 0,
    receipt: int = 0, excess_blob_gas: int = 0,
) -> Block:  # fmt: skip
    """Return a block without transactions, which begins at this index of the timeline and this receipt."""
    row = BlockRow(
        number, timestamp, base_fee, coinbase, timeline_index, receipt, timeline_index, receipt,
        excess_blob_gas=excess_blob_gas,
    )  # fmt: skip
    return Block(rules, row)


def change_block(block: Block, **fields: Any) -> None:
    """Set fields of a block that is not closed."""
    set_row(block, block.row._replace(**fields))


class Mining(NamedTuple):
    """The settings for blocks to come. A snapshot holds them, a chain file stores them, a node tells them."""

    clock: int
    automine: bool = True  # each transaction is mined immediately
    interval: int = 1  # seconds from one block to the next, unless the clock was moved
    overrides: tuple[tuple[str, Any], ...] = ()  # overrides for fields of the next block

    @classmethod
    def of(cls, row: Sequence[Any]) -> Mining:
        """Return the settings in a stored row, where True is 1."""
        clock, automine, interval, overrides = row
        return cls(clock, bool(automine), interval, tuple(map(tuple, overrides)))


class Head(NamedTuple):
    """The end of a chain, and how it goes on. A snapshot is a head that was kept.

    >>> snapshot = chain.snapshot()
    >>> race.roll()
    <Receipt Race.roll in block 9: ok>
    >>> chain.revert(snapshot)
    """

    blocks: int  # the number of blocks
    moments: int  # the length of the timeline
    receipts: int  # the number of receipts
    open: BlockRow | None  # the open block
    mining: Mining  # the mining settings
    # The last block and the last change, in a snapshot. Once undone, the same objects never come back.
    last: tuple[object, ...] = ()

    def __repr__(self) -> str:
        return f"<Snapshot at block {self.blocks - 1}>"


class Blocks(Sealed, Sequence[Block]):
    """All closed blocks, by number. Each is stored as a flat tuple; the `Block` is built on access.

    >>> len(chain.blocks), chain.blocks[0].timestamp, [block.number for block in chain.blocks[-2:]]
    (9, 1704067200, [7, 8])
    >>> chain.blocks.number(-1), chain.blocks.time_of(0), chain.blocks.end_of(0)
    (8, 1704067200, 0)
    """

    __slots__ = ("_rows", "head", "rules")

    rules: ChainConfig  # the settings of the chain
    head: Block  # the last block

    def __init__(self, rules: ChainConfig, genesis_time: int, base_fee: int) -> None:
        put(self, "rules", rules)
        self._rows: Rows[BlockRow] = Rows()
        time = whole_number(genesis_time, "genesis_time", LAST_TIME)
        fee = whole_number(base_fee, "base_fee", FEE, unit="wei")
        self._append(empty_block(rules, 0, time, fee, bytes(20)))

    def _append(self, block: Block) -> None:
        self._rows.new.append(block.row)
        _set_head(self, block)

    def _restore(self, rows: Sequence[BlockRow]) -> None:
        """Begin with stored blocks."""
        self._rows = Rows(rows)
        _set_head(self, self[-1])

    def rows_from(self, number: int) -> list[BlockRow]:
        """Return the blocks from that number on, as they are stored."""
        return self._rows.since(number)

    def _extend(self, rows: Sequence[BlockRow]) -> None:
        """Append blocks that were truncated."""
        self._rows.new += rows
        _set_head(self, self[-1])

    def copy(self, length: int) -> Blocks:
        """Return a copy of the first `length` blocks."""
        blocks = copy(self)
        blocks._rows = self._rows.copy(length)
        _set_head(blocks, blocks[-1])
        return blocks

    def number(self, number: int) -> int:
        """Return the number of a block. A negative one counts from the end: -1 is the last."""
        count, number = len(self), whole_number(number, "number", LAST_TIME, -LAST_TIME)
        return number + count if -count <= number < 0 else number

    def row(self, number: int) -> BlockRow:
        """Return a block as it is stored."""
        return self._rows[number]

    def time_of(self, number: int) -> int:
        """Return the timestamp of a block."""
        return self._rows[number].timestamp

    def end_of(self, number: int) -> int:
        """Return the timeline index where a block ends."""
        return self._rows[number].end_timeline_index

    def mark(self, number: int) -> object:
        """Return a mark that distinguishes a block from a later one with the same number."""
        return self._rows.mark(number)

    def _truncate(self, length: int) -> None:
        """Truncate the list to the first `length` blocks."""
        self._rows.cut(length)
        _set_head(self, Block(self.rules, self._rows[-1]))

    def __repr__(self) -> str:
        return f"<Blocks 0 to {len(self) - 1}>"

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, number: int) -> Block: ...
    @overload
    def __getitem__(self, number: slice) -> list[Block]: ...
    def __getitem__(self, number: int | slice) -> Block | list[Block]:
        if isinstance(number, slice):
            return [Block(self.rules, row) for row in self._rows[number]]
        try:
            return Block(self.rules, self._rows[number])
        except IndexError:
            raise IndexError(f"there is no block {number}: the last is {len(self) - 1}") from None
        except TypeError:
            raise TypeError(f"{short_repr(number)} is not the number of a block") from None


_set_head = setter(Blocks, "head")
