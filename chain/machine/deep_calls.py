"""Room for messages inside messages.

The chain allows 1024 of them, Python's own stack far fewer, and how many differs from version to version. So at certain depths
a message goes on in a thread of its own, on a fresh stack, while the one that sent it waits: nothing runs side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Thread, current_thread, get_ident, local
from typing import Any, Final

from chain.concurrency.atomic_steps import here
from chain.concurrency.turn import (
    hand_over,
    is_mine,
)

THREAD_DEPTHS: Final = frozenset(range(32, 1_025, 32))  # a message takes some ten Python frames


class _Deeper(Thread):
    """A thread that one other waits for.

    Who waits may be interrupted while the thread is being started, when nobody knows whether it runs. So it asks at its gate.
    """

    def __init__(self, act: Callable[[], None]) -> None:
        super().__init__()
        self.works_for = get_ident()
        self._act, self._gate = act, Lock()
        self._has_begun = self._is_given_up = False

    def run(self) -> None:
        with self._gate:
            if self._is_given_up:
                return
            self._has_begun = True
        self._act()

    def give_up(self) -> None:
        """Wait until it has ended, unless it has not begun: then it never does."""
        with self._gate:
            self._is_given_up = not self._has_begun
        if self._has_begun:
            self.join()


class _Here(local):
    """The threads that go on for this one, or for the one that this goes on for: the innermost last."""

    def __init__(self) -> None:
        self.running: list[_Deeper] = []


_here: Final = _Here()


def run_on_new_thread(function: Callable[[Any], Any], argument: Any) -> Any:
    """What `function(argument)` returns or raises."""
    returned: list[Any] = []
    raised: list[BaseException] = []
    running, me, has_turn = _here.running, get_ident(), is_mine()

    def run() -> None:
        _here.running, here.goes_on = running, True
        if has_turn:
            hand_over(get_ident())
        try:
            returned.append(function(argument))
        except BaseException as problem:
            raised.append(problem)

    thread = _Deeper(run)
    running.append(thread)
    try:
        thread.start()
        thread.join()
    finally:
        rest()  # an interrupt comes through only when the state is at rest
        if has_turn:
            hand_over(me)
    if raised:
        raise raised[0]
    return returned[0]


def rest() -> None:
    """Wait for messages that still run though nobody waits for them: whoever did was interrupted.

    It is enough to wait for the outermost of them, which waits for the others.
    """
    running, me = _here.running, current_thread()
    mine = [*running].index(me) + 1 if isinstance(me, _Deeper) and me in running else 0
    while len(running) > mine:
        running[mine].give_up()
        del running[mine:]
