"""The author's lines in a traceback: those that a failure shows, and the one to which its message points."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from itertools import groupby, zip_longest
from pathlib import Path
from types import FrameType, TracebackType
from typing import Final

# How the names of our files begin; compiled modules name theirs from the folder of the project, generated code has none.
_OURS: Final = (str(Path(__file__).parent.parent), "chain/", "chain\\", "<")
_PYTHON: Final = (str(Path(os.__file__).parent), "<frozen ")  # the folder of the standard library
_NOT_AUTHORS: Final = _OURS + _PYTHON


def innermost_author_line(traceback: TracebackType | None) -> tuple[str, int] | None:
    """The file (as Python names it) and line of the innermost step of a traceback outside the chain's own code."""
    found = None
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not file.startswith(_OURS) and not is_of_python(file):
            found = file, traceback.tb_lineno
        traceback = traceback.tb_next
    return found


def running_author_line() -> tuple[str, int] | None:
    """Return file and line of the innermost step outside the chain's own code that runs now."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_NOT_AUTHORS):
            return file, frame.f_lineno
        frame = frame.f_back
    return None


def is_of_python(file: str) -> bool:
    """True if a file belongs to Python's standard library, and not to a package installed below it."""
    return file.startswith(_PYTHON) and "site-packages" not in file


def hide_machine(error: BaseException, machine: Collection[str] = ("chain",)) -> None:
    """Leave only the author's steps in the traceback of an error, and in those of the errors behind it.

    Hidden are the steps of the packages in `machine`, of generated code, and of Python's library between them. An error
    without any step of the author keeps its traceback. With `BOARDCHAIN_DEBUG=1` nothing is hidden.
    """
    if os.environ.get("BOARDCHAIN_DEBUG"):
        return
    for each in _with_errors_behind(error):
        steps = _authors_steps(each.__traceback__, machine)
        each.__traceback__ = error.__traceback__ if each is error and steps is None else steps


def _with_errors_behind(error: BaseException) -> Iterator[BaseException]:
    """Iterate over an error and those that it was raised from, raised while handling, or groups."""
    seen, waiting = set[int](), [error]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            inner = each.exceptions if isinstance(each, BaseExceptionGroup) else ()
            waiting += filter(None, (each.__cause__, each.__context__, *inner))


def _authors_steps(
    traceback: TracebackType | None, machine: Collection[str]
) -> TracebackType | None:
    """Take the other steps out of a traceback, and return its new beginning; None if there is no other."""

    def is_machine(frame: FrameType) -> bool:  # generated code belongs to no module
        return str(frame.f_globals.get("__name__", "chain")).partition(".")[0] in machine

    def is_authors(step: TracebackType) -> bool:
        frame = step.tb_frame
        return not is_machine(frame) and not is_of_python(frame.f_code.co_filename)

    runs = [[*run] for _, run in groupby(_steps(traceback), is_authors)]
    shown = [
        step
        for run in runs
        if is_authors(run[0]) or not any(is_machine(step.tb_frame) for step in run)
        for step in run
    ]
    for step, following in zip_longest(shown, shown[1:]):
        step.tb_next = following
    return shown[0] if shown else None


def _steps(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next
