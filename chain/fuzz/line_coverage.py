"""The lines of the contracts that were run. To keep this cheap, only their own files are traced, and only during a call.

If a debugger or coverage tool traces already, it is left in place, and no lines are recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeAlias

from chain.fuzz.source_constants import lines_in

CoveredLine: TypeAlias = tuple[str, int]


class CoveredLines:
    """The lines that were reached: `ever`, and `now`, which the reader clears."""

    def __init__(self, files: Sequence[str], wanted: bool = True) -> None:
        self.files = frozenset(files) if wanted else frozenset[str]()
        self.now: set[CoveredLine] = set()
        self.ever: set[CoveredLine] = set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Record the lines that are run within the scope."""
        if not self.files or sys.gettrace() is not None:
            yield
            return
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(None)
            self.ever |= self.now

    def _enter(self, frame: FrameType, event: str, arg: object) -> Any:
        code = frame.f_code
        if code.co_filename not in self.files:
            return None
        self.now.add((code.co_filename, frame.f_lineno))
        return self._step

    def _step(self, frame: FrameType, event: str, arg: object) -> Any:
        if event == "line":
            self.now.add((frame.f_code.co_filename, frame.f_lineno))
        return self._step

    def table(self) -> list[tuple[str, int, list[int]]]:
        """Return for each file the number of lines in its functions and the lines that were never reached."""
        rows = []
        for file in sorted(self.files):
            all_lines = lines_in(file)
            missed = sorted(line for line in all_lines if (file, line) not in self.ever)
            if all_lines:
                rows.append((file, len(all_lines), missed))
        return rows
