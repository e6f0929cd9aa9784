"""The compiled core: the modules that every call runs through, where an installation has them as machine code too.

`setup.py` compiles them, from the same sources. Python prefers an extension module to the source beside it. With
`BOARDCHAIN_CORE=python` in the environment it takes the source.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from os import environ
from types import ModuleType


class _Sources:
    """An import hook that finds the modules of this package in their sources."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("chain."):
            return None
        finders = (FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)) for folder in path or ())
        return next(filter(None, (finder.find_spec(fullname) for finder in finders)), None)


def choose_core() -> None:
    """Have Python take the sources if the environment asks for them."""
    if environ.get("BOARDCHAIN_CORE") == "python":
        sys.meta_path.insert(0, _Sources)


def describe_core() -> str:
    """Return which core runs the calls of this process."""
    file = import_module("chain.machine.frame").__file__ or ""
    return "pure Python" if file.endswith(".py") else "compiled core"
