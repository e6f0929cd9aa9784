"""Transactions of type 3 and 4 from accounts whose keys the chain does not have: simulated, completed, and sent signed."""

from __future__ import annotations

from typing import Any

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount

from chain import Address, Chain
from chain.machine import gas

WALLET: LocalAccount = Account.from_key("0x" + "57" * 32)
HASH = "0x01" + "12" * 31


@pytest.fixture
def lender(chain: Chain) -> Address:
    """An account with code that answers 42."""
    address = Address("0x" + "77" * 20)
    chain.set_code(address, bytes.fromhex("602a5f5260205ff3"))
    return address


@pytest.fixture
def lending(chain: Chain, lender: Address) -> dict[str, Any]:
    """The wallet's transaction to borrow the code of the lender, and to run it."""
    chain.set_balance(WALLET.address, 10**18)
    fields = {"chainId": chain.chain_id, "address": str(lender), "nonce": 1}
    signed = Account.sign_authorization(fields, WALLET.key)
    authorization = {
        **fields, "yParity": hex(signed.y_parity), "r": hex(signed.r), "s": hex(signed.s)
    }  # fmt: skip
    return {"from": WALLET.address, "to": WALLET.address, "authorizationList": [authorization]}


@pytest.fixture
def blobs(chain: Chain) -> dict[str, Any]:
    chain.set_balance(WALLET.address, 10**18)
    reader = Address("0x" + "88" * 20)
    chain.set_code(reader, bytes.fromhex("5f495f5260205ff3"))  # answers the first hash
    return {"from": WALLET.address, "to": str(reader), "blobVersionedHashes": [HASH]}


def test_calls_run_lent_code(chain: Chain, lending: dict[str, Any], rpc: Any) -> None:
    assert int(rpc("eth_call", lending), 16) == 42
    assert rpc("eth_call", {**lending, "authorizationList": None}) == "0x"
    assert rpc("eth_getCode", WALLET.address) == "0x"


def test_calls_see_their_blobs(blobs: dict[str, Any], rpc: Any) -> None:
    assert rpc("eth_call", blobs) == HASH


@pytest.mark.parametrize("kind", ["lending", "blobs"])
def test_filled_transactions_can_be_signed_and_sent(
    chain: Chain, kind: str, rpc: Any, request: pytest.FixtureRequest
) -> None:
    asked = request.getfixturevalue(kind)
    filled = rpc("eth_fillTransaction", asked)["tx"]
    assert filled["gas"] == rpc("eth_estimateGas", asked)
    assert filled["type"] == {"lending": "0x4", "blobs": "0x3"}[kind]
    names = (
        "type", "chainId", "nonce", "to", "gas", "value", "maxFeePerGas", "maxPriorityFeePerGas", "accessList",
        "authorizationList", "maxFeePerBlobGas", "blobVersionedHashes",
    )  # fmt: skip
    fields: dict[str, Any] = {name: filled[name] for name in names if name in filled}
    fields |= {"data": "0x", "to": asked["to"]}  # its checksum is wanted
    raw = WALLET.sign_transaction(fields).raw_transaction
    rpc("eth_sendRawTransaction", rpc.hexed(raw))
    receipt = chain.receipts[-1]
    assert (receipt.ok, receipt.gas) == (True, int(filled["gas"], 16))


def test_too_little_gas_for_lending_is_found(lending: dict[str, Any], rpc: Any) -> None:
    no = rpc.refusal("eth_call", {**lending, "gas": "0x5208"})
    assert no.message.startswith("intrinsic gas too low: it has 21000 gas")
    assert int(rpc("eth_estimateGas", lending), 16) >= gas.TRANSACTION + 25_000


@pytest.mark.parametrize("kind", ["lending", "blobs"])
@pytest.mark.parametrize("method", ["eth_sendTransaction", "eth_signTransaction"])
def test_without_a_key_they_come_in_signed(
    chain: Chain, kind: str, method: str, rpc: Any, request: pytest.FixtureRequest
) -> None:
    no = rpc.refusal(method, request.getfixturevalue(kind))
    assert no.message.endswith("must be signed")
    assert not len(chain.receipts)


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "0x5"},
        {"type": "0x3"},
        {"type": "0x4"},
        {"type": "0x2", "blobVersionedHashes": [HASH]},
        {"blobVersionedHashes": [HASH], "authorizationList": []},
        {"blobVersionedHashes": ["0x01"]},
    ],
)
def test_types_have_their_own_fields(rpc: Any, wrong: dict[str, Any]) -> None:
    assert rpc.refusal("eth_call", wrong).code == -32602


def test_refusals_of_typed_transactions_have_known_words(
    lending: dict[str, Any], blobs: dict[str, Any], rpc: Any
) -> None:
    for asked, words in (
        ({**lending, "authorizationList": []}, "EIP-7702 transaction with empty auth list"),
        ({**lending, "to": None}, "EIP-7702 transaction cannot be used to create contract"),
        ({**blobs, "to": None}, "blob transaction of type create"),
        ({**blobs, "blobVersionedHashes": []}, "blob transaction missing blob hashes"),
    ):
        assert rpc.refusal("eth_call", asked).message.startswith(words)


@pytest.mark.parametrize(
    "method", ["eth_signTransaction", "eth_fillTransaction", "eth_sendTransaction"]
)
def test_no_transaction_that_nobody_accepts_is_signed(rpc: Any, method: str) -> None:
    no = rpc.refusal(method, {"authorizationList": [], "gas": "0x30d40"})
    assert no.message.startswith("EIP-7702 transaction cannot be used to create contract")
