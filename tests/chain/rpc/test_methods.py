"""The table of JSON-RPC methods, called directly: requests, calls, transactions, controls, signing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from chain import Address, Chain
from chain.crypto.hashing import keccak
from chain.rpc.errors import BAD_PARAMS, NO_METHOD, NO_REQUEST, REFUSED, REVERTED
from chain.simulator.handle import Handle

# What goes in and out


def test_asking_imports_no_engine() -> None:
    pytest.importorskip("coincurve")  # signing in Python imports more
    code = (
        "import sys; from chain import Chain; c = Chain(); c.node.request('eth_getBlockByNumber', ['latest', True]);"
        "print(sorted({'eth', 'web3', 'eth_tester', 'rlp', 'eth_utils'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_answers_carry_their_number(chain: Chain) -> None:
    asked = {"jsonrpc": "2.0", "id": 7, "method": "eth_chainId"}
    assert chain.node.handle(asked) == {"jsonrpc": "2.0", "id": 7, "result": "0x7a69"}


def test_batches_answer_in_order(chain: Chain) -> None:
    asked = [{"id": i, "method": name} for i, name in enumerate(["eth_blockNumber", "eth_none"])]
    first, second = chain.node.handle(asked)
    assert (first["result"], second["error"]["code"]) == ("0x0", NO_METHOD)


def test_notifications_get_no_answer(chain: Chain) -> None:
    assert chain.node.handle({"method": "evm_mine"}) is None
    assert chain.head.number == 1


@pytest.mark.parametrize(
    "message", [None, 7, [], {}, {"id": 1}, {"method": "a", "params": {"b": 1}}]
)
def test_nonsense_is_not_a_request(chain: Chain, message: Any) -> None:
    assert chain.node.handle(message)["error"]["code"] == NO_REQUEST


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("eth_getBalance", []),
        ("eth_getBalance", ["0x12"]),
        ("eth_getBalance", [7]),
        ("eth_getBalance", ["0x" + "zz" * 20]),
        ("eth_getBalance", ["0x" + "00" * 20, "newest"]),
        ("eth_getBalance", ["0x" + "00" * 20, -1]),
        ("eth_getBalance", ["0x" + "00" * 20, hex(2**64)]),
        ("eth_getBalance", ["0x" + "00" * 20, "0x1_0"]),
        ("eth_getStorageAt", ["0x" + "00" * 20, "0x" + "00" * 33]),
        ("eth_getProof", ["0x" + "00" * 20, ["0x" + "00" * 33]]),
        ("eth_getStorageValues", [{}]),
        ("eth_getStorageValues", [{"0x" + "00" * 20: ["0x0"] * 1025}]),
        ("eth_sendTransaction", [{"gas": hex(2**64)}]),
        ("eth_call", [{"nonce": hex(2**64)}]),
        ("eth_call", [{}, "latest", {"0x" + "00" * 20: {"nonce": hex(2**64)}}]),
        ("eth_getBlockByNumber", [True]),
        ("eth_getLogs", ["all"]),
        ("eth_getLogs", [{"topics": ["0x12"]}]),
        ("eth_getLogs", [{"topics": [None] * 5}]),
        ("eth_getLogs", [{"blockHash": "0x" + "00" * 32, "fromBlock": "0x0"}]),
        ("eth_call", ["0x"]),
        ("eth_call", [{"data": "0x1"}]),
        ("eth_call", [{"data": "0x12", "input": "0x34"}]),
        ("eth_call", [{"accessList": [1]}]),
        ("eth_sendTransaction", [{"gasPrice": "0x1", "maxFeePerGas": "0x1"}]),
        ("eth_sendTransaction", [{"type": "0x2", "gasPrice": "0x1"}]),
        ("eth_sendTransaction", [{"type": "0x0", "maxFeePerGas": "0x1"}]),
        ("eth_sendTransaction", [{"type": "0x4"}]),
        ("eth_feeHistory", ["0x1", "latest", [50, 10]]),
        ("evm_setNextBlockTimestamp", [1]),
        ("evm_setAutomine", ["yes"]),
    ],
)
def test_bad_params_are_refused(chain: Chain, method: str, params: list[Any]) -> None:
    answer = chain.node.handle({"id": 1, "method": method, "params": params})
    assert answer["error"]["code"] == BAD_PARAMS, answer


def test_mistakes_of_ours_show(chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chain, "head", property(lambda self: 1 / 0))
    answer = chain.node.handle({"id": 1, "method": "eth_blockNumber"})
    assert answer["error"]["message"] == "eth_blockNumber: ZeroDivisionError: division by zero"


# Running


def test_calls_return_their_value(counter: Handle, rpc: Any) -> None:
    counter.add(5)
    assert int(rpc("eth_call", rpc.to(counter.total)), 16) == 5


def test_calls_see_the_past(chain: Chain, counter: Handle, rpc: Any) -> None:
    for by in (1, 2, 3):
        counter.add(by)
    totals = [int(rpc("eth_call", rpc.to(counter.total), hex(n)), 16) for n in range(1, 5)]
    assert totals == [0, 1, 3, 6]
    assert counter.total() == 6


def test_calls_run_in_their_block(chain: Chain, counter: Handle, rpc: Any) -> None:
    chain.mine(4)
    tags = ["0x2", "latest", "pending"]
    assert [int(rpc("eth_call", rpc.to(counter.height), tag), 16) for tag in tags] == [2, 5, 6]


def test_views_have_gas_to_read_far(counter: Handle, rpc: Any) -> None:
    asked = rpc.to(counter.look_far, 16_000)  # more gas than a block has
    assert int(rpc("eth_call", asked), 16) == 0
    assert rpc.refusal("eth_call", {**asked, "gas": hex(30_000_000)}).code == REFUSED


def test_bad_imaginings_leave_no_trace(chain: Chain, counter: Handle, rpc: Any) -> None:
    alice = rpc.hexed(chain.accounts[0])
    for bad in ({"balance": "0x1", "code": "0x1"}, {"stateDiff": {"0x0": "one"}}, 7):
        no = rpc.refusal(
            "eth_call",
            rpc.to(counter.total),
            "latest",
            {alice: {"nonce": "0x9"}, rpc.hexed(bytes(20)): bad},
        )
        assert no.code == BAD_PARAMS
    assert (chain.nonce(chain.accounts[0]), chain.state.changes) == (1, [])


def test_calls_leave_no_trace(chain: Chain, counter: Handle, rpc: Any) -> None:
    before = chain.block_hash()
    assert int(rpc("eth_call", rpc.to(counter.add, 5)), 16) == 5
    chain.mine()
    assert counter.total() == 0
    assert chain.blocks[2].gas_used == 0
    assert chain.head.number == 2
    assert before == chain.block_hash(1)


def test_calls_take_imagined_accounts(chain: Chain, counter: Handle, rpc: Any) -> None:
    address = rpc.hexed(counter.address)
    counter.keep(3)
    for imagined, total, kept in (
        ({"stateDiff": {"0x0": hex(41)}}, 41, 3),
        ({"state": {"0x0": hex(41)}}, 41, 0),
    ):
        for entry, expected in ((counter.total, total), (counter.kept_so_far, kept)):
            assert (
                int(rpc("eth_call", rpc.to(entry), "latest", {address: imagined}), 16) == expected
            )
    nobody = "0x" + "12" * 20
    code = {
        nobody: {"code": rpc.hexed(chain.code(counter.address)), "balance": "0x7", "nonce": "0x5"}
    }
    assert rpc("eth_call", {**rpc.to(counter.total), "to": nobody}, "latest", code) == f"0x{0:064x}"
    assert (counter.total(), chain.balance(Address(nobody)), chain.nonce(Address(nobody))) == (
        0,
        0,
        0,
    )


def test_reverts_carry_their_reason(counter: Handle, rpc: Any) -> None:
    no = rpc.refusal("eth_call", rpc.to(counter.add, 0))
    assert (no.code, no.message) == (REVERTED, "execution reverted: nothing to add")
    assert no.data.startswith("0x08c379a0")


@pytest.mark.parametrize("why", ["", "0x12", "0x", "Not your turn"])
def test_any_reason_is_reported(counter: Handle, rpc: Any, why: str) -> None:
    no = rpc.refusal("eth_call", rpc.to(counter.refuse, why))
    assert no.message.removeprefix("execution reverted").removeprefix(": ") == why


def test_unknown_errors_are_data_only(chain: Chain, rpc: Any, evm: Callable[..., bytes]) -> None:
    there = Address(bytes(19) + b"\x99")
    chain.set_code(there, evm(0x12345678, 0, "MSTORE", 4, 28, "REVERT"))
    no = rpc.refusal("eth_call", {"to": rpc.hexed(there)})
    assert (no.code, no.message, no.data) == (REVERTED, "execution reverted", "0x12345678")


def test_declared_errors_carry_data(counter: Handle, rpc: Any) -> None:
    no = rpc.refusal("eth_estimateGas", rpc.to(counter.add, 2_000))
    assert no.data == rpc.hexed(keccak(b"TooMuch(uint64)")[:4] + (1_000).to_bytes(32))
    assert "TooMuch(1000)" in no.message


def test_too_little_gas_is_not_a_revert(counter: Handle, rpc: Any) -> None:
    no = rpc.refusal("eth_call", rpc.to(counter.keep, 9, gas="0x7530"))
    assert (no.code, no.data) == (REFUSED, None)


def test_refused_transactions_change_nothing(chain: Chain, rpc: Any) -> None:
    rich, poor = rpc.hexed(chain.accounts[0]), rpc.hexed(bytes(19) + b"\1")
    assert rpc.refusal("eth_sendTransaction", {"from": poor, "to": rich}).code == REFUSED
    chain.advance(100)
    assert rpc("eth_getBlockByNumber", "pending")["timestamp"] == hex(chain.now)


def test_other_chains_are_refused(chain: Chain, rpc: Any) -> None:
    asked = {"to": rpc.hexed(chain.accounts[1]), "chainId": "0x1"}
    for method in ("eth_call", "eth_estimateGas", "eth_sendTransaction"):
        assert "chain 1" in rpc.refusal(method, asked).message


def test_failed_transactions_are_mined(counter: Handle, rpc: Any) -> None:
    sent = rpc("eth_sendTransaction", rpc.to(counter.add, 0, gas="0x186a0"))
    assert rpc("eth_getTransactionReceipt", sent)["status"] == "0x0"


def test_transactions_keep_their_type(chain: Chain, rpc: Any) -> None:
    someone, other = rpc.hexed(chain.accounts[1]), rpc.hexed(chain.accounts[2])
    listed = [{"address": other, "storageKeys": ["0x" + "00" * 31 + "07"]}]
    asked: list[dict[str, Any]] = [
        {"gasPrice": "0x77359400"},
        {"gasPrice": "0x77359400", "accessList": listed},
        {"maxFeePerGas": "0x77359400", "maxPriorityFeePerGas": "0x5", "accessList": listed},
        {},
    ]
    hashes = [rpc("eth_sendTransaction", {"from": someone, "to": other, **f}) for f in asked]
    shown = [rpc("eth_getTransactionByHash", sent) for sent in hashes]
    assert [tx["type"] for tx in shown] == ["0x0", "0x1", "0x2", "0x2"]
    assert [tx["gasPrice"] for tx in shown] == [
        "0x77359400",
        "0x77359400",
        "0x3b9aca05",
        "0x3b9aca00",
    ]
    assert [tx.get("accessList") for tx in shown] == [None, listed, listed, []]
    assert shown[3]["maxFeePerGas"] == hex(2 * 10**9)  # good for some blocks to come


# Controls


def test_snapshots_can_be_reverted_to_once(chain: Chain, counter: Handle, rpc: Any) -> None:
    first, second = rpc("evm_snapshot"), rpc("evm_snapshot")
    counter.add(5)
    assert rpc("evm_revert", first) is True
    assert (counter.total(), chain.head.number) == (0, 1)
    assert [rpc("evm_revert", number) for number in (first, second)] == [False, False]


def test_undone_snapshots_are_gone(chain: Chain, rpc: Any) -> None:
    with chain.anchor():
        chain.mine()
        number = rpc("evm_snapshot")
    chain.mine(3)
    assert rpc("evm_revert", number) is False


@pytest.mark.parametrize(
    ("params", "mined", "time"),
    [([], 1, 1), ([3], 3, 3), (["0x2"], 2, 2), ([{"blocks": 2}], 2, 2), ([1_704_067_900], 1, 700)],
)
def test_mining_on_demand(chain: Chain, rpc: Any, params: list[Any], mined: int, time: int) -> None:
    rpc("evm_mine", *params)
    assert (chain.head.number, chain.head.timestamp - chain.blocks[0].timestamp) == (mined, time)


def test_time_is_set(chain: Chain, rpc: Any) -> None:
    start = chain.now
    rpc("evm_increaseTime", 65)
    rpc("evm_mine")
    rpc("evm_setNextBlockTimestamp", hex(start + 100))
    rpc("evm_mine")
    rpc("testing_timeTravel", start + 200)
    assert [block.timestamp - start for block in chain.blocks] == [0, 65, 100, 200]


# Signing


def test_messages_are_signed(chain: Chain, rpc: Any) -> None:
    from eth_account import Account
    from eth_account.messages import encode_defunct

    alice = chain.accounts[0]
    signed = rpc("eth_sign", rpc.hexed(alice), rpc.hexed(b"hello"))
    assert Account.recover_message(encode_defunct(b"hello"), signature=signed) == str(alice)
    assert signed[-2:] in ("1b", "1c")
    assert rpc("personal_sign", rpc.hexed(b"hello"), rpc.hexed(alice)) == signed


def test_fields_are_filled_in(chain: Chain, counter: Handle, rpc: Any) -> None:
    filled = rpc("eth_fillTransaction", rpc.to(counter.add, 7, gasPrice=hex(10**9)))
    tx = filled["tx"]
    assert [tx[name] for name in ("type", "nonce", "value", "v", "r", "s")] == [
        "0x0", "0x1", "0x0", "0x0", "0x0", "0x0",
    ]  # fmt: skip
    assert tx["gas"] == rpc("eth_estimateGas", rpc.to(counter.add, 7))
    assert tx["hash"] == rpc("web3_sha3", filled["raw"])
    sent = rpc("eth_sendTransaction", {name: tx[name] for name in ("to", "input", "gas", "nonce")})
    assert rpc("eth_getTransactionReceipt", sent)["status"] == "0x1"


def test_receipts_of_sent_bytes_are_answered_at_once(chain: Chain, rpc: Any) -> None:
    asked = {"to": rpc.hexed(chain.accounts[1]), "gas": "0x5208"}
    receipt = rpc("eth_sendRawTransactionSync", rpc("eth_signTransaction", asked)["raw"], 2_000)
    assert receipt == rpc("eth_getTransactionReceipt", receipt["transactionHash"])
    chain.automine = False
    raw = rpc("eth_signTransaction", asked)["raw"]
    assert rpc.refusal("eth_sendRawTransactionSync", raw).code == REFUSED
    assert len(chain.receipts) == 1


def test_receipts_of_transactions_are_answered_at_once(
    chain: Chain, counter: Handle, rpc: Any
) -> None:
    good = rpc.to(counter.add, 7)
    for asked, status in ((good, "0x1"), ({**good, "value": "0x1", "gas": "0x186a0"}, "0x0")):
        receipt = rpc("eth_sendTransactionSync", asked)
        assert receipt == rpc("eth_getTransactionReceipt", receipt["transactionHash"])
        assert receipt["status"] == status
    late = {**good, "nonce": "0x99"}
    assert rpc.refusal("eth_sendTransactionSync", late).message.startswith("nonce too high")
    stranger = {**good, "from": f"0x{5:040x}"}
    assert rpc.refusal("eth_sendTransactionSync", stranger)
    rpc("anvil_impersonateAccount", stranger["from"])
    rpc("anvil_setBalance", stranger["from"], hex(10**18))
    assert rpc("eth_sendTransactionSync", stranger, 500)["status"] == "0x1"
    chain.automine = False
    no = rpc.refusal("eth_sendTransactionSync", good)
    assert no.code == REFUSED
    assert no.message.endswith("no receipt to wait for: use eth_sendTransaction")


def test_fees_and_accounts_have_more_than_one_name(chain: Chain, rpc: Any) -> None:
    assert rpc("eth_baseFee") == rpc("eth_gasPrice") == hex(chain.pending.base_fee)
    assert rpc("eth_requestAccounts") == rpc("eth_accounts")


def test_the_whole_past_is_available(chain: Chain, rpc: Any) -> None:
    chain.mine()
    told = rpc("eth_capabilities")
    assert told.pop("head") == {"number": "0x1", "hash": rpc.hexed(chain.block_hash())}
    assert told.keys() == {"state", "tx", "logs", "receipts", "blocks", "stateproofs"}
    assert all(each == {"disabled": False, "oldestBlock": "0x0"} for each in told.values())


def test_signed_transactions_can_be_sent(chain: Chain, rpc: Any) -> None:
    alice, bob = (rpc.hexed(account) for account in chain.accounts[:2])
    asked = {"from": alice, "to": bob, "value": "0x5", "gasPrice": hex(10**9)}
    signed = rpc("eth_signTransaction", asked)
    assert chain.head.number == 0
    sent = rpc("eth_sendRawTransaction", signed["raw"])
    shown = rpc("eth_getTransactionByHash", sent)
    assert shown | signed["tx"] == shown
    assert shown.keys() - signed["tx"].keys() == {
        "from", "blockHash", "blockNumber", "blockTimestamp", "transactionIndex",
    }  # fmt: skip
    assert shown["from"] == alice
    assert rpc("eth_getRawTransactionByHash", sent) == signed["raw"]
    assert "nonce" in rpc.refusal("eth_sendRawTransaction", signed["raw"]).message
