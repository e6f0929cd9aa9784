"""A message that computes or grows without end is ended, with the author's line, and nothing of it remains."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import weakref
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from chain import Chain, Contract, LimitExceeded, Reverted, call, init
from chain.foundation import watchdog
from chain.foundation.turn import RESTING, RUNNING
from chain.foundation.watchdog import TimeUp, uninterrupted, within
from chain.simulator.handle import Handle
from chain.types import u64
from tests.chain.foundation.burners import BURNERS, Burner

ROOT = Path(__file__).parents[3]
QUICK: dict[str, Any] = {"time_limit": 0.05, "memory_limit": 1 << 26}
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only there can memory be limited")
BY_SIGNALS = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such timer")


def compute(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Busy(Contract):
    """A contract with code that the guard refuses."""

    times: u64

    @call
    def work(self, milliseconds: u64) -> u64:
        self.times += 1
        compute(milliseconds / 1000)
        return self.times

    @call
    def build(self, milliseconds: u64) -> None:
        uninterrupted(compute, milliseconds / 1000)

    @call
    def debug(self, milliseconds: u64) -> None:
        code = "end = clock() + seconds\nwhile clock() < end: pass"
        exec(
            compile(code, "lib/bdb.py", "exec"),
            {"clock": time.thread_time, "seconds": milliseconds / 1000},
        )

    @call
    def swallow(self) -> None:
        self.times += 1
        for _ in range(3):
            try:
                compute(9)
            except BaseException:
                self.times += 1
        compute(9)

    @call
    def finalize(self) -> None:
        thing = Thing()
        weakref.finalize(thing, compute, 0.08)
        del thing  # Python drops what is raised in its finalizers
        compute(9)

    @call(nonreentrant=False)
    def descend(self, depth: u64) -> None:
        if depth:
            self.at(Busy, self.address).descend(depth - 1)
        compute(9)

    @call
    def starve(self) -> None:
        self.times += 1
        raise MemoryError


class Thing:
    def __del__(self) -> None:
        compute(0.08)


class Slow(Contract):
    @init
    def begin(self) -> None:
        path: list[int] = []
        while True:
            path = [*path, 1]


@pytest.fixture
def chain() -> Chain:
    return Chain(**QUICK)


@pytest.fixture
def burner(chain: Chain) -> Handle:
    return chain.deploy(Burner)


@pytest.fixture
def busy() -> Handle:
    return Chain(**QUICK, guard=False).deploy(Busy)


def everything(chain: Any) -> Any:
    words = {who: dict(words) for who, words in chain.state.storages.items() if words}
    return chain.block_hash(), len(chain.receipts), dict(chain.state.accounts), words


def burn(burner: Handle, name: str) -> str:
    """Return how a burner ended."""
    try:
        getattr(burner, name)()
    except (LimitExceeded, Reverted) as ended:
        return str(ended)
    raise AssertionError(f"{name} has an end")


@pytest.mark.parametrize("name", BURNERS)
def test_what_never_ends_is_ended(burner: Handle, name: str) -> None:
    ended = burn(burner, name)
    assert re.search(r"burners\.py:\d+", ended) or "out of gas" in ended
    assert burner.light().return_value == 1


# Prints how each ended, the processor time, and how much the process had grown at most.
WITH_DEFAULTS = """
import resource, sys, time
from chain import Chain
from tests.chain.foundation.burners import Burner
from tests.chain.foundation.test_watchdog import burn
burner = Chain().deploy(Burner)
burner.light()
began, size = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(burn(burner, sys.argv[1]))
print(time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - size)
assert burner.light().return_value == 2
"""


@pytest.mark.slow
@ON_LINUX
@pytest.mark.parametrize("name", BURNERS)
def test_it_is_ended_within_12_seconds_and_2_gigabytes(name: str) -> None:
    run = process(WITH_DEFAULTS, name)
    assert run.returncode == 0, run.stderr
    seconds, kilobytes = map(float, run.stdout.splitlines()[-1].split())
    assert (seconds < 12, kilobytes < 2 << 20) == (True, True), run.stdout


def process(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, timeout=300
    )


@pytest.mark.parametrize("name", ["copy_a_path", "look_around"])
def test_error_has_line_entry_limit_and_remedy(chain: Chain, burner: Handle, name: str) -> None:
    before = everything(chain)
    with pytest.raises(LimitExceeded) as ended:
        getattr(burner, name)()
    assert re.fullmatch(
        rf"\S*burners\.py:\d+: Burner\.{name} computed for more than 0\.05 s, so it was ended and undone: "
        "a larger time_limit allows more",
        str(ended.value),
    )
    assert everything(chain) == before


@ON_LINUX
def test_memory_that_grows_is_limited_and_free_again(chain: Chain, burner: Handle) -> None:
    resource = pytest.importorskip("resource")
    limits, before = resource.getrlimit(resource.RLIMIT_DATA), everything(chain)
    with pytest.raises(
        LimitExceeded, match=r"Burner\.double needs more than 67108864 bytes of memory"
    ):
        burner.double()
    assert (resource.getrlimit(resource.RLIMIT_DATA), everything(chain)) == (limits, before)


def test_lack_of_memory_is_not_an_outcome(busy: Handle) -> None:
    before = everything(busy.chain)
    with pytest.raises(LimitExceeded, match=r"test_watchdog\.py:\d+: Busy.starve needs more"):
        busy.starve()
    assert everything(busy.chain) == before


def test_constructor_that_never_ends_is_ended(chain: Chain) -> None:
    with pytest.raises(LimitExceeded, match="computed for more than"):
        chain.deploy(Slow)
    assert chain.receipts[:] == []


@pytest.mark.parametrize("act", ["swallow", "finalize"])
def test_it_is_ended_again_where_the_end_was_lost(busy: Handle, act: str) -> None:
    with pytest.raises(LimitExceeded):
        getattr(busy, act)()
    assert busy.work(0).return_value == 1


@pytest.mark.parametrize("depth", [1, 40, 70])  # in threads of their own
def test_messages_far_down_are_ended_too(busy: Handle, depth: int) -> None:
    before = everything(busy.chain)
    with pytest.raises(LimitExceeded, match=r"test_watchdog\.py:\d+: Busy.descend computed"):
        busy.descend(depth)
    assert everything(busy.chain) == before
    assert busy.work(0).ok


@pytest.mark.parametrize("act", ["build", "debug"])
def test_building_and_debugging_take_no_time(busy: Handle, act: str) -> None:
    assert getattr(busy, act)(250).ok


def test_none_is_no_limit(chain: Chain) -> None:
    free = Chain(time_limit=None, memory_limit=None, guard=False).deploy(Busy)
    assert free.work(250).ok


def test_forks_have_the_limits_of_their_chain(chain: Chain, burner: Handle) -> None:
    assert "computed for more than" in burn(chain.fork().handle(burner), "copy_a_path")


def test_file_stores_nothing_of_it(tmp_path: Path) -> None:
    with Chain.open(tmp_path / "a.chain", contracts=[Burner], **QUICK) as chain:
        burner = chain.deploy(Burner)
        before = everything(chain)
        burn(burner, "copy_a_path")
    with Chain.open(tmp_path / "a.chain", contracts=[Burner], time_limit=1) as chain:
        assert everything(chain) == before


def test_own_code_is_never_ended(busy: Handle) -> None:
    """Neither between messages that take nearly all of their time, nor in another thread."""
    other, raised = Event(), list[BaseException]()

    def think() -> None:
        try:
            while not other.is_set():
                compute(0.01)
        except BaseException as error:
            raised.append(error)

    thread = Thread(target=think)
    thread.start()
    try:
        for milliseconds in (45, 50, 55, 120):
            with suppress(LimitExceeded):
                busy.work(milliseconds)
            compute(0.08)
    finally:
        other.set()
        thread.join()
    assert raised == []


@BY_SIGNALS
def test_interrupt_comes_first(chain: Chain, burner: Handle) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before, outside = everything(chain), signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(KeyboardInterrupt):
            burner.copy_a_path()
    finally:
        signal.signal(signal.SIGALRM, outside)
    assert everything(chain) == before
    assert "computed for more than" in burn(burner, "copy_a_path")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_forked_process_is_watched_too(burner: Handle) -> None:
    burner.light()
    child = os.fork()
    if not child:
        code = 1
        try:
            code = 0 if "computed for more than" in burn(burner, "copy_a_path") else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def test_thread_ends_when_no_turns_follow(burner: Handle) -> None:
    burner.light()
    for _ in range(10_000):
        if RUNNING.outside is RESTING:
            break
        compute(0.001)
    assert RUNNING.outside is RESTING
    burner.light()
    assert RUNNING.outside is None  # until the next look


@pytest.mark.parametrize(
    "limits",
    [
        {"time_limit": 0},
        {"time_limit": "5"},
        {"time_limit": True},
        {"memory_limit": 1.5},
        {"memory_limit": -1},
    ],
)
def test_limits_are_numbers(limits: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is neither a number of"):
        Chain(**limits)


def test_node_answers_with_the_line(chain: Chain, burner: Handle) -> None:
    data = "0x" + burner.look_around.calldata().hex()
    params = [{"to": str(burner.address), "data": data}]
    request = {"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": params}
    error: Any = chain.node.handle_one(request)
    assert "burners.py" in error["error"]["message"]


def test_trial_is_given_up() -> None:
    with pytest.raises(TimeUp):
        within(0.02, lambda: compute(9))
    assert within(60, lambda: 5) == 5
    assert watchdog._net.trials == []


# One call of C. A process would wait for a minute.
ENDLESS = """
import sys
from chain import Chain
from chain.foundation import watchdog
from tests.chain.foundation.burners import Burner
watchdog.MINUTE, watchdog.TIMES = 0.5, 0
watchdog._net.patience = 0.5
with Chain.open(sys.argv[1], contracts=[Burner]) as chain:
    burner = chain.deploy(Burner)
    burner.light()
    burner.search()
"""


@BY_SIGNALS
def test_call_of_c_that_never_ends_ends_the_process(tmp_path: Path) -> None:
    run = process(ENDLESS, str(tmp_path / "a.chain"))
    assert run.returncode == -signal.SIGVTALRM
    assert re.search(r'burners\.py", line \d+ in search', run.stderr)
    with Chain.open(tmp_path / "a.chain", contracts=[Burner], check=True) as chain:
        assert chain.contract("Burner").light().return_value == 2


OWN_CALLS = """
import time
from chain import Chain
from chain.foundation import watchdog
from chain.foundation.turn import RESTING, RUNNING
from tests.chain.foundation.burners import Burner
watchdog.MINUTE, watchdog.TIMES = 0.5, 0
watchdog._net.patience = 0.5
burner = Chain().deploy(Burner)
burner.light()
while RUNNING.outside is not RESTING:
    pass
sum(range(8 * 10**7))
print("alive")
"""


@BY_SIGNALS
def test_own_calls_of_c_may_take_any_time() -> None:
    run = process(OWN_CALLS)
    assert (run.returncode, run.stdout) == (0, "alive\n"), run.stderr
