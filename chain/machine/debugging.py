"""Debugging without side effects: what a `print` reads, or what an author does at a prompt of pdb, changes nothing.

Inspection reads storage, and may call views, through the frame of the running message. All of it is undone: the gas, the
fuel, the access to words and accounts, and all writes. So a transaction has the same gas, the same writes and the same hash
with and without debugging.
"""

from __future__ import annotations

import pdb
import sys
from cmd import Cmd
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from chain.machine.frame import Frame
from chain.metering.fuel import BUILTINS, IS_DEBUGGED, LOOKING, is_counted, resume, suspend
from chain.spec.invocation import INVOKE


def enable() -> None:
    """Let debug statements of contracts run, on the chains that are debugged."""
    BUILTINS[IS_DEBUGGED], BUILTINS[LOOKING] = _is_debugged, looking
    pdb.Pdb.cmdloop = _prompt  # type: ignore[method-assign, assignment]


def _is_debugged() -> bool:
    """Return True if the running message belongs to a chain that is debugged, or if none runs."""
    if not is_counted():
        return True
    machine: Any = next((frame.context.machine for frame in _running()), None)
    return machine is not None and bool(machine.debugs)


def _running() -> Iterator[Frame]:
    """Yield the messages that this thread runs, innermost first."""
    caller: FrameType | None = sys._getframe()
    while caller is not None:
        if caller.f_code is INVOKE:
            yield caller.f_locals["contract"]._frame
        caller = caller.f_back


@contextmanager
def looking() -> Iterator[None]:
    """Scope that undoes everything that is done with contracts and their storage."""
    frames = [*_running()]
    if not frames:
        yield
        return
    state, context = frames[0].state, frames[0].context
    mark, refund, streams = state.mark(), context.refund, context.random_streams
    before = [
        (frame, frame.gas, len(frame.children), len(frame.view_logs), frame.besides)
        for frame in frames
    ]
    # The first message keeps no journal of the slots that it makes warm.
    warm = [(slots, slots.copy()) for slots in state.access.values()]
    tank = suspend()
    try:
        yield
    finally:
        resume(tank)
        state.undo(mark)
        for slots, slots_before in warm:
            slots.clear()
            slots.update(slots_before)
        context.refund, context.random_streams = refund, streams
        for frame, gas, children, texts, besides in before:
            frame.gas, frame.besides = gas, besides
            del frame.children[children:], frame.view_logs[texts:]


def _prompt(debugger: pdb.Pdb, intro: object = None) -> None:
    """Run the author's prompt, and undo its effects."""
    with looking():
        Cmd.cmdloop(debugger, intro)
