"""A scope in which Hypothesis draws the same whatever else is loaded.

It likes to try the constants of all modules of the project at hand, so a run would differ with the tests that came before it.
Ours come from the contracts themselves. Where Hypothesis is built otherwise, nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


@contextmanager
def steady_draws() -> Iterator[None]:
    providers: Any = import_module("hypothesis.internal.conjecture.providers")
    known = getattr(providers, "_get_local_constants", None)
    cache = getattr(getattr(providers, "CONSTANTS_CACHE", None), "cache", None)
    make = getattr(providers, "Constants", None)
    if known is None or cache is None or make is None:
        yield
        return
    none = make()
    providers._get_local_constants = lambda: none
    cache.clear()
    try:
        yield
    finally:
        providers._get_local_constants = known
        cache.clear()
