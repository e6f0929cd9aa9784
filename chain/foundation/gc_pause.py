"""A pause of Python's garbage collector, which would walk a large structure again and again while it is being built."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from gc import disable, enable, freeze, get_freeze_count, isenabled, unfreeze


@contextmanager
def collector_paused() -> Iterator[None]:
    """Scope without garbage collection. What is built in it then counts as old, and is not walked before other old objects."""
    was_enabled = isenabled()
    disable()
    try:
        yield
    finally:
        if was_enabled:
            if not get_freeze_count():
                freeze()
                unfreeze()  # into the oldest generation
            enable()
