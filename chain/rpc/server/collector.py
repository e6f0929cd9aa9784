"""Short collections of garbage, for a process that only serves: its clients wait for each.

What is imported is never garbage, and there is much of it, so it is frozen, now and whenever a request has imported more.
"""

from __future__ import annotations

import gc
import sys
from typing import Final

_BETWEEN: Final = 5_000  # new objects between two collections: walked in some milliseconds


class Collector:
    """Python's garbage collector. It stays as it is until `shorten` is called."""

    def __init__(self) -> None:
        self._modules: int | None = None  # how many were loaded when they were frozen

    def shorten(self) -> None:
        """Let collections be short from now on."""
        self._modules = len(sys.modules)
        gc.collect()
        gc.freeze()
        gc.set_threshold(_BETWEEN, *gc.get_threshold()[1:])

    def update(self) -> None:
        """Freeze what was imported since."""
        if self._modules is not None and self._modules != len(sys.modules):
            self.shorten()


COLLECTOR: Final = Collector()  # a process has one
