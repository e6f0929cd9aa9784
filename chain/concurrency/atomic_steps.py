"""Steps: whatever changes a chain is done whole, or not at all.

A step first notes where it begins, and takes that note away as its last act. What comes between may be left at any line, by an
interrupt or for want of memory, and so may whatever clears up; nothing depends on that. Whoever comes next finds the note, and
takes the chain back to it. To take back may be left too: it is begun again. Where there is a file, that decides: a step that
stands there is done.

What a chain offers goes through here, so that this is also where it is told who is in it: the lock is held as long as a step
runs, and whatever the same thread asks meanwhile is a part of that step. It is a lock of C, which is let go whatever happens.
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


class _Here(local):
    """What is so of the running thread."""

    goes_on = False  # it goes on for another thread, which waits in the chain: see `chain.machine.nesting`


here: Final = _Here()
LOOKS: Final = ()  # the note of what changes nothing for good
NO_SLOTS: Final[
    tuple[str, ...]
] = ()  # a chain has all slots itself: its bases can have none beside each other


class Entered(Protocol):
    """A scope that a thread is in."""

    @property
    def name(self) -> str: ...
    @property
    def thread(self) -> int: ...
    @property
    def is_over(self) -> bool: ...


class Steps(ABC):
    """Something that is changed, and looked at, step by step."""

    __slots__ = NO_SLOTS

    border: Any  # the lock
    begun: Any = None  # where the step began that has not ended
    scopes: tuple[ref[Entered], ...] = ()  # those that were entered and may not be over

    def _begin_step(self) -> None:
        """Note in `begun` where a step begins."""
        self.begun = LOOKS

    def _end_step(self) -> None:
        """Keep what the step did, where it is kept, and take away the note."""
        self.begun = None

    def _enter(self, scope: Entered) -> None:
        """Do only what the thread that is in `scope` asks for, as long as that lasts."""
        with self.border:
            self._refuse_others()
            self.scopes = (*self.scopes, ref(scope))

    def _refuse_others(self) -> None:
        """Refuse a thread that would get into a scope of another one."""
        entered = [it for scope in self.scopes if (it := scope()) is not None and not it.is_over]
        for it in entered:
            if it.thread != get_ident():
                raise RuntimeError(
                    f"another thread is in 'with chain.{it.name}(…)', and what is done here would get into that:"
                    " wait until it has ended, or work on chain.fork()"
                )
        self.scopes = tuple(map(ref, entered))

    @abstractmethod
    def _recover(self) -> None:
        """Take back the step that did not end, if any, unless it is kept already; then take away its note."""

    def settle(self) -> None:
        """Have no step left over that did not end: for who only reads, and needs no step of his own."""
        if self.begun is not None and not self.border._is_owned() and not here.goes_on:
            with self.border:
                self._recover()


S = TypeVar("S", bound=Steps)
B = TypeVar("B", bound="Bordered")


class Bordered(Protocol):
    """What lies behind the border of a chain."""

    @property
    def border(self) -> Any: ...


def undisturbed(method: Callable[Concatenate[B, P], R]) -> Callable[Concatenate[B, P], R]:
    """What the method reads, or notes for later, no other thread changes meanwhile."""

    @wraps(method)
    def made(self: B, /, *args: P.args, **named: P.kwargs) -> R:
        if here.goes_on:
            return method(self, *args, **named)
        with self.border:
            return method(self, *args, **named)

    return made


def step(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """What the method does is one step; within another one, a part of that."""

    @wraps(method)
    def made(self: S, /, *args: P.args, **named: P.kwargs) -> R:
        border = self.border
        if (self.begun is not None and border._is_owned()) or here.goes_on:
            return method(self, *args, **named)
        with border:
            if self.begun is not None:
                self._recover()
            if self.scopes:
                self._refuse_others()
            try:
                self._begin_step()
                done = method(self, *args, **named)
                self._end_step()
            except BaseException:
                self._recover()
                raise
        return done

    return made


def looking(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """What the method does changes nothing for good: so little is noted, and nothing kept."""

    @wraps(method)
    def made(self: S, /, *args: P.args, **named: P.kwargs) -> R:
        border = self.border
        if (self.begun is not None and border._is_owned()) or here.goes_on:
            return method(self, *args, **named)
        with border:
            if self.begun is not None:
                self._recover()
            if self.scopes:
                self._refuse_others()
            try:
                self.begun = LOOKS
                done = method(self, *args, **named)
                self.begun = None
            except BaseException:
                self._recover()
                raise
        return done

    return made


def reading(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """What the method reads is what the last step left, and stays so meanwhile."""

    @wraps(method)
    def made(self: S, /, *args: P.args, **named: P.kwargs) -> R:
        border = self.border
        if border._is_owned() or here.goes_on:
            return method(self, *args, **named)
        with border:
            if self.begun is not None:
                self._recover()
            return method(self, *args, **named)

    return made


@step
def in_one_step(chain: Steps, act: Callable[P, R], /, *args: P.args, **named: P.kwargs) -> R:
    """Several changes as one step: all of them are done, or none."""
    return act(*args, **named)
