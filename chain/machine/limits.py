"""The limits of the messages of a chain, and the error for a message that exceeds one of them."""

from __future__ import annotations

from contextlib import suppress
from types import FrameType, TracebackType

from chain.errors import LimitExceeded
from chain.foundation.watchdog import Limits, MessageTimeUp
from chain.source.failure_line import innermost_author_line
from chain.source.location import Source
from chain.spec.invocation import INVOKE


def limits_of(frame: FrameType) -> Limits | None:
    """Return the limits of the message that begins with this frame of Python's stack; None if none begins with it."""
    if frame.f_code is not INVOKE:
        return None
    limits: Limits = frame.f_locals["contract"]._frame.context.machine.limits
    return limits


def limit_exceeded(name: str, limits: Limits, problem: BaseException) -> LimitExceeded:
    """Return the error for a call of an entry that was ended by its time or for lack of memory."""
    clear_frames(problem.__traceback__)  # first, as they hold what fills the memory
    line = innermost_author_line(problem.__traceback__)
    place = f"{Source(*line)}: " if line else ""
    if isinstance(problem, MessageTimeUp):
        taken, option = f"computed for more than {limits.time} s", "time_limit"
    elif limits.memory is None:
        return LimitExceeded(f"{place}{name} needs more memory than there is: it was undone")
    else:
        taken, option = f"needs more than {limits.memory} bytes of memory", "memory_limit"
    return LimitExceeded(
        f"{place}{name} {taken}, so it was ended and undone: a larger {option} allows more"
    )


def clear_frames(traceback: TracebackType | None) -> None:
    """Forget the locals of frames that have ended. Python's `traceback` has this, too, but takes a millisecond to import."""
    while traceback is not None:
        with suppress(RuntimeError):  # the frame still runs
            traceback.tb_frame.clear()
        traceback = traceback.tb_next
