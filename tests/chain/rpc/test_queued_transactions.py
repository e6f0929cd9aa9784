"""Transactions that arrive before those they build on wait for their turn."""

from __future__ import annotations

import asyncio
import json
from random import Random
from typing import Any

import pytest

from chain import Address, Chain
from chain.crypto.accounts import ACCOUNTS
from chain.foundation.watchdog import TimeUp
from chain.rpc.errors import REFUSED, RpcError
from chain.rpc.limits import Limits
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.app import App

GWEI = 10**9
FRIEND = Address("0x" + "11" * 20)
ALICE = str(ACCOUNTS[0])


def paying(nonce: int, value: int = 1, fee: int = 2, **fields: Any) -> dict[str, Any]:
    fees = {"maxFeePerGas": hex(fee * GWEI), "maxPriorityFeePerGas": hex(fee * GWEI // 2)}
    asked = {"from": ALICE, "to": str(FRIEND), "value": hex(value), "nonce": hex(nonce)}
    return {**asked, "gas": "0x5208", **fees, **fields}


@pytest.fixture
def late(rpc: Any) -> str:
    """The hash of a transaction of nonce 2."""
    sent: str = rpc("eth_sendTransaction", paying(2, 4))
    return sent


def test_gaps_are_waited_for(chain: Chain, rpc: Any, late: str) -> None:
    rpc("eth_sendTransaction", paying(1, 2))
    assert (len(chain.receipts), rpc("eth_getTransactionReceipt", late)) == (0, None)
    assert rpc("eth_getTransactionCount", ALICE, "pending") == "0x0"
    rpc("eth_sendTransaction", paying(0, 1))
    assert [receipt.value for receipt in chain.receipts] == [1, 2, 4]
    assert rpc("eth_getTransactionReceipt", late)["status"] == "0x1"
    assert rpc("txpool_status") == {"pending": "0x0", "queued": "0x0"}


def test_open_blocks_take_them_too(chain: Chain, rpc: Any, late: str) -> None:
    chain.automine = False
    for nonce in (1, 0):
        rpc("eth_sendTransaction", paying(nonce))
    assert rpc("txpool_status") == {"pending": "0x3", "queued": "0x0"}
    assert rpc("eth_getTransactionCount", ALICE, "pending") == "0x3"
    assert chain.mine().gas_used == 3 * 21_000


def test_they_are_shown(rpc: Any, late: str) -> None:
    shown = rpc("eth_getTransactionByHash", late)
    assert (shown["hash"], shown["nonce"], shown["blockHash"]) == (late, "0x2", None)
    assert rpc("eth_getTransactionBySenderAndNonce", ALICE, "0x2") == shown
    assert rpc("txpool_content") == {"pending": {}, "queued": {ALICE: {"2": shown}}}
    assert rpc("txpool_contentFrom", ALICE)["queued"] == {"2": shown}
    line = rpc("txpool_inspect")["queued"][ALICE]["2"]
    assert line == f"{rpc.hexed(FRIEND)}: 4 wei + 21000 gas × {2 * GWEI} wei"
    raw = rpc("eth_getRawTransactionByHash", late)
    assert rpc.refusal("eth_sendRawTransaction", raw).message.startswith("already known")


def test_nonces_that_are_set_let_them_go(chain: Chain, rpc: Any, late: str) -> None:
    rpc("anvil_setNonce", ALICE, "0x2")
    assert chain.receipts[0].value == 4


def test_nonces_that_are_used_up_end_the_waiting(rpc: Any, late: str) -> None:
    rpc("anvil_setNonce", ALICE, "0x3")
    assert rpc("eth_getTransactionByHash", late) is None
    assert rpc("txpool_status")["queued"] == "0x0"


def test_nonces_that_are_used_up_beside_the_node_end_the_waiting(
    chain: Chain, rpc: Any, late: str
) -> None:
    chain.set_nonce(ALICE, 3)
    assert rpc("eth_getTransactionByHash", late) is None
    assert rpc("txpool_status")["queued"] == "0x0"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"fee": 2}, "replacement transaction underpriced"),
        ({"value": 10**30}, "insufficient funds"),
        ({"gas": "0x5207"}, "intrinsic gas too low"),
        ({"fee": 0}, "max fee per gas less than block base fee"),
    ],
)
def test_what_could_never_be_sent_is_refused(
    rpc: Any, late: str, fields: dict[str, Any], words: str
) -> None:
    no = rpc.refusal("eth_sendTransaction", paying(2, **fields))
    assert (no.code, no.message[: len(words)]) == (REFUSED, words)
    assert rpc("eth_getTransactionByHash", late)["nonce"] == "0x2"


def test_higher_fees_replace_them(chain: Chain, rpc: Any, late: str) -> None:
    rpc("eth_sendTransaction", paying(2, 8, fee=3))
    assert rpc("eth_getTransactionByHash", late) is None
    rpc("anvil_setNonce", ALICE, "0x2")
    assert chain.balance(FRIEND) == 8


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("anvil_dropAllTransactions", []),
        ("anvil_removePoolTransactions", [ALICE]),
        ("anvil_reset", []),
    ],
)
def test_they_can_be_dropped(rpc: Any, late: str, method: str, params: list[Any]) -> None:
    rpc(method, *params)
    assert rpc("txpool_status")["queued"] == "0x0"


def test_one_can_be_dropped(rpc: Any, late: str) -> None:
    rpc("eth_sendTransaction", paying(1))
    assert rpc("anvil_dropTransaction", late)
    assert not rpc("anvil_dropTransaction", late)
    assert list(rpc("txpool_content")["queued"][ALICE]) == ["1"]


def test_snapshots_hold_them(chain: Chain, rpc: Any, late: str) -> None:
    number = rpc("evm_snapshot")
    rpc("anvil_setNonce", ALICE, "0x2")
    assert rpc("evm_revert", number) and len(chain.receipts) == 0
    assert rpc("eth_getTransactionByHash", late)["nonce"] == "0x2"


def test_requests_that_fail_leave_the_queue(
    rpc: Any, late: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*args: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patches:
        patches.setattr("chain.rpc.control.txpool.hash_of", interrupt)  # after it is queued
        with pytest.raises(KeyboardInterrupt):
            rpc("eth_sendTransaction", paying(1))
    assert rpc("txpool_status")["queued"] == "0x1"


def test_without_funds_they_go_on_waiting(chain: Chain, rpc: Any, late: str) -> None:
    rpc("anvil_setBalance", ALICE, "0x0")
    rpc("anvil_setNonce", ALICE, "0x2")
    assert rpc("txpool_status")["queued"] == "0x1"
    rpc("anvil_setBalance", ALICE, hex(10**18))
    assert chain.balance(FRIEND) == 4


def test_only_so_many_wait(chain: Chain, rpc: Any, late: str) -> None:
    chain.node.limits = Limits(queued=2)
    rpc("eth_sendTransaction", paying(1))
    assert (
        "2 transactions are already waiting"
        in rpc.refusal("eth_sendTransaction", paying(9)).message
    )


def test_receipts_are_not_waited_for(rpc: Any) -> None:
    raw = rpc("eth_signTransaction", paying(7))["raw"]
    no: RpcError = rpc.refusal("eth_sendRawTransactionSync", raw)
    assert no.message.startswith("nonce too high: it is 7")


@pytest.mark.parametrize(("count", "is_aside"), [(300, False), (6, True)])
def test_parallel_sends_arrive_in_any_order(
    chain: Chain, count: int, is_aside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    within = _never if is_aside else _always  # all runs in copies of the node, or nothing does
    monkeypatch.setattr("chain.rpc.server.request_runner.within", within)
    app = App(chain.node, AccessPolicy(), lambda: None)
    order = list(range(count))
    Random(5).shuffle(order)

    async def send(nonce: int) -> Any:
        request = {"jsonrpc": "2.0", "id": 1, "method": "eth_sendTransaction", "params": [paying(nonce)]}  # fmt: skip
        return json.loads(await app.runner.answer(request, {}, 1 << 20) or b"")

    async def send_all() -> list[Any]:
        return await asyncio.gather(*map(send, order))

    answers = asyncio.run(send_all())
    assert [answer for answer in answers if "result" not in answer] == []
    assert [receipt.nonce for receipt in chain.receipts] == list(range(count))
    assert not chain.node.queue.waiting(chain.state)


def _always(seconds: float, run: Any) -> Any:
    return run()


def _never(seconds: float, run: Any) -> Any:
    raise TimeUp
