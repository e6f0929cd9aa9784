"""eth-tester on this chain: all of its own suite for backends, and web3.py through it."""

from __future__ import annotations

from typing import Any

import pytest
from eth_account import Account
from eth_tester import EthereumTester
from eth_tester.exceptions import TransactionFailed, ValidationError
from eth_tester.utils.backend_testing import BaseTestBackendDirect
from web3 import EthereumTesterProvider, Web3

from chain import Address, Chain, Contract, call, require, view
from chain.rpc.eth_tester_backend import ChainBackend
from chain.types import u64
from tests.chain.helpers import untyped


class TestChainBackend(BaseTestBackendDirect):
    """The suite that eth-tester has for other backends than its own."""

    @pytest.fixture
    def eth_tester(self) -> EthereumTester:
        return EthereumTester(ChainBackend())


class Counter(Contract):
    count: u64

    @call
    def add(self, by: u64) -> None:
        require(by < 100, "too much")
        self.count += by
        self.log(f"added {by}")

    @view
    def total(self) -> u64:
        return self.count


@pytest.fixture
def backend() -> ChainBackend:
    return ChainBackend()


@pytest.fixture
def w3(backend: ChainBackend) -> Web3:
    return Web3(EthereumTesterProvider(EthereumTester(backend)))


@pytest.fixture
def counter(backend: ChainBackend, w3: Web3) -> Any:
    program = backend.chain.declare(Counter)
    made = w3.eth.contract(abi=program.abi, bytecode=program.bytecode).constructor().transact()
    address = w3.eth.get_transaction_receipt(made)["contractAddress"]
    return w3.eth.contract(address=address, abi=program.abi)


def test_python_contracts_run(counter: Any) -> None:
    counter.functions.add(3).transact()
    assert counter.functions.total().call() == 3


def test_refusals_are_explained(counter: Any) -> None:
    with pytest.raises(TransactionFailed, match="execution reverted: too much"):
        counter.functions.add(100).call()


def test_strangers_cannot_send(backend: ChainBackend) -> None:
    with pytest.raises(ValidationError, match="no key for 'from'"):
        backend.send_transaction({"from": bytes(20), "to": bytes(20), "gas": 21_000})


def test_estimates_need_no_gas(backend: ChainBackend, counter: Any) -> None:
    data = bytes.fromhex(counter.encode_abi("add", [3])[2:])
    to = bytes.fromhex(counter.address[2:])
    fields = {"from": backend.get_accounts()[0], "to": to, "data": data, "gas": 21_000}
    assert backend.estimate_gas(fields) > 40_000


def test_receipts_hold_logs(w3: Web3, counter: Any) -> None:
    receipt = w3.eth.get_transaction_receipt(counter.functions.add(3).transact())
    assert [log["address"] for log in receipt["logs"]] == [counter.address]
    assert w3.eth.get_logs({"fromBlock": 0}) == receipt["logs"]


def test_time_passes_after_what_waits(backend: ChainBackend) -> None:
    alice, *_ = backend.get_accounts()
    backend.send_transaction({"from": alice, "to": alice, "gas": 21_000})
    backend.time_travel(backend.chain.now + 100)
    assert [len(backend.get_block_by_number(n)["transactions"]) for n in (1, 2)] == [1, 0]
    assert backend.get_block_by_number("pending")["timestamp"] == backend.chain.now + 1


def test_old_transactions_are_shown(backend: ChainBackend, w3: Web3) -> None:
    to = w3.eth.accounts[0]
    fields = {
        "chainId": w3.eth.chain_id,
        "gas": 21_000,
        "gasPrice": 10**9,
        "to": to,
        "nonce": 0,
        "value": 0,
    }
    signed = Account.sign_transaction(fields, backend.chain.accounts[0].key)
    w3.eth.send_raw_transaction(signed.raw_transaction)
    [shown] = untyped(w3.eth.get_block("latest", full_transactions=True)["transactions"])
    assert shown["v"] == signed.v


def test_signed_transactions_wait(backend: ChainBackend, w3: Any) -> None:
    """eth-tester keeps what waits as fields, and hands them back with the signature."""
    tester, signer = w3.provider.ethereum_tester, Account.from_key("0x" + "5a" * 32)
    backend.chain.set_balance(Address(signer.address), 10**18)
    tester.disable_auto_mine_transactions()
    fields = {"chainId": w3.eth.chain_id, "gas": 21_000, "to": w3.eth.accounts[0], "value": 5}
    fees: list[dict[str, Any]] = [
        {"maxFeePerGas": 10**9, "maxPriorityFeePerGas": 1},
        {"gasPrice": 10**9, "accessList": [], "type": 1},
    ]
    signed = [signer.sign_transaction({**fields, **fee, "nonce": 0}) for fee in fees]
    for each in signed:  # the second takes the place of the first
        w3.eth.send_raw_transaction(each.raw_transaction)
    assert tester.enable_auto_mine_transactions() == [signed[1].hash.to_0x_hex()]
    assert backend.chain.nonce(Address(signer.address)) == 1


def test_a_users_own_chain_is_shared() -> None:
    chain = Chain()
    chain.mine(3)
    tester = EthereumTester(ChainBackend(chain))
    tester.mine_blocks(2, coinbase="0x" + "12" * 20)
    assert (chain.head.number, chain.head.coinbase) == (5, b"\x12" * 20)
    tester.reset_to_genesis()
    assert chain.head.number == 3
