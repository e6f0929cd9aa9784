"""The last resort against what runs too long or takes too much memory: it is stopped, at whatever line it is at.

Gas and fuel end a contract the same way on every machine, and that is an outcome with a receipt. A watchdog goes by the
clock and the memory of this machine, so what it stops is no outcome: it is refused, the step is undone, and no contract can
catch it. Nothing is watched unless somebody asks for it.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar

from chain.errors import LimitExceeded
from chain.schema.validation import short_repr

T = TypeVar("T")
Clock = Callable[[], float]
# Seconds until it is raised once more, where the first was lost in code that drops errors.
_AGAIN: Final = 0.25
_NEVER: Final = float("inf")
_ENDLESS: Final = 1 << 62


class TimeUp(BaseException):
    """Raised in a thread whose time is up. Not an `Exception`: no contract can catch it."""


@dataclass(eq=False, slots=True)
class Deadline:
    thread: int
    clock: Clock
    time: float
    is_past: bool = False


class _Alarm:
    """A thread that waits, and raises `TimeUp` in those whose time is up."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._deadlines: list[Deadline] = []
        self._wake = threading.Event()
        self._next = _NEVER  # when the thread looks again
        self._is_running = False

    def arm(self, clock: Clock, seconds: float) -> Deadline:
        """Watch the thread that asks."""
        made = Deadline(threading.get_ident(), clock, clock() + seconds)
        look = time.monotonic() + seconds
        with self._lock:
            self._deadlines.append(made)
            is_first = look < self._next
            if is_first:
                self._next = look
        if not self._is_running:
            self._is_running = True
            threading.Thread(target=self._run, name="watchdog", daemon=True).start()
        elif is_first:
            self._wake.set()
        return made

    def disarm(self, deadline: Deadline) -> None:
        """End the watch, also where the time is up and was not told yet. Done twice it is as if done once."""
        with self._lock:
            if deadline in self._deadlines:
                self._deadlines.remove(deadline)
            mine = [each for each in self._deadlines if each.thread == deadline.thread]
            may_come = deadline.is_past and not any(each.is_past for each in mine)
        if may_come:
            _take_what_comes(deadline.thread)

    def pause(self) -> list[tuple[Deadline, float]]:
        """Let no time pass for this thread; the deadlines, with what is left of each."""
        thread = _outermost(threading.current_thread())
        with self._lock:
            mine = [each for each in self._deadlines if each.thread == thread]
            left = [(each, each.time - each.clock()) for each in mine]
            for each in mine:
                each.time = _NEVER
        return left

    def resume(self, paused: list[tuple[Deadline, float]]) -> None:
        with self._lock:
            for deadline, left in paused:
                deadline.time = deadline.clock() + left
        if paused:
            self._wake.set()

    def _run(self) -> None:
        while True:
            with self._lock:
                self._wake.clear()
                now = time.monotonic()
                # A time that was set stays, even if there is nothing to see any more: soon there will be again.
                if self._deadlines or now >= self._next:
                    looks = [now + _look(each) for each in self._deadlines]
                    self._next = min(looks, default=_NEVER)
                wait = None if self._next == _NEVER else max(0.0, self._next - now)
            self._wake.wait(wait)


def _look(deadline: Deadline) -> float:
    """Raise `TimeUp` if it is time; the seconds until there is something to see."""
    left = deadline.time - deadline.clock()
    if left > 0:
        return left
    deadline.is_past = True
    deadline.time += _AGAIN - left
    _raise_in(_innermost(deadline.thread), TimeUp)
    return _AGAIN


def _raise_in(thread: int, problem: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(problem))


def _take_what_comes(thread: int) -> None:
    """Let this thread have no `TimeUp` before it that was not raised yet.

    To withdraw one leaves CPython 3.11 looking for it for ever, and a traced function then never gets beyond its first line.
    """
    try:
        _raise_in(thread, TimeUp)
        while True:
            pass
    except TimeUp:
        return


def _innermost(thread: int) -> int:
    """The thread that works for this one, which waits: messages nested deeply go on in threads of their own."""
    for each in threading.enumerate():
        if getattr(each, "works_for", None) == thread and each.ident is not None:
            return _innermost(each.ident)
    return thread


def _outermost(thread: threading.Thread) -> int:
    """The thread for which this one works."""
    waits = getattr(thread, "works_for", None)
    if waits is None:
        return thread.ident or 0
    return _outermost(next(each for each in threading.enumerate() if each.ident == waits))


_alarm: Final = _Alarm()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_alarm.__init__)  # type: ignore[misc]


def _clock_of_thread() -> Clock:
    """The time that this thread has been computing, and a part of all that passes: on a busy machine others wait for both."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: time.clock_gettime(clock) + time.monotonic() / 4


def within(seconds: float, run: Callable[[], T]) -> T:
    """What `run` returns, or `TimeUp` if this thread computes longer. It may be raised when `run` is just done."""
    deadline = _alarm.arm(_clock_of_thread(), seconds)
    try:
        try:
            return run()
        finally:
            _alarm.disarm(deadline)
    except TimeUp:
        _alarm.disarm(deadline)
        raise


@contextmanager
def uninterrupted() -> Iterator[None]:
    """A scope whose time does not count, for what is made once and then kept: half of it would be worse than none."""
    paused = _alarm.pause()
    try:
        yield
    finally:
        _alarm.resume(paused)


@contextmanager
def watchdog(*, seconds: float | None = None, memory: int | None = None) -> Iterator[None]:
    """A scope that is stopped after so many seconds of computing, or where it needs so many more bytes of memory.

    What a chain was doing is undone as a whole: a transaction leaves no receipt, no block and no row in a file. Memory is
    limited where the system can do that (Linux), for the process as a whole.
    """
    _check(seconds, memory)
    deadline = None if seconds is None else _alarm.arm(time.process_time, seconds)
    try:
        try:
            with _room(memory):
                yield
        finally:
            if deadline is not None:
                _alarm.disarm(deadline)
    except TimeUp:
        if deadline is None or not deadline.is_past:
            raise
        _alarm.disarm(deadline)
        raise LimitExceeded(
            f"it took more than {seconds} s of computing, so it was stopped and undone: allow more seconds"
        ) from None
    except MemoryError:
        if memory is None:
            raise
        raise LimitExceeded(
            f"it needed more than {memory} bytes of memory, so it was stopped and undone: allow more memory"
        ) from None


def _check(seconds: Any, memory: Any) -> None:
    if seconds is None and memory is None:
        raise TypeError("a watchdog needs a limit: seconds=…, memory=… in bytes, or both")
    if seconds is not None and (type(seconds) not in (int, float) or not 0 < seconds < 2**31):
        raise ValueError(f"seconds = {short_repr(seconds)} is not a number of seconds above 0")
    if memory is not None and (type(memory) is not int or memory <= 0):
        raise ValueError(f"memory = {short_repr(memory)} is not a number of bytes above 0")


@contextmanager
def _room(memory: int | None) -> Iterator[None]:
    if memory is None:
        yield
        return
    before = limit_memory(memory)
    try:
        yield
    finally:
        if before is not None:
            import_module("resource").setrlimit(import_module("resource").RLIMIT_AS, before)


def limit_memory(more: int) -> tuple[int, int] | None:
    """Let this process take so many more bytes than it has; the limits of before, None where there can be none."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource = import_module("resource")
    except (OSError, ImportError):
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = min(pages * resource.getpagesize() + more, _ENDLESS)
    for limit in (soft, hard):
        if limit != resource.RLIM_INFINITY:
            most = min(most, limit)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    return soft, hard
