"""The table of JSON-RPC methods, asked directly."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from chain import (
    Address,
    Chain,
    Contract,
    Key,
    Map,
    Revert,
    Vector,
    call,
    error,
    event,
    require,
    rlp,
    view,
)
from chain.accounts import ACCOUNTS
from chain.handle import Handle
from chain.rpc.errors import BAD_PARAMS, NO_METHOD, NO_REQUEST, REFUSED, REVERTED, RpcError
from chain.types import u64

Request = Callable[..., Any]


@event
class Added:
    who: Key[Address]
    by: Key[u64]


@event
class Reset:
    at: u64


@error
class TooMuch:
    most: u64


class Counter(Contract):
    count: u64
    kept: Vector[u64]
    seen: Map[u64, u64]

    @call
    def add(self, by: u64) -> u64:
        require(by, "nothing to add")
        if by > 1_000:
            raise TooMuch(1_000)
        self.count += by
        self.emit(Added(self.caller, by))
        return self.count

    @call
    def reset(self) -> None:
        self.count = 0
        self.emit(Reset(self.block.timestamp))

    @call
    def wipe(self) -> None:
        self.count = 0
        self.log("wiped" * 99)

    @call
    def keep(self, n: u64) -> None:
        for i in range(n):
            self.kept.append(i + 1)

    @call
    def keep_as_high(self) -> None:
        self.keep(self.block.number)

    @call
    def roll(self) -> u64:
        return self.random.below(6, tag="dice")

    @view
    def total(self) -> u64:
        return self.count

    @view
    def kept_so_far(self) -> u64:
        return len(self.kept)

    @view
    def height(self) -> u64:
        return self.block.number

    @view
    def look_far(self, n: u64) -> u64:
        return sum(self.seen[i] for i in range(n))

    @view
    def refuse(self, why: str) -> None:
        raise Revert(why)


class Relay(Contract):
    @call
    def keep(self, counter: Address, n: u64) -> None:
        self.at(Counter, counter).keep(n)

    @call
    def try_to_keep(self, counter: Address, n: u64) -> None:
        with suppress(Revert):
            self.at(Counter, counter).keep(n)


@pytest.fixture
def chain() -> Chain:
    return Chain()


@pytest.fixture
def counter(chain: Chain) -> Handle:
    return chain.deploy(Counter)


@pytest.fixture
def request_(chain: Chain) -> Request:
    return lambda method, *params: chain.node.request(method, params)


def hexed(raw: bytes) -> str:
    return "0x" + raw.hex()


def to(entry: Any, *args: Any, **fields: Any) -> dict[str, Any]:
    """The JSON of a transaction to an entry of a handle."""
    return {"to": hexed(entry._address), "data": hexed(entry.calldata(*args)), **fields}


def refusal(request: Request, method: str, *params: Any) -> RpcError:
    with pytest.raises(RpcError) as caught:
        request(method, *params)
    return caught.value


# What goes in and out


def test_asking_imports_no_engine() -> None:
    code = (
        "import sys; from chain import Chain; c = Chain(); c.node.request('eth_getBlockByNumber', ['latest', True]);"
        "print(sorted({'eth', 'web3', 'eth_tester', 'rlp', 'eth_utils'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_answers_carry_their_number(chain: Chain) -> None:
    asked = {"jsonrpc": "2.0", "id": 7, "method": "eth_chainId"}
    assert chain.node.respond(asked) == {"jsonrpc": "2.0", "id": 7, "result": "0x7a69"}


def test_batches_answer_in_order(chain: Chain) -> None:
    asked = [{"id": i, "method": name} for i, name in enumerate(["eth_blockNumber", "eth_none"])]
    first, second = chain.node.respond(asked)
    assert (first["result"], second["error"]["code"]) == ("0x0", NO_METHOD)


def test_notifications_get_no_answer(chain: Chain) -> None:
    assert chain.node.respond({"method": "evm_mine"}) is None
    assert chain.head.number == 1


@pytest.mark.parametrize(
    "message", [None, 7, [], {}, {"id": 1}, {"method": "a", "params": {"b": 1}}]
)
def test_nonsense_is_no_request(chain: Chain, message: Any) -> None:
    assert chain.node.respond(message)["error"]["code"] == NO_REQUEST


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("eth_getBalance", []),
        ("eth_getBalance", ["0x12"]),
        ("eth_getBalance", [7]),
        ("eth_getBalance", ["0x" + "zz" * 20]),
        ("eth_getBalance", ["0x" + "00" * 20, "newest"]),
        ("eth_getBalance", ["0x" + "00" * 20, -1]),
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
    answer = chain.node.respond({"id": 1, "method": method, "params": params})
    assert answer["error"]["code"] == BAD_PARAMS, answer


def test_mistakes_of_ours_show(chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chain, "head", property(lambda self: 1 / 0))
    answer = chain.node.respond({"id": 1, "method": "eth_blockNumber"})
    assert answer["error"]["message"] == "eth_blockNumber: ZeroDivisionError: division by zero"


# Running


def test_calls_return_their_value(counter: Handle, request_: Request) -> None:
    counter.add(5)
    assert int(request_("eth_call", to(counter.total)), 16) == 5


def test_calls_see_the_past(chain: Chain, counter: Handle, request_: Request) -> None:
    for by in (1, 2, 3):
        counter.add(by)
    totals = [int(request_("eth_call", to(counter.total), hex(n)), 16) for n in range(1, 5)]
    assert totals == [0, 1, 3, 6]
    assert counter.total() == 6


def test_calls_stand_in_their_block(chain: Chain, counter: Handle, request_: Request) -> None:
    chain.mine(4)
    tags = ["0x2", "latest", "pending"]
    assert [int(request_("eth_call", to(counter.height), tag), 16) for tag in tags] == [2, 5, 6]


def test_views_may_look_far(counter: Handle, request_: Request) -> None:
    asked = to(counter.look_far, 16_000)  # more gas than a block has
    assert int(request_("eth_call", asked), 16) == 0
    assert refusal(request_, "eth_call", {**asked, "gas": hex(30_000_000)}).code == REFUSED


def test_bad_imaginings_leave_no_trace(chain: Chain, counter: Handle, request_: Request) -> None:
    alice = hexed(chain.accounts[0])
    for bad in ({"balance": "0x1", "code": "0x1"}, {"stateDiff": {"0x0": "one"}}, 7):
        no = refusal(
            request_,
            "eth_call",
            to(counter.total),
            "latest",
            {alice: {"nonce": "0x9"}, hexed(bytes(20)): bad},
        )
        assert no.code == BAD_PARAMS
    assert (chain.nonce(chain.accounts[0]), chain.state.changes) == (1, [])


def test_calls_leave_no_trace(chain: Chain, counter: Handle, request_: Request) -> None:
    before = chain.block_hash()
    assert int(request_("eth_call", to(counter.add, 5)), 16) == 5
    chain.mine()
    assert counter.total() == 0
    assert chain.blocks[2].gas_used == 0
    assert chain.head.number == 2
    assert before == chain.block_hash(1)


def test_calls_take_imagined_accounts(chain: Chain, counter: Handle, request_: Request) -> None:
    address = hexed(counter.address)
    counter.keep(3)
    for imagined, total, kept in (
        ({"stateDiff": {"0x0": hex(41)}}, 41, 3),
        ({"state": {"0x0": hex(41)}}, 41, 0),
    ):
        for entry, expected in ((counter.total, total), (counter.kept_so_far, kept)):
            assert (
                int(request_("eth_call", to(entry), "latest", {address: imagined}), 16) == expected
            )
    nobody = "0x" + "12" * 20
    code = {nobody: {"code": hexed(chain.code(counter.address)), "balance": "0x7", "nonce": "0x5"}}
    assert (
        request_("eth_call", {**to(counter.total), "to": nobody}, "latest", code) == f"0x{0:064x}"
    )
    assert (counter.total(), chain.balance(Address(nobody)), chain.nonce(Address(nobody))) == (
        0,
        0,
        0,
    )


def test_reverts_carry_their_reason(counter: Handle, request_: Request) -> None:
    no = refusal(request_, "eth_call", to(counter.add, 0))
    assert (no.code, no.message) == (REVERTED, "execution reverted: nothing to add")
    assert no.data.startswith("0x08c379a0")


@pytest.mark.parametrize("why", ["", "0x12", "0x", "Not your turn"])
def test_any_reason_is_told(counter: Handle, request_: Request, why: str) -> None:
    no = refusal(request_, "eth_call", to(counter.refuse, why))
    assert no.message.removeprefix("execution reverted").removeprefix(": ") == why


def test_unknown_errors_are_data_only(
    chain: Chain, request_: Request, evm: Callable[..., bytes]
) -> None:
    there = Address(bytes(19) + b"\x99")
    chain.set_code(there, evm(0x12345678, 0, "MSTORE", 4, 28, "REVERT"))
    no = refusal(request_, "eth_call", {"to": hexed(there)})
    assert (no.code, no.message, no.data) == (REVERTED, "execution reverted", "0x12345678")


def test_declared_errors_carry_data(counter: Handle, request_: Request) -> None:
    no = refusal(request_, "eth_estimateGas", to(counter.add, 2_000))
    assert no.data == hexed(TooMuch.__error__.encode(TooMuch(1_000)))
    assert "TooMuch(most=1000)" in no.message


def test_too_little_gas_is_no_revert(counter: Handle, request_: Request) -> None:
    no = refusal(request_, "eth_call", to(counter.keep, 9, gas="0x7530"))
    assert (no.code, no.data) == (REFUSED, None)


def test_refused_transactions_change_nothing(chain: Chain, request_: Request) -> None:
    rich, poor = hexed(chain.accounts[0]), hexed(bytes(19) + b"\1")
    assert refusal(request_, "eth_sendTransaction", {"from": poor, "to": rich}).code == REFUSED
    assert "nonce" in refusal(request_, "eth_sendTransaction", {"to": rich, "nonce": "0x5"}).message
    chain.advance(100)
    assert request_("eth_getBlockByNumber", "pending")["timestamp"] == hex(chain.now)


def test_other_chains_are_refused(chain: Chain, request_: Request) -> None:
    asked = {"to": hexed(chain.accounts[1]), "chainId": "0x1"}
    for method in ("eth_call", "eth_estimateGas", "eth_sendTransaction"):
        assert "chain 1" in refusal(request_, method, asked).message


def test_failed_transactions_are_mined(counter: Handle, request_: Request) -> None:
    sent = request_("eth_sendTransaction", to(counter.add, 0, gas="0x186a0"))
    assert request_("eth_getTransactionReceipt", sent)["status"] == "0x0"


def test_transactions_keep_their_type(chain: Chain, request_: Request) -> None:
    someone, other = hexed(chain.accounts[1]), hexed(chain.accounts[2])
    listed = [{"address": other, "storageKeys": ["0x" + "00" * 31 + "07"]}]
    asked: list[dict[str, Any]] = [
        {"gasPrice": "0x77359400"},
        {"gasPrice": "0x77359400", "accessList": listed},
        {"maxFeePerGas": "0x77359400", "maxPriorityFeePerGas": "0x5", "accessList": listed},
        {},
    ]
    hashes = [request_("eth_sendTransaction", {"from": someone, "to": other, **f}) for f in asked]
    shown = [request_("eth_getTransactionByHash", sent) for sent in hashes]
    assert [tx["type"] for tx in shown] == ["0x0", "0x1", "0x2", "0x2"]
    assert [tx["gasPrice"] for tx in shown] == [
        "0x77359400",
        "0x77359400",
        "0x3b9aca05",
        "0x3b9aca00",
    ]
    assert [tx.get("accessList") for tx in shown] == [None, listed, listed, []]
    assert shown[3]["maxFeePerGas"] == hex(2 * 10**9)  # good for some blocks to come


# Gas


def test_transfers_cost_21000(chain: Chain, request_: Request) -> None:
    assert request_("eth_estimateGas", {"to": hexed(bytes(20)), "value": "0x1"}) == hex(21_000)


@pytest.mark.parametrize(
    "what",
    [
        lambda c, r: to(c.add, 7),
        lambda c, r: to(c.reset),  # gives gas back when it is over
        lambda c, r: to(c.keep, 0),
        lambda c, r: to(c.keep, 12),
        lambda c, r: to(r.keep, c.address, 12),  # a message below gets only 63 of 64 parts
        lambda c, r: to(c.keep_as_high),
        lambda c, r: {"data": c.chain.declare(Relay).bytecode},
    ],
)
def test_estimates_are_the_least(
    chain: Chain, counter: Handle, request_: Request, what: Any
) -> None:
    counter.add(3)
    asked = what(counter, chain.deploy(Relay))
    gas = int(request_("eth_estimateGas", asked), 16)
    statuses = []
    for given in (gas, gas - 1):
        with chain.anchor():
            try:
                sent = request_("eth_sendTransaction", {**asked, "gas": hex(given)})
                statuses.append(request_("eth_getTransactionReceipt", sent)["status"])
            except RpcError as no:
                statuses.append(no.message[:20])
    assert statuses[0] == "0x1"
    assert statuses[1] != "0x1"


def test_estimates_are_enough_below(chain: Chain, counter: Handle, request_: Request) -> None:
    relay = chain.deploy(Relay)
    request_("eth_sendTransaction", to(relay.try_to_keep, counter.address, 12))
    assert len(counter.fields.kept) == 12


def test_estimates_take_two_runs(
    counter: Handle, request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    rehearse, runs = Chain.rehearse, []
    monkeypatch.setattr(Chain, "rehearse", lambda *args: runs.append(args) or rehearse(*args))
    counter.add(1)
    for i, asked in enumerate([to(counter.add, 1), to(counter.wipe)], 1):
        request_("eth_estimateGas", asked)
        assert len(runs) == 2 * i


def test_estimates_stay_in_the_block(chain: Chain, request_: Request) -> None:
    other = hexed(chain.accounts[1])
    with chain.block():
        chain.send(None, b"\xfe", gas=chain.head.gas_limit - 20_000)
        assert refusal(request_, "eth_estimateGas", {"to": other}).code == REFUSED
    assert request_("eth_estimateGas", {"to": other}) == hex(21_000)


def test_estimates_draw_nothing(chain: Chain, counter: Handle, request_: Request) -> None:
    with chain.loaded(dice=[4]):
        request_("eth_estimateGas", to(counter.roll))
        assert counter.roll().return_value == 4


def test_estimates_ignore_the_nonce(chain: Chain, counter: Handle, request_: Request) -> None:
    assert request_("eth_estimateGas", to(counter.add, 1, nonce="0x63"))


# Blocks


def test_tags_name_blocks(chain: Chain, request_: Request) -> None:
    chain.mine(3)
    tags = ["earliest", "latest", "safe", "finalized", "pending", "0x2", 2]
    numbers = [int(request_("eth_getBlockByNumber", tag)["number"], 16) for tag in tags]
    assert numbers == [0, 3, 3, 3, 4, 2, 2]
    assert request_("eth_getBlockByNumber", "0x4") is None


def test_hashes_name_blocks(chain: Chain, request_: Request) -> None:
    chain.mine(3)
    for number in (0, 3):
        assert request_("eth_getBlockByHash", hexed(chain.block_hash(number)))["number"] == hex(
            number
        )
    assert request_("eth_getBlockByHash", "0x" + "12" * 32) is None


def test_undone_hashes_name_nothing(chain: Chain, request_: Request) -> None:
    with chain.anchor():
        chain.advance(9)
        gone = hexed(chain.block_hash(chain.mine().number))
        assert request_("eth_getBlockByHash", gone)
    chain.mine()
    assert request_("eth_getBlockByHash", gone) is None


def test_balances_are_asked_by_block(chain: Chain, request_: Request) -> None:
    rich, other = chain.accounts[0], chain.accounts[1]
    chain.send(other, value=5, sender=rich)
    where = {"blockHash": hexed(chain.block_hash(0))}
    had, has = (int(request_("eth_getBalance", hexed(other), at), 16) for at in (where, "latest"))
    assert has == had + 5
    assert refusal(request_, "eth_getBalance", hexed(other), "0x9").code == REFUSED


def test_blocks_list_their_transactions(chain: Chain, counter: Handle, request_: Request) -> None:
    with chain.block():
        receipts = [counter.add(1), counter.add(2)]
    hashes = [hexed(receipt.tx_hash) for receipt in receipts]
    block, full = (request_("eth_getBlockByNumber", "latest", flag) for flag in (False, True))
    assert block["transactions"] == hashes
    assert [tx["hash"] for tx in full["transactions"]] == hashes
    assert request_("eth_getBlockTransactionCountByNumber", "latest") == "0x2"
    assert request_("eth_getTransactionByBlockNumberAndIndex", "latest", "0x1")["hash"] == hashes[1]
    assert request_("eth_getTransactionByBlockHashAndIndex", block["hash"], "0x2") is None


def test_receipts_add_up(chain: Chain, counter: Handle, request_: Request) -> None:
    with chain.block():
        used = [counter.add(1).gas_used, counter.add(2).gas_used]
    receipts = request_("eth_getBlockReceipts", "latest")
    assert [int(r["cumulativeGasUsed"], 16) for r in receipts] == [used[0], sum(used)]
    assert [log["logIndex"] for r in receipts for log in r["logs"]] == ["0x0", "0x1"]
    assert receipts[1] == request_("eth_getTransactionReceipt", receipts[1]["transactionHash"])
    assert receipts[1]["contractAddress"] is None
    made = request_("eth_getBlockReceipts", "0x1")[0]
    assert (made["to"], made["contractAddress"]) == (None, hexed(counter.address))


def test_receipts_match_their_root(chain: Chain, counter: Handle, request_: Request) -> None:
    receipt = counter.add(1)
    block = request_("eth_getBlockByNumber", "latest")
    shown = request_("eth_getTransactionReceipt", hexed(receipt.tx_hash))
    assert shown["logsBloom"] == block["logsBloom"]
    assert shown["blockHash"] == block["hash"]


def test_size_is_in_bytes(chain: Chain, request_: Request) -> None:
    with chain.block():
        for fees in ({"gasPrice": hex(10**9)}, {}):
            request_("eth_sendTransaction", {"to": hexed(chain.accounts[1]), **fees})
    envelopes = [chain.ledger.envelope_of(receipt) for receipt in chain.receipts]
    body = [chain.ledger.header(1), [rlp.decode(envelopes[0]), envelopes[1]], [], []]
    assert request_("eth_getBlockByNumber", "0x1")["size"] == hex(len(rlp.encode(body)))


def test_waiting_transactions_are_pending(chain: Chain, counter: Handle, request_: Request) -> None:
    who = hexed(chain.accounts[0])
    request_("evm_setAutomine", False)
    sent = request_("eth_sendTransaction", to(counter.add, 5, maxFeePerGas=hex(10**12)))
    pending = request_("eth_getBlockByNumber", "pending")
    assert (pending["hash"], pending["transactions"]) == (None, [sent])
    assert pending["parentHash"] == hexed(chain.block_hash())
    assert len(request_("eth_getBlockReceipts", "pending")) == 1
    waiting = request_("eth_getTransactionByHash", sent)
    assert (waiting["blockHash"], waiting["gasPrice"]) == (None, hex(10**12))
    assert request_("eth_getTransactionReceipt", sent) is None
    nonces = [request_("eth_getTransactionCount", who, tag) for tag in ("latest", "pending")]
    totals = [
        int(request_("eth_call", to(counter.total), tag), 16) for tag in ("latest", "pending")
    ]
    assert (nonces, totals) == (["0x1", "0x2"], [0, 5])
    request_("evm_mine")
    assert request_("eth_getTransactionReceipt", sent)["status"] == "0x1"
    assert int(request_("eth_call", to(counter.total)), 16) == 5


def test_fee_history_counts_back(chain: Chain, counter: Handle, request_: Request) -> None:
    counter.add(1)
    history = request_("eth_feeHistory", "0x2", "latest", [0, 100])
    assert history["oldestBlock"] == "0x1"
    assert history["baseFeePerGas"] == [hex(10**9)] * 3
    assert [ratio > 0 for ratio in history["gasUsedRatio"]] == [True, True]
    assert history["reward"] == [["0x0", "0x0"]] * 2
    assert request_("eth_feeHistory", 99)["oldestBlock"] == "0x0"


def test_tips_stand_by_percentile(chain: Chain, request_: Request) -> None:
    with chain.block():
        for tip in (30, 10, 20):
            fees = {"maxPriorityFeePerGas": hex(tip), "maxFeePerGas": hex(2 * 10**9)}
            request_("eth_sendTransaction", {"to": hexed(chain.accounts[1]), **fees})
    tips = request_("eth_feeHistory", 1, "latest", [0, 33, 34, 67, 100])["reward"][0]
    assert [int(tip, 16) for tip in tips] == [10, 10, 20, 30, 30]


def test_fees_follow_demand() -> None:
    chain = Chain(elastic_fees=True)
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


# Storage and proofs


def test_storage_is_words(counter: Handle, request_: Request) -> None:
    counter.add(5)
    assert int(request_("eth_getStorageAt", hexed(counter.address), "0x0"), 16) == 5
    assert request_("eth_getCode", hexed(counter.address)).startswith("0xfe")


def test_proofs_lead_to_the_root(counter: Handle, request_: Request) -> None:
    from chain.hashing import keccak

    counter.add(5)
    proof = request_("eth_getProof", hexed(counter.address), ["0x0"], "latest")
    root = request_("eth_getBlockByNumber", "latest")["stateRoot"]
    first, words = (
        bytes.fromhex(nodes[0][2:])
        for nodes in (proof["accountProof"], proof["storageProof"][0]["proof"])
    )
    assert (hexed(keccak(first)), hexed(keccak(words))) == (root, proof["storageHash"])
    assert proof["storageProof"][0]["value"] == "0x5"


def test_pending_blocks_prove_nothing(counter: Handle, request_: Request) -> None:
    no = refusal(request_, "eth_getProof", hexed(counter.address), [], "pending")
    assert no.code == REFUSED


# Logs


@pytest.fixture
def logged(chain: Chain, counter: Handle) -> tuple[Handle, Handle]:
    """Two counters; blocks 3 to 7 hold: one adds 1, 2 and 1, the other adds 1, one is reset."""
    other = chain.deploy(Counter)
    for by in (1, 2, 1):
        counter.add(by)
    other.add(1, sender=chain.accounts[1])
    counter.reset()
    return counter, other


ADDED, RESET = (f"0x{kind.__event__.topic:064x}" for kind in (Added, Reset))
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
    logged: tuple[Handle, Handle], request_: Request, criteria: dict[str, Any], blocks: list[int]
) -> None:
    names = {"one": hexed(logged[0].address), "two": hexed(logged[1].address)}
    asked = {"fromBlock": "earliest", **criteria}
    if "address" in asked:
        wanted = asked["address"]
        asked["address"] = names[wanted] if isinstance(wanted, str) else [names[w] for w in wanted]
    assert [int(log["blockNumber"], 16) for log in request_("eth_getLogs", asked)] == blocks


def test_logs_of_one_block(logged: tuple[Handle, Handle], request_: Request) -> None:
    block = request_("eth_getBlockByNumber", "0x4")
    found = request_("eth_getLogs", {"blockHash": block["hash"]})
    assert [log["transactionHash"] for log in found] == block["transactions"]


def test_backward_ranges_are_refused(logged: tuple[Handle, Handle], request_: Request) -> None:
    for start, end in (("0x5", "0x3"), ("latest", "earliest"), ("0x20", "0x10")):
        no = refusal(request_, "eth_getLogs", {"fromBlock": start, "toBlock": end})
        assert (no.code, "backwards" in no.message) == (BAD_PARAMS, True)


# Filters


def test_filters_give_what_is_new(chain: Chain, counter: Handle, request_: Request) -> None:
    logs, blocks = request_("eth_newFilter", {"topics": [ADDED]}), request_("eth_newBlockFilter")
    sent = request_("eth_newPendingTransactionFilter")
    receipt = counter.add(1)
    assert [log["blockNumber"] for log in request_("eth_getFilterChanges", logs)] == ["0x2"]
    assert request_("eth_getFilterChanges", blocks) == [hexed(chain.block_hash())]
    assert request_("eth_getFilterChanges", sent) == [hexed(receipt.tx_hash)]
    assert [request_("eth_getFilterChanges", n) for n in (logs, blocks, sent)] == [[], [], []]


def test_filters_remember_everything(chain: Chain, counter: Handle, request_: Request) -> None:
    counter.add(1)
    new, old = (request_("eth_newFilter", c) for c in ({}, {"fromBlock": "0x0"}))
    counter.add(2)
    request_("eth_getFilterChanges", old)
    assert [len(request_("eth_getFilterLogs", number)) for number in (new, old)] == [1, 2]


def test_filters_stop_where_they_end(counter: Handle, request_: Request) -> None:
    number = request_("eth_newFilter", {"fromBlock": "0x2", "toBlock": "0x3"})
    for by in (1, 2, 3):
        counter.add(by)
    assert len(request_("eth_getFilterChanges", number)) == 2


def test_filters_go_back_too(chain: Chain, counter: Handle, request_: Request) -> None:
    numbers = [
        request_("eth_newFilter", {}),
        request_("eth_newBlockFilter"),
        request_("eth_newPendingTransactionFilter"),
    ]
    with chain.anchor():
        counter.add(1)
        counter.add(2)
        assert [len(request_("eth_getFilterChanges", number)) for number in numbers] == [2, 2, 2]
    counter.add(3)
    assert [len(request_("eth_getFilterChanges", number)) for number in numbers] == [1, 1, 1]


def test_filters_forget_their_start(chain: Chain, counter: Handle, request_: Request) -> None:
    with chain.anchor():
        chain.mine(5)
        number = request_("eth_newFilter", {})
    counter.add(1)
    assert len(request_("eth_getFilterLogs", number)) == 1


def test_removed_filters_are_gone(request_: Request) -> None:
    number = request_("eth_newBlockFilter")
    assert [request_("eth_uninstallFilter", number) for _ in range(2)] == [True, False]
    assert "filter not found" in refusal(request_, "eth_getFilterChanges", number).message


# Controls


def test_snapshots_go_back_once(chain: Chain, counter: Handle, request_: Request) -> None:
    first, second = request_("evm_snapshot"), request_("evm_snapshot")
    counter.add(5)
    assert request_("evm_revert", first) is True
    assert (counter.total(), chain.head.number) == (0, 1)
    assert [request_("evm_revert", number) for number in (first, second)] == [False, False]


def test_undone_snapshots_are_gone(chain: Chain, request_: Request) -> None:
    with chain.anchor():
        chain.mine()
        number = request_("evm_snapshot")
    chain.mine(3)
    assert request_("evm_revert", number) is False


@pytest.mark.parametrize(
    ("params", "mined", "time"),
    [([], 1, 1), ([3], 3, 3), (["0x2"], 2, 2), ([{"blocks": 2}], 2, 2), ([1_704_067_900], 1, 700)],
)
def test_mining_on_demand(
    chain: Chain, request_: Request, params: list[Any], mined: int, time: int
) -> None:
    request_("evm_mine", *params)
    assert (chain.head.number, chain.head.timestamp - chain.blocks[0].timestamp) == (mined, time)


def test_time_is_set(chain: Chain, request_: Request) -> None:
    start = chain.now
    request_("evm_increaseTime", 65)
    request_("evm_mine")
    request_("evm_setNextBlockTimestamp", hex(start + 100))
    request_("evm_mine")
    request_("testing_timeTravel", start + 200)
    assert [block.timestamp - start for block in chain.blocks] == [0, 65, 100, 200]


# Signing


def test_messages_are_signed(chain: Chain, request_: Request) -> None:
    from eth_account import Account
    from eth_account.messages import encode_defunct

    alice = chain.accounts[0]
    signed = request_("eth_sign", hexed(alice), hexed(b"hello"))
    assert Account.recover_message(encode_defunct(b"hello"), signature=signed) == str(alice)
    assert signed[-2:] in ("1b", "1c")
    assert request_("personal_sign", hexed(b"hello"), hexed(alice)) == signed


def test_signed_transactions_can_be_sent(chain: Chain, request_: Request) -> None:
    alice, bob = (hexed(account) for account in chain.accounts[:2])
    signed = request_("eth_signTransaction", {"from": alice, "to": bob, "value": "0x5"})
    assert chain.head.number == 0
    sent = request_("eth_sendRawTransaction", signed["raw"])
    assert request_("eth_getTransactionByHash", sent)["from"] == alice
    assert request_("eth_getRawTransactionByHash", sent) == signed["raw"]
    assert "nonce" in refusal(request_, "eth_sendRawTransaction", signed["raw"]).message
