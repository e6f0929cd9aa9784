"""The requests of the explorer Otterscan."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Address, Chain
from chain.crypto.accounts import ACCOUNTS
from chain.simulator.handle import Handle
from tests.chain.helpers import Code
from tests.chain.rpc.test_flat_traces import HEIR, Purse

ALICE, BOB, CAROL = ACCOUNTS[:3]


@pytest.fixture
def purse(chain: Chain) -> Handle:
    return chain.deploy(Purse)


def test_it_knows_the_node(chain: Chain, rpc: Any, purse: Handle) -> None:
    assert rpc("ots_getApiLevel") == 8
    assert rpc("erigon_getHeaderByNumber", "latest")["number"] == "0x1"
    told = [rpc("ots_hasCode", str(who), "latest") for who in (purse.address, ALICE)]
    assert told == [True, False]


def test_errors_are_revert_data(rpc: Any, purse: Handle) -> None:
    refused, done = purse.refuse(check=False), purse.pay(HEIR)
    assert rpc("ots_getTransactionError", rpc.hexed(refused.tx_hash)) == rpc.hexed(
        refused.error.data
    )
    assert rpc("ots_getTransactionError", rpc.hexed(done.tx_hash)) == "0x"


def test_traces_have_depths(
    chain: Chain, rpc: Any, purse: Handle, forwarder: Address, evm: Code, initcode: Code
) -> None:
    receipt = chain.send(forwarder, bytes(12) + purse.address + purse.pay.calldata(HEIR))
    shown = rpc("ots_traceTransaction", rpc.hexed(receipt.tx_hash))
    assert [(each["type"], each["depth"], each["value"]) for each in shown] == [
        ("CALL", 0, "0x0"), ("CALL", 1, "0x0"), ("CALL", 2, "0x0"),
    ]  # fmt: skip
    assert shown[2]["to"] == rpc.hexed(HEIR)


def test_operations_within(
    chain: Chain, rpc: Any, purse: Handle, evm: Code, initcode: Code
) -> None:
    assert rpc("ots_getInternalOperations", rpc.hexed(purse.pay(HEIR).tx_hash)) == []
    paid = purse.pay(HEIR, value=4)
    assert rpc("ots_getInternalOperations", rpc.hexed(paid.tx_hash)) == [
        {"type": 0, "from": rpc.hexed(purse.address), "to": rpc.hexed(HEIR), "value": "0x4"}
    ]
    inner = evm(bytes(HEIR), "SELFDESTRUCT")
    making = evm(inner.ljust(32, b"\0"), 0, "MSTORE", len(inner), 0, "CALLVALUE", "CREATE", "STOP")
    made = chain.send(None, initcode(making))
    ended = chain.send(made.address, value=3)
    operations = rpc("ots_getInternalOperations", rpc.hexed(ended.tx_hash))
    assert [(each["type"], each["value"]) for each in operations] == [(2, "0x3"), (1, "0x3")]
    creator = rpc("ots_getContractCreator", operations[0]["to"])
    assert creator == {"hash": rpc.hexed(ended.tx_hash), "creator": rpc.hexed(made.address)}
    assert rpc("ots_getContractCreator", rpc.hexed(made.address))["creator"] == rpc.hexed(ALICE)
    assert rpc("ots_getContractCreator", rpc.hexed(BOB)) is None


def test_blocks_have_details(chain: Chain, rpc: Any, purse: Handle) -> None:
    with chain.block():
        receipts = [purse.pay(HEIR, sender=sender) for sender in (ALICE, BOB, CAROL)]
    number = chain.head.number
    details = rpc("ots_getBlockDetails", number)
    assert details["block"]["transactionCount"] == 3 and "transactions" not in details["block"]
    fees = sum(each.gas_used * each.gas_price for each in receipts)
    assert details["totalFees"] == hex(fees)
    assert rpc("ots_getBlockDetailsByHash", rpc.hexed(chain.block_hash())) == details
    assert rpc("ots_getBlockDetails", 99) is None
    pages = [rpc("ots_getBlockTransactions", number, page, 2) for page in range(3)]
    hashes = [[tx["hash"] for tx in page["fullblock"]["transactions"]] for page in pages]
    sent = [rpc.hexed(each.tx_hash) for each in receipts]
    assert hashes == [sent[1:], sent[:1], []]
    assert pages[0]["fullblock"]["transactions"][0]["input"] == rpc.hexed(receipts[0].data[:4])
    assert [each["transactionHash"] for each in pages[0]["receipts"]] == sent[1:]


def test_transactions_of_accounts_are_searched(chain: Chain, rpc: Any, purse: Handle) -> None:
    for _ in range(3):
        purse.pay(HEIR, sender=BOB)
        chain.send(CAROL)
    with chain.block():
        last = [purse.pay(HEIR, sender=BOB) for _ in range(2)]

    def found(way: str, block: int, size: int) -> Any:
        page = rpc(f"ots_searchTransactions{way}", str(HEIR), block, size)
        assert [each["transactionHash"] for each in page["receipts"]] == [
            tx["hash"] for tx in page["txs"]
        ]
        return (
            [int(tx["blockNumber"], 16) for tx in page["txs"]],
            page["firstPage"],
            page["lastPage"],
        )

    assert found("Before", 0, 1) == ([8, 8], True, False)
    assert found("Before", 8, 2) == ([6, 4], False, False)
    assert found("Before", 4, 2) == ([2], False, True)
    assert found("After", 0, 2) == ([4, 2], False, True)
    assert found("After", 4, 3) == ([8, 8, 6], True, False)
    hash_of_last = rpc("ots_getTransactionBySenderAndNonce", str(BOB), 4)
    assert hash_of_last == rpc.hexed(last[1].tx_hash)
    assert rpc("ots_getTransactionBySenderAndNonce", str(BOB), 9) is None
    assert "1 to 1000" in rpc.refusal("ots_searchTransactionsAfter", str(HEIR), 0, 0).message
