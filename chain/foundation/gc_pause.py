"""A pause of Python's garbage collector, which would walk a large structure again and again while it is being built."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from gc import disable, enable, isenabled


@contextmanager
def collector_paused() -> Iterator[None]:
    """Scope without garbage collection."""
    was_enabled = isenabled()
    disable()
    try:
        yield
    finally:
        if was_enabled:
            enable()
