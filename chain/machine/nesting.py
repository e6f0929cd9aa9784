"""Room for messages inside messages.

The chain allows 1024 of them, Python's own stack far fewer, and how many differs from version to version. So at certain depths
a message goes on in a thread of its own, on a fresh stack, while the one that sent it waits: nothing runs side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread, get_ident
from typing import Any, Final

from chain.turn import hand_over, is_mine

STEPS: Final = frozenset(range(32, 1_025, 32))  # a message takes some ten Python frames


def on_fresh_stack(function: Callable[[Any], Any], argument: Any) -> Any:
    """What `function(argument)` returns or raises."""
    returned: list[Any] = []
    raised: list[BaseException] = []

    here, has_turn = get_ident(), is_mine()

    def run() -> None:
        if has_turn:
            hand_over(get_ident())
        try:
            returned.append(function(argument))
        except BaseException as problem:
            raised.append(problem)

    thread = Thread(target=run)
    thread.start()
    try:
        thread.join()
    finally:
        thread.join()  # an interrupt comes through only when the state is at rest
        if has_turn:
            hand_over(here)
    if raised:
        raise raised[0]
    return returned[0]
