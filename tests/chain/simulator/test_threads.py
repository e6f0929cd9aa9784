"""Chains in several threads: the results are those of one thread after the other."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from threading import Barrier, Event, Thread
from typing import Any

import pytest

from chain import Address, Chain, Contract, Map, call, event, view
from chain.crypto.accounts import LABELS
from chain.foundation.turn import is_mine
from chain.machine import deep_calls
from chain.metering.program import program_of
from chain.rpc.server.listener import Settings
from chain.rpc.server.server import Server
from chain.simulator.handle import Handle
from chain.types import u64
from tests.chain.interrupts import run

TOY = """from chain import Contract, call


class Toy(Contract):
    @call
    def go(self) -> str:
        return "gone"
"""
BY_SENDER = "select count(*) n from receipts where sender_name = ?"
TURNS = 8


def down(n: int) -> int:
    return down(n - 1) if n else 0


@event
class Went:
    left: u64


class Works(Contract):
    """Uses up fuel and levels, and returns how far it got."""

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
    """Switch threads as often as Python allows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def _play(chain: Chain, number: int) -> list[Any]:
    """Return the results of a play on a chain of its own, as figures."""
    one, other = chain.deploy(Works), chain.deploy(Works)
    told: list[Any] = []
    for i in range(TURNS):
        receipts = [
            one.turn(20 + number + i),
            one.over(other.address, 30 + number),
            one.burn(gas=60_000 + 1_000 * number, check=False),
        ]
        told += [(r.ok, r.ticks, r.gas_used, str(r.error), r.output) for r in receipts]
        told.append((one.deep.simulate(500).ticks, one.deep.simulate(600).error is None))
        told.append(str(one.turn.trace(3)))
    told.append(chain.block_hash())
    return told


def _side_by_side(works: Sequence[Callable[[], Any]]) -> list[Any]:
    """Start all at once and return the result of each; what one raises is raised here."""
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
    assert _side_by_side([partial(_play, Chain(), i) for i in range(3)]) == serial


# One chain


def test_one_chain_in_many_threads_is_as_in_one() -> None:
    """Each thread has its own contract and account, which no other thread changes."""

    def play(chain: Chain, handle: Handle, who: int) -> list[Any]:
        told: list[Any] = []
        for i in range(TURNS):
            receipt = handle.turn(10 + who + i, sender=chain.accounts[who])
            told += [receipt.ticks, receipt.return_value, [str(write) for write in receipt.writes]]
            told += [handle.deep(100), handle.fields.n, handle.turn.simulate(5).ticks]
            told.append(str(receipt.trace).partition(":")[2])
            told.append(chain.nonce(chain.accounts[who]))
            mine = chain.receipts.where(sender=chain.accounts[who])
            told += [mine.count(), [r.ticks for r in mine], handle.burn(gas=50_000, check=False).ok]
            told += [chain.sql(BY_SENDER, LABELS[who])[0]["n"]]
        return told

    def made() -> tuple[Chain, list[Handle]]:
        chain = Chain()
        return chain, [chain.deploy(Works) for _ in range(4)]

    chain, handles = made()
    serial = [play(chain, handles[i], i + 1) for i in range(4)]
    chain, handles = made()
    works = [partial(play, chain, handles[i], i + 1) for i in range(4)]
    assert _side_by_side(works) == serial
    assert len(chain.receipts) == len(chain.blocks) - 1 == 4 + 2 * 4 * TURNS
    assert [receipt.position for receipt in chain.receipts] == [*range(len(chain.receipts))]
    again = [receipt.trace.gas_used for receipt in chain.receipts]
    assert again == [receipt.gas_used for receipt in chain.receipts]


SCOPES: list[Callable[[Chain], Any]] = [
    lambda chain: chain.block(),
    lambda chain: chain.anchor(),
    lambda chain: chain.loaded(die=[]),
]
DEEDS: list[Callable[[Chain, Handle], Any]] = [
    lambda chain, handle: handle.turn(1),
    lambda chain, handle: handle.deep(1),
    lambda chain, handle: chain.mine(),
    lambda chain, handle: chain.set_balance(chain.accounts[0], 1),
    lambda chain, handle: chain.anchor().__enter__(),
    lambda chain, handle: chain.block().__enter__(),
    lambda chain, handle: chain.node.request("evm_mine"),
]


@pytest.mark.parametrize("deed", DEEDS)
@pytest.mark.parametrize("scope", SCOPES)
def test_no_thread_gets_into_the_scope_of_another(
    scope: Callable[[Chain], Any], deed: Callable[[Chain, Handle], Any]
) -> None:
    chain = Chain()
    handle = chain.deploy(Works)
    with scope(chain):
        blocks = len(chain.blocks)
        with pytest.raises(RuntimeError, match=r"another thread is in 'with chain\."):
            _elsewhere(lambda: deed(chain, handle))
        assert len(chain.blocks) == blocks
        handle.turn(1)
    _elsewhere(lambda: deed(chain, handle))


def test_a_forgotten_scope_blocks_nobody() -> None:
    chain = Chain()
    scope = chain.anchor()
    scope.__enter__()
    del scope
    assert _elsewhere(lambda: chain.mine().number) == 1


def test_a_step_in_one_thread_waits_for_that_of_another() -> None:
    """No thread sees a word in the middle of a transaction."""
    chain = Chain()
    handle = chain.deploy(Works)
    snapshot, over = chain.snapshot(), Event()

    def reverts() -> None:
        for _ in range(TURNS):
            handle.turn(900, sender=chain.accounts[1])
            chain.revert(snapshot)
        over.set()

    def reads() -> set[int]:
        words = set()
        while not over.is_set():
            words |= {chain.storage(handle.address, 0), handle.fields.n}
        return words

    _, seen = _side_by_side([reverts, reads])
    assert seen <= {0, 900}


def _elsewhere(work: Callable[[], Any]) -> Any:
    return _side_by_side([work])[0]


# A server beside


def test_a_server_beside_shares_nothing_with_other_chains() -> None:
    serial, served = _play(Chain(), 1), Chain()
    served.declare(Works)
    with Server(served, Settings(port=0)).in_thread() as url:
        far = Chain.connect(url)
        results = _side_by_side([lambda: _play(Chain(), 1), lambda: _play(far, 1)])
        far.close()
    assert results == [serial, serial]


def test_a_chain_can_be_used_beside_its_server(chain: Chain) -> None:
    handle = chain.deploy(Works)

    def ask(url: str) -> None:
        far = Chain.connect(url, contracts=[Works])
        there = far.handle(Works, handle.address)
        for _ in range(TURNS):
            there.turn(5, sender=far.accounts[1])
        far.close()

    def here() -> None:
        for _ in range(TURNS):
            handle.turn(5, sender=chain.accounts[2])

    with Server(chain, Settings(port=0)).in_thread() as url:
        _side_by_side([lambda: ask(url), here])
    assert handle.fields.n == 2 * TURNS * sum(i % 3 for i in range(5))
    assert {receipt.ticks for receipt in chain.receipts[1:]} == {chain.receipts[1].ticks}


# What the whole process shares


def test_the_process_is_left_as_it_was() -> None:
    before = sys.getrecursionlimit(), gc.isenabled()
    chain = Chain()
    handle = chain.deploy(Works)
    handle.burn(gas=50_000, check=False)
    handle.over(handle.address, 1, check=False)
    assert (sys.getrecursionlimit(), gc.isenabled()) == before


def test_classes_are_made_once_in_many_threads(tmp_path: Any, monkeypatch: Any) -> None:
    (tmp_path / "threaded_toy.py").write_text(TOY)
    monkeypatch.syspath_prepend(tmp_path)
    toy = importlib.import_module("threaded_toy").Toy
    programs = _side_by_side([lambda: program_of(toy)] * 8)
    assert all(program is programs[0] for program in programs)
    del sys.modules["threaded_toy"]


def test_what_continues_in_another_thread_is_in_the_same_turn_and_step() -> None:
    """Deep messages continue on a fresh stack. They may look at the chain, and so may a trace function."""
    chain, seen = Chain(guard=False), list[Any]()

    class Deep(Contract):
        @call(nonreentrant=False)
        def go(self, n: u64) -> u64:
            self.emit(Went(n))
            if n:
                return self.at(Deep, self.address).go(n - 1)
            seen.extend(
                [is_mine(), chain.nonce(self.origin), handle.fields.address == self.address]
            )
            return 1

    handle = chain.deploy(Deep)
    receipt = handle.go(40)
    assert (receipt.return_value, seen, is_mine()) == (1, [True, 2, True], False)
    assert str(receipt.trace).count("emits Went") == 41


# Interrupts


@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError])
def test_an_interrupted_turn_leaves_nothing_behind(kind: type[BaseException]) -> None:
    """The next turn repairs what an interrupt leaves behind: fuel, levels, the limit of recursion, the garbage."""
    before = sys.getrecursionlimit(), gc.isenabled()
    chain = Chain()
    handle = chain.deploy(Works)
    ticks = handle.over.simulate(handle.address, 1).ticks, handle.deep.simulate(500).ticks

    def play(_: Chain) -> None:
        handle.deep.simulate(20)

    lines = run(play, chain).count
    for line in range(1, lines + 1, 5):
        run(play, chain, (line,), kind)
        now = handle.over.simulate(handle.address, 1).ticks, handle.deep.simulate(500).ticks
        assert now == ticks, f"at line {line}"
        assert (sys.getrecursionlimit(), gc.isenabled()) == before, f"at line {line}"


def test_calls_interrupted_before_they_began_never_run(monkeypatch: Any) -> None:
    """An interrupt while a thread is being started: nobody waits for that thread any more."""
    chain, threads = Chain(), list[Thread]()
    handle = chain.deploy(Works)
    before = chain.state_root(), handle.fields.n

    def interrupted(thread: Thread) -> None:
        threads.append(thread)
        raise KeyboardInterrupt

    data = Works.__spec__.entries["turn"].encode_args((5,), {})
    with monkeypatch.context() as patched:
        patched.setattr(deep_calls._Deeper, "start", interrupted)
        patched.setattr("chain.machine.machine.THREAD_DEPTHS", frozenset({0, 1}))
        with pytest.raises(KeyboardInterrupt):
            chain.send(handle.address, data, gas=10**6)
    for thread in threads:
        thread.start()
        thread.join()
    assert (chain.state_root(), handle.fields.n, chain.state.changes) == (*before, [])
    assert handle.turn(5).ok
