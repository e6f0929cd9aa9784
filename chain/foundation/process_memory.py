"""The memory of this process: its size, and a limit by the system."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

Act: TypeAlias = Callable[[], None]
_TABLE: Final = Path("/proc/self/statm")
_DATA: Final = 5  # its column of the pages that can be written to


def size_of_process() -> int:
    """Return the bytes that can be written to; the most that there were on a system that tells only this; or else 0."""
    try:
        return int(_TABLE.read_text().split()[_DATA]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss if resource else 0


def limiter(most: int) -> tuple[Act, Act] | None:
    """Return what begins and what ends a limit of these bytes; None if there is a stricter one, or the system has none."""
    if not _TABLE.exists():
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if soft != resource.RLIM_INFINITY and soft <= most:
        return None
    limit = partial(resource.setrlimit, resource.RLIMIT_DATA)
    return partial(limit, (most, hard)), partial(limit, (soft, hard))
