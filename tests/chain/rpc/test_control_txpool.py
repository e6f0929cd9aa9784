"""Transactions that wait while nothing is mined: they are pending, can be dropped, and follow the clock."""

from __future__ import annotations

import pytest

from chain import Chain
from chain.rpc.errors import BAD_PARAMS
from chain.simulator.handle import Handle
from tests.chain.rpc.control import ALICE, BOB, START, STRANGER, Ask, adding, hexed, refusal


@pytest.fixture
def waiting(chain: Chain, ask: Ask, counter: Handle) -> list[str]:
    """The hashes of three transactions that wait for a block."""
    ask("evm_setAutomine", False)
    sent = [(1, ALICE), (2, BOB), (4, ALICE)]
    return [ask("eth_sendTransaction", adding(counter, by, who)) for by, who in sent]


def test_pending_transactions_are_shown(
    chain: Chain, ask: Ask, counter: Handle, waiting: list[str]
) -> None:
    assert [ask("eth_getTransactionReceipt", each) for each in waiting] == [None] * 3
    assert ask("eth_getTransactionByHash", waiting[0])["blockNumber"] is None
    assert ask("eth_getBlockByNumber", "pending")["transactions"] == waiting
    assert ask("eth_getBlockByNumber", "latest")["transactions"] != waiting
    nonces = [ask("eth_getTransactionCount", hexed(ALICE), tag) for tag in ("latest", "pending")]
    assert nonces == ["0x1", "0x3"]


def test_views_see_the_mined_state(ask: Ask, counter: Handle, waiting: list[str]) -> None:
    asked = {"to": hexed(counter.address), "data": hexed(counter.total.calldata())}
    assert [int(ask("eth_call", asked, tag), 16) for tag in ("latest", "pending")] == [0, 7]
    assert ask("eth_getLogs", {"fromBlock": "0x0"}) == []
    ask("evm_mine")
    assert int(ask("eth_call", asked), 16) == 7 and len(ask("eth_getLogs", {})) == 3


def test_the_pool_is_the_open_block(ask: Ask, waiting: list[str]) -> None:
    assert ask("txpool_status") == {"pending": "0x3", "queued": "0x0"}
    content = ask("txpool_content")["pending"]
    assert [each["hash"] for each in content[str(ALICE)].values()] == [waiting[0], waiting[2]]
    assert list(content[str(BOB)]) == ["0"]
    assert ask("txpool_inspect")["pending"][str(BOB)]["0"].endswith("200000 gas × 2000000000 wei")


def test_mining_empties_the_pool(ask: Ask, waiting: list[str]) -> None:
    ask("anvil_mine", 1)
    assert ask("txpool_status")["pending"] == "0x0"
    assert {ask("eth_getTransactionReceipt", each)["blockNumber"] for each in waiting} == {"0x2"}


def test_dropped_transactions_are_removed(
    chain: Chain, ask: Ask, counter: Handle, waiting: list[str]
) -> None:
    assert ask("anvil_dropTransaction", waiting[1])
    assert ask("eth_getTransactionByHash", waiting[1]) is None
    assert not ask("hardhat_dropTransaction", waiting[1])
    ask("evm_mine")
    assert counter.total() == 5 and chain.nonce(BOB) == 0
    assert chain.head.gas_used == sum(each.gas_used for each in chain.receipts[1:])


def test_transactions_after_a_dropped_nonce_are_dropped_too(
    ask: Ask, chain: Chain, counter: Handle, waiting: list[str]
) -> None:
    chain.set_balance(STRANGER, 5)
    ask("anvil_dropTransaction", waiting[0])
    ask("evm_mine")
    assert (counter.total(), chain.balance(STRANGER)) == (2, 5)


def test_senders_are_dropped(ask: Ask, counter: Handle, waiting: list[str]) -> None:
    ask("anvil_removePoolTransactions", hexed(ALICE))
    ask("evm_mine")
    assert counter.total() == 2


def test_all_are_dropped(ask: Ask, chain: Chain, counter: Handle, waiting: list[str]) -> None:
    ask("anvil_dropAllTransactions")
    assert ask("txpool_status")["pending"] == "0x0"
    assert counter.total() == 0 and chain.nonce(ALICE) == 1


@pytest.mark.parametrize(
    ("method", "value"), [("evm_setNextBlockTimestamp", START + 500), ("evm_increaseTime", 499)]
)
def test_open_blocks_follow_the_clock(
    chain: Chain, ask: Ask, counter: Handle, waiting: list[str], method: str, value: int
) -> None:
    ask("eth_sendTransaction", adding(counter, 0) | {"data": hexed(counter.reset.calldata())})
    ask(method, value)
    ask("evm_mine")
    assert chain.head.timestamp == START + 500 == chain.events("Reset").one().at
    assert [hexed(each.tx_hash) for each in chain.receipts[1:-1]] == waiting


def test_open_blocks_take_overrides(chain: Chain, ask: Ask, waiting: list[str]) -> None:
    ask("anvil_setPrevRandao", "0x2a")
    ask("anvil_setCoinbase", hexed(STRANGER))
    ask("evm_mine")
    assert (chain.head.prevrandao, chain.head.coinbase, len(chain.receipts)) == (42, STRANGER, 4)


def test_snapshots_of_open_blocks_outlive_changes(
    chain: Chain, ask: Ask, counter: Handle, waiting: list[str]
) -> None:
    number, time = ask("evm_snapshot"), chain.pending.timestamp
    ask("evm_increaseTime", 500)
    ask("evm_mine")
    assert ask("evm_revert", number) and not ask("evm_revert", number)
    assert ask("eth_getBlockByNumber", "pending")["transactions"] == waiting
    ask("evm_mine")
    assert (chain.head.timestamp, counter.total()) == (time, 7)


def test_refused_changes_change_nothing(
    ask: Ask, chain: Chain, counter: Handle, waiting: list[str]
) -> None:
    refusal(ask, BAD_PARAMS, "evm_setNextBlockTimestamp", START)
    ask("evm_mine")
    assert counter.total() == 7 and len(chain.receipts) == 4


def test_mined_blocks_are_shown(ask: Ask, waiting: list[str]) -> None:
    closed, empty = ask("evm_mineDetailed", {"blocks": 2})
    assert [each["hash"] for each in closed["transactions"]] == waiting
    assert (empty["number"], empty["transactions"]) == ("0x3", [])


def test_waiting_transactions_are_listed(ask: Ask, waiting: list[str]) -> None:
    assert [each["hash"] for each in ask("eth_pendingTransactions")] == waiting
    of_alice = ask("txpool_contentFrom", hexed(ALICE))["pending"]
    assert [each["hash"] for each in of_alice.values()] == [waiting[0], waiting[2]]
    assert ask("txpool_contentFrom", hexed(STRANGER)) == {"pending": {}, "queued": {}}
