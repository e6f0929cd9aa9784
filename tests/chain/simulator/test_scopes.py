"""A scope undoes everything; the overrides of the next block survive in a file, a fork and a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, Contract, call, view
from chain.types import u64

SEVEN = bytes([7] * 20)


class Clock(Contract):
    last: u64

    @call
    def tick(self) -> u64:
        self.last = self.block.timestamp
        return self.last

    @view
    def told(self) -> u64:
        return self.last


def slow_down(chain: Chain) -> None:
    chain.block_interval = 7


def stop_mining(chain: Chain) -> None:
    chain.automine = False


def override(chain: Chain) -> None:
    chain.set_next_block(prevrandao=5, base_fee=9, coinbase=SEVEN)


def move_clock(chain: Chain) -> None:
    chain.advance(50)


def everything(chain: Chain) -> None:
    for change in (slow_down, stop_mining, override, move_clock):
        change(chain)


CHANGES = (slow_down, stop_mining, override, move_clock, everything)


def memory(folder: Path) -> Chain:
    return Chain()


def file(folder: Path) -> Chain:
    return Chain.open(folder / "x.chain")


def node(folder: Path) -> Chain:
    there = Chain()
    there.declare(Clock)
    return Chain.connect(there.node)


@pytest.fixture(params=[memory, file, node])
def chain(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Chain]:
    chain = request.param(tmp_path)
    yield chain
    chain.close()


def next_block(chain: Chain) -> tuple[Any, ...]:
    """Return all that the next block depends on."""
    return chain.pending.row, chain.now, chain.automine, chain.block_interval


@pytest.mark.parametrize("change", CHANGES)
def test_anchor_undoes(chain: Chain, change: Callable[[Chain], None]) -> None:
    before = next_block(chain)
    with chain.anchor():
        change(chain)
        assert next_block(chain) != before
        chain.mine()
    assert next_block(chain) == before


@pytest.mark.parametrize("change", CHANGES)
def test_revert_restores(chain: Chain, change: Callable[[Chain], None]) -> None:
    change(chain)
    taken, before = chain.snapshot(), next_block(chain)
    chain.mine()
    chain.automine, chain.block_interval = True, 3
    chain.revert(taken)
    assert next_block(chain) == before


def test_anchor_within_a_block_leaves_it_open(chain: Chain) -> None:
    clock = chain.deploy(Clock)
    with chain.block():
        with chain.anchor():
            clock.tick()
        receipts = [clock.tick(), clock.tick()]
    assert receipts[0].block_number == receipts[1].block_number


@pytest.mark.parametrize("change", CHANGES)
def test_fork_starts_at_the_end_of_the_chain(chain: Chain, change: Callable[[Chain], None]) -> None:
    change(chain)
    fork = chain.fork()
    assert next_block(fork) == next_block(chain)
    chain.mine()
    assert fork.mine() == chain.head


def test_fork_of_a_block_keeps_how_blocks_are_mined(chain: Chain) -> None:
    everything(chain)
    fork = chain.fork(at=0)
    assert (fork.automine, fork.block_interval) == (False, 7)
    assert fork.pending.base_fee == chain.head.base_fee


def test_node_undoes_the_interval_of_its_server() -> None:
    chain = Chain()
    number = chain.node.request("evm_snapshot")
    chain.node.request("evm_setIntervalMining", [5])
    chain.node.request("evm_revert", [number])
    assert (chain.node.interval, chain.automine) == (0, True)


@pytest.mark.parametrize("change", CHANGES)
def test_file_keeps_overrides_of_the_next_block(
    tmp_path: Path, change: Callable[[Chain], None]
) -> None:
    with Chain.open(tmp_path / "x.chain") as chain:
        change(chain)
        before = next_block(chain)
    with Chain.open(tmp_path / "x.chain") as chain:
        assert next_block(chain) == before


def play(steps: list[Callable[[Chain], object]], sessions: Callable[[], Chain]) -> bytes:
    """The last block's hash, where each step is a session of its own."""
    for step in steps:
        with sessions() as chain:
            chain.declare(Clock)
            step(chain)
    with sessions() as chain:
        return chain.block_hash()


STEPS: list[Callable[[Chain], object]] = [
    lambda chain: chain.deploy(Clock),
    slow_down,
    lambda chain: chain.mine(2),
    override,
    lambda chain: chain.mine(2),
    stop_mining,
    lambda chain: chain.handle(Clock, chain.receipts[0].address).tick(),
    lambda chain: chain.handle(Clock, chain.receipts[0].address).tick(),
    lambda chain: chain.mine(),
]


def test_split_play_has_the_hashes_of_one(tmp_path: Path) -> None:
    whole = Chain()
    assert play(STEPS, lambda: Chain.open(tmp_path / "x.chain")) == play(STEPS, lambda: whole)


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_set_is_in_the_file_at_once(
    tmp_path: Path, change: Callable[[Chain], None]
) -> None:
    chain = Chain.open(tmp_path / "x.chain")
    change(chain)
    before = next_block(chain)
    copy = tmp_path / "copy.chain"
    for suffix in ("", "-wal"):
        (tmp_path / f"copy.chain{suffix}").write_bytes((tmp_path / f"x.chain{suffix}").read_bytes())
    chain.close()
    with Chain.open(copy) as survivor:
        assert next_block(survivor) == before
