"""The last resort against code that runs too long or takes too much memory: it is stopped at any line.

Gas and fuel end a contract the same way on every machine, with a receipt as the outcome. A watchdog depends on the clock and
the memory of this machine, so its stop is not an outcome: the call is refused, the step is undone, and no contract can catch
it. Code is watched only on request.
"""

from __future__ import annotations

import _weakrefset
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

from chain.errors import LimitExceeded
from chain.foundation.dataclass import dataclass
from chain.foundation.thread_lock import ThreadLock
from chain.schema.validation import short_repr

T = TypeVar("T")
Clock = Callable[[], float]
# Seconds until `TimeUp` is raised again, in case the first one was lost in code that drops errors.
_AGAIN: Final = 0.25
_SOON: Final = 0.001
_FRESH: Final = 0.001  # seconds for which a time that the system told is good enough
_NEVER: Final = float("inf")
_FINALIZERS: Final = frozenset({weakref.__file__, _weakrefset.__file__})
_ENDLESS: Final = 1 << 62
_HAS_CLOCKS: Final = hasattr(time, "pthread_getcpuclockid")  # one for each thread


class TimeUp(BaseException):
    """Raised in a thread whose time is up. Not an `Exception`: no contract can catch it."""


@dataclass(eq=False, slots=True)
class Deadline:
    """A time limit of a thread, by a clock of its own."""

    thread: int
    clock: Clock
    time: float
    seconds: float  # that were left when it was made
    is_past: bool = False


class _Alarm:
    """A thread that waits, and raises `TimeUp` in the threads whose time is up."""

    def __init__(self) -> None:
        self._lock = ThreadLock()
        self._deadlines: list[Deadline] = []
        # Putting is one step, which no stop can cut in two.
        self._wake: SimpleQueue[None] = SimpleQueue()
        self._next = _NEVER  # the time of the next check
        self._is_running = False

    def arm(self, deadline: Deadline) -> None:
        """Watch a thread. On a busy machine its time may be up before this returns."""
        next_check = time.monotonic() + deadline.seconds
        with self._lock:
            self._deadlines.append(deadline)
            is_first = next_check < self._next
            if is_first:
                self._next = next_check
        if not self._is_running:
            self._is_running = True
            threading.Thread(target=self._run, name="watchdog", daemon=True).start()
        elif is_first:
            self._wake.put(None)

    def disarm(self, deadline: Deadline) -> None:
        """End the watch, even if the time is up and `TimeUp` is not raised yet. A second call has no effect."""
        with self._lock:
            if deadline in self._deadlines:
                self._deadlines.remove(deadline)
            may_come = deadline.is_past and not any(
                other.is_past for other in self._deadlines if other.thread == deadline.thread
            )
        if may_come:
            _take_what_comes(deadline.thread)

    def pause(self) -> list[tuple[Deadline, float]]:
        """Stop the clocks of this thread, and return its deadlines with the time left for each."""
        thread = _outermost(threading.current_thread())
        with self._lock:
            own = [deadline for deadline in self._deadlines if deadline.thread == thread]
            paused = [(deadline, deadline.time - deadline.clock()) for deadline in own]
            for deadline in own:
                deadline.time = _NEVER
        return paused

    def resume(self, paused: list[tuple[Deadline, float]]) -> None:
        with self._lock:
            for deadline, left in paused:
                deadline.time = deadline.clock() + left
        if paused:
            self._wake.put(None)

    def _run(self) -> None:
        while True:
            with self._lock:
                now = time.monotonic()
                # Keep the time of the next check even if no deadline is left: a new one is likely to come soon.
                if self._deadlines or now >= self._next:
                    checks = [now + _look(deadline) for deadline in self._deadlines]
                    self._next = min(checks, default=_NEVER)
                wait = None if self._next == _NEVER else max(0.0, self._next - now)
            with suppress(Empty):
                self._wake.get(timeout=wait)


def _look(deadline: Deadline) -> float:
    """Raise `TimeUp` in the thread if its time is up, and return the seconds until the next check."""
    left = deadline.time - deadline.clock()
    if left > 0:
        return left
    thread = _innermost(deadline.thread)
    if _is_finalizing(thread):
        return _SOON
    deadline.is_past = True
    deadline.time += _AGAIN - left
    _raise_in(thread, TimeUp)
    return _AGAIN


def _is_finalizing(thread: int) -> bool:
    """Return True if the thread may run a finalizer, or a callback of the collector: Python drops what these raise."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        code = frame.f_code
        if code.co_filename in _FINALIZERS or code.co_name in ("__del__", "gc_callback"):
            return True
        frame = frame.f_back
    return False


def _raise_in(thread: int, problem: type[BaseException]) -> None:
    ctypes = import_module("ctypes")  # few need it
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(problem))


def _take_what_comes(thread: int) -> None:
    """Trigger and drop a pending `TimeUp`, so that none is left for this thread.

    Clearing it instead would make CPython 3.11 look for it forever, and a traced function would stay at its first line.
    """
    try:
        _raise_in(thread, TimeUp)
        while True:
            pass
    except TimeUp:
        return


def _innermost(thread: int) -> int:
    """Return the thread that works for this one while it waits: deeply nested messages run in threads of their own."""
    for worker in threading.enumerate():
        if getattr(worker, "works_for", None) == thread and getattr(worker, "is_working", False):
            return _innermost(worker.ident or 0)
    return thread


def _outermost(thread: threading.Thread) -> int:
    """Return the id of the waiting thread for which this one works, or its own."""
    waiting = getattr(thread, "works_for", None)
    if waiting is None:
        return thread.ident or 0
    return _outermost(next(other for other in threading.enumerate() if other.ident == waiting))


_alarm: Final = _Alarm()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_alarm.__init__)  # type: ignore[misc]


def _clock_of_thread() -> Clock:
    """Return a clock of this thread's computing time, plus a quarter of real time: waits on a busy machine count too."""
    if not _HAS_CLOCKS:
        return time.monotonic
    clock = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: time.clock_gettime(clock) + time.monotonic() / 4


def _deadline(clock: Clock, now: float, seconds: float) -> Deadline:
    """Return a deadline for the calling thread. It is armed where its end is certain to be reached, and not here."""
    return Deadline(threading.get_ident(), clock, now + seconds, seconds)


def within(seconds: float, run: Callable[[], T], started: float) -> T:
    """Return `run()`, or raise `TimeUp` if this thread computes longer. It may be raised even when `run` has just finished.

    `started` is the computing time of this thread, as `time.thread_time` returns it: the caller may know it already.
    """
    now = started + time.monotonic() / 4 if _HAS_CLOCKS else time.monotonic()
    deadline = _deadline(_clock_of_thread(), now, seconds)
    try:
        try:
            _alarm.arm(deadline)
            return run()
        finally:
            _alarm.disarm(deadline)
    except TimeUp:
        _alarm.disarm(deadline)
        raise


class ThreadTime:
    """The computing time of the thread that uses it, at most a millisecond ahead: the system takes long to tell it."""

    def __init__(
        self,
        real: Callable[[], float] = time.monotonic,
        computed: Callable[[], float] = time.thread_time,
    ) -> None:
        self._real, self._computed = real, computed
        self._told = 0.0  # what the system told
        self._asked = -_NEVER  # when it was asked

    def now(self) -> float:
        """Return the time, as if the thread had computed ever since the system was asked."""
        now = self._real()
        if now - self._asked > _FRESH:
            self._asked, self._told = now, self._computed()
        return self._told + now - self._asked


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Exclude a scope from the time limits: for a result that is built once and then kept, and must not stay half built."""
    paused = _alarm.pause()
    try:
        yield
    finally:
        _alarm.resume(paused)


@contextmanager
def watchdog(*, seconds: float | None = None, memory: int | None = None) -> Iterator[None]:
    """Stop a scope after `seconds` of computing, or if it needs more than `memory` additional bytes.

    The running step of a chain is undone as a whole: a transaction leaves no receipt, no block and no row in a file. Memory is
    limited for the whole process, on systems that support it (Linux).

    >>> with watchdog(seconds=5, memory=2**30):
    ...     race.roll(sender=bob)
    <Receipt Race.roll in block 9: ok>
    """
    _check(seconds, memory)
    clock = time.process_time
    deadline = None if seconds is None else _deadline(clock, clock(), seconds)
    try:
        try:
            if deadline is not None:
                _alarm.arm(deadline)
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


def _check(seconds: Any, memory: object) -> None:
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
    """Limit this process to `memory` more bytes than it has now. Return the old limits, or None if it cannot be limited."""
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
