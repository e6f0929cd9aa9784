"""The watchdog stops code that runs too long or takes too much memory, and nothing of it remains."""

from __future__ import annotations

import sys
import threading
import time
import weakref
from pathlib import Path
from threading import Event, get_ident
from typing import Any

import pytest

from chain import Chain, Contract, LimitExceeded, call, view, watchdog
from chain.machine.deep_calls import _Deeper
from chain.metering import watchdog as watchdog_module
from chain.metering.watchdog import _innermost
from chain.simulator.handle import Handle
from chain.types import u64
from tests.chain.helpers import Code


class Busy(Contract):
    times: u64

    @call
    def spin(self) -> u64:
        self.times += 1
        while True:
            self.times += 0

    @view
    def look(self) -> u64:
        while True:
            pass


class Starving(Contract):
    """A contract that uses refused code, to stand for code that the guard cannot foresee."""

    times: u64

    @call
    def starve(self) -> u64:
        self.times += 1
        raise MemoryError


@pytest.fixture
def busy(chain: Chain) -> Handle:
    return chain.deploy(Busy)


def everything(chain: Chain) -> Any:
    state = chain.state
    words = {who: dict(words) for who, words in state.storages.items() if words}
    return (
        chain.block_hash(),
        len(chain.receipts),
        dict(state.accounts),
        words,
        chain.pending.row,
    )


@pytest.mark.parametrize("act", ["spin", "look"])
def test_endless_work_is_refused(chain: Chain, busy: Handle, act: str) -> None:
    before = everything(chain)
    with pytest.raises(LimitExceeded, match=r"more than 0\.01 s of computing"), watchdog(seconds=0.01):  # fmt: skip
        getattr(busy, act)()
    assert everything(chain) == before


def test_endless_bytecode_is_refused(chain: Chain, evm: Code, initcode: Code) -> None:
    where = chain.send(None, initcode(evm("JUMPDEST", 1, "SLOAD", "POP", 0, "JUMP"))).address
    before = everything(chain)
    with pytest.raises(LimitExceeded), watchdog(seconds=0.01):
        chain.send(where)
    assert everything(chain) == before
    assert chain.send(where, gas=50_000).position == 1


def test_a_file_does_not_store_it(tmp_path: Path) -> None:
    with Chain.open(tmp_path / "a.chain", contracts=[Busy]) as chain:
        busy = chain.deploy(Busy)
        before = everything(chain)
        with pytest.raises(LimitExceeded), watchdog(seconds=0.01):
            busy.spin()
    with Chain.open(tmp_path / "a.chain", contracts=[Busy]) as chain:
        assert everything(chain) == before


def test_tracers_work_after_it(busy: Handle) -> None:
    """CPython 3.11 hung in the first traced function after an interrupt had been withdrawn."""
    with pytest.raises(LimitExceeded), watchdog(seconds=0.01):
        busy.look()
    code = "import sys; sys.settrace(lambda *_: None); (lambda: None)(); sys.settrace(None)"
    exec(code, {})


def test_what_is_done_in_time_is_left_alone(chain: Chain) -> None:
    with watchdog(seconds=60, memory=1 << 30):
        chain.mine()
    assert chain.head.number == 1


@pytest.mark.parametrize(("outer", "inner"), [(60, 0.02), (0.02, 60)])
def test_the_strictest_of_several_stops(busy: Handle, outer: float, inner: float) -> None:
    with pytest.raises(LimitExceeded, match=r"0\.02"), watchdog(seconds=outer), watchdog(seconds=inner):  # fmt: skip
        busy.look()


# The first may be lost.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_messages_far_down_are_stopped_too(chain: Chain, evm: Code, initcode: Code) -> None:
    calls = evm(0, 0, 0, 0, 0, "ADDRESS", "GAS", "CALL")  # itself, on stacks of their own
    loop = evm("JUMPDEST", "GAS", "POP", len(calls), "JUMP")  # not all of it is compiled
    where = chain.send(None, initcode(calls + loop)).address
    before = everything(chain)
    with pytest.raises(LimitExceeded), watchdog(seconds=0.2):
        chain.send(where)
    assert everything(chain) == before


def test_thread_that_only_starts_is_not_stopped() -> None:
    end = Event()
    thread = _Deeper(end.wait)  # type: ignore[arg-type]  # what it returns is not used
    thread.start()
    assert _innermost(get_ident()) == get_ident()
    thread.is_working = True
    assert _innermost(get_ident()) == thread.ident
    end.set()
    thread.join()


def test_memory_error_is_not_an_outcome() -> None:
    chain = Chain(guard=False)
    starving = chain.deploy(Starving)
    before = everything(chain)
    with pytest.raises(MemoryError):
        starving.starve()
    assert everything(chain) == before


def test_each_thread_has_its_own(busy: Handle) -> None:
    stopped: list[str] = []

    def look() -> None:
        try:
            with watchdog(seconds=0.01):
                busy.look()
        except LimitExceeded as no:
            stopped.append(str(no))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert len(stopped) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only there can memory be limited so")
def test_much_memory_is_refused(chain: Chain, evm: Code, initcode: Code) -> None:
    again = evm(0, 0, 1 << 20, 0, 0, 0x1234, "GAS", "CALL", "POP")  # each message keeps a megabyte
    begin = evm(1, 1 << 20, "MSTORE")
    code = begin + evm("JUMPDEST") + again + evm(len(begin), "JUMP")
    where = chain.send(None, initcode(code)).address
    before = everything(chain)
    with pytest.raises(LimitExceeded, match="more than 134217728 bytes"), watchdog(memory=1 << 27):
        chain.send(where)
    assert everything(chain) == before


@pytest.mark.parametrize("limits", [{}, {"seconds": 0}, {"seconds": "5"}, {"memory": 1.5}, {"memory": -1}])  # fmt: skip
def test_limits_are_numbers(limits: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)), watchdog(**limits):
        pass


def test_stopping_is_quick(busy: Handle) -> None:
    began = time.process_time()
    with pytest.raises(LimitExceeded), watchdog(seconds=0.05):
        busy.look()
    assert time.process_time() - began < 1


class Thing:
    """An object with finalizers of both kinds, which run for longer than the watchdog allows."""

    def __del__(self) -> None:
        _compute(0.08)


def _compute(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def _finalize_and_spin() -> None:
    thing = Thing()
    weakref.finalize(thing, _compute, 0.08)
    del thing  # Python would drop what is raised in its finalizers
    while True:
        pass


def test_finalizers_run_to_their_end() -> None:
    with pytest.raises(LimitExceeded), watchdog(seconds=0.05):
        _finalize_and_spin()


def test_time_may_be_up_before_the_watch_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deadline that stays would raise `TimeUp` in its thread again and again."""
    alarm = watchdog_module._alarm
    arm = alarm.arm

    def arm_slowly(deadline: Any) -> None:
        arm(deadline)
        while True:
            pass

    monkeypatch.setattr(alarm, "arm", arm_slowly)
    with pytest.raises(watchdog_module.TimeUp):
        watchdog_module.within(0.01, list, time.thread_time())
    assert alarm._deadlines == []


def test_time_counts_from_when_the_work_started(monkeypatch: pytest.MonkeyPatch) -> None:
    alarm, left = watchdog_module._alarm, list[float]()

    def look(deadline: Any) -> None:
        left.append(deadline.time - deadline.clock())

    monkeypatch.setattr(alarm, "arm", look)
    watchdog_module.within(60, list, time.thread_time())
    watchdog_module.within(60, list, time.thread_time() - 40)
    with watchdog(seconds=60):
        pass
    has_clocks = watchdog_module._HAS_CLOCKS
    assert [20 * round(seconds / 20) for seconds in left] == [60, 20 if has_clocks else 60, 60]


def test_the_system_is_asked_for_the_time_of_a_thread_once_a_millisecond() -> None:
    real, computed = iter([100, 100.0005, 100.002, 101]), iter([5, 5.001, 6])
    thread = watchdog_module.ThreadTime(lambda: next(real), lambda: next(computed))
    assert [round(thread.now(), 6) for _ in range(4)] == [5, 5.0005, 5.001, 6]
