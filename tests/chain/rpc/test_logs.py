"""Logs as clients search for them: at once, or by filters that return what is new."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chain import Chain
from chain.crypto.accounts import ACCOUNTS
from chain.crypto.hashing import keccak
from chain.rpc import kept_texts
from chain.rpc.errors import BAD_PARAMS
from chain.rpc.json_messages import answer_one
from chain.rpc.methods import AS_TEXT
from chain.simulator.handle import Handle


@pytest.fixture
def logged(chain: Chain, counter: Handle) -> tuple[Handle, Handle]:
    """Two counters; blocks 3 to 7 hold: one adds 1, 2 and 1, the other adds 1, one is reset."""
    other = chain.deploy(counter.contract)
    for by in (1, 2, 1):
        counter.add(by)
    other.add(1, sender=chain.accounts[1])
    counter.reset()
    return counter, other


ADDED, RESET = (f"0x{keccak(name).hex()}" for name in (b"Added(address,uint64)", b"Reset(uint64)"))
ONE, TWO = (f"0x{number:064x}" for number in (1, 2))
BOB = "0x" + (bytes(12) + ACCOUNTS[1]).hex()


@pytest.mark.parametrize(
    ("criteria", "blocks"),
    [
        ({}, [3, 4, 5, 6, 7]),
        ({"toBlock": "0x5"}, [3, 4, 5]),
        ({"fromBlock": "0x4", "toBlock": "latest"}, [4, 5, 6, 7]),
        ({"fromBlock": "latest"}, [7]),
        ({"fromBlock": "0x9", "toBlock": "latest"}, []),
        ({"toBlock": "0x99"}, [3, 4, 5, 6, 7]),
        ({"topics": []}, [3, 4, 5, 6, 7]),
        ({"topics": [ADDED]}, [3, 4, 5, 6]),
        ({"topics": [[ADDED, RESET]]}, [3, 4, 5, 6, 7]),
        ({"topics": [[ADDED, None]]}, [3, 4, 5, 6, 7]),
        ({"topics": [ADDED, None, ONE]}, [3, 5, 6]),
        ({"topics": [None, None, [ONE, TWO]]}, [3, 4, 5, 6]),
        ({"topics": [ADDED, None, [ONE, TWO]], "fromBlock": "0x4"}, [4, 5, 6]),
        ({"topics": [RESET, None]}, []),  # it has one topic only
        ({"topics": [TWO]}, []),
        ({"address": "one"}, [3, 4, 5, 7]),
        ({"address": ["one", "two"]}, [3, 4, 5, 6, 7]),
        ({"address": "two", "topics": [ADDED]}, [6]),
        ({"address": "two", "topics": [RESET]}, []),
        ({"address": "one", "topics": [ADDED, BOB]}, []),
    ],
)
def test_logs_are_found(
    logged: tuple[Handle, Handle], rpc: Any, criteria: dict[str, Any], blocks: list[int]
) -> None:
    names = {"one": rpc.hexed(logged[0].address), "two": rpc.hexed(logged[1].address)}
    asked = {"fromBlock": "earliest", **criteria}
    if "address" in asked:
        wanted = asked["address"]
        asked["address"] = names[wanted] if isinstance(wanted, str) else [names[w] for w in wanted]
    assert [int(log["blockNumber"], 16) for log in rpc("eth_getLogs", asked)] == blocks


def test_logs_of_one_block(logged: tuple[Handle, Handle], rpc: Any) -> None:
    block = rpc("eth_getBlockByNumber", "0x4")
    found = rpc("eth_getLogs", {"blockHash": block["hash"]})
    assert [log["transactionHash"] for log in found] == block["transactions"]


def test_backward_ranges_are_refused(logged: tuple[Handle, Handle], rpc: Any) -> None:
    for start, end in (("0x5", "0x3"), ("latest", "earliest"), ("0x20", "0x10")):
        no = rpc.refusal("eth_getLogs", {"fromBlock": start, "toBlock": end})
        assert (no.code, "backwards" in no.message) == (BAD_PARAMS, True)


def test_filters_give_what_is_new(chain: Chain, counter: Handle, rpc: Any) -> None:
    logs, blocks = rpc("eth_newFilter", {"topics": [ADDED]}), rpc("eth_newBlockFilter")
    sent = rpc("eth_newPendingTransactionFilter")
    receipt = counter.add(1)
    assert [log["blockNumber"] for log in rpc("eth_getFilterChanges", logs)] == ["0x2"]
    assert rpc("eth_getFilterChanges", blocks) == [rpc.hexed(chain.block_hash())]
    assert rpc("eth_getFilterChanges", sent) == [rpc.hexed(receipt.tx_hash)]
    assert [rpc("eth_getFilterChanges", n) for n in (logs, blocks, sent)] == [[], [], []]


def test_filters_remember_everything(chain: Chain, counter: Handle, rpc: Any) -> None:
    counter.add(1)
    new, old = (rpc("eth_newFilter", c) for c in ({}, {"fromBlock": "0x0"}))
    counter.add(2)
    rpc("eth_getFilterChanges", old)
    assert [len(rpc("eth_getFilterLogs", number)) for number in (new, old)] == [1, 2]


def test_filters_stop_where_they_end(counter: Handle, rpc: Any) -> None:
    number = rpc("eth_newFilter", {"fromBlock": "0x2", "toBlock": "0x3"})
    for by in (1, 2, 3):
        counter.add(by)
    assert len(rpc("eth_getFilterChanges", number)) == 2


def test_filters_are_rolled_back_too(chain: Chain, counter: Handle, rpc: Any) -> None:
    numbers = [
        rpc("eth_newFilter", {}),
        rpc("eth_newBlockFilter"),
        rpc("eth_newPendingTransactionFilter"),
    ]
    with chain.anchor():
        counter.add(1)
        counter.add(2)
        assert [len(rpc("eth_getFilterChanges", number)) for number in numbers] == [2, 2, 2]
    counter.add(3)
    assert [len(rpc("eth_getFilterChanges", number)) for number in numbers] == [1, 1, 1]


def test_filters_forget_their_start(chain: Chain, counter: Handle, rpc: Any) -> None:
    with chain.anchor():
        chain.mine(5)
        number = rpc("eth_newFilter", {})
    counter.add(1)
    assert len(rpc("eth_getFilterLogs", number)) == 1


def test_removed_filters_are_gone(rpc: Any) -> None:
    number = rpc("eth_newBlockFilter")
    assert [rpc("eth_uninstallFilter", number) for _ in range(2)] == [True, False]
    assert "filter not found" in rpc.refusal("eth_getFilterChanges", number).message


def test_logs_as_text_equal_those_as_objects(
    chain: Chain, logged: tuple[Handle, Handle], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server writes logs as text and keeps it. Also after the chain was taken back and went on otherwise."""
    monkeypatch.setattr(kept_texts, "_MOST_TEXTS", 4)
    counter, other = logged

    def check(count: int) -> None:
        for criteria in (
            {},
            {"address": str(other.address)},
            {"topics": [ADDED]},
            {"toBlock": "0x5"},
        ):
            message = {"id": [3], "method": "eth_getLogs", "params": [{"fromBlock": "0x0", **criteria}]}  # fmt: skip
            for number in (1, "one", None):
                asked = {**message, "id": number}
                expected = answer_one(chain.node, asked, {}, 1 << 20)
                assert answer_one(chain.node, asked, AS_TEXT, 1 << 20) == expected
        assert len(json.loads(expected or b"")["result"]) == 3
        logs = chain.node.request("eth_getLogs", [{"fromBlock": "0x0"}])
        assert len(logs) == count

    with chain.block():  # several in a block, and in a transaction
        counter.add(4)
        other.add(5)
    check(7)
    with chain.anchor():
        counter.add(6)
        check(8)
    counter.add(7)
    with chain.anchor():
        counter.reset()
        chain.revert(chain.snapshot())
    check(8)
    chain.advance(5)
    other.add(8)
    check(9)
    wrong = {"id": 1, "method": "eth_getLogs", "params": []}
    assert answer_one(chain.node, wrong, AS_TEXT, 100) == answer_one(chain.node, wrong, {}, 100)
