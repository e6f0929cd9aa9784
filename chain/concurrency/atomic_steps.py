"""Atomic steps: every change to a chain is completed or undone as a whole.

A step first records where it begins, and removes that record as its last act. An interrupt or a lack of memory may end the
work in between at any line. It may end the cleanup too, so nothing depends on the cleanup: the next call finds the record and
undoes the step. If that undo is interrupted as well, it starts again. If the chain has a file, the file decides: a step that
is written there is done.

All public methods of a chain go through this module, so it also controls which thread is in the chain. The lock is held while
a step runs, and all further calls of the same thread are part of that step. The lock is implemented in C, so it is always
released.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import wraps
from threading import get_ident, local
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar
from weakref import ref

P = ParamSpec("P")
R = TypeVar("R")


class _ThreadState(local):
    """State of the running thread."""

    goes_on = False  # True if it works for another thread, which waits in the chain: see `chain.machine.deep_calls`


thread_state: Final = _ThreadState()
READ_ONLY: Final = ()  # the record of a step that changes nothing permanently
# A chain defines all slots itself, because several base classes with slots cannot be combined.
NO_SLOTS: Final[tuple[str, ...]] = ()


class Entered(Protocol):
    """A scope that a thread has entered."""

    @property
    def name(self) -> str: ...
    @property
    def thread(self) -> int: ...
    @property
    def is_over(self) -> bool: ...


class Steps(ABC):
    """An object that is changed and read step by step."""

    __slots__ = NO_SLOTS

    border: Any  # the lock
    begun: Any = None  # the start of the step that has not ended
    scopes: tuple[ref[Entered], ...] = ()  # entered scopes that may still be open

    def _begin_step(self) -> None:
        """Record in `begun` where a step begins."""
        self.begun = READ_ONLY

    def _end_step(self) -> None:
        """Save the changes of the step, if they are saved at all, and remove the record."""
        self.begun = None

    def _enter(self, scope: Entered) -> None:
        """Accept only calls of the thread that entered `scope`, until the scope ends."""
        with self.border:
            self._refuse_others()
            self.scopes = (*self.scopes, ref(scope))

    def _refuse_others(self) -> None:
        """Refuse this thread if another thread has an open scope."""
        entered = [
            open_scope
            for scope in self.scopes
            if (open_scope := scope()) is not None and not open_scope.is_over
        ]
        for open_scope in entered:
            if open_scope.thread != get_ident():
                raise RuntimeError(
                    f"another thread is in 'with chain.{open_scope.name}(…)', and what is done here would get into that:"
                    " wait until it has ended, or work on chain.fork()"
                )
        self.scopes = tuple(map(ref, entered))

    @abstractmethod
    def _recover(self) -> None:
        """Undo the unfinished step, if any, unless it is already saved; then remove its record."""

    def settle(self) -> None:
        """Undo an unfinished step, if any: for code that only reads and needs no step of its own."""
        if self.begun is not None and not self.border._is_owned() and not thread_state.goes_on:
            with self.border:
                self._recover()


S = TypeVar("S", bound=Steps)
B = TypeVar("B", bound="Bordered")


class Bordered(Protocol):
    """An object that is guarded by the lock of a chain."""

    @property
    def border(self) -> Any: ...


def undisturbed(method: Callable[Concatenate[B, P], R]) -> Callable[Concatenate[B, P], R]:
    """Hold the lock during the method, so that no other thread changes what it reads or records."""

    @wraps(method)
    def wrapper(self: B, /, *args: P.args, **named: P.kwargs) -> R:
        if thread_state.goes_on:
            return method(self, *args, **named)
        with self.border:
            return method(self, *args, **named)

    return wrapper


def step(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Run the method as one step, or as a part of the step that is already running."""

    @wraps(method)
    def wrapper(self: S, /, *args: P.args, **named: P.kwargs) -> R:
        border = self.border
        if (self.begun is not None and border._is_owned()) or thread_state.goes_on:
            return method(self, *args, **named)
        with border:
            if self.begun is not None:
                self._recover()
            if self.scopes:
                self._refuse_others()
            try:
                self._begin_step()
                result = method(self, *args, **named)
                self._end_step()
            except BaseException:
                self._recover()
                raise
        return result

    return wrapper


def read_only_step(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Run the method as a step that changes nothing permanently: little is recorded, and nothing is saved."""

    @wraps(method)
    def wrapper(self: S, /, *args: P.args, **named: P.kwargs) -> R:
        border = self.border
        if (self.begun is not None and border._is_owned()) or thread_state.goes_on:
            return method(self, *args, **named)
        with border:
            if self.begun is not None:
                self._recover()
            if self.scopes:
                self._refuse_others()
            try:
                self.begun = READ_ONLY
                result = method(self, *args, **named)
                self.begun = None
            except BaseException:
                self._recover()
                raise
        return result

    return wrapper


def reading(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Let the method read the state that the last step left, unchanged while it runs."""

    @wraps(method)
    def wrapper(self: S, /, *args: P.args, **named: P.kwargs) -> R:
        border = self.border
        if border._is_owned() or thread_state.goes_on:
            return method(self, *args, **named)
        with border:
            if self.begun is not None:
                self._recover()
            return method(self, *args, **named)

    return wrapper


@step
def in_one_step(chain: Steps, act: Callable[P, R], /, *args: P.args, **named: P.kwargs) -> R:
    """Run `act(…)`, which makes several changes, as one step: all of them are done, or none."""
    return act(*args, **named)
