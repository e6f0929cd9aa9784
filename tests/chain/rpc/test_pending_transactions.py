"""Transactions that wait for their block, and those that take their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Address, Chain
from chain.rpc.errors import RpcError

GWEI = 10**9
FRIEND = Address("0x" + "11" * 20)


@pytest.fixture
def chain() -> Chain:
    chain = Chain()
    chain.automine = False
    return chain


@pytest.fixture
def pay(chain: Chain) -> Callable[..., str]:
    def pay(value: int, nonce: int, fee: int = 2 * GWEI, tip: int = GWEI, **fields: Any) -> str:
        asked = {"to": FRIEND, "value": value, "nonce": nonce, "gas": 21_000, **fields}
        asked |= {"maxFeePerGas": fee, "maxPriorityFeePerGas": tip}
        sent: str = chain.node.request("eth_sendTransaction", [asked])
        return sent

    return pay


def test_higher_fees_replace_a_transaction(chain: Chain, pay: Callable[..., str]) -> None:
    old = pay(1, 0)
    new = pay(5, 0, fee=3 * GWEI, tip=2 * GWEI)
    chain.mine()
    assert chain.balance(FRIEND) == 5
    assert chain.node.request("eth_getTransactionByHash", [old]) is None
    assert chain.node.request("eth_getTransactionReceipt", [new])["status"] == "0x1"


def test_those_behind_run_again(chain: Chain, pay: Callable[..., str]) -> None:
    pay(1, 0)
    later = pay(10, 1)
    pay(5, 0, fee=3 * GWEI, tip=2 * GWEI)
    block = chain.mine()
    assert chain.balance(FRIEND) == 15
    assert chain.node.request("eth_getTransactionReceipt", [later])["transactionIndex"] == "0x1"
    assert block.gas_used == 2 * 21_000


def test_transactions_without_funds_are_removed(chain: Chain, pay: Callable[..., str]) -> None:
    pay(0, 0)
    chain.send(FRIEND, value=9_999 * 10**18)
    pay(10**18, 0, fee=3 * GWEI, tip=2 * GWEI)
    chain.mine()
    assert chain.balance(FRIEND) == 10**18


@pytest.mark.parametrize(("fee", "tip"), [(2 * GWEI, GWEI), (3 * GWEI, GWEI), (2 * GWEI, 2 * GWEI)])
def test_replacements_that_pay_too_little_are_refused(
    chain: Chain, pay: Callable[..., str], fee: int, tip: int
) -> None:
    pay(1, 0)
    with pytest.raises(RpcError, match="replacement transaction underpriced"):
        pay(5, 0, fee=fee, tip=tip)
    assert chain.balance(FRIEND) == 1


def test_wrong_replacements_leave_the_old(chain: Chain, pay: Callable[..., str]) -> None:
    old, later = pay(1, 0), pay(2, 1)
    with pytest.raises(RpcError, match="wei"):
        pay(10**30, 0, fee=3 * GWEI, tip=2 * GWEI)
    chain.mine()
    found = [chain.node.request("eth_getTransactionReceipt", [sent]) for sent in (old, later)]
    assert [each["status"] for each in found] == ["0x1", "0x1"]


def test_mined_transactions_stay(chain: Chain, pay: Callable[..., str]) -> None:
    pay(1, 0)
    chain.mine()
    with pytest.raises(RpcError, match="nonce"):
        pay(5, 0, fee=3 * GWEI, tip=2 * GWEI)


def test_nothing_set_by_hand_is_lost(chain: Chain, pay: Callable[..., str]) -> None:
    pay(1, 0)
    chain.set_balance(FRIEND, 100)
    pay(10, 1)
    pay(5, 0, fee=3 * GWEI, tip=2 * GWEI)
    assert chain.balance(FRIEND) == 110
