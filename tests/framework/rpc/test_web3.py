"""A stock web3.py client on the chain in process: everything that people do with it, as they do it."""

from __future__ import annotations

from collections.abc import Iterator
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
    TransactionTypeMismatch,
    Web3RPCError,
    Web3ValidationError,
)
from web3.types import TxParams, Wei

from chain import Address, Chain, Contract, Key, Revert, call, error, event, init, require, view
from chain.crypto import rlp
from chain.simulator.handle import Handle
from chain.types import u64
from tests.framework.helpers import untyped

RELAY = (Path(__file__).parents[1] / "relay.vy").read_text("utf-8")


@event
class Added:
    who: Key[Address]
    by: u64
    note: str


@error
class TooMuch(Revert):
    asked: u64
    most: u64


class Counter(Contract):
    count: u64
    last: u64 | None

    @init
    def new(self, start: u64) -> None:
        self.count = start

    @call
    def add(self, by: u64, note: str = "") -> u64:
        require(by, "nothing to add")
        if by > 1_000:
            raise TooMuch(by, 1_000)
        self.count, self.last = self.count + by, by
        self.emit(Added(self.caller, by, note))
        return self.count

    @call(payable=True)
    def pay(self) -> None:
        pass

    @view
    def total(self) -> u64:
        return self.count

    @view
    def latest(self) -> u64 | None:
        return self.last


@pytest.fixture(scope="module")
def shared() -> tuple[Chain, Handle]:
    chain = Chain()
    return chain, chain.deploy(Counter, 10)


@pytest.fixture
def chain(shared: tuple[Chain, Handle]) -> Iterator[Chain]:
    with shared[0].anchor():
        yield shared[0]


@pytest.fixture
def w3(chain: Chain) -> Web3:
    w3: Web3 = chain.web3
    return w3


@pytest.fixture
def counter(chain: Chain, shared: tuple[Chain, Handle]) -> Any:
    return shared[1].web3


@pytest.fixture
def alice(chain: Chain) -> ChecksumAddress:
    return Web3.to_checksum_address(chain.accounts[0])


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


def test_bytecode_runs_beside(
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


# Middleware in our form


def test_middleware_keeps_its_names(w3: Web3) -> None:
    standard = [name for _, name in w3.manager.get_default_middleware()]
    assert [name for _, name in w3.middleware_onion.middleware] == standard


def test_other_chains_are_refused(w3: Web3, alice: ChecksumAddress) -> None:
    for chain_id, sends in ((31337, True), (1, False)):
        fields: TxParams = {"from": alice, "to": alice, "chainId": chain_id}
        if sends:
            assert w3.eth.send_transaction(fields)
        else:
            with pytest.raises(Web3ValidationError, match="chain 1"):
                w3.eth.send_transaction(fields)


def test_fees_must_not_contradict(w3: Web3, alice: ChecksumAddress) -> None:
    with pytest.raises(TransactionTypeMismatch):
        w3.eth.send_transaction(
            {"from": alice, "to": alice, "gasPrice": Wei(10**9), "maxFeePerGas": Wei(10**9)}
        )


def test_gas_price_strategies_apply(w3: Web3, alice: ChecksumAddress) -> None:
    w3.eth.set_gas_price_strategy(lambda w3, fields: Wei(3 * 10**9))
    try:
        sent = w3.eth.send_transaction({"from": alice, "to": alice})
    finally:
        w3.eth.set_gas_price_strategy(None)
    assert (w3.eth.get_transaction(sent)["type"], w3.eth.get_transaction(sent)["gasPrice"]) == (
        0,
        3 * 10**9,
    )


def test_estimates_have_gas_to_spare(w3: Web3, counter: Any, alice: ChecksumAddress) -> None:
    estimate = counter.functions.add(1, "").estimate_gas({"from": alice})
    sent = counter.functions.add(1, "").transact({"from": alice})
    assert w3.eth.get_transaction(sent)["gas"] == estimate + 100_000
    assert w3.eth.get_transaction_receipt(sent)["gasUsed"] <= estimate


def test_spare_gas_ends_with_the_block() -> None:
    chain = Chain(gas_limit=100_000)
    alice = str(chain.accounts[0])
    chain.web3.eth.send_transaction({"from": alice, "to": alice})
    assert chain.receipts[-1].gas == 100_000


# Transactions


LENT = {"chainId": 31337, "address": "0x" + "00" * 20, "nonce": 0}
FEES: list[dict[str, Any]] = [
    {"gasPrice": 2 * 10**9},
    {"gasPrice": 2 * 10**9, "type": 1, "accessList": []},
    {"maxFeePerGas": 2 * 10**9, "maxPriorityFeePerGas": 5, "type": 2},
    {
        "maxFeePerGas": 2 * 10**9, "maxPriorityFeePerGas": 5, "type": 4,
        "authorizationList": [Account.sign_authorization(LENT, "0x" + "a5" * 32)],
    },
]  # fmt: skip


@pytest.mark.parametrize("fees", FEES)
def test_signed_transactions_arrive(chain: Chain, w3: Web3, fees: dict[str, Any]) -> None:
    signer, other = Account.from_key("0x" + "5a" * 32), str(chain.accounts[1])
    chain.set_balance(Address(signer.address), 10**18)
    fields = {"chainId": 31337, "nonce": 0, "gas": 50_000, "to": other, "value": 5, **fees}
    signed = signer.sign_transaction(fields)
    sent = w3.eth.send_raw_transaction(signed.raw_transaction)
    shown = w3.eth.get_transaction(sent)
    assert sent == signed.hash
    assert (shown["from"], shown["value"], shown["type"]) == (
        signer.address,
        5,
        fees.get("type", 0),
    )
    assert (int.from_bytes(shown["r"]), shown["v"]) == (signed.r, signed.v)
    assert w3.eth.get_raw_transaction(sent) == signed.raw_transaction


def test_in_process_transactions_are_signed(w3: Web3, alice: ChecksumAddress) -> None:
    sent = w3.eth.send_transaction({"from": alice, "to": alice})
    assert Account.recover_transaction(w3.eth.get_raw_transaction(sent)) == alice


def test_old_signatures_are_good_anywhere(chain: Chain, w3: Web3, alice: ChecksumAddress) -> None:
    fields = {
        "nonce": w3.eth.get_transaction_count(alice),
        "gas": 21_000,
        "gasPrice": 10**9,
        "to": alice,
        "value": 0,
    }
    signed = Account.sign_transaction(fields, chain.accounts[0].key)
    shown = w3.eth.get_transaction(w3.eth.send_raw_transaction(signed.raw_transaction))
    assert (shown["v"], "chainId" in shown) == (signed.v, False)


@pytest.mark.parametrize("fees", FEES)
def test_signatures_name_their_chain(
    w3: Web3, alice: ChecksumAddress, fees: dict[str, Any]
) -> None:
    fields = {"chainId": 1, "nonce": 0, "gas": 90_000, "to": alice, "value": 0, **fees}
    signed = Account.sign_transaction(fields, "0x" + "5a" * 32)
    with pytest.raises(Web3RPCError, match="signed for chain 1, this is chain 31337"):
        w3.eth.send_raw_transaction(signed.raw_transaction)


def test_code_is_lent_by_signature(chain: Chain, w3: Any, counter: Any) -> None:
    alice, bob = chain.accounts[:2]
    lent = Account.sign_authorization(
        {"chainId": 31337, "address": counter.address, "nonce": 0}, bob.key
    )
    fields = {
        "chainId": 31337, "nonce": w3.eth.get_transaction_count(str(alice)), "gas": 100_000, "to": str(bob),
        "maxFeePerGas": 10**9, "maxPriorityFeePerGas": 0, "authorizationList": [lent], "type": 4,
    }  # fmt: skip
    signed = Account.sign_transaction(fields, alice.key)
    sent = w3.eth.send_raw_transaction(signed.raw_transaction)
    shown = w3.eth.get_transaction(sent)
    assert shown["authorizationList"][0]["address"] == counter.address
    assert w3.eth.get_code(str(bob)) == b"\xef\x01\x00" + bytes.fromhex(counter.address[2:])


def test_blobs_stay_outside(chain: Chain, w3: Any, alice: ChecksumAddress) -> None:
    fields = {
        "chainId": 31337, "nonce": w3.eth.get_transaction_count(alice), "gas": 21_000, "to": alice, "type": 3,
        "maxFeePerGas": 10**9, "maxPriorityFeePerGas": 0, "maxFeePerBlobGas": 10, "blobVersionedHashes": ["0x01" + "12" * 31],
    }  # fmt: skip
    raw = Account.sign_transaction(fields, chain.accounts[0].key).raw_transaction
    with_blobs = raw[:1] + rlp.encode([rlp.decode(raw[1:]), [b"blob"], [b"commitment"], [b"proof"]])
    sent = w3.eth.send_raw_transaction(with_blobs)
    assert w3.eth.get_raw_transaction(sent) == raw
    assert w3.eth.get_transaction(sent)["blobVersionedHashes"] == [b"\1" + b"\x12" * 31]
    assert w3.eth.get_transaction_receipt(sent)["blobGasUsed"] == 131_072
    assert w3.eth.get_block("latest")["blobGasUsed"] == 131_072
    assert w3.eth.fee_history(1, "latest")["blobGasUsedRatio"] == [1 / 9]


def test_named_accounts_can_send(chain: Chain, w3: Web3, counter: Any) -> None:
    first = chain.account("first.testnet")
    counter.functions.add(1, "").transact({"from": str(first)})
    assert str(first) in w3.eth.accounts
    assert chain.receipts[-1].sender == first


def test_strangers_cannot_send(w3: Web3) -> None:
    stranger = Web3.to_checksum_address("0x" + "12" * 20)
    with pytest.raises(Web3RPCError, match="no key to sign with"):
        w3.eth.send_transaction({"from": stranger, "to": stranger, "gas": 21_000})


def test_nonces_wait_in_the_pending_block(chain: Chain, w3: Web3, alice: ChecksumAddress) -> None:
    start = w3.eth.get_transaction_count(alice)
    with chain.block():
        hashes = [
            w3.eth.send_transaction({"from": alice, "to": alice, "gas": 21_000}) for _ in "ab"
        ]
        assert w3.eth.get_transaction_count(alice) == start
        assert w3.eth.get_transaction_count(alice, "pending") == start + 2
        assert w3.eth.get_block("pending")["transactions"] == hashes
    assert w3.eth.get_block("latest")["transactions"] == hashes
    assert w3.eth.get_transaction_count(alice) == start + 2


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
