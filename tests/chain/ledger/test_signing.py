"""Envelopes: eth-account signs and py-evm reads the same bytes as we do."""

from __future__ import annotations

import pytest
import rlp
from eth.vm.forks.prague.transactions import PragueTransactionBuilder
from eth_account import Account as OracleAccount
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Address, Chain, InvalidTransaction
from chain.crypto.accounts import ACCOUNTS, Account, account_of_key
from chain.crypto.hashing import keccak
from chain.ledger.signing import decode_signed, encode_signed, tx_type
from chain.machine.transaction import Transaction
from chain.simulator.handle import Handle
from tests.chain.toys import Counter

coincurve = pytest.importorskip("coincurve")  # which has no wheels for Python 3.14
CHAIN_ID = 31337
ALICE, BOB = ACCOUNTS[:2]
# Half of the order of the curve.
HALF = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0
ORDER = 2 * HALF + 1


number = st.sampled_from([0, 1, 127, 128, 255, 256, 2**64]) | st.integers(0, 2**256 - 1)
slots = st.lists(st.integers(0, 2**256 - 1), max_size=3).map(tuple)
access = st.lists(st.tuples(st.binary(min_size=20, max_size=20), slots), max_size=3).map(tuple)
transactions = st.builds(
    lambda kind, fee, tip, access, **fields: Transaction(
        **fields, max_fee=fee, type=kind,
        tip=min(tip, fee) if kind == 2 else fee, access_list=access if kind else (),
    ),
    kind=st.sampled_from([0, 1, 2]),
    sender=st.sampled_from([bytes(account) for account in ACCOUNTS]),
    to=st.none() | st.binary(min_size=20, max_size=20),
    data=st.binary(max_size=100),
    value=number, gas=number, fee=number, tip=number, access=access,
    nonce=st.integers(0, 2**64 - 2),
)  # fmt: skip


def key_of(tx: Transaction) -> Account:
    return next(account for account in ACCOUNTS if account == tx.sender)


def signed(tx: Transaction) -> bytes:
    return encode_signed(tx, CHAIN_ID, key_of(tx))


def by_eth_account(tx: Transaction) -> bytes:
    fields = {
        "nonce": tx.nonce,
        "gas": tx.gas,
        "value": tx.value,
        "data": tx.data,
        "chainId": CHAIN_ID,
    }
    fields["to"] = tx.to or b""
    if tx.type:
        fields["type"] = tx.type
        fields["accessList"] = [
            {"address": str(Address(address)), "storageKeys": [f"{slot:#066x}" for slot in slots]}
            for address, slots in tx.access_list
        ]
    if tx.type == 2:
        fields |= {"maxFeePerGas": tx.max_fee, "maxPriorityFeePerGas": tx.tip}
    else:
        fields["gasPrice"] = tx.max_fee
    return bytes(OracleAccount.sign_transaction(fields, key_of(tx).key).raw_transaction)


@settings(deadline=None, max_examples=60)
@given(transactions)
def test_signs_as_eth_account(tx: Transaction) -> None:
    assert signed(tx) == by_eth_account(tx)


@settings(deadline=None)
@given(transactions)
def test_reads_what_it_writes(tx: Transaction) -> None:
    raw = signed(tx)
    assert decode_signed(raw, CHAIN_ID) == tx._replace(raw=raw)


@settings(deadline=None, max_examples=60)
@given(transactions)
def test_py_evm_reads_the_same(tx: Transaction) -> None:
    read = PragueTransactionBuilder.decode(signed(tx))
    read.check_signature_validity()
    assert read.sender == tx.sender
    assert read.hash == keccak(signed(tx))
    assert (read.nonce, read.gas, read.to, read.value, read.data) == (
        tx.nonce,
        tx.gas,
        tx.to or b"",
        tx.value,
        tx.data,
    )
    assert (read.max_fee_per_gas, read.max_priority_fee_per_gas) == (tx.max_fee, tx.tip)


# What is not a transaction

TX = Transaction(ALICE, bytes(BOB), b"\x01\x02", 5, 21_000, 7, 10**9, 1, 2)
LEGACY = TX._replace(type=0)
LISTED = TX._replace(access_list=((bytes(BOB), (1,)),))


def changed(place: int, item: rlp.Item, tx: Transaction = TX) -> bytes:
    """The envelope of a transaction in which one field is another."""
    raw = signed(tx)
    fields = rlp.decode(raw[1:] if tx.type else raw)
    fields[place] = item
    return (bytes([tx.type]) if tx.type else b"") + bytes(rlp.encode(fields))


def flipped(tx: Transaction = TX) -> bytes:
    """The other signature of the same key and content."""
    fields = rlp.decode(signed(tx)[1:])
    parity, s = int.from_bytes(fields[-3]), int.from_bytes(fields[-1])
    fields[-3:] = [1 - parity, fields[-2], ORDER - s]
    return b"\x02" + bytes(rlp.encode(fields))


BAD_SIGNATURE = "invalid transaction v, r, s values"
RANGE = "is not a number: a number has at most {} bytes and no leading zeros"
REFUSED = {
    "nothing": (b"", "transaction type not supported: none begins with 0x; type 0 is a list, 1 and 2 begin with their number"),
    "number of type 0": (b"\0" + signed(LEGACY), "transaction type not supported: none begins with 0x00; type 0 is a list, .*"),
    "type 3": (b"\x03" + signed(TX)[1:], "transaction type not supported: none begins with 0x03; type 0 is a list, .*"),
    "type 127": (b"\x7f\xc0", "transaction type not supported: none begins with 0x7f; .*"),
    "trailing bytes": (signed(TX) + b"\0", "these bytes are not a transaction of type 2: it has extra bytes at its end: 1"),
    "cut off": (signed(LEGACY)[:-1], "these bytes are not a transaction of type 0: it ends too early"),
    "no list": (b"\x02\x80", "a transaction of type 2 is a list of 12: chain id, nonce, tip, fee, .*, v, r, s"),
    "unsigned": (b"\x01" + rlp.encode([b""] * 8), "a transaction of type 1 is a list of 11: chain id, nonce, fee, .*"),
    "leading zero": (changed(1, b"\0\x07"), "its nonce " + RANGE.format(8)),
    "zero not empty": (changed(1, b"\0"), "its nonce " + RANGE.format(8)),
    "long nonce": (changed(1, b"\1" * 9), "its nonce " + RANGE.format(8)),
    "long value": (changed(6, b"\1" * 33), "its value " + RANGE.format(32)),
    "list for number": (changed(4, [b"\1"]), "its gas is a list, not a string of bytes"),
    "list for data": (changed(7, []), "its data is a list, not a string of bytes"),
    "short receiver": (changed(5, b"\1" * 19), "its receiver is 19 bytes: an address has 20, a contract creation has none"),
    "string for access list": (changed(8, b""), "its access list is not a list of pairs, .*"),
    "short address in access list": (changed(8, [[b"\1" * 19, []]]), "its access list is not a list of pairs, .*"),
    "string for slots": (changed(8, [[b"\1" * 20, b""]]), "its access list is not a list of pairs, .*"),
    "short slot": (changed(8, [[b"\1" * 20, [b"\1"]]], LISTED), "its access list is not a list of pairs, .*"),
    "single in access list": (changed(8, [[b"\1" * 20]], LISTED), "its access list is not a list of pairs, .*"),
    "other chain": (encode_signed(TX, 1, ALICE), "invalid chain id for signer: .* 1, this is chain 31337"),
    "other chain, type 0": (encode_signed(LEGACY, 1, ALICE), "invalid chain id for signer: .* 1, this is chain 31337"),
    "parity of 2": (changed(9, b"\2"), f"{BAD_SIGNATURE}: its v is 2, not 0 or 1"),
    "v of 0": (changed(6, b"", LEGACY), f"{BAD_SIGNATURE}: its v is 0, not 27 or 28, nor 62709 or one more"),
    "v of 29": (changed(6, b"\x1d", LEGACY), f"{BAD_SIGNATURE}: its v is 29, not 27 or 28, nor 62709 or one more"),
    "high s": (flipped(), f"{BAD_SIGNATURE}: its s is the higher of two, EIP-2 asks for the lower"),
    "r of 0": (changed(10, b""), f"{BAD_SIGNATURE}: no key could have made its signature"),
    "s of 0": (changed(11, b""), f"{BAD_SIGNATURE}: no key could have made its signature"),
    "r too high": (changed(10, ORDER.to_bytes(32)), f"{BAD_SIGNATURE}: no key could have made its signature"),
    "r off the curve": (changed(10, b"\5"), f"{BAD_SIGNATURE}: no key could have made its signature"),
}  # fmt: skip


@pytest.mark.parametrize(("raw", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_refuses_what_is_not_a_transaction(raw: bytes, words: str) -> None:
    with pytest.raises(InvalidTransaction, match=f"^{words}$"):
        decode_signed(raw, CHAIN_ID)


@given(
    st.binary(max_size=40),
    st.integers(0, 120),
    st.integers(0, 120),
    st.sampled_from([TX, LEGACY, LISTED]),
)
def test_mangled_bytes_are_read_or_refused(
    extra: bytes, start: int, end: int, tx: Transaction
) -> None:
    raw = signed(tx)
    try:
        read = decode_signed(raw[:start] + extra + raw[end:], CHAIN_ID)
    except InvalidTransaction:
        return
    assert read.raw == raw[:start] + extra + raw[end:]


def test_highest_s_is_taken() -> None:
    with pytest.raises(InvalidTransaction, match="the higher of two"):
        decode_signed(changed(11, (HALF + 1).to_bytes(32)), CHAIN_ID)
    assert decode_signed(changed(11, HALF.to_bytes(32)), CHAIN_ID).sender != ALICE


def test_type_0_without_a_chain_id_is_taken() -> None:
    fields = rlp.decode(signed(LEGACY))[:6]
    signature = coincurve.PrivateKey(ALICE.key).sign_recoverable(
        keccak(rlp.encode(fields)), hasher=None
    )
    v, r, s = 27 + signature[64], *(int.from_bytes(signature[i : i + 32]) for i in (0, 32))
    assert decode_signed(rlp.encode([*fields, v, r, s]), CHAIN_ID).sender == ALICE


@pytest.mark.parametrize(
    ("raw", "kind"), [(b"\xc0", 0), (b"\xff", 0), (b"\x02\xc0", 2), (b"\x04\xc0", 4)]
)
def test_type_is_in_the_first_byte(raw: bytes, kind: int) -> None:
    assert tx_type(raw) == kind


# In a ledger


@pytest.fixture
def counter(chain: Chain) -> Handle:
    return chain.deploy(Counter)


def test_in_process_transaction_is_signed_when_asked(chain: Chain, counter: Handle) -> None:
    receipt = counter.add(3, sender=BOB)
    raw = chain.ledger.envelope_of(receipt)
    read = decode_signed(raw, chain.chain_id)
    assert (read.sender, read.to, read.nonce, read.data) == (
        BOB,
        counter.address,
        0,
        counter.add.calldata(3),
    )
    assert receipt.tx_hash == keccak(raw) == PragueTransactionBuilder.decode(raw).hash


def test_named_account_signs(chain: Chain, counter: Handle) -> None:
    receipt = counter.add(1, sender=chain.account("first.testnet"))
    assert decode_signed(chain.ledger.envelope_of(receipt), chain.chain_id).sender == receipt.sender


def test_signed_transaction_keeps_its_bytes(chain: Chain, counter: Handle) -> None:
    stranger = account_of_key(b"\5" * 32, "a key the chain does not know")
    chain.set_balance(stranger, 10**18)
    asked = TX._replace(
        to=counter.address, data=counter.add.calldata(1), value=0, gas=100_000, nonce=0
    )
    raw = encode_signed(asked, CHAIN_ID, stranger)
    receipt = chain.send_transaction(decode_signed(raw, CHAIN_ID))
    assert (receipt.ok, receipt.sender, chain.ledger.envelope_of(receipt)) == (True, stranger, raw)
    assert receipt.tx_hash == keccak(raw)


def test_sender_without_a_key_is_kept_in_the_signature(chain: Chain, counter: Handle) -> None:
    stranger = Address(b"\x77" * 20)
    chain.set_balance(stranger, 10**18)
    receipt = counter.add(1, sender=stranger)
    read = PragueTransactionBuilder.decode(chain.ledger.envelope_of(receipt))
    assert (read.r.to_bytes(20), read.s, read.y_parity) == (stranger, 1, 0)


def test_finds_receipts_by_hash(chain: Chain, counter: Handle) -> None:
    receipts = [counter.add(i) for i in range(1, 6)]
    assert receipts[3].tx_hash in {r.tx_hash for r in receipts}
    hashes = [keccak(chain.ledger.envelope_of(receipt)) for receipt in receipts]
    assert [chain.ledger.find(tx_hash) for tx_hash in hashes] == receipts
    assert chain.ledger.find(bytes(32)) is None
    later = counter.add(9)
    assert chain.ledger.find(keccak(chain.ledger.envelope_of(later))) == later


def test_hashes_are_dropped_when_the_ledger_is_truncated(chain: Chain, counter: Handle) -> None:
    kept = counter.add(1)
    with chain.anchor():
        undone = counter.add(2)
        gone = undone.tx_hash
        assert chain.ledger.find(gone) == undone
        assert chain.ledger.find(bytes(32)) is None
    instead = counter.add(3)
    assert chain.ledger.find(keccak(chain.ledger.envelope_of(instead))) == instead
    assert chain.ledger.find(kept.tx_hash) == kept
    assert chain.ledger.find(gone) is None
    assert undone.tx_hash == gone != instead.tx_hash


def test_fork_finds_its_own_receipts(chain: Chain, counter: Handle) -> None:
    first, second = counter.add(1), counter.add(2)
    assert chain.ledger.find(second.tx_hash) == second
    fork = chain.fork(at=first.block_number)
    assert fork.ledger.find(first.tx_hash) == fork.receipts[1]
    assert fork.ledger.find(second.tx_hash) is None


def test_transaction_has_its_hash_before_its_block_closes(chain: Chain, counter: Handle) -> None:
    with chain.block():
        receipt = counter.add(1)
        assert chain.ledger.find(receipt.tx_hash) == receipt


def test_type_that_must_come_in_signed(chain: Chain, counter: Handle) -> None:
    row = counter.add(1).row._replace(type=3)
    with pytest.raises(ValueError, match=r"^a transaction of type 3 must be sent signed$"):
        chain.ledger.envelope_of(type(chain.receipts[0])(chain.ledger, row))
