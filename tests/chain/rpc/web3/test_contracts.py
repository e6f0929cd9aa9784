"""A stock web3.py client on the chain in process: contracts, refusals, filters, batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import vyper
from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_typing import ChecksumAddress, HexStr
from web3 import Web3
from web3.exceptions import (
    BlockNotFound,
    ContractCustomError,
    ContractLogicError,
    TransactionNotFound,
    Web3RPCError,
)
from web3.types import Wei

from chain import Chain
from chain.simulator.handle import Handle
from tests.chain.helpers import untyped
from tests.chain.rpc.web3.counter import Counter

RELAY = (Path(__file__).parents[2] / "relay.vy").read_text("utf-8")


@pytest.fixture(scope="module")
def relay_code() -> dict[str, Any]:
    compiled: dict[str, Any] = vyper.compile_code(RELAY, output_formats=["abi", "bytecode"])
    return compiled


# Contracts


def test_python_contracts_deploy_by_bytecode(
    chain: Chain, w3: Web3, alice: ChecksumAddress
) -> None:
    program = chain.declare(Counter)
    factory = w3.eth.contract(abi=program.abi, bytecode=program.bytecode)
    receipt = w3.eth.wait_for_transaction_receipt(factory.constructor(7).transact({"from": alice}))
    made = w3.eth.contract(address=receipt["contractAddress"], abi=program.abi)
    assert made.functions.total().call() == 7


def test_calls_and_views(counter: Any, w3: Web3, alice: ChecksumAddress) -> None:
    assert counter.functions.add(5, "five").call() == 15
    receipt = w3.eth.wait_for_transaction_receipt(
        counter.functions.add(5, "five").transact({"from": alice})
    )
    assert (receipt["status"], counter.functions.total().call()) == (1, 15)
    assert counter.functions.total().call(block_identifier=receipt["blockNumber"] - 1) == 10


def test_options_are_pairs(counter: Any, alice: ChecksumAddress) -> None:
    assert counter.functions.latest().call() == (False, 0)
    counter.functions.add(5, "").transact({"from": alice})
    assert counter.functions.latest().call() == (True, 5)


def test_events_are_decoded(counter: Any, w3: Web3, alice: ChecksumAddress, chain: Chain) -> None:
    hashes = [counter.functions.add(by, f"by {by}").transact({"from": alice}) for by in (1, 2)]
    [processed] = counter.events.Added().process_receipt(w3.eth.get_transaction_receipt(hashes[1]))
    assert dict(processed["args"]) == {"who": alice, "by": 2, "note": "by 2"}
    logs = counter.events.Added().get_logs(from_block=0)
    assert [log["args"]["by"] for log in logs] == [1, 2]
    assert logs[1] == processed
    other = str(chain.accounts[1])
    assert counter.events.Added().get_logs(from_block=0, argument_filters={"who": other}) == []


def test_handles_and_web3_agree(
    counter: Any, shared: tuple[Chain, Handle], alice: ChecksumAddress
) -> None:
    chain, handle = shared
    sent = counter.functions.add(5, "").transact({"from": alice})
    assert handle.total() == 15
    assert chain.receipts[-1].tx_hash == sent
    assert chain.receipts.where(entry="add").count() == 1


def test_bytecode_runs_in_a_worker(
    w3: Web3, counter: Any, alice: ChecksumAddress, relay_code: dict[str, Any]
) -> None:
    factory = w3.eth.contract(abi=relay_code["abi"], bytecode=relay_code["bytecode"])
    made = w3.eth.wait_for_transaction_receipt(factory.constructor(5).transact({"from": alice}))
    relay = w3.eth.contract(address=made["contractAddress"], abi=relay_code["abi"])
    data = counter.encode_abi("add", [3, "relayed"])
    sent = relay.functions.relay(counter.address, data).transact({"from": alice})
    receipt = w3.eth.get_transaction_receipt(sent)
    assert (relay.functions.word().call(), counter.functions.total().call()) == (5, 13)
    [added] = counter.events.Added().get_logs(from_block=receipt["blockNumber"])
    assert (added["args"]["who"], added["logIndex"]) == (relay.address, 0)
    with pytest.raises(ContractLogicError, match="Not so"):
        relay.functions.refuse().call()
    with pytest.raises(ContractLogicError, match="Thirteen"):
        factory.constructor(13).estimate_gas()


# Refusals


def test_reverts_raise_their_reason(counter: Any, alice: ChecksumAddress) -> None:
    add = counter.functions.add(0, "")
    for act in (add.call, add.estimate_gas, lambda: add.transact({"from": alice})):
        with pytest.raises(ContractLogicError, match="execution reverted: nothing to add"):
            act()


def test_declared_errors_are_typed(counter: Any, w3: Web3) -> None:
    with pytest.raises(ContractCustomError) as caught:
        counter.functions.add(2_000, "").call()
    data = bytes.fromhex(str(caught.value.data)[2:])
    assert w3.codec.decode(["uint64", "uint64"], data[4:]) == (2_000, 1_000)
    assert data[:4] == w3.keccak(text="TooMuch(uint64,uint64)")[:4]


def test_value_to_non_payable_fails(counter: Any, w3: Web3, alice: ChecksumAddress) -> None:
    counter.functions.pay().transact({"from": alice, "value": 7})
    assert w3.eth.get_balance(counter.address) == 7
    data = counter.encode_abi("add", [1, ""])
    with pytest.raises(ContractLogicError, match="not payable"):
        w3.eth.send_transaction(
            {"from": alice, "to": counter.address, "data": data, "value": Wei(1)}
        )


def test_given_gas_skips_the_estimate(counter: Any, w3: Web3, alice: ChecksumAddress) -> None:
    sent = counter.functions.add(0, "").transact({"from": alice, "gas": 90_000})
    assert w3.eth.wait_for_transaction_receipt(sent)["status"] == 0


def test_unknown_things_are_not_found(w3: Web3) -> None:
    with pytest.raises(BlockNotFound):
        w3.eth.get_block(99)
    with pytest.raises(TransactionNotFound):
        w3.eth.get_transaction(HexStr("0x" + "12" * 32))
    with pytest.raises(Web3RPCError, match="block not found"):
        w3.eth.get_balance(Web3.to_checksum_address("0x" + "00" * 20), 99)


# The rest of what a client asks


def test_filters_poll_what_is_new(w3: Any, counter: Any, alice: ChecksumAddress) -> None:
    blocks, events = w3.eth.filter("latest"), counter.events.Added().create_filter(from_block=0)
    sent = w3.eth.filter("pending")
    hashed = counter.functions.add(3, "").transact({"from": alice})
    assert [log["args"]["by"] for log in events.get_new_entries()] == [3]
    assert (events.get_new_entries(), len(events.get_all_entries())) == ([], 1)
    assert blocks.get_new_entries() == [w3.eth.get_block("latest")["hash"]]
    assert sent.get_new_entries() == [hashed]


def test_blocks_form_a_chain(w3: Any) -> None:
    w3.testing.mine(2)
    last, before = (w3.eth.get_block(w3.eth.block_number - i) for i in (0, 1))
    assert (last["parentHash"], last["number"]) == (before["hash"], before["number"] + 1)
    assert w3.eth.get_block(before["hash"]) == before


def test_testing_module_holds_the_chain(chain: Chain, w3: Any) -> None:
    number, start = w3.testing.snapshot(), chain.now
    w3.testing.mine(3)
    w3.testing.timeTravel(start + 500)
    assert w3.eth.get_block("latest")["timestamp"] == start + 500
    w3.testing.revert(number)
    assert chain.now == start


def test_batches_are_answered(w3: Any, alice: ChecksumAddress) -> None:
    with w3.batch_requests() as batch:
        batch.add(w3.eth.get_balance(alice))
        batch.add(w3.eth.get_block("latest"))
        balance, block = batch.execute()
    assert (balance, block["number"]) == (w3.eth.get_balance(alice), w3.eth.block_number)


def test_small_questions(w3: Web3, counter: Any, alice: ChecksumAddress) -> None:
    assert w3.is_connected()
    assert (w3.eth.chain_id, w3.net.version, w3.eth.syncing) == (31337, "31337", False)
    assert (w3.eth.gas_price, w3.eth.max_priority_fee) == (10**9, 0)
    assert w3.eth.fee_history(1, "latest", [50])["reward"] == [[0]]
    assert int.from_bytes(w3.eth.get_storage_at(counter.address, 0)) == 10
    assert untyped(w3.eth.get_proof)(counter.address, [0])["storageProof"][0]["value"] == b"\n"
    assert w3.eth.get_block_receipts(1)[0]["contractAddress"] == counter.address
    assert w3.client_version.startswith("boardchain")


def test_typed_data_is_signed(w3: Web3, alice: ChecksumAddress) -> None:
    typed = {
        "types": {"EIP712Domain": [{"name": "name", "type": "string"}], "Move": [{"name": "to", "type": "uint8"}]},
        "primaryType": "Move", "domain": {"name": "Game"}, "message": {"to": 3},
    }  # fmt: skip
    signed = w3.eth.sign_typed_data(alice, typed)
    assert Account.recover_message(encode_typed_data(full_message=typed), signature=signed) == alice
