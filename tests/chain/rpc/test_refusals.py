"""The messages of refusals begin with those of geth, by which clients recognize the reasons."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Chain
from chain.rpc.errors import REFUSED

GWEI = 10**9
FEES = {"maxFeePerGas": hex(GWEI), "maxPriorityFeePerGas": "0x0"}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"nonce": "0x0"}, "nonce too low: it is 0, the next of 0x"),
        ({"value": hex(10**24)}, "insufficient funds for gas * price + value: 0x"),
        ({"gas": "0x5207"}, "intrinsic gas too low: it has 20999 gas"),
        ({"gas": "0x5dc0", "data": "0x" + "11" * 100}, "intrinsic gas too low: it has 24000 gas"),
        ({"gas": hex(10**9)}, "gas limit reached: a block holds at most 60000000 gas"),
        ({"maxFeePerGas": "0x5"}, "max fee per gas less than block base fee: it is 5 wei"),
        (
            {"maxPriorityFeePerGas": hex(2 * GWEI)},
            "max priority fee per gas higher than max fee per gas: the tip is 2000000000 wei",
        ),
        (
            {"to": None, "gas": hex(10**7), "data": "0x" + "00" * 50_000},
            "max initcode size exceeded: ",
        ),
        ({"chainId": "0x1"}, "chainId does not match node's: it is meant for chain 1"),
    ],
)
def test_refusals_begin_with_known_words(
    chain: Chain, rpc: Any, fields: dict[str, Any], words: str
) -> None:
    alice, bob = map(rpc.hexed, chain.accounts[:2])
    chain.send(bob)
    no = rpc.refusal(
        "eth_sendTransaction", {"from": alice, "to": bob, "gas": "0x5208", **FEES, **fields}
    )
    assert no.code == REFUSED
    assert no.message.startswith(words)
    assert len(chain.receipts) == 1


def test_nonces_end(chain: Chain, rpc: Any) -> None:
    alice, bob = map(rpc.hexed, chain.accounts[:2])
    rpc("anvil_setNonce", alice, hex(2**64 - 1))
    no = rpc.refusal("eth_sendTransaction", {"from": alice, "to": bob, "gas": "0x5208"})
    assert no.message.startswith("nonce has max value: 0x")


def test_calls_cannot_send_what_they_have_not(chain: Chain, rpc: Any) -> None:
    asked = {"to": rpc.hexed(chain.accounts[1]), "value": hex(10**24)}
    for method, words in (
        ("eth_call", "insufficient funds for transfer: 0x"),
        ("eth_estimateGas", "insufficient funds for gas * price + value: 0x"),
    ):
        no = rpc.refusal(method, asked)
        assert (no.code, no.message[: len(words)]) == (REFUSED, words)


def test_waiting_transactions_are_known(chain: Chain, rpc: Any) -> None:
    chain.automine = False
    raw = rpc("eth_signTransaction", {"to": rpc.hexed(chain.accounts[1]), "gas": "0x5208"})["raw"]
    rpc("eth_sendRawTransaction", raw)
    assert rpc.refusal("eth_sendRawTransaction", raw).message.startswith("already known")
    chain.mine()
    assert rpc.refusal("eth_sendRawTransaction", raw).message.startswith("nonce too low")


def test_unknown_methods_do_not_exist(rpc: Any) -> None:
    assert rpc.refusal("eth_none").message == "the method eth_none does not exist here"
