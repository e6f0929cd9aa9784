"""A server keeps the results of calls as text: the answers are those that are made anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from chain import Chain, Contract, call, view
from chain.rpc.eth import calls
from chain.rpc.json_messages import answer_one
from chain.rpc.methods import AS_TEXT
from chain.simulator.block_time import WallClock
from chain.simulator.handle import Handle
from chain.types import u64, u256
from tests.chain.rpc.conftest import Rpc


class Around(Contract):
    """All that a call can see around it."""

    words: u64

    @call
    def write(self, by: u64 = 1) -> None:
        self.words += by

    @view
    def seen(self) -> tuple[u64, u64, u64, u256]:
        block = self.block
        return self.words, block.number, block.timestamp, self.balance

    @call
    def roll(self) -> u64:
        return self.random.below(2**60, tag="die")

    @view
    def refused(self) -> u64:
        return self.words - 1


@pytest.fixture
def around(chain: Chain) -> Handle[Around]:
    return chain.deploy(Around)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The calls that ran."""
    ran: list[object] = []
    run = calls._run

    def recorded(*args: Any) -> Any:
        ran.append(args)
        return run(*args)

    monkeypatch.setattr(calls, "_run", recorded)
    return ran


def answer(chain: Chain, *params: Any) -> Any:
    """Return the answer to a call, twice as text and once anew; all are the same."""
    asked = {"id": 1, "method": "eth_call", "params": params}
    texts = [answer_one(chain.node, asked, AS_TEXT, 1 << 20) for _ in range(2)]
    expected = answer_one(chain.node, asked, {}, 1 << 20)
    assert texts == [expected, expected]
    return json.loads(expected or b"")


def test_a_call_runs_once_while_the_chain_stays_as_it_is(
    chain: Chain, around: Handle[Around], made: list[object]
) -> None:
    for number in range(3):
        asked = {"id": number, "method": "eth_call", "params": [Rpc.to(around.seen), "latest"]}
        assert b"result" in (answer_one(chain.node, asked, AS_TEXT, 1 << 20) or b"")
        chain.node.request("eth_blockNumber")
    assert len(made) == 1


ACTS: dict[str, Callable[[Chain, Handle[Around]], object]] = {
    "a transaction": lambda _, around: around.write(),
    "an empty block": lambda chain, _: chain.mine(),
    "a balance": lambda chain, around: chain.set_balance(around, 5),
    "a word": lambda chain, around: chain.set_storage(around, 0, 9),
    "code": lambda chain, around: chain.set_code(around, bytes.fromhex("425f5260205ff3")),
    "time": lambda chain, _: chain.advance(9),
    "an interval": lambda chain, _: setattr(chain, "block_interval", 9),
    "a base fee": lambda chain, _: (chain.set_next_block(base_fee=9), chain.mine()),
    "the wall clock": lambda chain, _: setattr(chain.driver, "wall", WallClock(lambda: 2**33)),
}


@pytest.mark.parametrize("tag", ["latest", "pending", "0x1"])
@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_a_change_of_the_chain_is_seen(
    chain: Chain,
    around: Handle[Around],
    act: Callable[[Chain, Handle[Around]], object],
    tag: str,
) -> None:
    params, before = (Rpc.to(around.seen), tag), chain.snapshot()
    first = answer(chain, *params)
    act(chain, around)
    answer(chain, *params)
    chain.revert(before)
    chain.driver.wall = None
    assert answer(chain, *params) == first


def test_another_chain_of_the_same_length_is_seen(chain: Chain, around: Handle[Around]) -> None:
    params, before = (Rpc.to(around.seen), "latest"), chain.snapshot()
    around.write(1)
    first = answer(chain, *params)
    chain.revert(before)
    around.write(2)
    assert answer(chain, *params) != first


def test_the_open_block_is_seen(chain: Chain, around: Handle[Around]) -> None:
    params = Rpc.to(around.seen), "pending"
    with chain.block():
        first = answer(chain, *params)
        around.write()
        assert answer(chain, *params) != first


def test_the_wall_clock_is_seen(chain: Chain, around: Handle[Around]) -> None:
    times = iter(range(2**33, 2**34))
    chain.driver.wall = WallClock(lambda: next(times))
    asked = {"id": 1, "method": "eth_call", "params": [Rpc.to(around.seen)]}
    texts = {answer_one(chain.node, asked, AS_TEXT, 1 << 20) for _ in range(3)}
    assert len(texts) == 3


def test_mocks_and_forced_numbers_are_seen(chain: Chain, around: Handle[Around]) -> None:
    params = Rpc.to(around.seen), "latest"
    first = answer(chain, *params)
    with chain.mock(around.seen, returns=(1, 2, 3, 4)):
        assert answer(chain, *params) != first
    paid = Rpc.to(around.roll, gas=hex(100_000))
    unforced = answer(chain, paid)
    with chain.loaded(die=[1]):
        assert answer(chain, paid) != unforced
        assert around.roll().return_value == 1
    assert answer(chain, paid) != unforced


def test_parameters_are_told_apart(chain: Chain, around: Handle[Around]) -> None:
    fields = Rpc.to(around.seen)
    answers = [
        answer(chain, {**fields, "value": value}, *rest)
        for value, rest in (
            (1, ()), (True, ()), ("0x0", ()), (None, ()),
            ("0x0", ("latest", {str(around.address): {"balance": "0x7"}})),
            ("0x0", ("latest", None, {"time": "0x7fffffff"})),
            ("0x0", ("latest", None, None, None)),
        )
    ]  # fmt: skip
    assert [("error" in each) for each in answers] == [True, True, *[False] * 4, True]
    assert answers[2] == answers[3] != answers[4] != answers[5]


def test_refusals_are_not_kept(chain: Chain, around: Handle[Around]) -> None:
    params = Rpc.to(around.refused), "latest"
    assert "error" in answer(chain, *params)
    around.write()
    assert "result" in answer(chain, *params)


def test_long_parameters_and_results_are_not_kept(chain: Chain, around: Handle[Around]) -> None:
    echo = "0x" + "ab" * 20
    chain.node.request("anvil_setCode", [echo, "0x5f355ff3"])  # as many zeros as are asked for
    kept, short = chain.node.call_texts._kept, f"0x{1:064x}"
    answer(chain, {"to": echo, "data": short})
    assert len(kept) == 1
    answer(chain, {"to": echo, "data": f"0x{1_000:064x}"})
    answer(chain, {"to": echo, "data": short + "00" * 1_000})
    assert len(kept) == 1
