"""Stack space for nested messages.

The chain allows messages to nest 1024 deep. Python's own stack allows far fewer levels, and their number depends on the
version. So at certain depths a message runs in a new thread with a fresh stack while its sender waits. The threads never run
in parallel.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread, current_thread, get_ident, local
from typing import Any, Final

from chain.foundation.atomic_steps import thread_state
from chain.foundation.thread_lock import ThreadLock
from chain.foundation.turn import hand_over, is_mine

THREAD_DEPTHS: Final = frozenset(range(32, 1_025, 32))  # a message takes some ten Python frames


class _Deeper(Thread):
    """A thread that exactly one other thread waits for.

    The waiting thread may be interrupted while this one is being started, when it is unknown whether it runs. So this
    thread checks under a lock, before it begins, whether it was given up.
    """

    def __init__(self, act: Callable[[], None]) -> None:
        super().__init__()
        self.works_for = get_ident()
        self._act, self._gate = act, ThreadLock()
        self._has_begun = self._is_given_up = False
        # True while it can be stopped: with a stop between the steps in which Python starts a thread, `start` never returns.
        self.is_working = False

    def run(self) -> None:
        with self._gate:
            if self._is_given_up:
                return
            self._has_begun = True
        self._act()

    def give_up(self) -> None:
        """Wait until the thread has ended, or cancel it if it has not begun."""
        with self._gate:
            self._is_given_up = not self._has_begun
        if self._has_begun:
            self.join()


class _ThreadState(local):
    """The chain of threads that continue one another and that this thread belongs to, innermost last."""

    def __init__(self) -> None:
        self.running: list[_Deeper] = []


_thread_state: Final = _ThreadState()


def run_on_new_thread(function: Callable[[Any], Any], argument: object) -> Any:
    """Run `function(argument)` on a new thread; return its result or raise its exception."""
    returned: list[object] = []
    raised: list[BaseException] = []
    running, thread_id, has_turn = _thread_state.running, get_ident(), is_mine()

    def run() -> None:
        try:
            _thread_state.running, thread_state.goes_on = running, True
            if has_turn:
                hand_over(get_ident())
            thread.is_working = True
            returned.append(function(argument))
        except BaseException as error:
            raised.append(error)
        thread.is_working = False

    thread = _Deeper(run)
    running.append(thread)
    try:
        thread.start()
        thread.join()
    finally:
        rest()  # an interrupt propagates only after the messages below have ended
        if has_turn:
            hand_over(thread_id)
    if raised:
        raise raised[0]
    return returned[0]


def rest() -> None:
    """Wait for messages that still run although the thread that waited for them was interrupted.

    It is enough to wait for the outermost of them, because it waits for the others.
    """
    running, this_thread = _thread_state.running, current_thread()
    first_deeper = (
        [*running].index(this_thread) + 1
        if isinstance(this_thread, _Deeper) and this_thread in running
        else 0
    )
    while len(running) > first_deeper:
        running[first_deeper].give_up()
        del running[first_deeper:]
