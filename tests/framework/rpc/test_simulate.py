"""Simulated blocks: `eth_simulateV1`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Address, Chain, Contract, Revert, call, event, view
from chain.crypto import rlp
from chain.crypto.hashing import keccak
from chain.rpc.errors import REVERTED, RpcError
from chain.simulator.handle import Handle
from chain.types import u64
from tests.framework.rpc.shape_language import problems
from tests.framework.rpc.shape_parts import SIMULATED

POOR = "0xc1" + "00" * 19
A, B, C = (f"0xc{n}" + "00" * 19 for n in range(3))
ONE, TWO = "0x" + "00" * 19 + "01", "0x" + "00" * 19 + "02"
RICH = "0xd0" + "00" * 19
Simulate = Callable[..., list[Any]]


@event
class Set:
    what: u64


class Cell(Contract):
    what: u64

    @call
    def put(self, what: u64) -> u64:
        self.what, before = what, self.what
        self.emit(Set(what))
        return before

    @call(payable=True)
    def give(self, to: bytes) -> None:
        raise Revert("not today")

    @call(payable=True)
    def forward(self, to: Address) -> None:
        self.transfer(to, self.value)

    @view
    def time(self) -> u64:
        return self.block.timestamp


@pytest.fixture
def cell(chain: Chain) -> Handle:
    return chain.deploy(Cell)


@pytest.fixture
def simulate(chain: Chain) -> Simulate:
    def simulate(*blocks: dict[str, Any], **wishes: Any) -> list[Any]:
        found: list[Any] = chain.node.request(
            "eth_simulateV1", [{"blockStateCalls": list(blocks), **wishes}]
        )
        return found

    return simulate


def to(entry: Any, *args: Any, **fields: Any) -> dict[str, Any]:
    return {"to": entry._address, "data": entry.calldata(*args), **fields}


def test_calls_see_one_another(cell: Handle, simulate: Simulate) -> None:
    first, second = simulate(
        {"calls": [to(cell.put, 3), to(cell.put, 4)]}, {"calls": [to(cell.put, 5)]}
    )
    said = [int(each["returnData"], 16) for each in (*first["calls"], *second["calls"])]
    assert said == [0, 3, 4]
    assert [first["number"], second["number"]] == ["0x2", "0x3"]


def test_nothing_of_it_stays(chain: Chain, cell: Handle, simulate: Simulate) -> None:
    root, now = chain.state_root(), chain.now
    simulate({"stateOverrides": {POOR: {"balance": "0x5"}}, "calls": [to(cell.put, 3)]})
    chain.mine()
    assert cell.fields.what == 0
    assert (chain.state_root(), chain.now) == (root, now + 1)


def test_logs_are_in_order(cell: Handle, simulate: Simulate) -> None:
    block = simulate({"calls": [to(cell.put, 3), to(cell.put, 4)]})[0]
    logs = [each["logs"][0] for each in block["calls"]]
    assert [(int(log["data"], 16), log["logIndex"]) for log in logs] == [(3, "0x0"), (4, "0x1")]


def test_failures_show_their_reason(cell: Handle, simulate: Simulate) -> None:
    found = simulate({"calls": [to(cell.give, b"")]})[0]["calls"][0]
    assert (found["status"], found["error"]["code"]) == ("0x0", REVERTED)
    assert "not today" in found["error"]["message"]


def test_blocks_are_as_wished(cell: Handle, simulate: Simulate) -> None:
    wish = {"number": "0x20", "time": "0x7fffffff", "baseFeePerGas": "0xa", "feeRecipient": POOR}
    block = simulate({"blockOverrides": wish, "calls": [to(cell.time)]})[-1]
    assert int(block["calls"][0]["returnData"], 16) == 0x7FFFFFFF
    assert (block["number"], block["baseFeePerGas"], block["miner"]) == ("0x20", "0xa", POOR)


@pytest.mark.parametrize(
    "wish", [{}, {"blockStateCalls": 5}, {"blockStateCalls": [{"calls": 5}]}, {"blockStateCalls": [{}] * 257}]
)  # fmt: skip
def test_nonsense_is_refused(chain: Chain, wish: dict[str, Any]) -> None:
    with pytest.raises(RpcError):
        chain.node.request("eth_simulateV1", [wish])


@pytest.mark.parametrize("name", ["number", "time"])
def test_numbers_and_times_end(simulate: Simulate, name: str) -> None:
    with pytest.raises(RpcError, match="numbers and times of blocks are at most"):
        simulate({"blockOverrides": {name: hex(2**64 - 1)}})


# Headers


def test_answers_have_the_shape_of_the_specification(cell: Handle, simulate: Simulate) -> None:
    calls = [to(cell.put, 3), to(cell.give, b""), to(cell.put, 3, gas="0x5800")]
    paid = {"index": "0x1", "validatorIndex": "0x2", "address": POOR, "amount": "0x3"}
    blocks = simulate(
        {"calls": calls},
        {"blockOverrides": {"number": "0x9", "withdrawals": [paid]}},
        traceTransfers=True,
    )
    assert problems(SIMULATED, blocks) == []


def test_hashes_are_those_of_the_headers(cell: Handle, simulate: Simulate, chain: Chain) -> None:
    parent = chain.block_hash().hex()
    for block in simulate({"calls": [to(cell.put, 3)]}, {"blockOverrides": {"number": "0x5"}}):
        assert block["parentHash"] == "0x" + parent
        parent = keccak(rlp.encode([_item(block, name) for name in HEADER_FIELDS])).hex()
        assert block["hash"] == "0x" + parent


HEADER_FIELDS = (
    "parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot", "logsBloom", "difficulty",
    "number", "gasLimit", "gasUsed", "timestamp", "extraData", "mixHash", "nonce", "baseFeePerGas", "withdrawalsRoot",
    "blobGasUsed", "excessBlobGas", "parentBeaconBlockRoot", "requestsHash",
)  # fmt: skip
NUMBERS = {
    "difficulty",
    "number",
    "gasLimit",
    "gasUsed",
    "timestamp",
    "baseFeePerGas",
    "blobGasUsed",
    "excessBlobGas",
}


def _item(block: dict[str, str], name: str) -> int | bytes:
    return int(block[name], 16) if name in NUMBERS else bytes.fromhex(block[name][2:])


def test_a_simulated_block_is_what_the_real_one_would_be(chain: Chain) -> None:
    chain.node.request("anvil_setBalance", [RICH, hex(10**18)])
    call = {"from": RICH, "to": POOR, "value": "0x5", "maxFeePerGas": hex(10**9), "gas": "0x5208"}
    (block,) = chain.node.request(
        "eth_simulateV1", [{"blockStateCalls": [{"calls": [call]}], "validation": True}]
    )
    receipt = chain.send(Address(POOR), sender=Address(RICH), value=5, gas=21_000)
    header = chain.ledger.header(receipt.block_number)
    assert block["stateRoot"] == "0x" + header.state_root.hex()
    assert block["receiptsRoot"] == "0x" + header.receipts_root.hex()


def test_transactions_hash_as_ethereum_clients_hash_them() -> None:
    # Transaction hash, transactions root and receipts root are facts of go-ethereum's answer to the same calls.
    chain = Chain(chain_id=3503995874084926, gas_limit=50_000_000)
    pay = {"from": A, "to": B, "maxFeePerGas": "0x10", "value": "0x2540be400"}
    give = {"from": B, "to": C, "maxFeePerGas": "0x10", "value": "0x3e8"}
    wish = {
        "stateOverrides": {A: {"balance": "0xe8d4a51000"}},
        "calls": [pay, give],
        "blockOverrides": {"baseFeePerGas": "0xf"},
    }
    options = {"validation": True, "returnFullTransactions": True}
    (block,) = chain.node.request("eth_simulateV1", [{"blockStateCalls": [wish], **options}])
    first, second = block["transactions"]
    assert first["hash"] == "0xc2df7444d2b0604cdfaa20cad5855422b575d8d2ec02868ed9eb45eb20490f66"
    assert second["hash"] == "0x5c78719d6ce3bf5b515e9fc3a41ab755c007645928bf35eba1a318721b774595"
    assert (
        block["transactionsRoot"]
        == "0x9e80508f974bbf713b286fe5a4d0fae2f54f17e33b742176cc4c5bb7e0942762"
    )
    assert (
        block["receiptsRoot"]
        == "0x75308898d571eafb5cd8cde8278bf5b3d13c5f6ec074926de3bb895b519264e1"
    )


def test_left_out_numbers_are_empty_blocks(simulate: Simulate) -> None:
    blocks = simulate({"blockOverrides": {"number": "0x3", "time": "0x70000000"}}, {})
    assert [int(block["number"], 16) for block in blocks] == [1, 2, 3, 4]
    times = [int(block["timestamp"], 16) for block in blocks]
    assert (times[1] - times[0], times[2:]) == (1, [0x70000000, 0x70000001])


def test_blockhash_finds_imagined_blocks(simulate: Simulate) -> None:
    blocks = simulate(
        {}, {"blockOverrides": {"number": "0x4"}, **run(BLOCKHASH_OF + "5f5260205ff3", "0x3")}
    )
    assert blocks[-1]["calls"][0]["returnData"] == blocks[2]["hash"]


# Blocks and fees

BLOCKHASH_OF = "5f3540"  # the hash of the block that the calldata names
CODES = {  # what an operation pushes, returned
    "baseFeePerGas": "48", "blobBaseFee": "4a", "feeRecipient": "41", "gasLimit": "45", "number": "43", "prevRandao": "44",
    "time": "42",
}  # fmt: skip


def run(code: str, data: str = "") -> dict[str, Any]:
    """A block with a call of this code at the address C."""
    data = data and "0x" + data[2:].zfill(64)
    return {
        "stateOverrides": {C: {"code": "0x" + code}},
        "calls": [{"to": C, "data": data or "0x"}],
    }


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("method", ["eth_simulateV1", "eth_call", "debug_traceCall"])
def test_bytecode_sees_the_block_as_wished(chain: Chain, name: str, method: str) -> None:
    value, wish = 0x77777777, run(CODES[name] + "5f5260205ff3")
    given = "0x" + value.to_bytes(20).hex() if name == "feeRecipient" else hex(value)
    if name == "number":
        value, given = 0x70, "0x70"
    block, accounts, call = {name: given}, wish["stateOverrides"], wish["calls"][0]
    if method == "eth_simulateV1":
        wish["blockOverrides"] = block
        found = chain.node.request(method, [{"blockStateCalls": [wish]}])[-1]["calls"][0][
            "returnData"
        ]
    elif method == "eth_call":
        found = chain.node.request(method, [call, "latest", accounts, block])
    else:
        config = {"tracer": "callTracer", "stateOverrides": accounts, "blockOverrides": block}
        found = chain.node.request(method, [call, "latest", config])["output"]
    assert int(found, 16) == value


def test_gas_limits_stay_and_prevrandao_does_not(simulate: Simulate) -> None:
    wish = {"gasLimit": hex(10**6), "prevRandao": "0x5"}
    first, second = simulate({"blockOverrides": wish}, {})
    assert [first["gasLimit"], second["gasLimit"]] == [hex(10**6)] * 2
    assert [int(block["mixHash"], 16) for block in (first, second)] == [5, 0]


def test_a_call_finds_no_hash_of_blocks_to_come(chain: Chain) -> None:
    wish = run(BLOCKHASH_OF + "5f5260205ff3", "0x5")
    params = [wish["calls"][0], "latest", wish["stateOverrides"], {"number": "0x9"}]
    assert int(chain.node.request("eth_call", params), 16) == 0


def test_refunds_are_used_at_first(simulate: Simulate) -> None:
    word = "0x" + "00" * 32
    wish = {C: {"code": "0x5f5f55", "stateDiff": {word: word[:-1] + "1"}}}
    (block,) = simulate({"stateOverrides": wish, "calls": [{"to": C}]})
    used, most = (int(block["calls"][0][name], 16) for name in ("gasUsed", "maxUsedGas"))
    assert most - used == 4_800


def test_a_call_that_names_no_fee_is_free(simulate: Simulate) -> None:
    base = {"baseFeePerGas": "0x64"}
    (block,) = simulate({"blockOverrides": base, "calls": [{"from": POOR, "to": POOR}]})
    assert (block["calls"][0]["status"], block["baseFeePerGas"]) == ("0x1", "0x64")


def test_fees_that_are_named_are_paid(simulate: Simulate) -> None:
    rich = {A: {"balance": hex(10**9)}}
    paid = {
        "from": A,
        "to": POOR,
        "maxFeePerGas": "0x64",
        "maxPriorityFeePerGas": "0x64",
        "gas": "0x5208",
    }
    see = {"to": C, "data": "0x" + "00" * 12 + A[2:]}
    balance = {C: {"code": "0x5f35315f5260205ff3"}}
    (block,) = simulate({"stateOverrides": {**rich, **balance}, "calls": [paid, see]})
    assert int(block["calls"][1]["returnData"], 16) == 10**9 - 21_000 * 100


def test_withdrawals_are_paid_at_the_end(simulate: Simulate) -> None:
    spend = {"from": A, "to": POOR, "value": hex(2 * 10**9)}
    first, second = simulate({"blockOverrides": {"withdrawals": [TAKEN]}}, {"calls": [spend]})
    assert (first["withdrawals"], second["calls"][0]["status"]) == ([TAKEN], "0x1")


# Errors

FREE = {"from": A, "to": POOR}
TAKEN = {"index": "0x0", "validatorIndex": "0x0", "address": A, "amount": "0x2"}
REFUSED_BLOCKS: list[tuple[int, dict[str, Any], dict[str, Any]]] = [
    (
        -38010,
        {"stateOverrides": {A: {"nonce": "0x2"}}, "calls": [{**FREE, "nonce": "0x1"}]},
        {"baseFeePerGas": "0x0"},
    ),
    (-38011, {"calls": [{**FREE, "nonce": "0x1"}]}, {"baseFeePerGas": "0x0"}),
    (-38012, {"calls": [FREE]}, {"baseFeePerGas": "0x1"}),
    (-38013, {"calls": [{**FREE, "gas": "0x5207"}]}, {"baseFeePerGas": "0x0"}),
    (-38014, {"calls": [{**FREE, "value": "0x1"}]}, {"baseFeePerGas": "0x0"}),
    (
        -38015,
        {"calls": [FREE, {**FREE, "gas": "0x5208"}]},
        {"baseFeePerGas": "0x0", "gasLimit": "0xa40f"},
    ),
    (-38020, {}, {"number": "0x0"}),
    (-38021, {}, {"time": "0x1"}),
    (-38022, {"stateOverrides": {ONE: {"movePrecompileToAddress": ONE}}}, {}),
    (
        -38023,
        {
            "stateOverrides": {
                ONE: {"movePrecompileToAddress": A},
                TWO: {"movePrecompileToAddress": A},
            }
        },
        {},
    ),
    (-38025, {"calls": [{"from": A, "data": "0x" + "00" * 49_153}]}, {"baseFeePerGas": "0x0"}),
    (-38026, {}, {"number": "0x101"}),
    (-38026, {"calls": [{**FREE, "gas": hex(2**31)}]}, {"gasLimit": hex(2**32)}),
    (-32000, {"stateOverrides": {A: {"movePrecompileToAddress": B}}}, {}),
    (
        -32000,
        {"stateOverrides": {A: {"nonce": hex(2**64 - 1)}}, "calls": [FREE]},
        {"baseFeePerGas": "0x0"},
    ),
    (-32602, {"stateOverrides": {A: {"state": {}, "stateDiff": {}}}}, {}),
    (-32602, {"stateOverrides": {A: {"storage": {}}}}, {}),
    (-32602, {"stateOverrides": {A: {"nonce": hex(2**64)}}}, {}),
    (-32602, {"calls": [{**FREE, "gasLimit": "0x1"}]}, {}),
    (-32602, {"transactions": []}, {}),
    (-32602, {}, {"difficulty": "0x1"}),
    (-32602, {}, {"withdrawals": [TAKEN] * 17}),
]


@pytest.mark.parametrize(("code", "wish", "block"), REFUSED_BLOCKS)
def test_refusals_have_their_codes(
    simulate: Simulate, code: int, wish: dict[str, Any], block: dict[str, Any]
) -> None:
    with pytest.raises(RpcError) as error:
        simulate({**wish, "blockOverrides": block}, validation=True)
    assert error.value.code == code


def test_the_nonce_is_only_validated_on_request(simulate: Simulate) -> None:
    (block,) = simulate({"calls": [{**FREE, "nonce": "0x9"}]}, returnFullTransactions=True)
    assert (block["transactions"][0]["nonce"], block["calls"][0]["status"]) == ("0x9", "0x1")


def test_halts_are_no_reverts(simulate: Simulate) -> None:
    (block,) = simulate(run("fe"))
    assert block["calls"][0]["error"]["code"] == -32015


@pytest.mark.parametrize("wish", [{"traceTransfer": True}, {"validation": "yes"}])
def test_options_are_known_and_true_or_false(simulate: Simulate, wish: dict[str, Any]) -> None:
    with pytest.raises(RpcError):
        simulate({}, **wish)


# Accounts


def test_precompiles_move_for_one_block(simulate: Simulate) -> None:
    identity, text = "0x" + "00" * 19 + "04", "0x6162"
    calls = [{"to": A, "data": text}, {"to": identity, "data": text}]
    moved = {identity: {"movePrecompileToAddress": A}}
    blocks = simulate({"stateOverrides": moved, "calls": calls}, {"calls": calls})
    found = [[call["returnData"] for call in block["calls"]] for block in blocks]
    assert found == [[text, "0x"], ["0x", text]]


@pytest.mark.parametrize("method", ["eth_call", "eth_estimateGas", "eth_createAccessList"])
def test_code_takes_the_place_of_a_precompile(chain: Chain, method: str) -> None:
    wish = {TWO: {"code": "0x60075f5260205ff3"}}
    said = chain.node.request(method, [{"to": TWO, "data": "0x12"}, "latest", wish])
    assert said != chain.node.request(method, [{"to": TWO, "data": "0x12"}, "latest"])
    assert method != "eth_call" or int(said, 16) == 7


def test_state_is_all_words_and_state_diff_some(simulate: Simulate) -> None:
    word = "0x" + "00" * 31
    code = {"code": "0x5f545f5260015460205260405ff3"}  # returns the words 0 and 1
    both = {C: {**code, "stateDiff": {word + "00": word + "05", word + "01": word + "06"}}}
    some, all_ = (
        {C: {"stateDiff": {word + "00": word + "07"}}},
        {C: {"state": {word + "00": word + "08"}}},
    )
    blocks = simulate(
        *({"stateOverrides": each, "calls": [{"to": C}]} for each in (both, some, all_))
    )
    words = [bytes.fromhex(block["calls"][0]["returnData"][2:]) for block in blocks]
    assert [(each[31], each[63]) for each in words] == [(5, 6), (7, 6), (8, 0)]


def test_what_was_set_since_the_last_block_counts(chain: Chain, simulate: Simulate) -> None:
    chain.node.request("anvil_setBalance", [A, "0x5"])
    (block,) = simulate({"calls": [{"from": A, "to": POOR, "value": "0x5"}]})
    assert block["calls"][0]["status"] == "0x1"


# Transfers

SEND_LOG_SEND = "5f5f5f5f600173" + B[2:] + "5af15f5fa05f5f5f5f600273" + B[2:] + "5af1"


def test_transfers_are_logs_where_they_happen(simulate: Simulate) -> None:
    wish = {
        "stateOverrides": {
            A: {"balance": "0x9"},
            C: {"code": "0x" + SEND_LOG_SEND + "73" + B[2:] + "ff"},
        }
    }
    calls = [{"from": A, "to": C, "value": "0x9"}]
    (plain,) = simulate({**wish, "calls": calls})
    (traced,) = simulate({**wish, "calls": calls}, traceTransfers=True)
    logs = traced["calls"][0]["logs"]
    assert [int(log["data"], 16) if log["topics"] else "own" for log in logs] == [9, 1, "own", 2, 6]
    assert [int(log["logIndex"], 16) for log in logs] == [0, 1, 2, 3, 4]
    assert logs[0]["topics"][1:] == ["0x" + "00" * 12 + each[2:] for each in (A, C)]
    assert (len(plain["calls"][0]["logs"]), traced["logsBloom"]) == (1, plain["logsBloom"])


def test_a_reverted_transfer_is_no_log(simulate: Simulate) -> None:
    wish = {"stateOverrides": {A: {"balance": "0x9"}, C: {"code": "0x" + SEND_LOG_SEND + "5f5ffd"}}}
    (block,) = simulate(
        {**wish, "calls": [{"from": A, "to": C, "value": "0x9"}]}, traceTransfers=True
    )
    assert block["calls"][0]["logs"] == []


def test_ether_that_python_sends_is_a_log(chain: Chain, simulate: Simulate, cell: Handle) -> None:
    (block,) = simulate(
        {
            "stateOverrides": {A: {"balance": "0x7"}},
            "calls": [to(cell.forward, Address(B), **{"from": A}, value="0x7")],
        },
        traceTransfers=True,
    )
    assert [log["topics"][2][-40:] for log in block["calls"][0]["logs"]] == [
        cell.address.hex()[-40:],
        B[2:],
    ]


# Types of transactions


@pytest.mark.parametrize("validation", [False, True])
def test_blobs_are_seen(simulate: Simulate, validation: bool) -> None:
    blob = "0x01" + "22" * 31
    fees = {"maxFeePerGas": hex(10**9), "maxFeePerBlobGas": "0x1", "gas": "0xffff"}
    wish = {A: {"balance": hex(10**18)}, C: {"code": "0x5f495f5260205ff3"}}
    call = {"from": A, "to": C, "blobVersionedHashes": [blob], **fees}
    (block,) = simulate({"stateOverrides": wish, "calls": [call]}, validation=validation)
    assert (block["calls"][0]["returnData"], block["blobGasUsed"]) == (blob, "0x20000")


def test_a_block_has_room_for_so_many_blobs(simulate: Simulate) -> None:
    call = {"from": A, "to": C, "blobVersionedHashes": ["0x01" + "22" * 31] * 6, "gas": "0xffff"}
    with pytest.raises(RpcError) as error:
        simulate({"calls": [call, call]})
    assert error.value.code == -38015


def test_an_account_without_a_key_may_lend_code(chain: Chain) -> None:
    lent = {
        "chainId": "0x7a69",
        "address": B,
        "nonce": "0x0",
        "yParity": "0x0",
        "r": "0x1",
        "s": "0x1",
    }
    fields = {"from": A, "to": POOR, "authorizationList": [lent]}
    assert int(chain.node.request("eth_estimateGas", [fields]), 16) == 21_000 + 25_000
