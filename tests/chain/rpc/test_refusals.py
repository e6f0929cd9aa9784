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
        (
            {"gas": hex(10**9)},
            "exceeds block gas limit: gas limit reached, a block holds at most 60000000 gas",
        ),
        ({"gas": hex(2**64 - 1)}, "exceeds block gas limit: gas limit reached, "),
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


def test_calls_cannot_send_more_than_their_balance(chain: Chain, rpc: Any) -> None:
    asked = {"to": rpc.hexed(chain.accounts[1]), "value": hex(10**24)}
    for method, words in (
        ("eth_call", "insufficient funds for transfer: 0x"),
        ("eth_estimateGas", "insufficient funds for gas * price + value: 0x"),
    ):
        no = rpc.refusal(method, asked)
        assert (no.code, no.message[: len(words)]) == (REFUSED, words)


READS_GAS, READS_PRICE = ("0x" + code + "60005260206000f3" for code in ("5a", "3a"))


@pytest.mark.parametrize(
    ("code", "fields", "read"),
    [
        (READS_GAS, {"gas": "0x186a0"}, 100_000 - 21_000 - 2),
        (READS_PRICE, {}, 0),
        (READS_PRICE, {"gasPrice": hex(5 * GWEI)}, 5 * GWEI),
        (READS_PRICE, {"maxFeePerGas": hex(9 * GWEI), "maxPriorityFeePerGas": "0x5"}, GWEI + 5),
    ],
)
def test_calls_pay_what_they_name(
    chain: Chain, rpc: Any, code: str, fields: dict[str, Any], read: int
) -> None:
    rpc("anvil_setCode", rpc.hexed(chain.accounts[1]), code)
    asked = {"to": rpc.hexed(chain.accounts[1]), **fields}
    assert int(rpc("eth_call", asked), 16) == read
    traced = rpc("debug_traceCall", asked, "latest", {"tracer": "callTracer"})
    assert int(traced["output"], 16) == read


def test_calls_run_out_of_gas(chain: Chain, rpc: Any) -> None:
    endless = rpc.hexed(chain.accounts[1])
    rpc("anvil_setCode", endless, "0x5b5f56")
    no = rpc.refusal("eth_call", {"to": endless, "gas": "0x7530"})
    assert (no.code, no.message[:14]) == (REFUSED, "out of gas: 0x")
    no = rpc.refusal("eth_estimateGas", {"to": endless, "gas": "0x7530"})
    assert no.message.startswith("gas required exceeds allowance (30000): ")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"gas": "0x5207"}, "intrinsic gas too low: it has 20999 gas"),
        ({"gas": "0x526c", "data": "0x" + "11" * 10}, "intrinsic gas too low: it has 21100 gas"),
        ({"gasPrice": "0x1"}, "max fee per gas less than block base fee"),
        ({"gasPrice": hex(10**21)}, "insufficient funds for gas * price + value"),
        (
            {"maxFeePerGas": hex(GWEI), "maxPriorityFeePerGas": hex(2 * GWEI)},
            "max priority fee per gas higher than max fee per gas",
        ),
    ],
)
def test_calls_are_refused_as_transactions_are(
    chain: Chain, rpc: Any, fields: dict[str, Any], words: str
) -> None:
    no = rpc.refusal("eth_call", {"to": rpc.hexed(chain.accounts[1]), **fields})
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
