"""A stop that comes while a thread waits for a lock leaves the lock free for others."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dis import opmap
from threading import Event, Thread, get_ident
from types import FrameType

import pytest

from chain import Chain
from chain.foundation.thread_lock import ThreadLock
from chain.foundation.turn import TURN
from chain.foundation.watchdog import TimeUp
from tests.chain.toys import Counter

MOST_LOOKS = 10_000_000
Case = Callable[[], tuple[ThreadLock, Callable[[], object]]]


def _lock() -> tuple[ThreadLock, Callable[[], object]]:
    lock = ThreadLock()

    def enter() -> None:
        with lock:
            pass

    return lock, enter


def _query() -> tuple[ThreadLock, Callable[[], object]]:
    chain = Chain()
    return chain.lock, chain.receipts.where(ok=True).count


def _step() -> tuple[ThreadLock, Callable[[], object]]:
    chain = Chain()
    return chain.lock, chain.mine


def _view() -> tuple[ThreadLock, Callable[[], object]]:
    counter = (chain := Chain()).deploy(Counter)
    return chain.lock, counter.total


def _turn() -> tuple[ThreadLock, Callable[[], object]]:
    return TURN, Chain().deploy(Counter).reset


def is_entering(frame: FrameType) -> bool:
    """True if the frame waits for a lock at the head of a `with`."""
    if sys.version_info >= (3, 14):
        return frame.f_code is ThreadLock.__enter__.__code__
    return frame.f_code.co_code[frame.f_lasti] == opmap["BEFORE_WITH"]


@pytest.mark.parametrize("case", [_lock, _query, _step, _view, _turn])
def test_stop_that_comes_as_a_lock_is_taken_leaves_it_free(case: Case) -> None:
    lock, work = case()
    me, is_held = get_ident(), Event()

    def hold_and_stop() -> None:
        with lock:
            is_held.set()
            for _ in range(MOST_LOOKS):
                if is_entering(sys._current_frames()[me]):
                    break
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(me), ctypes.py_object(TimeUp))

    def take() -> None:
        if lock.acquire(timeout=60):
            lock.release()

    holder = Thread(target=hold_and_stop)
    holder.start()
    is_held.wait()
    with pytest.raises(TimeUp):
        work()
    holder.join()
    other = Thread(target=take, daemon=True)
    other.start()
    other.join(30)
    assert not other.is_alive()


def test_stop_inside_the_lock_leaves_it_free() -> None:
    lock = ThreadLock()
    with pytest.raises(TimeUp), lock:
        raise TimeUp
    assert not lock._is_owned()


@pytest.mark.skipif(sys.version_info < (3, 14), reason="older versions take a lock in one step")
def test_stop_before_the_lock_is_taken_is_what_comes_out() -> None:
    def stop(_: object) -> None:
        raise KeyboardInterrupt

    lock = type("Stopped", (ThreadLock,), {"acquire": stop})()
    with pytest.raises(KeyboardInterrupt), lock:
        pass
