"""Room for messages inside messages.

The chain allows 1024 of them, Python's own stack far fewer, and how many differs from version to version. So at certain depths
a message goes on in a thread of its own, on a fresh stack, while the one that sent it waits: nothing runs side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread, get_ident
from typing import Any, Final

STEPS: Final = frozenset(range(32, 1_025, 32))  # a message takes some ten Python frames


class _Deeper(Thread):
    """A thread that one other waits for."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.works_for = get_ident()


def on_fresh_stack(function: Callable[[Any], Any], argument: Any) -> Any:
    """What `function(argument)` returns or raises."""
    returned: list[Any] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            returned.append(function(argument))
        except BaseException as problem:
            raised.append(problem)

    thread = _Deeper(target=run)
    thread.start()
    try:
        thread.join()
    finally:
        thread.join()  # an interrupt comes through only when the state is at rest
    if raised:
        raise raised[0]
    return returned[0]
