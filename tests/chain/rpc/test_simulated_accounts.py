"""Simulated blocks: accounts as wished, transfers as logs, blobs and lent code."""

from __future__ import annotations

import pytest

from chain import Address, Chain
from chain.rpc.errors import RpcError
from chain.simulator.handle import Handle
from tests.chain.rpc.simulated import POOR, TWO, A, B, C, Simulate, to


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


def test_a_reverted_transfer_is_not_logged(simulate: Simulate) -> None:
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
