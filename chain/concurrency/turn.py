"""Whose turn it is: of the threads of a process, one at a time runs contracts, or makes what runs.

Fuel, levels of recursion, the interpreter's recursion limit and its garbage collection are one for the whole process. They
belong to the thread whose turn it is. It takes its turn with the first message of a transaction, and all that this one sends
is within it. Nobody loses time by that, as Python runs one thread at a time anyway.

No garbage is collected meanwhile: when that happens is chance, and what is collected may have something to do at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from gc import disable, enable, isenabled
from sys import _getframe, getrecursionlimit, setrecursionlimit
from threading import RLock, get_ident
from types import FrameType
from typing import Final, ParamSpec, TypeVar

from chain.concurrency.atomic_steps import here

P = ParamSpec("P")
R = TypeVar("R")

ROOM: Final = 3_000  # Python frames; more might not find room on the stack of C


SHALLOW: Final = 200  # how deep a program or a test may stand, and have as much room as any other


TURN: Final = RLock()


class _Turn:
    """Who has it, and how things stand between two turns. An instance: to set what is a class's takes Python long."""

    __slots__ = ("outside", "owner")

    def __init__(self) -> None:
        self.owner = 0  # the thread, while the lock is held
        # The recursion limit, and whether garbage is collected. Where an interrupt comes before they are put back, the next
        # turn does that.
        self.outside: tuple[int, bool] | None = None


_turn: Final = _Turn()


def is_mine() -> bool:
    """Whether this thread has the turn."""
    return _turn.owner == get_ident() and (TURN._is_owned() or here.goes_on)  # type: ignore[attr-defined]


def _depth() -> int:
    frame: FrameType | None = _getframe()
    depth = 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def begin_turn() -> None:
    """To be called by the thread that has just taken `TURN`."""
    _turn.owner = get_ident()
    if _turn.outside is None:
        _turn.outside = getrecursionlimit(), isenabled()
    try:
        setrecursionlimit(SHALLOW)
        setrecursionlimit(ROOM)
    except RecursionError:  # whoever plays stands deeper than that
        setrecursionlimit(ROOM + _depth())
    disable()


def end_turn() -> None:
    """To be called before `TURN` is let go, whatever happened."""
    _turn.owner = 0
    if _turn.outside is not None:
        limit, collects = _turn.outside
        setrecursionlimit(limit)
        if collects:
            enable()
        _turn.outside = None


def in_turn(function: Callable[P, R], /, *args: P.args, **named: P.kwargs) -> R:
    """What `function(…)` returns, in a turn of this thread."""
    if is_mine():
        return function(*args, **named)
    with TURN:
        try:
            begin_turn()
            return function(*args, **named)
        finally:
            end_turn()


def hand_over(thread: int) -> None:
    """Give the turn to another thread, which goes on with what this one does while this one waits."""
    _turn.owner = thread
