"""Gas estimates of the node."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Chain, Contract, call
from chain.machine.transaction import Transaction, TransactionResult
from chain.rpc.errors import REFUSED, RpcError
from chain.simulator.handle import Handle
from chain.types import u64


def test_transfers_cost_21000(chain: Chain, rpc: Any) -> None:
    assert rpc("eth_estimateGas", {"to": rpc.hexed(bytes(20)), "value": "0x1"}) == hex(21_000)


@pytest.mark.parametrize(
    "what",
    [
        lambda rpc, c, r: rpc.to(c.add, 7),
        lambda rpc, c, r: rpc.to(c.reset),  # gives gas back when it is over
        lambda rpc, c, r: rpc.to(c.keep, 0),
        lambda rpc, c, r: rpc.to(c.keep, 12),
        lambda rpc, c, r: rpc.to(r.keep, c.address, 12),  # a message below gets only 63 of 64 parts
        lambda rpc, c, r: rpc.to(c.keep_as_high),
        lambda _, c, r: {"data": c.chain.declare(r.contract).bytecode},
    ],
)
def test_estimates_are_the_least(
    chain: Chain, counter: Handle, relay: Handle, rpc: Any, what: Any
) -> None:
    counter.add(3)
    asked = what(rpc, counter, relay)
    gas = int(rpc("eth_estimateGas", asked), 16)
    statuses = []
    for given in (gas, gas - 1):
        with chain.anchor():
            try:
                sent = rpc("eth_sendTransaction", {**asked, "gas": hex(given)})
                statuses.append(rpc("eth_getTransactionReceipt", sent)["status"])
            except RpcError as no:
                statuses.append(no.message[:20])
    assert statuses[0] == "0x1"
    assert statuses[1] != "0x1"


def test_estimates_are_enough_below(counter: Handle, relay: Handle, rpc: Any) -> None:
    rpc("eth_sendTransaction", rpc.to(relay.try_to_keep, counter.address, 12))
    assert len(counter.fields.kept) == 12


class Sums(Contract):
    @call
    def up_to(self, n: u64) -> u64:
        return sum(i for i in range(n))


def test_estimates_are_enough_to_compute(chain: Chain, rpc: Any) -> None:
    sums = chain.deploy(Sums)
    tx_hash = rpc("eth_sendTransaction", rpc.to(sums.up_to, 1000))
    assert rpc("eth_getTransactionReceipt", tx_hash)["status"] == "0x1"


def test_estimates_take_two_runs_and_of_transfers_one(
    counter: Handle, rpc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rehearse, runs = Chain.rehearse, []

    def counted(chain: Chain, tx: Transaction, *rest: Any) -> TransactionResult:
        runs.append(tx)
        return rehearse(chain, tx, *rest)

    monkeypatch.setattr(Chain, "rehearse", counted)
    counter.add(1)
    for i, asked in enumerate([rpc.to(counter.add, 1), rpc.to(counter.wipe)], 1):
        rpc("eth_estimateGas", asked)
        assert len(runs) == 2 * i
    rpc("eth_estimateGas", {"to": rpc.hexed(bytes(20)), "value": "0x1"})
    assert len(runs) == 2 * i + 1


def test_estimates_stay_in_the_block(chain: Chain, rpc: Any) -> None:
    other = rpc.hexed(chain.accounts[1])
    with chain.block():
        chain.send(None, b"\xfe", gas=chain.head.gas_limit - 20_000)
        assert rpc.refusal("eth_estimateGas", {"to": other}).code == REFUSED
    assert rpc("eth_estimateGas", {"to": other}) == hex(21_000)


def test_estimates_draw_nothing(chain: Chain, counter: Handle, rpc: Any) -> None:
    with chain.loaded(dice=[4]):
        rpc("eth_estimateGas", rpc.to(counter.roll))
        assert counter.roll().return_value == 4


def test_estimates_ignore_the_nonce(chain: Chain, counter: Handle, rpc: Any) -> None:
    assert rpc("eth_estimateGas", rpc.to(counter.add, 1, nonce="0x63"))
