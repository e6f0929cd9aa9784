"""Chains in several threads: what comes out is what comes out of one after the other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from threading import Barrier, Thread
from typing import Any

import pytest

from chain import Address, Chain, Contract, Map, call, view
from chain.types import u64

GAS = 400_000
TURNS = 12


def down(n: int) -> int:
    return down(n - 1) if n else 0


class Works(Contract):
    """Spends fuel and levels, and says how far it came."""

    n: u64
    by_key: Map[u64, u64]

    @call
    def turn(self, turns: u64) -> u64:
        for i in range(turns):
            self.n += i % 3
        return self.n

    @call
    def burn(self) -> u64:
        for _ in count_up():
            pass
        return 0

    @view
    def deep(self, levels: u64) -> u64:
        return down(levels)

    @call
    def over(self, other: Address, turns: u64) -> u64:
        return self.at(Works, other).turn(turns) + down(400)


def count_up() -> Iterator[int]:
    n = 0
    while True:
        yield n
        n += 1


@pytest.fixture(autouse=True)
def quick_switches() -> Iterator[None]:
    """Threads change places as often as Python lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def _play(chain: Chain, number: int) -> list[Any]:
    """What a play on a chain of its own comes to, in figures."""
    one, other = chain.deploy(Works), chain.deploy(Works)
    told: list[Any] = []
    for i in range(TURNS):
        receipts = [
            one.turn(20 + number + i),
            one.over(other.address, 30 + number),
            one.burn(gas=60_000 + 1_000 * number, check=False),
        ]
        told += [(r.ok, r.ticks, r.gas_used, str(r.error), r.output) for r in receipts]
        told.append((one.deep.observe(500).ticks, one.deep.observe(600).error is None))
        told.append(str(one.turn.trace(3)))
    told.append(chain.block_hash())
    return told


def _side_by_side(works: list[Callable[[], Any]]) -> list[Any]:
    """What each comes to, begun at one moment; what one raises is raised here."""
    start, results = Barrier(len(works)), dict[int, Any]()

    def run(i: int) -> None:
        start.wait()
        try:
            results[i] = works[i]()
        except BaseException as problem:
            results[i] = problem

    threads = [Thread(target=run, args=[i], daemon=True) for i in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == len(works), "a thread waits for ever"
    for result in results.values():
        if isinstance(result, BaseException):
            raise result
    return [results[i] for i in range(len(works))]


def test_two_chains_in_two_threads_share_nothing() -> None:
    serial = [_play(Chain(), i) for i in range(3)]
    assert _side_by_side([lambda i=i: _play(Chain(), i) for i in range(3)]) == serial
