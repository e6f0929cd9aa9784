"""Blocks, transactions, receipts, fees and proofs, as the node shows them."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Chain
from chain.crypto import rlp
from chain.crypto.hashing import keccak
from chain.rpc.errors import REFUSED
from chain.simulator.handle import Handle


def test_tags_name_blocks(chain: Chain, rpc: Any) -> None:
    chain.mine(3)
    tags = ["earliest", "latest", "safe", "finalized", "pending", "0x2", 2]
    numbers = [int(rpc("eth_getBlockByNumber", tag)["number"], 16) for tag in tags]
    assert numbers == [0, 3, 3, 3, 4, 2, 2]
    assert rpc("eth_getBlockByNumber", "0x4") is None


def test_hashes_name_blocks(chain: Chain, rpc: Any) -> None:
    chain.mine(3)
    for number in (0, 3):
        assert rpc("eth_getBlockByHash", rpc.hexed(chain.block_hash(number)))["number"] == hex(
            number
        )
    assert rpc("eth_getBlockByHash", "0x" + "12" * 32) is None


def test_undone_hashes_name_nothing(chain: Chain, rpc: Any) -> None:
    with chain.anchor():
        chain.advance(9)
        gone = rpc.hexed(chain.block_hash(chain.mine().number))
        assert rpc("eth_getBlockByHash", gone)
    chain.mine()
    assert rpc("eth_getBlockByHash", gone) is None


def test_balances_are_asked_by_block(chain: Chain, rpc: Any) -> None:
    rich, other = chain.accounts[0], chain.accounts[1]
    chain.send(other, value=5, sender=rich)
    where = {"blockHash": rpc.hexed(chain.block_hash(0))}
    had, has = (int(rpc("eth_getBalance", rpc.hexed(other), at), 16) for at in (where, "latest"))
    assert has == had + 5
    assert rpc.refusal("eth_getBalance", rpc.hexed(other), "0x9").code == REFUSED


def test_blocks_list_their_transactions(chain: Chain, counter: Handle, rpc: Any) -> None:
    with chain.block():
        receipts = [counter.add(1), counter.add(2)]
    hashes = [rpc.hexed(receipt.tx_hash) for receipt in receipts]
    block, full = (rpc("eth_getBlockByNumber", "latest", flag) for flag in (False, True))
    assert block["transactions"] == hashes
    assert [tx["hash"] for tx in full["transactions"]] == hashes
    assert rpc("eth_getBlockTransactionCountByNumber", "latest") == "0x2"
    assert rpc("eth_getTransactionByBlockNumberAndIndex", "latest", "0x1")["hash"] == hashes[1]
    assert rpc("eth_getTransactionByBlockHashAndIndex", block["hash"], "0x2") is None


def test_receipts_add_up(chain: Chain, counter: Handle, rpc: Any) -> None:
    with chain.block():
        used = [counter.add(1).gas_used, counter.add(2).gas_used]
    receipts = rpc("eth_getBlockReceipts", "latest")
    assert [int(r["cumulativeGasUsed"], 16) for r in receipts] == [used[0], sum(used)]
    assert [log["logIndex"] for r in receipts for log in r["logs"]] == ["0x0", "0x1"]
    assert receipts[1] == rpc("eth_getTransactionReceipt", receipts[1]["transactionHash"])
    assert receipts[1]["contractAddress"] is None
    made = rpc("eth_getBlockReceipts", "0x1")[0]
    assert (made["to"], made["contractAddress"]) == (None, rpc.hexed(counter.address))


def test_transactions_and_logs_tell_their_time(chain: Chain, counter: Handle, rpc: Any) -> None:
    counter.add(1)
    block = rpc("eth_getBlockByNumber", "latest", True)
    (receipt,) = rpc("eth_getBlockReceipts", "latest")
    shown = [*block["transactions"], *receipt["logs"], *rpc("eth_getLogs", {})]
    assert [each["blockTimestamp"] for each in shown] == [block["timestamp"]] * 3
    assert "blockTimestamp" not in receipt


def test_receipts_match_their_root(chain: Chain, counter: Handle, rpc: Any) -> None:
    receipt = counter.add(1)
    block = rpc("eth_getBlockByNumber", "latest")
    shown = rpc("eth_getTransactionReceipt", rpc.hexed(receipt.tx_hash))
    assert shown["logsBloom"] == block["logsBloom"]
    assert shown["blockHash"] == block["hash"]


def test_size_is_in_bytes(chain: Chain, rpc: Any) -> None:
    with chain.block():
        for fees in ({"gasPrice": hex(10**9)}, {}):
            rpc("eth_sendTransaction", {"to": rpc.hexed(chain.accounts[1]), **fees})
    envelopes = [chain.ledger.envelope_of(receipt) for receipt in chain.receipts]
    body = [chain.ledger.header(1), [rlp.decode(envelopes[0]), envelopes[1]], [], []]
    assert rpc("eth_getBlockByNumber", "0x1")["size"] == hex(len(rlp.encode(body)))


def test_waiting_transactions_are_pending(chain: Chain, counter: Handle, rpc: Any) -> None:
    who = rpc.hexed(chain.accounts[0])
    rpc("evm_setAutomine", False)
    sent = rpc("eth_sendTransaction", rpc.to(counter.add, 5, maxFeePerGas=hex(10**12)))
    pending = rpc("eth_getBlockByNumber", "pending")
    assert (pending["hash"], pending["transactions"]) == (None, [sent])
    assert pending["parentHash"] == rpc.hexed(chain.block_hash())
    assert rpc("eth_getBlockReceipts", "pending") is None
    waiting = rpc("eth_getTransactionByHash", sent)
    assert (waiting["blockHash"], waiting["gasPrice"]) == (None, hex(10**12))
    assert waiting["blockTimestamp"] is None
    assert rpc("eth_getTransactionReceipt", sent) is None
    nonces = [rpc("eth_getTransactionCount", who, tag) for tag in ("latest", "pending")]
    totals = [int(rpc("eth_call", rpc.to(counter.total), tag), 16) for tag in ("latest", "pending")]
    assert (nonces, totals) == (["0x1", "0x2"], [0, 5])
    rpc("evm_mine")
    assert rpc("eth_getTransactionReceipt", sent)["status"] == "0x1"
    assert int(rpc("eth_call", rpc.to(counter.total)), 16) == 5


@pytest.mark.parametrize("sends", [0, 2])
def test_the_pending_block_is_the_next(chain: Chain, counter: Handle, rpc: Any, sends: int) -> None:
    rpc("evm_setAutomine", False)
    for _ in range(sends):
        rpc("eth_sendTransaction", rpc.to(counter.add, 5))
    chain.set_balance(chain.accounts[5], 7)
    pending = rpc("eth_getBlockByNumber", "pending")
    rpc("evm_mine")
    assert rpc("eth_getBlockByNumber", "latest") == pending | {
        "hash": rpc.hexed(chain.block_hash())
    }


def test_fee_history_counts_back(chain: Chain, counter: Handle, rpc: Any) -> None:
    counter.add(1)
    history = rpc("eth_feeHistory", "0x2", "latest", [0, 100])
    assert history["oldestBlock"] == "0x1"
    assert history["baseFeePerGas"] == [hex(10**9)] * 3
    assert [ratio > 0 for ratio in history["gasUsedRatio"]] == [True, True]
    assert history["reward"] == [["0x0", "0x0"]] * 2
    assert rpc("eth_feeHistory", 99)["oldestBlock"] == "0x0"


def test_tips_are_sorted_by_percentile(chain: Chain, rpc: Any) -> None:
    with chain.block():
        for tip in (30, 10, 20):
            fees = {"maxPriorityFeePerGas": hex(tip), "maxFeePerGas": hex(2 * 10**9)}
            rpc("eth_sendTransaction", {"to": rpc.hexed(chain.accounts[1]), **fees})
    tips = rpc("eth_feeHistory", 1, "latest", [0, 33, 34, 67, 100])["reward"][0]
    assert [int(tip, 16) for tip in tips] == [10, 10, 20, 30, 30]


def test_fees_follow_demand() -> None:
    chain = Chain(elastic_fees=True, gas_limit=30_000_000)
    chain.mine(2)
    with chain.block():
        for _ in range(2):
            chain.send(None, b"\xfe", gas=14_000_000)
    assert [block.base_fee for block in chain.blocks] == [
        10**9,
        875 * 10**6,
        765_625_000,
        669_921_875,
    ]
    assert chain.pending.base_fee == 669_921_875 + 669_921_875 * 13 // 15 // 8
    fees = chain.node.request("eth_feeHistory", [1, "0x1"])["baseFeePerGas"]
    assert fees == [hex(875 * 10**6), hex(765_625_000)]


def test_small_fees_rise_too() -> None:
    chain = Chain(base_fee=1, elastic_fees=True)
    chain.send(None, b"\xfe")
    assert chain.pending.base_fee == 2


def test_storage_is_words(counter: Handle, rpc: Any) -> None:
    counter.add(5)
    assert int(rpc("eth_getStorageAt", rpc.hexed(counter.address), "0x0"), 16) == 5
    assert rpc("eth_getCode", rpc.hexed(counter.address)).startswith("0xfe")


def test_many_words_are_one_answer(counter: Handle, rpc: Any) -> None:
    counter.add(5)
    account, other = rpc.hexed(counter.address), "0x" + "11" * 20
    asked = {account: ["0x0", "0x" + "0" * 63 + "1"], other: ["0x0"]}
    five, zero = (f"0x{number:064x}" for number in (5, 0))
    assert rpc("eth_getStorageValues", asked) == {account: [five, zero], other: [zero]}
    assert rpc("eth_getStorageValues", asked, "0x1")[account] == [zero, zero]


@pytest.mark.parametrize("tag", ["latest", "pending"])
def test_proofs_lead_to_the_root(chain: Chain, counter: Handle, rpc: Any, tag: str) -> None:
    counter.add(5)
    if tag == "pending":
        chain.automine = False
        counter.add(4)
    proof = rpc("eth_getProof", rpc.hexed(counter.address), ["0x0"], tag)
    root = rpc("eth_getBlockByNumber", tag)["stateRoot"]
    first, words = (
        bytes.fromhex(nodes[0][2:])
        for nodes in (proof["accountProof"], proof["storageProof"][0]["proof"])
    )
    assert (rpc.hexed(keccak(first)), rpc.hexed(keccak(words))) == (root, proof["storageHash"])
    assert proof["storageProof"][0]["value"] == ("0x5" if tag == "latest" else "0x9")


def test_what_was_set_since_the_block_is_not_proved(
    chain: Chain, counter: Handle, rpc: Any
) -> None:
    counter.add(5)
    chain.set_storage(counter.address, 0, 7)
    proofs = [
        rpc("eth_getProof", rpc.hexed(counter.address), ["0x0"], tag)["storageProof"][0]["value"]
        for tag in ("latest", "pending")
    ]
    assert proofs == ["0x5", "0x7"]
