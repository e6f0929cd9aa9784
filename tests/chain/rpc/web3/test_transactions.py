"""What a web3.py client sends: middleware, fees, signatures of every type, nonces."""

from __future__ import annotations

from typing import Any

import pytest
from eth_account import Account
from eth_typing import ChecksumAddress
from web3 import Web3
from web3.exceptions import (
    TransactionTypeMismatch,
    Web3RPCError,
    Web3ValidationError,
)
from web3.types import TxParams, Wei

from chain import Address, Chain
from chain.crypto import rlp

# Middleware


def test_middleware_keeps_its_names(w3: Web3) -> None:
    standard = [name for _, name in w3.manager.get_default_middleware()]
    assert [name for _, name in w3.middleware_onion.middleware] == standard


def test_other_chains_are_refused(w3: Web3, alice: ChecksumAddress) -> None:
    for chain_id, sends in ((31337, True), (1, False)):
        fields: TxParams = {"from": alice, "to": alice, "chainId": chain_id}
        if sends:
            assert w3.eth.send_transaction(fields)
        else:
            with pytest.raises(Web3ValidationError, match="chain 1"):
                w3.eth.send_transaction(fields)


def test_fees_must_not_contradict(w3: Web3, alice: ChecksumAddress) -> None:
    with pytest.raises(TransactionTypeMismatch):
        w3.eth.send_transaction(
            {"from": alice, "to": alice, "gasPrice": Wei(10**9), "maxFeePerGas": Wei(10**9)}
        )


def test_gas_price_strategies_apply(w3: Web3, alice: ChecksumAddress) -> None:
    w3.eth.set_gas_price_strategy(lambda w3, fields: Wei(3 * 10**9))
    try:
        sent = w3.eth.send_transaction({"from": alice, "to": alice})
    finally:
        w3.eth.set_gas_price_strategy(None)
    assert (w3.eth.get_transaction(sent)["type"], w3.eth.get_transaction(sent)["gasPrice"]) == (
        0,
        3 * 10**9,
    )


def test_estimates_have_gas_to_spare(w3: Web3, counter: Any, alice: ChecksumAddress) -> None:
    estimate = counter.functions.add(1, "").estimate_gas({"from": alice})
    sent = counter.functions.add(1, "").transact({"from": alice})
    assert w3.eth.get_transaction(sent)["gas"] == estimate + 100_000
    assert w3.eth.get_transaction_receipt(sent)["gasUsed"] <= estimate


def test_spare_gas_ends_with_the_block() -> None:
    chain = Chain(gas_limit=100_000)
    alice = str(chain.accounts[0])
    chain.web3.eth.send_transaction({"from": alice, "to": alice})
    assert chain.receipts[-1].gas == 100_000


# Transactions


LENT = {"chainId": 31337, "address": "0x" + "00" * 20, "nonce": 0}
FEES: list[dict[str, Any]] = [
    {"gasPrice": 2 * 10**9},
    {"gasPrice": 2 * 10**9, "type": 1, "accessList": []},
    {"maxFeePerGas": 2 * 10**9, "maxPriorityFeePerGas": 5, "type": 2},
    {
        "maxFeePerGas": 2 * 10**9, "maxPriorityFeePerGas": 5, "type": 4,
        "authorizationList": [Account.sign_authorization(LENT, "0x" + "a5" * 32)],
    },
]  # fmt: skip


@pytest.mark.parametrize("fees", FEES)
def test_signed_transactions_arrive(chain: Chain, w3: Web3, fees: dict[str, Any]) -> None:
    signer, other = Account.from_key("0x" + "5a" * 32), str(chain.accounts[1])
    chain.set_balance(Address(signer.address), 10**18)
    fields = {"chainId": 31337, "nonce": 0, "gas": 50_000, "to": other, "value": 5, **fees}
    signed = signer.sign_transaction(fields)
    sent = w3.eth.send_raw_transaction(signed.raw_transaction)
    shown = w3.eth.get_transaction(sent)
    assert sent == signed.hash
    assert (shown["from"], shown["value"], shown["type"]) == (
        signer.address,
        5,
        fees.get("type", 0),
    )
    assert (int.from_bytes(shown["r"]), shown["v"]) == (signed.r, signed.v)
    assert w3.eth.get_raw_transaction(sent) == signed.raw_transaction


def test_in_process_transactions_are_signed(w3: Web3, alice: ChecksumAddress) -> None:
    sent = w3.eth.send_transaction({"from": alice, "to": alice})
    assert Account.recover_transaction(w3.eth.get_raw_transaction(sent)) == alice


def test_old_signatures_are_good_anywhere(chain: Chain, w3: Web3, alice: ChecksumAddress) -> None:
    fields = {
        "nonce": w3.eth.get_transaction_count(alice),
        "gas": 21_000,
        "gasPrice": 10**9,
        "to": alice,
        "value": 0,
    }
    signed = Account.sign_transaction(fields, chain.accounts[0].key)
    shown = w3.eth.get_transaction(w3.eth.send_raw_transaction(signed.raw_transaction))
    assert (shown["v"], "chainId" in shown) == (signed.v, False)


@pytest.mark.parametrize("fees", FEES)
def test_signatures_name_their_chain(
    w3: Web3, alice: ChecksumAddress, fees: dict[str, Any]
) -> None:
    fields = {"chainId": 1, "nonce": 0, "gas": 90_000, "to": alice, "value": 0, **fees}
    signed = Account.sign_transaction(fields, "0x" + "5a" * 32)
    with pytest.raises(
        Web3RPCError,
        match="invalid chain id for signer: it is signed for chain 1, this is chain 31337",
    ):
        w3.eth.send_raw_transaction(signed.raw_transaction)


def test_code_is_lent_by_signature(chain: Chain, w3: Any, counter: Any) -> None:
    alice, bob = chain.accounts[:2]
    lent = Account.sign_authorization(
        {"chainId": 31337, "address": counter.address, "nonce": 0}, bob.key
    )
    fields = {
        "chainId": 31337, "nonce": w3.eth.get_transaction_count(str(alice)), "gas": 100_000, "to": str(bob),
        "maxFeePerGas": 10**9, "maxPriorityFeePerGas": 0, "authorizationList": [lent], "type": 4,
    }  # fmt: skip
    signed = Account.sign_transaction(fields, alice.key)
    sent = w3.eth.send_raw_transaction(signed.raw_transaction)
    shown = w3.eth.get_transaction(sent)
    assert shown["authorizationList"][0]["address"] == counter.address
    assert w3.eth.get_code(str(bob)) == b"\xef\x01\x00" + bytes.fromhex(counter.address[2:])


def test_blobs_are_not_stored(chain: Chain, w3: Any, alice: ChecksumAddress) -> None:
    fields = {
        "chainId": 31337, "nonce": w3.eth.get_transaction_count(alice), "gas": 21_000, "to": alice, "type": 3,
        "maxFeePerGas": 10**9, "maxPriorityFeePerGas": 0, "maxFeePerBlobGas": 10, "blobVersionedHashes": ["0x01" + "12" * 31],
    }  # fmt: skip
    raw = Account.sign_transaction(fields, chain.accounts[0].key).raw_transaction
    with_blobs = raw[:1] + rlp.encode([rlp.decode(raw[1:]), [b"blob"], [b"commitment"], [b"proof"]])
    sent = w3.eth.send_raw_transaction(with_blobs)
    assert w3.eth.get_raw_transaction(sent) == raw
    assert w3.eth.get_transaction(sent)["blobVersionedHashes"] == [b"\1" + b"\x12" * 31]
    assert w3.eth.get_transaction_receipt(sent)["blobGasUsed"] == 131_072
    assert w3.eth.get_block("latest")["blobGasUsed"] == 131_072
    assert w3.eth.fee_history(1, "latest")["blobGasUsedRatio"] == [1 / 9]


def test_named_accounts_can_send(chain: Chain, w3: Web3, counter: Any) -> None:
    first = chain.account("first.testnet")
    counter.functions.add(1, "").transact({"from": str(first)})
    assert str(first) in w3.eth.accounts
    assert chain.receipts[-1].sender == first


def test_strangers_cannot_send(w3: Web3) -> None:
    stranger = Web3.to_checksum_address("0x" + "12" * 20)
    with pytest.raises(Web3RPCError, match="no key to sign with"):
        w3.eth.send_transaction({"from": stranger, "to": stranger, "gas": 21_000})


def test_nonces_wait_in_the_pending_block(chain: Chain, w3: Web3, alice: ChecksumAddress) -> None:
    start = w3.eth.get_transaction_count(alice)
    with chain.block():
        hashes = [
            w3.eth.send_transaction({"from": alice, "to": alice, "gas": 21_000}) for _ in "ab"
        ]
        assert w3.eth.get_transaction_count(alice) == start
        assert w3.eth.get_transaction_count(alice, "pending") == start + 2
        assert w3.eth.get_block("pending")["transactions"] == hashes
    assert w3.eth.get_block("latest")["transactions"] == hashes
    assert w3.eth.get_transaction_count(alice) == start + 2
