"""Which lines of the contracts run, as far as it comes cheaply: only their own files are traced, and only while a call runs.

Where another tool traces already, a debugger or coverage, it is left alone and no line is seen.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeAlias

from chain.fuzz.source_constants import lines_in

Line: TypeAlias = tuple[str, int]


class Lines:
    """The lines reached in `now`, which whoever looks at them empties, and ever."""

    def __init__(self, files: Sequence[str], wanted: bool = True) -> None:
        self.files = frozenset(files) if wanted else frozenset[str]()
        self.now: set[Line] = set()
        self.ever: set[Line] = set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        if not self.files or sys.gettrace() is not None:
            yield
            return
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(None)
            self.ever |= self.now

    def _enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if code.co_filename not in self.files:
            return None
        self.now.add((code.co_filename, frame.f_lineno))
        return self._step

    def _step(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.now.add((frame.f_code.co_filename, frame.f_lineno))
        return self._step

    def table(self) -> list[tuple[str, int, list[int]]]:
        """For each file: how many lines its functions have, and which of them were never reached."""
        found = []
        for file in sorted(self.files):
            all_lines = lines_in(file)
            missed = sorted(line for line in all_lines if (file, line) not in self.ever)
            if all_lines:
                found.append((file, len(all_lines), missed))
        return found
