"""The folders in which users' modules are found: the working directory and the folder of a script.

These folders come after the standard library and everything installed, so that a file `json.py` or `uvicorn.py` in them never
replaces a module that the chain itself imports, now or later. Only packages that are registered as packages of contracts are
looked up there first, because an installed package may be called `contracts` too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Final


class _Packages(MetaPathFinder):
    """An import hook that finds packages of contracts in the users' folders."""

    def __init__(self) -> None:
        self.names: set[str] = {"contracts"}
        self.folders: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or fullname not in self.names:
            return None
        return PathFinder.find_spec(fullname, self.folders)


_packages: Final = _Packages()


def add_folder(folder: Path) -> None:
    """Find modules in this folder too: after everything installed, before the folders registered earlier."""
    if _packages not in sys.meta_path:
        sys.meta_path.insert(0, _packages)
    name, known = str(folder), _packages.folders
    if name not in sys.path:
        other_positions = [i for i, path in enumerate(sys.path) if path not in known]
        sys.path.insert(other_positions[-1] + 1 if other_positions else 0, name)
    if name in known:
        known.remove(name)
    known.insert(0, name)


def find_module(module: str) -> None:
    """Find this module in the working directory first, before an installed one of the same name."""
    add_folder(Path.cwd())
    _packages.names.add(module.partition(".")[0])
