"""Chains that follow a clock of the machine, as a node's does. Here the clock is a number that the test moves."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Chain, Contract, call, view
from chain.simulator.block_time import WallClock
from chain.simulator.chain import GENESIS_TIME as START
from chain.types import u64


class Timer(Contract):
    until: u64

    @call
    def start(self, seconds: u64) -> None:
        self.until = self.block.timestamp + seconds

    @view
    def is_over(self) -> bool:
        return self.block.timestamp >= self.until


class Wall:
    time = START + 100.5

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def wall(chain: Chain) -> Wall:
    wall = Wall()
    chain.driver.wall = WallClock(wall)
    return wall


def ask(chain: Chain, method: str, *params: Any) -> Any:
    return chain.node.request(method, params)


def test_blocks_have_the_time_of_the_wall(chain: Chain, wall: Wall) -> None:
    assert chain.now == START + 100
    times = [chain.mine().timestamp for _ in range(3)]
    wall.time += 60
    assert [*times, chain.mine().timestamp] == [START + n for n in (100, 101, 102, 160)]


def test_timers_run_out_without_blocks(chain: Chain, wall: Wall) -> None:
    timer = chain.deploy(Timer)
    timer.start(30)
    assert not timer.is_over()
    wall.time += 31
    assert timer.is_over() and chain.head.number == 2


def test_set_time_is_exact_and_continues(chain: Chain, wall: Wall) -> None:
    ask(chain, "evm_setNextBlockTimestamp", START + 5_000)
    wall.time += 3
    assert chain.mine().timestamp == START + 5_000
    wall.time += 4
    assert chain.mine().timestamp == START + 5_007


def test_added_time_continues(chain: Chain, wall: Wall) -> None:
    ask(chain, "evm_increaseTime", 500)
    wall.time += 10
    assert chain.mine().timestamp == START + 610
    chain.advance(20)
    assert chain.mine().timestamp == START + 630


def test_refused_times_move_nothing(chain: Chain, wall: Wall) -> None:
    with pytest.raises(ValueError, match="seconds"):
        chain.advance(2**63)
    with pytest.raises(ValueError, match="backwards"):
        chain.set_time(START - 1)
    assert chain.now == START + 100


def test_reverted_chains_continue_from_there(chain: Chain, wall: Wall) -> None:
    number = ask(chain, "evm_snapshot")
    ask(chain, "evm_increaseTime", 5_000)
    chain.mine()
    ask(chain, "evm_revert", number)
    wall.time += 7
    assert chain.now == START + 7


def test_chains_wait_for_a_wall_clock_that_was_set_back(chain: Chain, wall: Wall) -> None:
    chain.mine()
    wall.time -= 60
    assert chain.now == chain.view_block.timestamp == START + 100


def test_steps_that_fail_leave_the_clock(
    chain: Chain, wall: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chain.rpc.control.mining.rebuild_open_block", _moved_and_interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask(chain, "evm_increaseTime", 500)
    assert chain.now == START + 100


def _moved_and_interrupted(chain: Chain, change: Any) -> None:
    change()
    raise KeyboardInterrupt


def test_intervals_hold_against_the_wall(chain: Chain, wall: Wall) -> None:
    chain.block_interval = 12
    assert [chain.mine().timestamp for _ in range(2)] == [START + 12, START + 24]


def test_forks_and_other_chains_keep_their_time(chain: Chain, wall: Wall) -> None:
    assert chain.fork().now == Chain().now == START


def test_views_see_the_last_block_at_the_present_time(chain: Chain, wall: Wall) -> None:
    def seen() -> tuple[int, ...]:
        block = chain.view_block
        return block.number, block.timestamp - START, block.base_fee, block.end_receipt

    start = chain.snapshot()
    chain.set_next_block(base_fee=7)
    chain.deploy(Timer)
    assert [seen(), seen()] == [(1, 100, 7, 0)] * 2
    wall.time += 5
    assert seen() == (1, 105, 7, 0)
    chain.revert(start)
    chain.set_next_block(base_fee=9)
    chain.mine()
    assert seen() == (1, 105, 9, 0)
