"""The net under contracts that compute or grow without end: a message is ended at any line, and nothing of it remains.

Gas and fuel end a contract the same way on every machine, with a receipt as the outcome. A watchdog depends on the clock and
the memory of this machine, so what it ends is not an outcome: the step is undone, and the caller gets `LimitExceeded`.

Messages pay nothing for it. A thread looks at the turns (`chain.foundation.turn`) while they follow each other, and ends when
it finds none; the first turn after that starts it again. The limits of the message that runs are found on the stack of its
thread, and what it takes is counted from one look to the next.

A single call of C may keep all threads of Python waiting, this one too. So a timer of the process runs along, which each look
winds up again. When it expires, `faulthandler` writes the lines that run, and the process ends.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import time
from _thread import allocate_lock, get_ident, start_new_thread
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

from chain.foundation.process_memory import limiter, size_of_process
from chain.foundation.turn import RESTING, RUNNING, in_turn

P = ParamSpec("P")
T = TypeVar("T")
LOOK: Final = 0.1  # seconds between two looks, unless a limit is short
SHARE: Final = 4  # looks in the time of a short limit
MINUTE: Final = 60.0  # seconds that one call of C may compute
TIMES: Final = 6  # or this many times the limit of a message, if that is longer
# Python drops what is raised in the first two, and in a debugger it is the author who takes long.
_PAUSES: Final = ("weakref.py", "_weakrefset.py", "bdb.py", "pydevd.py")


class TimeUp(BaseException):
    """Raised in a thread that has computed for too long. Not an `Exception`: no contract can catch it."""


class MessageTimeUp(TimeUp):
    """The time of a message is up."""


class Limits(NamedTuple):
    """The most that one message may take; None is without limit."""

    time: float | None = 10  # seconds of processor time
    memory: int | None = 1 << 30  # bytes by which the process may grow


DEFAULT_LIMITS: Final = Limits()
UNLIMITED: Final = Limits(None, None)
_PAUSED: Final = Limits(None, None)


def uninterrupted(function: Callable[P, T], /, *args: P.args, **named: P.kwargs) -> T:
    """Return `function(…)`, which no limit ends: for what is built once and then kept, and must not stay half built."""
    return function(*args, **named)


class _Work:
    """The work of a thread, and the time for which it has computed."""

    def __init__(self, thread: int) -> None:
        self.time = 0.0
        self._follow(thread)

    def goes_on(self) -> bool:
        raise NotImplementedError

    def _follow(self, thread: int) -> None:
        self.thread = thread
        self._clock: Callable[[], float] = time.process_time
        if hasattr(time, "pthread_getcpuclockid"):  # a clock for each thread
            self._clock = partial(time.clock_gettime, time.pthread_getcpuclockid(thread))
        self._told = self._clock()

    def count(self, thread: int) -> Limits:
        """Count what was computed since the last look, unless it is paused, and return the limits."""
        limits, before = _limits_of(thread), self._told
        if thread == self.thread:
            self._told = self._clock()
            computed = self._told - before
        else:  # it has computed all the time, or else it would not be in another thread
            self._follow(thread)
            computed = _net.pause
        if limits is not _PAUSED:
            self.time += computed
        return limits

    def end(self, problem: type[BaseException]) -> None:
        """Raise `problem` in the thread, unless the work is done. Where it is lost, a later look raises it again."""
        ctypes = import_module("ctypes")  # few need it
        where, what = ctypes.c_ulong(self.thread), ctypes.py_object(problem)
        stop = partial(ctypes.pythonapi.PyThreadState_SetAsyncExc, where, what)
        if self.goes_on():
            stop()  # Python has run no other thread in between


class _Trial(_Work):
    """Work that is given up after some seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(get_ident())
        self._seconds = seconds

    def goes_on(self) -> bool:
        return self in _net.trials

    def look(self) -> None:
        self.count(self.thread)
        if self.time >= self._seconds:
            self.end(TimeUp)


class _Message(_Work):
    """The message that runs in a turn."""

    def __init__(self, turn: tuple[Any, ...], thread: int, size: int) -> None:
        super().__init__(thread)
        self.turn = turn
        self._size = size  # of the process, before the message
        self._most: int | None = None

    def goes_on(self) -> bool:
        return RUNNING.outside is self.turn and RUNNING.owner == self.thread

    def look(self) -> None:
        """Limit its memory, and end it if it has taken too much."""
        limits = self.count(RUNNING.owner)
        if limits.time is not None and self.time >= limits.time:
            self.end(MessageTimeUp)
        if limits.memory is None:
            return
        if self._most is None:
            # Others may have grown just before it, so it has half of its limit in any case.
            self._most = max(self._size + limits.memory, size_of_process() + limits.memory // 2)
            self._limit_memory(self._most + limits.memory // 2)
        elif size_of_process() > self._most:
            self.end_memory_limit()
            self.end(MemoryError)

    def _limit_memory(self, most: int) -> None:
        """Let the system limit the process until the turn ends: one step may take more than there is."""
        limit = limiter(most)
        if limit is not None:
            begin, end = limit
            turn = *self.turn[:2], end
            if self.goes_on():
                RUNNING.outside = turn
                begin()  # Python has run no other thread in between
                self.turn = turn

    def end_memory_limit(self) -> None:
        """Leave memory for the end of the message. Without any, CPython may try for ever to handle the lack of it."""
        if self.turn[2] is not None:
            self.turn[2]()


class _Net:
    """The thread that looks, and what it needs to know."""

    def __init__(self) -> None:
        self.pause, self.patience = LOOK, MINUTE
        self.set_timer: Callable[[float], object] = float  # none, until `watch` finds one
        self.find: Callable[[FrameType], Limits | None] = lambda frame: None
        self.trials: list[_Trial] = []
        self.threads = 0  # one; two for a moment, if an interrupt comes as one starts
        self.size = 0  # of the process before the turns
        self.report = 2  # the file that tells why it ends
        self.sleep, self.begun = allocate_lock(), allocate_lock()
        self.sleep.acquire()
        self.begun.acquire()

    def hasten(self, limit: float) -> None:
        """Look often enough for a limit, from now on."""
        if limit / SHARE < self.pause:
            self.pause = limit / SHARE
            if self.sleep.locked():
                self.sleep.release()

    def begin(self) -> None:
        """Let the next turn start the thread, unless it runs."""
        if RUNNING.start is None:
            unused = hasattr(signal, "setitimer") and signal.getsignal(signal.SIGVTALRM)
            if unused is signal.SIG_DFL:
                self.set_timer = partial(signal.setitimer, signal.ITIMER_VIRTUAL)
                report_to(self.report)
            RUNNING.start = self.start
        if not self.threads and RUNNING.outside is None:
            RUNNING.outside = RESTING

    def start(self) -> None:
        self.size = size_of_process()
        try:
            self.set_timer(self.patience)  # before the thread: what runs may keep it waiting
            # Until it has begun, CPython takes it for this thread, and might interrupt it in its place.
            _ = start_new_thread(self._run, ()) and self.begun.acquire(timeout=1)
        except BaseException as problem:  # no timer without a thread that ends it
            self.set_timer(0)
            if not isinstance(problem, RuntimeError):  # the interpreter ends, or has no room for it
                raise

    def _run(self) -> None:
        if self.begun.locked():
            self.begun.release()
        self.threads += 1
        if RUNNING.outside is RESTING:
            RUNNING.outside = None  # Python has run no other thread in between
        try:
            while RUNNING.outside is not RESTING:
                self._look_at_turns()
                if not RUNNING.outside:
                    RUNNING.outside = RESTING
        finally:
            self.set_timer(0)
            self.threads -= 1

    def _look_at_turns(self) -> None:
        """Look at the turns until none follows."""
        message: _Message | None = None
        pause = self.pause / SHARE  # the first look comes soon, as memory may grow fast
        while True:
            self.sleep.acquire(timeout=pause)
            pause = self.pause
            if not self.trials and not RUNNING.outside:
                return
            try:
                self.set_timer(self.patience)
                message = self._look(message)
            except MemoryError:
                if message is not None:
                    message.end_memory_limit()
            except Exception:  # what it looked at has ended meanwhile
                message = None

    def _look(self, message: _Message | None) -> _Message | None:
        for trial in [*self.trials]:
            trial.look()
        turn, thread = RUNNING.outside, RUNNING.owner
        if not turn or thread not in sys._current_frames():
            return None
        if message is None or message.turn is not turn:
            message = _Message(turn, thread, self.size)
        message.look()
        return message


_net: Final = _Net()


def watch(limits: Limits, find: Callable[[FrameType], Limits | None]) -> None:
    """Watch turns from now on: a chain with these limits begins.

    `find` returns the limits of the message that begins with a frame, and None for any other frame.
    """
    own = patience(limits.time)
    _net.patience = max(_net.patience, own) if _net.patience and own else 0
    _net.hasten(limits.time or MINUTE)
    _net.find = find
    if limits != UNLIMITED:
        _net.begin()


def patience(time_limit: float | None) -> float:
    """Return the seconds that one call of C may compute; 0 if there is no end."""
    return 0 if time_limit is None else max(MINUTE, TIMES * time_limit)


def report_to(file: int) -> None:
    """Let a process that has to end write the lines that run to this file."""
    _net.report = file
    if _net.set_timer is not float:
        faulthandler.register(signal.SIGVTALRM, file, chain=True)


def within(seconds: float, run: Callable[[], T]) -> T:
    """Return `run()`, or raise `TimeUp` if this thread computes longer. It may be raised even when `run` has just finished."""
    trial = _Trial(seconds)
    _net.hasten(seconds)
    _net.trials.append(trial)
    _net.begin()
    try:
        if not _net.threads:
            _net.start()
        return run()
    finally:
        _net.trials.remove(trial)


def _limits_of(thread: int) -> Limits:
    """Return the limits of what a thread runs, `_PAUSED` while it must not be ended. There are none outside of messages."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        code = frame.f_code
        if code is uninterrupted.__code__ or code.co_name == "__del__":
            return _PAUSED
        if Path(code.co_filename).name in _PAUSES:
            return _PAUSED
        limits = DEFAULT_LIMITS if code is in_turn.__code__ else _net.find(frame)
        if limits is not None:
            return limits
        frame = frame.f_back
    return UNLIMITED


def _begin_child() -> None:
    """Go on in a forked process, where no other thread runs."""
    _net.trials.clear()
    _net.threads = 0
    if RUNNING.start is not None:
        _net.begin()
        if RUNNING.outside:
            _net.start()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_child)
