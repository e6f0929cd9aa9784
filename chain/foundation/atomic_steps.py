"""Atomic steps: every change to a chain is completed or undone as a whole.

A step first records where it begins, and removes that record as its last act. An interrupt or a lack of memory may end the
work in between at any line. It may end the cleanup too, so nothing depends on the cleanup: the next call finds the record and
undoes the step. If that undo is interrupted as well, it starts again.

Steps are saved here and nowhere else, just before the record is removed, so every change to a chain is in its file. The
file decides: a saved step is done, and a step that cannot be saved is undone.

All public methods of a chain go through this module, so it also controls which thread is in the chain. The lock is held while
a step runs, and all further calls of the same thread are part of that step.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import wraps
from threading import get_ident, local
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar
from weakref import ref

from chain.foundation.thread_lock import ThreadLock

P = ParamSpec("P")
R = TypeVar("R")


class _ThreadState(local):
    """State of the running thread."""

    goes_on = False  # True if it works for another thread, which waits in the chain: see `chain.machine.deep_calls`


thread_state: Final = _ThreadState()
READ_ONLY: Final = ()  # the record of a step that changes nothing permanently


class Entered(Protocol):
    """A scope that a thread has entered."""

    @property
    def name(self) -> str: ...
    @property
    def thread(self) -> int: ...
    @property
    def is_over(self) -> bool: ...
    def settle(self) -> None:
        """Write what is still kept back, before anything else is done."""


class StepObserver(Protocol):
    """Saves each step as it is completed. A step that it has saved is done; one that it cannot save is undone."""

    @property
    def number(self) -> int:
        """The number of the last step that was saved."""

    def save(self) -> None:
        """Save what the step has changed, or raise and save nothing."""

    def is_ahead_of(self, number: int) -> bool:
        """Return True if a later step than this number is saved: it was interrupted just after being saved."""

    def close(self) -> None:
        """Save nothing more."""


class Steps:
    """Runs the steps of an object, one at a time: begins, completes and undoes them."""

    __slots__ = ("begun", "is_copy", "lock", "observer", "scopes")

    def __init__(self, lock: ThreadLock) -> None:
        self.lock = lock
        self.is_copy = False  # True if the original is elsewhere: `fetch` tells what is new
        self.begun: tuple[Any, ...] | None = None  # the start of the step that has not ended
        self.scopes: tuple[ref[Entered], ...] = ()  # entered scopes that may still be open
        self.observer: StepObserver | None = None

    @abstractmethod
    def begin_step(self) -> None:
        """Record in `begun` where a step begins: the number of the last saved step, and the arguments of `roll_back`."""

    @abstractmethod
    def abandon(self) -> None:
        """Undo the message that was interrupted, if any."""

    def roll_back(self, *beginning: Any) -> None:
        """Restore what was recorded when the step began."""
        raise NotImplementedError  # nothing is recorded

    def fetch(self) -> None:
        """Copy what is new in the original."""
        raise NotImplementedError  # the object is not a copy

    def end_step(self) -> None:
        """Have the step saved, and remove its record."""
        if self.observer is not None and self.begun:
            self.observer.save()
        self.begun = None

    def recover(self) -> None:
        """Undo the unfinished step, if any, unless it is already saved; then remove its record."""
        if self.begun is None:
            return
        self.abandon()
        if self.begun:
            saved, *beginning = self.begun
            if self.observer is None or not self.observer.is_ahead_of(saved):
                self.roll_back(*beginning)
        self.begun = None

    def begin_look(self) -> None:
        """Begin a step that changes nothing permanently: nothing is recorded, and nothing is saved."""
        self.begun = READ_ONLY

    def _run(
        self, begin: Callable[[], None], act: Callable[P, R], /, *args: P.args, **named: P.kwargs
    ) -> R:
        """Run `act(…)` as one step, while the lock is held."""
        try:
            begin()
            result = act(*args, **named)
            self.end_step()
        except BaseException:
            self.recover()
            raise
        return result

    def run(self, act: Callable[P, R], /, *args: P.args, **named: P.kwargs) -> R:
        """Run `act(…)` as one step that changes something, while the lock is held."""
        return self._run(self.begin_step, act, *args, **named)

    def within(
        self, begin: Callable[[], None], act: Callable[P, R], /, *args: P.args, **named: P.kwargs
    ) -> R:
        """Run `act(…)` as one step, or as a part of the step that is already running."""
        if self.is_inside:
            return act(*args, **named)
        with self.lock:
            if self.begun is not None or self.is_copy:
                self.refresh()
            if self.scopes:
                self.refuse_others()
            return self._run(begin, act, *args, **named)

    def settle(self) -> None:
        """Undo an unfinished step and fetch what is new: for code that only reads and needs no step of its own."""
        if (self.begun is not None or self.is_copy) and not self.is_mine:
            with self.lock:
                self.refresh()

    def refresh(self) -> None:
        """Undo an unfinished step and fetch what is new, while the lock is held."""
        if self.begun is not None:
            self.recover()
        if self.is_copy:
            self.run(self.fetch)

    @property
    def is_mine(self) -> bool:
        """True if this thread holds the lock, or works for the one that does."""
        return thread_state.goes_on or self.lock._is_owned()

    @property
    def is_inside(self) -> bool:
        """True if what this thread does is part of the running step."""
        return thread_state.goes_on or (self.begun is not None and self.lock._is_owned())

    def enter(self, scope: Entered) -> None:
        """Accept only steps of the thread that entered `scope`, until the scope ends."""
        with self.lock:
            self.refuse_others()
            self.scopes = (*self.scopes, ref(scope))

    def refuse_others(self) -> None:
        """Refuse this thread if another thread has an open scope; write what its own scopes keep back."""
        first = self.scopes[0]() if len(self.scopes) == 1 else None
        if first is not None and first.thread == get_ident() and not first.is_over:
            first.settle()
            return  # the usual case
        entered = [
            open_scope
            for scope in self.scopes
            if (open_scope := scope()) is not None and not open_scope.is_over
        ]
        for open_scope in entered:
            if open_scope.thread != get_ident():
                raise RuntimeError(
                    f"another thread is in 'with chain.{open_scope.name}(…)', and this call would "
                    "become part of it: wait until that scope has ended, or work on chain.fork()"
                )
        self.scopes = tuple(map(ref, entered))
        for open_scope in entered:
            open_scope.settle()


class Stepwise(Protocol):
    """An object whose methods are steps, which its driver runs."""

    @property
    def driver(self) -> Steps: ...


S = TypeVar("S", bound=Stepwise)
B = TypeVar("B", bound="Locked")


class Locked(Protocol):
    """An object that is guarded by the lock of a chain."""

    @property
    def lock(self) -> ThreadLock: ...


def locked(method: Callable[Concatenate[B, P], R]) -> Callable[Concatenate[B, P], R]:
    """Hold the lock during the method, so that no other thread changes what it reads or records."""

    @wraps(method)
    def wrapper(self: B, /, *args: P.args, **named: P.kwargs) -> R:
        if thread_state.goes_on:
            return method(self, *args, **named)
        with self.lock:
            return method(self, *args, **named)

    return wrapper


def in_one_step(chain: Stepwise, act: Callable[P, R], /, *args: P.args, **named: P.kwargs) -> R:
    """Run `act(…)` as one step, or as a part of the step that is already running: all its changes are done, or none."""
    return chain.driver.within(chain.driver.begin_step, act, *args, **named)


def step(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Run the method as one step, or as a part of the step that is already running."""

    @wraps(method)
    def wrapper(self: S, /, *args: P.args, **named: P.kwargs) -> R:
        driver = self.driver
        return driver.within(driver.begin_step, method, self, *args, **named)

    return wrapper


def read_only_step(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Run the method as a step that changes nothing permanently: nothing is recorded, and nothing is saved."""

    @wraps(method)
    def wrapper(self: S, /, *args: P.args, **named: P.kwargs) -> R:
        driver = self.driver
        return driver.within(driver.begin_look, method, self, *args, **named)

    return wrapper


def reading(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Let the method read the state that the last step left, unchanged while it runs."""

    @wraps(method)
    def wrapper(self: S, /, *args: P.args, **named: P.kwargs) -> R:
        driver = self.driver
        if driver.is_mine:
            return method(self, *args, **named)
        with driver.lock:
            driver.refresh()
            return method(self, *args, **named)

    return wrapper
