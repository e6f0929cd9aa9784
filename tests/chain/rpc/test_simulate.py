"""Simulated blocks: `eth_simulateV1`."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Address, Chain
from chain.crypto import rlp
from chain.crypto.hashing import keccak
from chain.rpc.errors import REVERTED, RpcError
from chain.simulator.handle import Handle
from tests.chain.rpc.shape_language import problems
from tests.chain.rpc.shape_parts import SIMULATED
from tests.chain.rpc.simulated import ONE, POOR, TWO, A, B, C, Simulate, run, to

RICH = "0xd0" + "00" * 19


def test_calls_see_one_another(cell: Handle, simulate: Simulate) -> None:
    first, second = simulate(
        {"calls": [to(cell.put, 3), to(cell.put, 4)]}, {"calls": [to(cell.put, 5)]}
    )
    said = [int(each["returnData"], 16) for each in (*first["calls"], *second["calls"])]
    assert said == [0, 3, 4]
    assert [first["number"], second["number"]] == ["0x2", "0x3"]


def test_nothing_remains(chain: Chain, cell: Handle, simulate: Simulate) -> None:
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
    (-32000, {"stateOverrides": {POOR: {"movePrecompileToAddress": POOR}}}, {}),
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


def test_halts_are_not_reverts(simulate: Simulate) -> None:
    (block,) = simulate(run("fe"))
    assert block["calls"][0]["error"]["code"] == -32015


@pytest.mark.parametrize("wish", [{"traceTransfer": True}, {"validation": "yes"}])
def test_options_are_known_and_true_or_false(simulate: Simulate, wish: dict[str, Any]) -> None:
    with pytest.raises(RpcError):
        simulate({}, **wish)
