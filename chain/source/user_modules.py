"""Where modules of users are found: the working directory and the folder of a script.

They come behind the standard library and all that is installed, so that a file `json.py` or `uvicorn.py` there never stands
in for what the chain itself imports, now or later. Only packages that are named as those of contracts are looked for there
first: an installed package may be called `contracts` too.
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
    """Finds the packages of contracts in the folders of users."""

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


def look_in(folder: Path) -> None:
    """Find modules in this folder too: behind what is installed, before the folders that were named earlier."""
    if _packages not in sys.meta_path:
        sys.meta_path.insert(0, _packages)
    name, known = str(folder), _packages.folders
    if name not in sys.path:
        last = [i for i, path in enumerate(sys.path) if path not in known]
        sys.path.insert(last[-1] + 1 if last else 0, name)
    if name in known:
        known.remove(name)
    known.insert(0, name)


def look_for(module: str) -> None:
    """Find this module in the working directory, before any that is installed under its name."""
    look_in(Path.cwd())
    _packages.names.add(module.partition(".")[0])
