"""Imports of the chain's own modules past pytest, which would look for an `assert` to rewrite in each of them.

That takes as long as importing them, and rewrites asserts that no user sees.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


class _Finder:
    """An import hook that finds the modules of this package as Python does."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return PathFinder.find_spec(fullname, path) if fullname.startswith("chain.") else None


def begin() -> None:
    """Put the hook in front of that of pytest, but behind others."""
    others = [type(finder).__module__.startswith("_pytest.") for finder in sys.meta_path]
    if True in others:
        sys.meta_path.insert(others.index(True), _Finder)


def end() -> None:
    if _Finder in sys.meta_path:
        sys.meta_path.remove(_Finder)
