"""A pause of Python's garbage collector, which would walk a large structure again and again while it is being built."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from gc import disable, enable, freeze, get_count, get_freeze_count, isenabled, unfreeze
from typing import Final

_LARGE: Final = 10_000  # objects


@contextmanager
def collector_paused() -> Iterator[None]:
    """Scope without garbage collection. Afterwards, a large structure that was built in it counts as old."""
    if not isenabled():
        yield
        return
    try:
        disable()
        yield
        # Last, because counting what is frozen walks all of it.
        if get_count()[0] > _LARGE and not get_freeze_count():
            freeze()
            unfreeze()  # into the oldest generation
    finally:
        enable()
