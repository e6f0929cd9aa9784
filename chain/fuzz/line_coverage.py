"""The lines of the contracts that were run. To keep this cheap, only their own files are traced, and only during a call.

If a debugger or coverage tool traces already, it is left in place, and no lines are recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

from chain.fuzz.source_constants import lines_in

CoveredLine: TypeAlias = tuple[str, int]
_Tracer: TypeAlias = Callable[[FrameType, str, object], Any]


class CoveredLines:
    """The lines that were reached: `ever`, and those since the reader took them. As a context, it records what runs in it."""

    def __init__(self, files: Sequence[str], wanted: bool = True) -> None:
        self.files = frozenset(files) if wanted else frozenset[str]()
        self.ever: set[CoveredLine] = set()
        # By file, in the order in which they were first run.
        self._now: dict[str, dict[int, None]] = {file: {} for file in sorted(self.files)}
        self._tracers = {file: _tracer(lines) for file, lines in self._now.items()}
        self._names = {file: Path(file).name for file in self.files}
        self._is_on = False

    def __enter__(self) -> None:
        if self.files and sys.gettrace() is None:
            self._is_on = True
            sys.settrace(self._enter)

    def __exit__(self, *raised: object) -> None:
        if self._is_on:
            self._is_on = False
            sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, arg: object) -> _Tracer | None:
        """Return the tracer of a frame that begins, if its file is wanted."""
        code = frame.f_code
        tracer = self._tracers.get(code.co_filename)
        if tracer is None:
            return None
        if not code.co_flags & CO_OPTIMIZED:  # the top of a module runs before the first call only
            sys.settrace(_nothing)
            return self._wait
        return tracer(frame, event, arg)

    def _wait(self, frame: FrameType, event: str, arg: object) -> _Tracer:
        """Trace again when this frame has ended."""
        if event == "return":
            sys.settrace(self._enter)
        return self._wait

    def take(self) -> list[CoveredLine]:
        """Return the lines since the last time, each with the name of its file alone."""
        taken: list[CoveredLine] = []
        for file, lines in self._now.items():
            if lines:
                name = self._names[file]
                taken += [(name, line) for line in lines]
                self.ever.update([(file, line) for line in lines])
                lines.clear()
        return taken

    def table(self) -> list[tuple[str, int, list[int]]]:
        """Return for each file the number of lines in its functions and the lines that were never reached."""
        rows = []
        for file in sorted(self.files):
            all_lines = lines_in(file)
            missed = sorted(line for line in all_lines if (file, line) not in self.ever)
            if all_lines:
                rows.append((file, len(all_lines), missed))
        return rows


def _nothing(frame: FrameType, event: str, arg: object) -> None:
    """Trace no frame that begins."""


def _tracer(lines: dict[int, None]) -> Callable[[FrameType, str, object], _Tracer]:
    """Return a trace function that enters the lines of its frames."""

    def trace(frame: FrameType, event: str, arg: object) -> _Tracer:
        lines[frame.f_lineno] = None
        return trace

    return trace
