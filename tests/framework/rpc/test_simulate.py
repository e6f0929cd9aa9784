"""Simulated blocks: `eth_simulateV1`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Chain, Contract, Revert, call, event, view
from chain.rpc.errors import REVERTED, RpcError
from chain.simulator.handle import Handle
from chain.types import u64

POOR = "0xc1" + "00" * 19
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
    block = simulate({"blockOverrides": wish, "calls": [to(cell.time)]})[0]
    assert int(block["calls"][0]["returnData"], 16) == 0x7FFFFFFF
    assert (block["number"], block["baseFeePerGas"], block["miner"]) == ("0x20", "0xa", POOR)


def test_validation_takes_the_fee(simulate: Simulate) -> None:
    calls = [{"from": POOR, "to": POOR}]
    assert simulate({"calls": calls})[0]["calls"][0]["gasUsed"] == "0x5208"
    with pytest.raises(RpcError):
        simulate({"calls": calls}, validation=True)


def test_ether_shows_as_a_log(chain: Chain, simulate: Simulate) -> None:
    block = simulate({"calls": [{"to": POOR, "value": "0x7"}]}, traceTransfers=True)[0]
    (log,) = block["calls"][0]["logs"]
    assert (int(log["data"], 16), log["topics"][2][-40:]) == (7, POOR[2:])


@pytest.mark.parametrize(
    "wish", [{}, {"blockStateCalls": 5}, {"blockStateCalls": [{"calls": 5}]}, {"blockStateCalls": [{}] * 257}]
)  # fmt: skip
def test_nonsense_is_refused(chain: Chain, wish: dict[str, Any]) -> None:
    with pytest.raises(RpcError):
        chain.node.request("eth_simulateV1", [wish])


def test_time_continues(simulate: Simulate) -> None:
    with pytest.raises(RpcError, match="one after the other"):
        simulate({"blockOverrides": {"time": "0x9"}}, {"blockOverrides": {"time": "0x8"}})


@pytest.mark.parametrize("name", ["number", "time"])
def test_numbers_and_times_end(simulate: Simulate, name: str) -> None:
    with pytest.raises(RpcError, match="numbers and times of blocks end at"):
        simulate({"blockOverrides": {name: hex(2**64)}})
