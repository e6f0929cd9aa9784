"""Headers and block hashes, made when someone asks: the state as a root, the transactions and receipts as a root each.

A hash takes in the one before it, so to ask for one is to have all up to it made, once; from then on a new block costs
what is new in it. The fields are those of the Prague fork, in its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chain.crypto import rlp, trie
from chain.crypto.hashing import keccak
from chain.ledger.file.paged_list import Items
from chain.ledger.receipts import Receipt
from chain.ledger.state_trie import (
    StateTrie,
    initial_trie,
)
from chain.machine.state import LogRow

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

_NO_OMMERS: Final = keccak(rlp.encode([]))
_NO_REQUESTS: Final = sha256().digest()  # EIP-7685
_NO_HASH: Final = bytes(32)
_KEPT: Final = 1024  # worlds
_BLOB_GAS: Final = 131_072  # of one blob (EIP-4844)


class Header(NamedTuple):
    """What a block hash is the hash of."""

    parent_hash: bytes
    ommers_hash: bytes
    coinbase: bytes
    state_root: bytes
    transactions_root: bytes
    receipts_root: bytes
    bloom: bytes
    difficulty: int
    number: int
    gas_limit: int
    gas_used: int
    timestamp: int
    extra_data: bytes
    mix_hash: bytes  # prevrandao
    nonce: bytes
    base_fee: int
    withdrawals_root: bytes
    blob_gas_used: int
    excess_blob_gas: int
    parent_beacon_root: bytes
    requests_hash: bytes

    @property
    def encoded(self) -> bytes:
        return rlp.encode(self)

    @property
    def hash(self) -> bytes:
        return keccak(self.encoded)


class Headers:
    """The headers of a ledger's closed blocks."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._rows: Items[tuple[object, ...]] = []  # of headers, as plain tuples
        self._hashes: Items[bytes] = []
        self._numbers: dict[bytes, int] = {}  # of the first so many hashes
        self._worlds: dict[int, StateTrie] = {}  # by number, rising

    def header(self, number: int) -> Header:
        self._make(number)
        return Header._make(self._rows[number])

    def block_hash(self, number: int) -> bytes:
        self._make(number)
        return self._hashes[number]

    def number_of(self, block_hash: bytes) -> int | None:
        """The number of the block with that hash."""
        self._make(len(self._ledger.blocks) - 1)
        for number in range(len(self._numbers), len(self._hashes)):
            self._numbers[self._hashes[number]] = number
        return self._numbers.get(block_hash)

    def state_trie(self, number: int) -> StateTrie:
        """The accounts and words at the end of a block."""
        self._make(number)
        return self._world(number)

    def _world(self, number: int) -> StateTrie:
        """Made from the nearest earlier world that is kept."""
        worlds, ledger = self._worlds, self._ledger
        if next(iter(worlds), number + 1) > number:  # nothing so early is kept
            worlds = self._worlds = {0: initial_trie(ledger.state, ledger.timeline), **worlds}
        near = next(kept for kept in reversed(worlds) if kept <= number)
        if near == number:
            return worlds[near]
        start, end = ledger.blocks[near].end_moment, ledger.blocks[number].end_moment
        return worlds[near].apply(ledger.timeline[start:end])

    def _cache(self, number: int, world: StateTrie) -> None:
        """Keep the newest worlds, and ever fewer of the older ones: whoever goes back far has some way to walk."""
        self._worlds[number] = world
        if len(self._worlds) > _KEPT:
            for old in list(self._worlds)[1 : _KEPT // 2 : 2]:
                del self._worlds[old]

    def restore(
        self, rows: Items[tuple[object, ...]], hashes: Items[bytes], world: StateTrie
    ) -> None:
        """Take these for the headers and hashes of all blocks, and `world` for the last one's."""
        self._rows, self._hashes = rows, hashes
        self._worlds = {len(rows) - 1: world}

    def copy(self, ledger: Ledger, blocks: int) -> Headers:
        """What is known of the first so many blocks, for another ledger that begins with them."""
        made = Headers(ledger)
        made._rows, made._hashes = self._rows[:blocks], self._hashes[:blocks]
        made._worlds = {n: world for n, world in self._worlds.items() if n < blocks}
        return made

    def cut(self, blocks: int) -> None:
        """Forget all but the first so many blocks."""
        for block_hash in self._hashes[blocks:]:
            self._numbers.pop(block_hash, None)
        del self._rows[blocks:], self._hashes[blocks:]
        while self._worlds and next(reversed(self._worlds)) >= blocks:
            self._worlds.popitem()

    def _make(self, number: int) -> None:
        if not 0 <= number < len(self._ledger.blocks):
            raise IndexError(
                f"there is no block {number}: the last is {len(self._ledger.blocks) - 1}"
            )
        while len(self._hashes) <= number:
            header = self._next(len(self._hashes))
            self._rows[len(self._hashes) :] = [tuple(header)]
            self._hashes.append(header.hash)

    def _next(self, number: int) -> Header:
        ledger, block = self._ledger, self._ledger.blocks[number]
        world = self._world(number)
        self._cache(number, world)
        receipts = ledger.receipts[block.first_receipt : block.end_receipt]
        return Header(
            parent_hash=self._hashes[number - 1] if number else _NO_HASH,
            ommers_hash=_NO_OMMERS,
            coinbase=block.coinbase,
            state_root=world.root,
            transactions_root=list_root([ledger.envelope_of(receipt) for receipt in receipts]),
            receipts_root=list_root(encode_receipts(receipts)),
            bloom=bloom_of([row for receipt in receipts for row in receipt.log_rows]),
            difficulty=0,
            number=number,
            gas_limit=block.gas_limit,
            gas_used=block.gas_used,
            timestamp=block.timestamp,
            extra_data=b"",
            mix_hash=block.prevrandao.to_bytes(32),
            nonce=bytes(8),
            base_fee=block.base_fee,
            withdrawals_root=trie.EMPTY_ROOT,
            blob_gas_used=sum(blob_gas_of(ledger, receipt) for receipt in receipts),
            excess_blob_gas=0,  # blobs have no market here: one costs the least there is
            parent_beacon_root=_NO_HASH,
            requests_hash=_NO_REQUESTS,
        )


def list_root(items: Sequence[bytes]) -> bytes:
    """The root of a trie that holds a list: the key is the place in it, as RLP."""
    keyed = [trie.Item(rlp.encode(place).hex(), item) for place, item in enumerate(items)]
    return trie.root(trie.update(None, sorted(keyed)))


def encode_receipts(receipts: Sequence[Receipt]) -> list[bytes]:
    """The receipts of a block, from its first on, as they go into its header."""
    encoded: list[bytes] = []
    gas_used = 0
    for receipt in receipts:
        gas_used += receipt.gas_used
        encoded.append(encode_receipt(receipt, gas_used))
    return encoded


def encode_receipt(receipt: Receipt, gas_used: int) -> bytes:
    """A receipt, typed as its transaction; `gas_used` is that of its block up to its end."""
    rows = receipt.log_rows
    logs = [(address, [t.to_bytes(32) for t in topics], data) for address, topics, data, *_ in rows]
    body = rlp.encode((receipt.status, gas_used, bloom_of(rows), logs))
    return bytes((receipt.type,)) + body if receipt.type else body


def blob_gas_of(ledger: Ledger, receipt: Receipt) -> int:
    """What the blobs of a transaction take; they are counted apart from its gas."""
    if receipt.type != 3:
        return 0
    fields: Any = rlp.decode(ledger.envelope_of(receipt)[1:])
    return len(fields[10]) * _BLOB_GAS


def bloom_of(rows: Sequence[LogRow]) -> bytes:
    """2048 bits, in which every address and topic of these logs sets three."""
    bloom = 0
    for address, topics, *_ in rows:
        bloom |= _bits(address)
        for topic in topics:
            bloom |= _bits(topic.to_bytes(32))
    return bloom.to_bytes(256)


@lru_cache(maxsize=4096)
def _bits(item: bytes) -> int:
    """The bits of an address or a topic: the low eleven of each of the first three pairs of bytes of its hash."""
    digest = keccak(item)
    bits = 0
    for place in (0, 2, 4):
        bits |= 1 << (int.from_bytes(digest[place : place + 2]) & 2047)
    return bits
