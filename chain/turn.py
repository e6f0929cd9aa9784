"""Whose turn it is: of the threads of a process, one at a time runs contracts, or makes what runs.

Fuel, levels of recursion, the interpreter's recursion limit and its garbage collection are one for the whole process. They
belong to the thread whose turn it is. It takes its turn with the first message of a transaction, and all that this one sends is
within it. Nobody loses time by that, as Python runs one thread at a time anyway.

No garbage is collected meanwhile: when that happens is chance, and what is collected may have something to do at its end.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from sys import getrecursionlimit, setrecursionlimit
from threading import Lock, get_ident
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

ROOM: Final = 3_000  # Python frames; more might not find room on the stack of C


class _Turn:
    """There is one."""

    lock: Final = Lock()
    owner = 0  # the thread that has it, while the lock is held
    # The recursion limit between two turns, and whether garbage is collected then. Where an interrupt comes before they are put
    # back, the next turn does that.
    outside: tuple[int, bool] | None = None


def is_mine() -> bool:
    """Whether this thread has the turn."""
    return _Turn.owner == get_ident() and _Turn.lock.locked()


def take(function: Callable[P, R], /, *args: P.args, **named: P.kwargs) -> R:
    """What `function(…)` returns, in a turn of this thread, which has none yet."""
    with _Turn.lock:
        try:
            _Turn.owner = get_ident()
            if _Turn.outside is None:
                _Turn.outside = getrecursionlimit(), gc.isenabled()
            setrecursionlimit(ROOM)
            gc.disable()
            return function(*args, **named)
        finally:
            _Turn.owner = 0
            if _Turn.outside is not None:
                limit, collects = _Turn.outside
                setrecursionlimit(limit)
                if collects:
                    gc.enable()
                _Turn.outside = None


def in_turn(function: Callable[P, R], /, *args: P.args, **named: P.kwargs) -> R:
    """The same, whether this thread has the turn or not."""
    return function(*args, **named) if is_mine() else take(function, *args, **named)


def hand_over(thread: int) -> None:
    """Give the turn to another thread, which goes on with what this one does while this one waits."""
    _Turn.owner = thread
