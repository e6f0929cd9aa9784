"""Turns: only one thread of a process at a time runs contracts, or builds their instrumented copies.

Fuel, recursion levels, the interpreter's recursion limit and its garbage collector are shared by the whole process. They
belong to the thread that has the turn. A thread takes the turn with the first message of a transaction, and keeps it for all
messages that this one sends. This costs no time, because Python runs one thread at a time anyway.

The garbage collector is off during a turn: it runs at unpredictable times, and may call finalizers of collected objects.
"""

from __future__ import annotations

from collections.abc import Callable
from gc import disable, enable, isenabled
from sys import _getframe, getrecursionlimit, setrecursionlimit
from threading import get_ident
from types import FrameType
from typing import Any, Final, ParamSpec, TypeVar

from chain.foundation.atomic_steps import thread_state
from chain.foundation.thread_lock import ThreadLock

P = ParamSpec("P")
R = TypeVar("R")

ROOM: Final = 3_000  # Python frames; more might overflow the C stack
# The deepest call stack at which a caller still gets the same recursion limit as any other.
SHALLOW: Final = 200
TURN: Final = ThreadLock()


class _Turn:
    """The owner of the turn, and the settings outside of turns. An instance, because setting class attributes is slow."""

    __slots__ = ("outside", "owner", "start")

    def __init__(self) -> None:
        self.owner = 0  # the thread, while the lock is held
        # The recursion limit, True if garbage is collected, and what ends a limit of memory. If an interrupt prevents their
        # restoration, the next turn restores them. Each turn has a tuple of its own; without one it is None or `RESTING`.
        self.outside: tuple[Any, ...] | None = None
        self.start: Callable[[], None] | None = None  # called by the first turn after a rest


_turn: Final = _Turn()
RUNNING: Final = _turn  # for the watchdog, which looks at the turns
RESTING: Final = ()


def is_mine() -> bool:
    """True if this thread has the turn."""
    return _turn.owner == get_ident() and (TURN._is_owned() or thread_state.goes_on)


def _depth() -> int:
    frame: FrameType | None = _getframe()
    depth = 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def begin_turn() -> None:
    """Set up the turn. Called by the thread that has just acquired `TURN`."""
    _turn.owner = get_ident()
    if _turn.outside is None:
        _turn.outside = getrecursionlimit(), isenabled(), None
    else:
        _begin_otherwise()
    try:
        setrecursionlimit(SHALLOW)
        setrecursionlimit(ROOM)
    except RecursionError:  # the caller's stack is deeper than that
        setrecursionlimit(ROOM + _depth())
    disable()


def _begin_otherwise() -> None:
    """Begin the first turn after a rest, or after a turn whose end was interrupted."""
    if _turn.outside:
        _turn.outside = (*_turn.outside,)
        return
    _turn.outside = getrecursionlimit(), isenabled(), None
    if _turn.start is not None:  # it ends again as soon as it finds no turn
        _turn.start()


def end_turn() -> None:
    """Restore the settings of the process. Always called before `TURN` is released."""
    _turn.owner = 0
    if _turn.outside:
        limit, collects, end_memory_limit = _turn.outside
        setrecursionlimit(limit)
        if collects:
            enable()
        if end_memory_limit is not None:
            end_memory_limit()
        _turn.outside = None


def in_turn(function: Callable[P, R], /, *args: P.args, **named: P.kwargs) -> R:
    """Return `function(…)`, called in a turn of this thread."""
    if is_mine():
        return function(*args, **named)
    with TURN:
        try:
            begin_turn()
            return function(*args, **named)
        finally:
            end_turn()


def hand_over(thread: int) -> None:
    """Give the turn to another thread, which continues the work of this one while this one waits."""
    _turn.owner = thread
