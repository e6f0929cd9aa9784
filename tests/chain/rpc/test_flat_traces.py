"""Traces in Parity's format, by bytecode and by Python contracts."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Address, Chain, Contract, call
from chain.crypto.accounts import ACCOUNTS
from chain.errors import Revert
from chain.rpc.errors import BAD_PARAMS
from chain.simulator.handle import Handle
from chain.types import u64
from tests.chain.helpers import Code

ALICE, BOB = (str(account) for account in ACCOUNTS[:2])
HEIR = Address("0x" + "4e" * 20)


class Purse(Contract):
    count: u64

    @call(payable=True)
    def pay(self, to: Address) -> u64:
        self.count += 1
        self.transfer(to, self.value)
        return self.count

    @call
    def refuse(self) -> None:
        raise Revert("no")


@pytest.fixture
def purse(chain: Chain) -> Handle:
    return chain.deploy(Purse)


@pytest.fixture
def mortal(chain: Chain, evm: Code, initcode: Code) -> bytes:
    """Bytecode that creates a contract by CREATE2, which sends its wei to the heir and destroys itself."""
    inner = evm(bytes(HEIR), "SELFDESTRUCT")
    word = inner.ljust(32, b"\0")
    return evm(word, 0, "MSTORE", 7, len(inner), 0, "CALLVALUE", "CREATE2", "STOP")


def traced(rpc: Any, receipt: Any) -> list[Any]:
    shown: list[Any] = rpc("trace_transaction", rpc.hexed(receipt.tx_hash))
    return shown


def test_messages_are_a_flat_list(
    chain: Chain, rpc: Any, forwarder: Address, purse: Handle
) -> None:
    sent = purse.pay.calldata(HEIR)
    receipt = chain.send(forwarder, bytes(12) + purse.address + sent, gas=500_000)
    first, inner, last = traced(rpc, receipt)
    assert [each["traceAddress"] for each in (first, inner, last)] == [[], [0], [0, 0]]
    assert [each["subtraces"] for each in (first, inner, last)] == [1, 1, 0]
    assert inner["action"] == {
        "from": rpc.hexed(forwarder), "to": rpc.hexed(purse.address), "value": "0x0", "callType": "call",
        "input": rpc.hexed(sent), "gas": inner["action"]["gas"],
    }  # fmt: skip
    assert int(inner["result"]["output"], 16) == 1 and inner["type"] == "call"
    place = {name: inner[name] for name in ("blockNumber", "transactionPosition")}
    assert place == {"blockNumber": receipt.block_number, "transactionPosition": 0}
    assert first["blockHash"] == rpc.hexed(chain.block_hash())
    assert int(first["action"]["gas"], 16) < 500_000 - 21_000
    assert rpc("trace_get", first["transactionHash"], ["0x0", 0]) == last
    assert rpc("trace_get", first["transactionHash"], [5]) is None


def test_creations_and_ends(chain: Chain, rpc: Any, mortal: bytes, initcode: Code) -> None:
    receipt = chain.send(chain.send(None, initcode(mortal)).address, value=9)
    _, made, ended = traced(rpc, receipt)
    assert (made["type"], made["action"]["creationMethod"]) == ("create", "create2")
    assert ended["type"] == "suicide"
    assert ended["action"] == {
        "address": made["result"]["address"], "refundAddress": rpc.hexed(HEIR), "balance": "0x9"
    }  # fmt: skip
    (created,) = traced(rpc, chain.receipts[0])
    assert created["action"]["init"] == rpc.hexed(initcode(mortal))
    assert created["result"]["code"] == rpc.hexed(mortal)


def test_failures_say_why(chain: Chain, rpc: Any, purse: Handle) -> None:
    (refused,) = traced(rpc, purse.refuse(check=False))
    assert refused["error"] == "Reverted" and refused["result"]["output"].startswith("0x08c379a0")
    (ended,) = traced(rpc, chain.send(purse.address, purse.pay.calldata(HEIR), gas=24_000))
    assert (ended["error"], ended["result"]) == ("Out of gas", None)


def test_precompiled_contracts_are_left_out(chain: Chain, rpc: Any, forwarder: Address) -> None:
    receipt = chain.send(forwarder, bytes(31) + b"\4" + b"data")
    assert receipt.output == b"data"
    assert len(traced(rpc, receipt)) == 1


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, 5),
        ({"toAddress": [str(HEIR)]}, 2),
        ({"fromAddress": [ALICE]}, 2),
        ({"fromAddress": [BOB], "toAddress": [str(HEIR)]}, 3),
        ({"fromAddress": [BOB], "toAddress": [str(HEIR)], "mode": "intersection"}, 0),
        ({"fromBlock": "0x2", "toBlock": "0x2"}, 2),
        ({"after": 1, "count": 2}, 2),
        ({"fromBlock": "0x9"}, 0),
    ],
)
def test_traces_are_found(
    chain: Chain, rpc: Any, purse: Handle, asked: dict[str, Any], expected: int
) -> None:
    for sender in chain.accounts[:2]:
        purse.pay(HEIR, sender=sender, value=1)
    found = rpc("trace_filter", asked)
    assert len(found) == expected
    if not asked:
        assert found == [each for number in range(1, 4) for each in rpc("trace_block", number)]


@pytest.mark.parametrize("asked", [{"mode": "both"}, {"fromAddress": BOB}, {"unknown": 1}])
def test_bad_filters_are_refused(rpc: Any, asked: dict[str, Any]) -> None:
    assert rpc.refusal("trace_filter", asked).code == BAD_PARAMS


def test_changes_are_reported(chain: Chain, rpc: Any, purse: Handle) -> None:
    receipt = purse.pay(HEIR, value=5)
    purse.pay(HEIR, value=1)
    result = rpc("trace_replayTransaction", rpc.hexed(receipt.tx_hash), ["stateDiff", "trace"])
    diff = result["stateDiff"]
    assert diff[rpc.hexed(HEIR)] == {
        "balance": {"+": "0x5"}, "nonce": {"+": "0x0"}, "code": {"+": "0x"}, "storage": {}
    }  # fmt: skip
    told = diff[rpc.hexed(purse.address)]
    assert (told["balance"], told["code"]) == ("=", "=")
    (change,) = told["storage"].values()
    assert change == {"*": {"from": "0x" + "00" * 32, "to": f"0x{1:064x}"}}
    assert diff[ALICE.lower()]["nonce"] == {"*": {"from": "0x1", "to": "0x2"}}
    assert (int(result["output"], 16), len(result["trace"]), result["vmTrace"]) == (1, 2, None)
    (whole,) = rpc("trace_replayBlockTransactions", receipt.block_number, ["stateDiff", "trace"])
    assert whole == {**result, "transactionHash": rpc.hexed(receipt.tx_hash)}


def test_calls_are_traced_without_sending(chain: Chain, rpc: Any, purse: Handle) -> None:
    result = rpc("trace_call", rpc.to(purse.pay, HEIR, value="0x3"), ["trace"])
    assert [each["action"]["value"] for each in result["trace"]] == ["0x3", "0x3"]
    assert (result["stateDiff"], chain.balance(HEIR)) == (None, 0)


@pytest.mark.parametrize(
    ("kinds", "words"), [(["vmTrace"], "debug_traceTransaction"), (["all"], "there is no 'all'")]
)
def test_what_is_not_made_is_refused(
    chain: Chain, rpc: Any, purse: Handle, kinds: list[str], words: str
) -> None:
    tx_hash = rpc.hexed(chain.receipts[0].tx_hash)
    assert words in rpc.refusal("trace_replayTransaction", tx_hash, kinds).message
