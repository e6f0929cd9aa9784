"""Test control over JSON-RPC: `evm_…`, `anvil_…` and `hardhat_…`, as their users expect them."""

from __future__ import annotations

import json
from typing import Any
from zlib import compress

import pytest

from chain import Address, Chain
from chain.rpc.errors import BAD_PARAMS, REFUSED
from chain.rpc.methods import METHODS
from chain.simulator.handle import Handle
from tests.chain.rpc.control import BOB, START, STRANGER, Ask, adding, hexed, refusal
from tests.chain.toys import Counter


def test_anvil_and_hardhat_have_the_same_methods() -> None:
    anvil = {name.partition("_")[2] for name in METHODS if name.startswith("anvil_")}
    hardhat = {name.partition("_")[2] for name in METHODS if name.startswith("hardhat_")}
    assert anvil == hardhat and len(anvil) > 30


# Accounts


def test_accounts_are_set(chain: Chain, ask: Ask) -> None:
    who = hexed(STRANGER)
    ask("anvil_setBalance", who, "0x64")
    ask("anvil_addBalance", who, "0x1")
    ask("hardhat_setNonce", who, "0x7")
    ask("hardhat_setCode", who, "0x6001")
    ask("anvil_setStorageAt", who, "0x2", "0x" + "00" * 31 + "09")
    assert (chain.balance(STRANGER), chain.nonce(STRANGER)) == (101, 7)
    assert (chain.code(STRANGER), chain.storage(STRANGER, 2)) == (b"\x60\x01", 9)


@pytest.mark.parametrize(
    ("method", "value", "words"),
    [
        ("setBalance", hex(2**256), "at most 256 bits"),
        ("setNonce", hex(2**64), "at most 64 bits"),
        ("setCode", "0x123", "bytes look like"),
        ("setPrevRandao", None, "a quantity looks like"),
    ],
)
def test_what_does_not_fit_is_refused(ask: Ask, method: str, value: Any, words: str) -> None:
    params = [value] if value is None else [hexed(STRANGER), value]
    assert words in refusal(ask, BAD_PARAMS, f"anvil_{method}", *params)


def test_the_impersonated_send(chain: Chain, ask: Ask, counter: Handle) -> None:
    chain.set_balance(STRANGER, 10**18)
    sent = adding(counter, 3, STRANGER)
    assert "unknown account" in refusal(ask, REFUSED, "eth_sendTransaction", sent)
    ask("hardhat_impersonateAccount", hexed(STRANGER))
    assert hexed(STRANGER) in ask("eth_accounts")
    assert ask("eth_getTransactionReceipt", ask("eth_sendTransaction", sent))["status"] == "0x1"
    ask("anvil_stopImpersonatingAccount", hexed(STRANGER))
    assert "unknown account" in refusal(ask, REFUSED, "eth_sendTransaction", sent)


def test_anyone_can_be_impersonated(chain: Chain, ask: Ask, counter: Handle) -> None:
    chain.set_balance(counter.address, 10**18)
    sent = adding(counter, 3, counter.address)
    ask("anvil_autoImpersonateAccount", True)
    ask("eth_sendTransaction", sent)
    ask("anvil_autoImpersonateAccount", False)
    ask("eth_sendUnsignedTransaction", sent)
    assert counter.total() == 6 and chain.receipts[-1].sender == counter.address


# Blocks and time


def test_many_blocks_are_mined(chain: Chain, ask: Ask) -> None:
    ask("hardhat_mine", "0x3", "0x3c")
    assert [block.timestamp - START for block in chain.blocks] == [0, 1, 61, 121]
    ask("anvil_mine")
    assert chain.head.timestamp == START + 122


def test_blocks_keep_their_distance(chain: Chain, ask: Ask) -> None:
    ask("anvil_setBlockTimestampInterval", 12)
    ask("evm_mine")
    ask("evm_increaseTime", 5)
    ask("evm_mine")
    ask("anvil_removeBlockTimestampInterval")
    ask("evm_mine")
    assert [block.timestamp - START for block in chain.blocks] == [0, 12, 17, 18]


def test_the_clock_is_set(chain: Chain, ask: Ask) -> None:
    assert ask("evm_setTime", START + 90) == 90
    ask("evm_mine")
    assert chain.head.timestamp == START + 90
    assert "time does not run backwards" in refusal(ask, BAD_PARAMS, "anvil_setTime", START)
    assert "the greatest time is" in refusal(ask, BAD_PARAMS, "evm_increaseTime", 2**53 - 1)


def test_intervals_leave_transactions_waiting(chain: Chain, ask: Ask, counter: Handle) -> None:
    ask("evm_setIntervalMining", 5)
    tx_hash = ask("eth_sendTransaction", adding(counter, 3))
    assert (ask("anvil_getIntervalMining"), ask("eth_getTransactionReceipt", tx_hash)) == (5, None)
    ask("evm_setIntervalMining", 0)
    assert ask("anvil_getAutomine") and ask("anvil_getIntervalMining") is None


def test_next_blocks_have_overrides(chain: Chain, ask: Ask) -> None:
    ask("hardhat_setPrevRandao", "0x" + "00" * 31 + "2a")
    ask("anvil_setCoinbase", hexed(STRANGER))
    ask("anvil_setNextBlockBaseFeePerGas", hex(5))
    ask("evm_mine")
    ask("evm_mine")
    first, second = chain.blocks[1:]
    assert (first.prevrandao, first.coinbase, first.base_fee) == (42, STRANGER, 5)
    assert second.prevrandao != 42 and (second.coinbase, second.base_fee) == (STRANGER, 5)


def test_least_prices_are_refused(ask: Ask) -> None:
    assert "base fee" in refusal(ask, REFUSED, "hardhat_setMinGasPrice", "0x1")


# Going back


@pytest.mark.parametrize("prefix", ["evm", "anvil"])
def test_snapshots_are_used_once(ask: Ask, counter: Handle, prefix: str) -> None:
    first = ask(f"{prefix}_snapshot")
    counter.add(1)
    second = ask(f"{prefix}_snapshot")
    assert ask(f"{prefix}_revert", first) and counter.total() == 0
    assert not ask(f"{prefix}_revert", first) and not ask(f"{prefix}_revert", second)


def test_reset_is_the_beginning(chain: Chain, ask: Ask, counter: Handle) -> None:
    root = chain.block_hash(0)
    counter.add(1)
    ask("anvil_impersonateAccount", hexed(STRANGER))
    ask("evm_setAutomine", False)
    ask("hardhat_reset")
    assert (chain.head.number, chain.now, len(chain.receipts)) == (0, START, 0)
    assert chain.block_hash() == root and ask("anvil_getAutomine")
    assert hexed(STRANGER) not in ask("eth_accounts")
    assert chain.deploy(Counter).address == counter.address


def test_blocks_are_rolled_back(chain: Chain, ask: Ask, counter: Handle) -> None:
    counter.add(1)
    before = chain.block_hash()
    counter.add(2)
    chain.mine()
    ask("anvil_rollback", 2)
    assert (chain.block_hash(), counter.total(), chain.now) == (before, 1, chain.head.timestamp)
    assert "cannot be undone" in refusal(ask, BAD_PARAMS, "anvil_rollback", 9)


def test_the_head_is_set_back(chain: Chain, ask: Ask, counter: Handle) -> None:
    number, before = chain.head.number, chain.block_hash()
    counter.add(1)
    ask("debug_setHead", hex(number))
    assert (chain.block_hash(), counter.total()) == (before, 0)
    assert "cannot be undone" in refusal(ask, BAD_PARAMS, "debug_setHead", "0x9")


def test_forks_are_refused(ask: Ask) -> None:
    options = {"forking": {"jsonRpcUrl": "http://127.0.0.1:1"}}
    assert "cannot fork another" in refusal(ask, REFUSED, "anvil_reset", options)


# Dumping and loading a state


def test_states_are_carried(chain: Chain, ask: Ask, counter: Handle) -> None:
    counter.add(3, sender=BOB)
    dumped = ask("anvil_dumpState")
    other = Chain()
    other.declare(Counter)
    assert other.node.request("anvil_loadState", [dumped])
    there = other.handle(Counter, counter.address)
    assert there.total() == 3 and other.balance(BOB) == chain.balance(BOB)
    kept = [str(each) for each in there.keep(1, sender=BOB).writes]
    assert any(write.startswith("Counter.kept[") for write in kept)
    assert dumped == ask("hardhat_dumpState")


def test_loaded_states_can_be_undone(chain: Chain, ask: Ask) -> None:
    before, balance = ask("evm_snapshot"), chain.balance(BOB)
    accounts = {hexed(BOB): {"nonce": 3, "balance": "0x5", "code": "0x", "storage": {}}}
    ask("anvil_loadState", hexed(json.dumps({"accounts": accounts}).encode()))
    assert (chain.balance(BOB), chain.nonce(BOB)) == (5, 3)
    ask("evm_revert", before)
    assert chain.balance(BOB) == balance


@pytest.mark.parametrize(
    "dumped",
    [
        "0x",
        "0x1f8b00",
        hexed(b"[]"),
        hexed(b'{"accounts": 7}'),
        hexed(b'{"accounts": {"0x12": {}}}'),
        hexed(b'{"accounts": {"0x%s": {"nonce": -1}}}' % (b"11" * 20)),
        hexed(b'{"accounts": {"0x%s": {"storage": {"0x1": "x"}}}}' % (b"11" * 20)),
        hexed(b'{"accounts": {}, "slots": [7]}'),
        hexed(
            b'{"accounts": {"0x%s": {"balance": 1}, "0x%s": {"nonce": -1}}}'
            % (b"11" * 20, b"22" * 20)
        ),
        hexed(b"\x1f\x8b" + compress(b"{}")),
    ],
)
def test_broken_dumps_change_nothing(chain: Chain, ask: Ask, dumped: str) -> None:
    refusal(ask, BAD_PARAMS, "anvil_loadState", dumped)
    assert chain.balance(Address(b"\x11" * 20)) == 0 and not chain.state.changes


# Who answers


def test_node_info_shows_the_head(chain: Chain, ask: Ask) -> None:
    chain.mine(2)
    info, told = ask("anvil_nodeInfo"), ask("hardhat_metadata")
    assert (info["currentBlockNumber"], info["environment"]["chainId"]) == ("0x2", 31337)
    assert info["currentBlockHash"] == told["latestBlockHash"] == hexed(chain.block_hash())


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("eth_protocolVersion", "0x45"),
        ("eth_hashrate", "0x0"),
        ("eth_coinbase", hexed(bytes(20))),
        ("eth_mining", True),
        ("eth_pendingTransactions", []),
    ],
)
def test_old_questions_are_answered(ask: Ask, method: str, answer: Any) -> None:
    assert ask(method) == answer


def test_nobody_mines_unasked(ask: Ask) -> None:
    ask("evm_setAutomine", False)
    assert not ask("eth_mining")
    ask("evm_setIntervalMining", 5)
    assert ask("eth_mining")


def test_next_miners_are_reported(ask: Ask) -> None:
    ask("hardhat_setCoinbase", hexed(STRANGER))
    assert ask("eth_coinbase") == hexed(STRANGER)


def test_logging_is_switched_by_truth(ask: Ask) -> None:
    assert ask("hardhat_setLoggingEnabled", False) and ask("anvil_setLoggingEnabled", True)
    assert "true or false" in refusal(ask, BAD_PARAMS, "anvil_setLoggingEnabled", "0x1")


@pytest.mark.parametrize(
    ("method", "here", "other", "said"),
    [
        ("evm_setBlockGasLimit", hex(60_000_000), "0x1", "--gas-limit"),
        ("anvil_setChainId", 31337, 1, "--chain-id"),
    ],
)
def test_rules_of_a_chain_stay(ask: Ask, method: str, here: Any, other: Any, said: str) -> None:
    ask(method, here)
    assert said in refusal(ask, REFUSED, method, other)
    refusal(ask, BAD_PARAMS, method, "many")


def test_forking_another_chain_is_refused(ask: Ask) -> None:
    assert "not a fork of another" in refusal(ask, REFUSED, "anvil_setRpcUrl", "http://127.0.0.1:1")


# Blocks and transactions in detail


def test_headers_have_no_transactions(chain: Chain, ask: Ask, counter: Handle) -> None:
    block, header = ask("eth_getBlockByNumber", "latest"), ask("eth_getHeaderByNumber", "latest")
    assert header == ask("eth_getHeaderByHash", hexed(chain.block_hash()))
    assert block.keys() - header.keys() == {"size", "transactions", "uncles", "withdrawals"}
    assert header.items() <= block.items()
    assert ask("eth_getHeaderByNumber", "0x9") is None


def test_transactions_are_found_by_nonce(ask: Ask, counter: Handle) -> None:
    first, second = (ask("eth_sendTransaction", adding(counter, by, BOB)) for by in (1, 2))
    found = [ask("eth_getTransactionBySenderAndNonce", hexed(BOB), nonce) for nonce in (0, "0x1")]
    assert [each["hash"] for each in found] == [first, second]
    assert ask("eth_getTransactionBySenderAndNonce", hexed(BOB), 2) is None
    assert ask("eth_getTransactionBySenderAndNonce", hexed(STRANGER), 0) is None


def test_accounts_are_complete(chain: Chain, ask: Ask) -> None:
    ask("evm_setAccountBalance", hexed(STRANGER), 5)
    ask("evm_setAccountCode", hexed(STRANGER), "0x6001")
    ask("evm_setAccountStorageAt", hexed(STRANGER), 2, 7)
    told = {"balance": "0x5", "nonce": "0x0", "code": "0x6001"}
    assert ask("eth_getAccountInfo", hexed(STRANGER)) == told
    assert chain.storage(STRANGER, 2) == 7
