"""Headers and block hashes, built on demand: one root each for the state, the transactions and the receipts.

Each hash includes the one before it, so the first request for a hash builds all headers up to it. After that, the cost of a
new block is only what changed in it. The fields are those of Prague, in its order; no later fork has added one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chain.crypto import rlp, trie
from chain.crypto.hashing import keccak
from chain.ledger.blocks import Block
from chain.ledger.receipts import Receipt
from chain.ledger.rows import Rows
from chain.ledger.signing import tx_type
from chain.ledger.state_trie import StateTrie, initial_trie
from chain.machine.gas import PER_BLOB
from chain.machine.state import LogRow
from chain.machine.transaction import BLOB_TYPE

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

_NO_OMMERS: Final = keccak(rlp.encode([]))
# The SHA-256 of nothing (EIP-7685).
_NO_REQUESTS: Final = bytes.fromhex(
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)
_NO_HASH: Final = bytes(32)
_KEPT: Final = 1024  # number of cached state tries
_NEAR: Final = 10  # blocks that are hashed at once
_FEW: Final = 1000  # entries of the timeline that are read at once


class Header(NamedTuple):
    """A block header. The block hash is the hash of its encoding."""

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
        number, known = rlp.number, rlp.known_number
        return rlp.wrap(b"".join((
            b"\xa0", self.parent_hash, b"\xa0", self.ommers_hash, b"\x94", self.coinbase, b"\xa0", self.state_root,
            b"\xa0", self.transactions_root, b"\xa0", self.receipts_root, b"\xb9\x01\x00", self.bloom,
            number(self.difficulty), number(self.number), known(self.gas_limit), known(self.gas_used),
            number(self.timestamp), rlp.encode(self.extra_data), b"\xa0", self.mix_hash, b"\x88", self.nonce,
            known(self.base_fee), b"\xa0", self.withdrawals_root, number(self.blob_gas_used),
            number(self.excess_blob_gas), b"\xa0", self.parent_beacon_root, b"\xa0", self.requests_hash,
        )))  # fmt: skip

    @property
    def hash(self) -> bytes:
        return keccak(self.encoded)


class Headers:
    """The headers of a ledger's closed blocks."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._rows: Rows[tuple[object, ...]] = Rows()  # the headers, as plain tuples
        self._hashes: Rows[bytes] = Rows()
        self._numbers: dict[bytes, int] = {}  # by hash; covers the first `len(_numbers)` blocks
        self._worlds: dict[int, StateTrie] = {}  # cached, by block number, ascending

    def header(self, number: int) -> Header:
        self._make(number)
        return Header._make(self._rows[number])

    def block_hash(self, number: int) -> bytes:
        self._make(number)
        return self._hashes[number]

    def number_of(self, block_hash: bytes) -> int | None:
        """Return the number of the block with that hash, or None."""
        self._make(len(self._ledger.blocks) - 1)
        return self.find(block_hash)

    def find(self, block_hash: bytes) -> int | None:
        """Return the number of the block with that hash, or None if none of the known headers has it."""
        for number in range(len(self._numbers), len(self._hashes)):
            self._numbers[self._hashes[number]] = number
        return self._numbers.get(block_hash)

    def state_trie(self, number: int) -> StateTrie:
        """Return the accounts and words at the end of a block."""
        self._check(number)
        return self._world(number)

    def _world(self, number: int) -> StateTrie:
        """Build the state trie of a block from the nearest earlier one that is cached."""
        nearest, ledger = number - 1, self._ledger  # the most frequent case
        end_of, timeline = ledger.blocks.end_of, ledger.timeline
        if number in self._worlds or nearest not in self._worlds:
            if next(iter(self._worlds), number + 1) > number:
                later = (timeline[moment] for moment in range(end_of(number), len(timeline)))
                self._worlds = {number: initial_trie(ledger.state, later), **self._worlds}
            nearest = next(cached for cached in reversed(self._worlds) if cached <= number)
        world = self._worlds[nearest]
        if nearest == number:
            return world
        return world.apply(timeline[end_of(nearest) : end_of(number)])

    def _cache(self, number: int, world: StateTrie) -> None:
        """Cache a state trie. The newest are kept, and fewer of the older ones, which take longer to rebuild."""
        self._worlds[number] = world
        if len(self._worlds) > _KEPT:
            for old in list(self._worlds)[1 : _KEPT // 2 : 2]:
                del self._worlds[old]

    @property
    def count(self) -> int:
        """The number of blocks, from the first on, whose headers are known."""
        return len(self._hashes)

    def is_near(self, number: int) -> bool:
        """True if the header of a block is known, or takes no longer than a few blocks."""
        ledger, first = self._ledger, self.count
        if number < first:
            return True
        begun = next(iter(self._worlds), first + 1) <= first
        unread = 0 if begun else len(ledger.timeline) - ledger.blocks.end_of(first)
        return number < first + _NEAR and unread <= _FEW

    def restore(self, rows: Sequence[tuple[object, ...]], hashes: Sequence[bytes]) -> None:
        """Use these headers and hashes for the first blocks."""
        self._rows, self._hashes = Rows(rows), Rows(hashes)

    def copy(self, ledger: Ledger, blocks: int) -> Headers:
        """Return a copy for another ledger, which begins with the first `blocks` blocks of this one."""
        headers = Headers(ledger)
        headers._rows = self._rows.copy(blocks)
        headers._hashes = self._hashes.copy(blocks)
        headers._worlds = {
            number: state_trie for number, state_trie in self._worlds.items() if number < blocks
        }
        return headers

    def truncate(self, blocks: int) -> None:
        """Forget all but the first `blocks` blocks."""
        if blocks < len(self._rows):
            for block_hash in self._hashes.since(blocks):
                self._numbers.pop(block_hash, None)
            self._rows.cut(blocks)
            self._hashes.cut(blocks)
        while self._worlds and next(reversed(self._worlds)) >= blocks:
            self._worlds.popitem()

    def _make(self, number: int) -> None:
        """Build the headers up to a block."""
        count = len(self._hashes)
        if not 0 <= number < count:
            self._check(number)
            for new in range(count, number + 1):
                self._add(new)

    def _check(self, number: int) -> None:
        blocks = self._ledger.blocks
        if not 0 <= number < len(blocks):
            raise IndexError(f"there is no block {number}: the last is {len(blocks) - 1}")

    def _add(self, number: int) -> None:
        """Build the header of a block, the first that has none."""
        header = self._next(number)
        rows, hashes = self._rows, self._hashes
        if len(rows) > number:  # an earlier attempt was interrupted
            rows.cut(number)
        rows.new.append(tuple(header))
        hashes.new.append(header.hash)

    def _next(self, number: int) -> Header:
        ledger, blocks = self._ledger, self._ledger.blocks
        block = blocks.head if number == blocks.head.number else blocks[number]
        state_trie = self._world(number)
        self._cache(number, state_trie)
        receipts = ledger.receipts[block.first_receipt : block.end_receipt]
        parent_hash = self._hashes[number - 1] if number else _NO_HASH
        return make_header(block, parent_hash, state_trie.root, receipts)


def make_header(
    block: Block,
    parent_hash: bytes,
    state_root: bytes,
    receipts: Sequence[Receipt],
    withdrawals: Sequence[bytes] = (),
) -> Header:
    """Return the header of a block with these receipts, which leaves this state; `withdrawals` are encoded."""
    envelopes = [receipt.ledger.envelope_of(receipt) for receipt in receipts]
    blooms = [bloom_of(receipt.log_rows) for receipt in receipts]
    return Header(
        parent_hash=parent_hash,
        ommers_hash=_NO_OMMERS,
        coinbase=block.coinbase,
        state_root=state_root,
        transactions_root=list_root(envelopes),
        receipts_root=list_root(_encode_receipts(receipts, blooms)),
        bloom=blooms[0] if len(blooms) == 1 else _union(blooms),
        difficulty=0,
        number=block.number,
        gas_limit=block.gas_limit,
        gas_used=block.gas_used,
        timestamp=block.timestamp,
        extra_data=b"",
        mix_hash=block.prevrandao.to_bytes(32),
        nonce=bytes(8),
        base_fee=block.base_fee,
        withdrawals_root=list_root(withdrawals),
        blob_gas_used=block.blob_gas_used,
        excess_blob_gas=block.excess_blob_gas,
        parent_beacon_root=_NO_HASH,
        requests_hash=_NO_REQUESTS,
    )


def list_root(items: Sequence[bytes]) -> bytes:
    """Return the root of a trie that holds a list, keyed by the RLP encoding of the index."""
    if not items:
        return trie.EMPTY_ROOT
    if len(items) == 1:  # one leaf, as in most blocks
        return keccak(rlp.wrap(_FIRST_KEY + rlp.encode(items[0])))
    keyed: list[trie.Item] = [(_path_of(index), item, None) for index, item in enumerate(items)]
    return trie.root(trie.update(None, sorted(keyed)))


@lru_cache(maxsize=1024)
def _path_of(index: int) -> str:
    return rlp.encode(index).hex()


_FIRST_KEY: Final = trie.leaf_key(_path_of(0))


def encode_block(
    header: Header, envelopes: Iterable[bytes], withdrawals: Iterable[bytes] = ()
) -> bytes:
    """Return the encoding of a block: header, envelopes of transactions, no uncles, encoded withdrawals."""
    items = [raw if raw[0] >= 0xC0 else rlp.encode(raw) for raw in envelopes]
    bodies = rlp.wrap(b"".join(items)) + b"\xc0" + rlp.wrap(b"".join(withdrawals))
    return rlp.wrap(header.encoded + bodies)


def encode_receipts(receipts: Sequence[Receipt]) -> list[bytes]:
    """Return the encodings of a block's receipts, from its first on, as they are hashed for its header."""
    return _encode_receipts(receipts, [bloom_of(receipt.log_rows) for receipt in receipts])


def _encode_receipts(receipts: Sequence[Receipt], blooms: Sequence[bytes]) -> list[bytes]:
    if len(receipts) == 1:
        return [_encode_receipt(receipts[0], receipts[0].gas_used, blooms[0])]
    encoded: list[bytes] = []
    gas_used = 0
    for receipt, bloom in zip(receipts, blooms, strict=True):
        gas_used += receipt.gas_used
        encoded.append(_encode_receipt(receipt, gas_used, bloom))
    return encoded


def _encode_receipt(receipt: Receipt, gas_used: int, bloom: bytes) -> bytes:
    """Return the encoding of a receipt, of the same type as its transaction; `gas_used` is cumulative in the block."""
    logs = b"".join([_encode_log(*row[:3]) for row in receipt.log_rows])
    status, gas = rlp.number(receipt.status), rlp.known_number(gas_used)
    body = rlp.wrap(b"".join((status, gas, b"\xb9\x01\x00", bloom, rlp.wrap(logs))))
    return bytes((receipt.type,)) + body if receipt.type else body


def _encode_log(address: bytes, topics: Sequence[int], data: bytes) -> bytes:
    encoded_topics = rlp.wrap(b"".join([b"\xa0" + topic.to_bytes(32) for topic in topics]))
    return rlp.wrap(b"".join((b"\x94", address, encoded_topics, rlp.encode(data))))


def blob_gas_of(raw: bytes) -> int:
    """Return the blob gas of a signed transaction, which is counted separately from its gas."""
    if tx_type(raw) != BLOB_TYPE:
        return 0
    fields: Any = rlp.decode(raw[1:])
    return len(fields[10]) * PER_BLOB


def _union(blooms: Iterable[bytes]) -> bytes:
    return reduce(or_, map(int.from_bytes, blooms), 0).to_bytes(256)


def bloom_of(rows: Sequence[LogRow]) -> bytes:
    """Return the bloom filter of these logs: 2048 bits, three of them set for each address and topic."""
    bloom = 0
    for row in rows:
        bloom |= _bits(row[0])
        for topic in row[1]:
            bloom |= _bits(topic.to_bytes(32))
    return bloom.to_bytes(256)


@lru_cache(maxsize=4096)
def _bits(item: bytes) -> int:
    """Return the three bits of an address or topic: the low eleven bits of the first three byte pairs of its hash."""
    digest = keccak(item)
    bits = 0
    for offset in (0, 2, 4):
        bits |= 1 << (int.from_bytes(digest[offset : offset + 2]) & 2047)
    return bits
