"""Room for messages inside messages.

The chain allows 1024 of them, Python's own stack far fewer, and how many differs from version to version. So at certain depths
a message goes on in a thread of its own, on a fresh stack, while the one that sent it waits: nothing runs side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread, current_thread
from typing import Any, Final

_running: Final[list[Thread]] = []
STEPS: Final = frozenset(range(32, 1_025, 32))  # a message takes some ten Python frames


def on_fresh_stack(function: Callable[[Any], Any], argument: Any) -> Any:
    """What `function(argument)` returns or raises."""
    returned: list[Any] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            returned.append(function(argument))
        except BaseException as problem:
            raised.append(problem)

    thread = Thread(target=run)
    _running.append(thread)
    try:
        thread.start()
        thread.join()
    finally:
        rest()  # an interrupt comes through only when the state is at rest
    if raised:
        raise raised[0]
    return returned[0]


def rest() -> None:
    """Wait for messages that still run though nobody waits for them: whoever did was interrupted."""
    while _running and _running[-1] is not current_thread():
        if _running[-1].ident is not None:
            _running[-1].join()
        _running.pop()
