"""Headers and block hashes: py-evm's own classes make the same bytes of the same blocks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import rlp
from eth.abc import ReceiptAPI
from eth.db.account import AccountDB
from eth.db.atomic import AtomicDB
from eth.db.trie import make_trie_root_and_nodes
from eth.rlp.logs import Log
from eth.rlp.receipts import Receipt as OracleReceipt
from eth.vm.forks.prague.blocks import PragueBlockHeader
from eth.vm.forks.prague.receipts import PragueReceiptBuilder
from eth_typing import Address as OracleAddress
from eth_typing import BlockNumber
from hypothesis import given, settings
from hypothesis import strategies as st
from trie import HexaryTrie

from chain import Address, Chain, Contract, Key, call, event, require
from chain.crypto.hashing import keccak
from chain.ledger.headers import Header, bloom_of, encode_receipts, list_root
from chain.ledger.receipts import Receipt
from chain.machine.state import State
from chain.machine.transaction import Transaction
from chain.simulator.handle import Handle
from chain.types import u64


@event
class Counted:
    by: Key[Address]
    count: u64


class Counter(Contract):
    count: u64

    @call
    def add(self, step: u64) -> None:
        require(step, "A step of nothing")
        self.count += step
        self.emit(Counted(self.caller, self.count))
        self.log("counted")


@pytest.fixture
def chain() -> Chain:
    """One block each: a deployment, a call, a failed call, a transfer, three transactions of three types, nothing."""
    chain = Chain()
    alice, bob = chain.accounts[:2]
    counter = chain.deploy(Counter, sender=alice)
    counter.add(1, sender=bob)
    counter.add(0, sender=bob, check=False)
    chain.send(chain.account("carol"), value=5, sender=alice)
    with chain.block():
        for kind in (0, 1, 2):
            chain.send_transaction(transaction_of_type(chain, kind, counter))
    chain.mine()
    return chain


def transaction_of_type(chain: Chain, kind: int, counter: Handle) -> Transaction:
    sender = chain.accounts[3]
    data = counter.add.calldata(kind)
    return Transaction(
        sender, counter.address, data, 0, 100_000, chain.nonce(sender), 10**9, type=kind
    )


def oracle_header(header: Header) -> PragueBlockHeader:
    names = [name for name, _ in PragueBlockHeader._meta.fields]
    values = dict(zip(names, header, strict=True))
    return PragueBlockHeader(**{**values, "bloom": int.from_bytes(header.bloom)})


def oracle_receipts(receipts: list[Receipt]) -> Iterator[ReceiptAPI]:
    used = 0
    for receipt in receipts:
        used += receipt.gas_used
        logs = [Log(log.address, tuple(log.topics), log.data) for log in receipt.logs]
        made = OracleReceipt(b"\x01" if receipt.ok else b"", used, logs)
        yield (
            made
            if receipt.type == 0
            else PragueReceiptBuilder.typed_receipt_class(receipt.type, made)
        )


def test_headers_hash_as_py_evm(chain: Chain) -> None:
    for number in range(len(chain.blocks)):
        header = chain.ledger.header(number)
        assert header.encoded == rlp.encode(oracle_header(header))
        assert header.hash == chain.block_hash(number) == oracle_header(header).hash


@given(st.lists(st.integers(0, 2**64), min_size=9, max_size=9), st.binary(max_size=60))
def test_header_is_encoded_as_any_list(numbers: list[int], extra: bytes) -> None:
    difficulty, number, limit, used, time, fee, blob_gas, excess, bits = numbers
    some, other = number.to_bytes(32), time.to_bytes(32)
    header = Header(
        some, other, fee.to_bytes(20), other, some, other, bits.to_bytes(256), difficulty, number, limit, used, time, extra,
        some, bytes(8), fee, other, blob_gas, excess, some, other,
    )  # fmt: skip
    assert header.encoded == rlp.encode(list(header))


def test_each_header_names_its_parent(chain: Chain) -> None:
    parents = [chain.ledger.header(n).parent_hash for n in range(len(chain.blocks))]
    assert parents == [bytes(32)] + [chain.block_hash(n) for n in range(len(chain.blocks) - 1)]


def test_header_shows_of_its_block(chain: Chain) -> None:
    for number, block in enumerate(chain.blocks):
        header = chain.ledger.header(number)
        assert (header.number, header.timestamp, header.coinbase) == (
            number,
            block.timestamp,
            block.coinbase,
        )
        assert (header.gas_used, header.gas_limit, header.base_fee) == (
            block.gas_used,
            block.gas_limit,
            block.base_fee,
        )
        assert int.from_bytes(header.mix_hash) == block.prevrandao


def test_headers_without_news_have_py_evms_defaults(chain: Chain) -> None:
    header = chain.ledger.header(len(chain.blocks) - 1)
    empty = PragueBlockHeader(0, BlockNumber(1), 30_000_000, timestamp=1)
    names = (
        "uncles_hash",
        "transaction_root",
        "receipt_root",
        "bloom",
        "withdrawals_root",
        "blob_gas_used",
        "excess_blob_gas",
        "parent_beacon_block_root",
        "requests_hash",
        "extra_data",
        "difficulty",
    )
    for name in names:
        assert getattr(oracle_header(header), name) == getattr(empty, name)
    assert header.nonce == bytes(8)  # since the Merge; py-evm's default is of the time before


def test_receipts_encode_as_py_evm(chain: Chain) -> None:
    for number in range(len(chain.blocks)):
        receipts = [r for r in chain.receipts if r.block_number == number]
        expected = list(oracle_receipts(receipts))
        assert encode_receipts(receipts) == [receipt.encode() for receipt in expected]
        assert chain.ledger.header(number).receipts_root == make_trie_root_and_nodes(expected)[0]


def test_blooms_are_py_evms(chain: Chain) -> None:
    for number in range(len(chain.blocks)):
        receipts = [r for r in chain.receipts if r.block_number == number]
        bloom = 0
        for receipt, expected in zip(receipts, oracle_receipts(receipts), strict=True):
            assert int.from_bytes(bloom_of(receipt.log_rows)) == expected.bloom
            bloom |= expected.bloom
        assert int.from_bytes(chain.ledger.header(number).bloom) == bloom


def test_transactions_root_holds_the_envelopes(chain: Chain) -> None:
    for number in range(len(chain.blocks)):
        envelopes = [
            chain.ledger.envelope_of(r) for r in chain.receipts if r.block_number == number
        ]
        assert chain.ledger.header(number).transactions_root == plain_list_root(envelopes)


def plain_list_root(items: list[bytes]) -> bytes:
    made = HexaryTrie({})
    for place, item in enumerate(items):
        made[rlp.encode(place)] = item
    return made.root_hash


@settings(max_examples=50)
@given(st.integers(0, 300), st.integers(1, 40))
def test_roots_of_lists_of_any_length(length: int, size: int) -> None:
    items = [bytes([1 + i % 255]) * size for i in range(length)]
    assert list_root(items) == plain_list_root(items)


def test_genesis_state_is_the_funded_accounts() -> None:
    chain, accounts = Chain(), HexaryTrie({})
    nothing = HexaryTrie({}).root_hash
    for address in chain.accounts:
        accounts[keccak(address)] = rlp.encode([0, 10_000 * 10**18, nothing, keccak(b"")])
    assert chain.state_root() == accounts.root_hash


def py_evm_root(state: State) -> bytes:
    theirs = AccountDB(AtomicDB())
    for address, (nonce, balance, _) in state.accounts.items():
        account = OracleAddress(address)
        theirs.set_nonce(account, nonce)
        theirs.set_balance(account, balance)
        theirs.set_code(account, state.code(address))
        for slot, word in state.storages[address].items():
            theirs.set_storage(account, slot, word)
    return theirs.make_state_root()


def test_state_root_is_py_evms(chain: Chain) -> None:
    assert chain.state_root() == py_evm_root(chain.state)


def test_state_root_is_that_of_the_blocks_end(chain: Chain) -> None:
    before = chain.state_root()
    chain.set_balance(chain.accounts[0], 1)
    assert chain.state_root() == before
    chain.mine()
    assert chain.state_root() != before
    assert chain.state_root(-2) == before


def test_hashes_do_not_depend_on_the_time_of_the_request(chain: Chain) -> None:
    early, late = Chain(), Chain()
    for each in (early, late):
        counter = each.deploy(Counter)
        for step in (1, 2, 0, 3):
            receipt = counter.add(step, check=False)
            if each is early:
                assert each.block_hash() and receipt.tx_hash
    assert [early.block_hash(n) for n in range(6)] == [late.block_hash(n) for n in range(6)]


def test_going_back_forgets_hashes(chain: Chain) -> None:
    counter = chain.handle(Counter, chain.receipts[0].address)
    kept = chain.block_hash()
    with chain.anchor():
        counter.add(1)
        undone = chain.block_hash()
        assert chain.ledger.number_of(undone) == chain.head.number
    assert chain.block_hash() == kept
    counter.add(2)
    assert chain.block_hash() != undone
    assert chain.state_root() == py_evm_root(chain.state)


def test_finds_blocks_by_hash(chain: Chain) -> None:
    hashes = [chain.block_hash(n) for n in range(len(chain.blocks))]
    assert [chain.ledger.number_of(each) for each in hashes] == [*range(len(hashes))]
    with chain.anchor():
        chain.mine()
        undone = chain.block_hash()
        assert chain.ledger.number_of(undone) == chain.head.number
    assert chain.ledger.number_of(undone) is None


def test_going_back_far_makes_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chain.ledger.headers._KEPT", 4)
    chain = Chain()
    counter = chain.deploy(Counter)
    snapshots, hashes = [], []
    for step in range(1, 20):
        snapshots.append(chain.snapshot())
        counter.add(step)
        hashes.append(chain.block_hash())
    roots = [chain.ledger.headers.state_trie(n).root for n in range(len(chain.blocks))]
    assert roots == [chain.state_root(n) for n in range(len(chain.blocks))]
    for back in (18, 11, 10, 5, 0):
        chain.revert(snapshots[back])
        counter.add(back + 1)
        assert chain.block_hash() == hashes[back]


@pytest.mark.parametrize("asked", [True, False])
def test_fork_continues_from_the_same_hashes(chain: Chain, asked: bool) -> None:
    if asked:
        assert chain.block_hash() and chain.receipts[1].tx_hash
    fork = chain.fork(at=3)
    fork.mine()
    assert fork.ledger.header(4).parent_hash == chain.block_hash(3)
    assert fork.block_hash(4) != chain.block_hash(4)
    assert [r.tx_hash for r in fork.receipts] == [r.tx_hash for r in chain.receipts[:3]]
    assert fork.state_root() == chain.state_root(3)


def test_hash_asked_inside_an_open_block(chain: Chain) -> None:
    counter = chain.handle(Counter, chain.receipts[0].address)
    with chain.block():
        counter.add(1)
        parent = chain.block_hash()
        counter.add(2)
    assert chain.ledger.header(chain.head.number).parent_hash == parent


def test_machine_asks_the_ledger_for_hashes(chain: Chain) -> None:
    assert chain.machine.block_hash(3) == chain.block_hash(3)


@pytest.mark.parametrize("number", [7, -8])
def test_missing_block_is_refused(chain: Chain, number: int) -> None:
    with pytest.raises(IndexError, match=r"^there is no block -?\d+: the last is 6$"):
        chain.block_hash(number)
