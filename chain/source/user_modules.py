"""The folders in which users' modules are found: the working directory, the folder of a script, the project around them.

The first two come after the standard library and everything installed, so that a file `json.py` or `uvicorn.py` in them never
replaces a module that the chain itself imports, now or later. Only packages of contracts are looked up in all of them first,
because an installed package may be called `contracts` too. A folder of that name without Python, as in a Solidity
project, does not count.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Final

_MARKS: Final = (
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    ".git",
)  # mark a project's root


class _Packages:
    """An import hook that finds packages of contracts in the users' folders."""

    def __init__(self) -> None:
        self.names: set[str] = {"contracts"}
        self.folders: list[str] = []
        self.starts: list[Path] = []  # folders within users' projects

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or fullname not in self.names:
            return None
        for folder in (*self.folders, *map(str, _projects(self.starts))):
            spec = PathFinder.find_spec(fullname, [folder])
            if spec is not None and (spec.loader is not None or _has_python(spec)):
                return spec
        return None


def _has_python(spec: ModuleSpec) -> bool:
    """Return True if there is Python in a folder without `__init__.py`."""
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    return any(next(folder.rglob("*.py"), None) is not None for folder in folders)


def _projects(more: Sequence[Path]) -> Iterator[Path]:
    """Yield the working directory, the folder of the script and those in `more`, each with its project's folder."""
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    for start in (Path.cwd(), *more, *([Path(script).resolve().parent] if script else [])):
        for folder in (start, *start.parents):
            if any((folder / mark).exists() for mark in _MARKS):
                yield from (start, folder)
                break
        else:
            yield start


_packages: Final = _Packages()


def prefer_users_packages(*starts: Path) -> None:
    """Have Python look for packages of contracts in the users' folders first, and in the projects around `starts`."""
    _packages.starts += starts
    if _packages not in sys.meta_path:
        sys.meta_path.insert(0, _packages)
        for name in _packages.names:
            _replace_installed(name)


def _replace_installed(package: str) -> None:
    """If an installed package is just being imported, put the user's own of that name in its place."""
    installed, own = sys.modules.get(package), _packages.find_spec(package, None)
    if own is None or not getattr(getattr(installed, "__spec__", None), "_initializing", False):
        return
    if own.origin != getattr(installed, "__file__", None):
        del sys.modules[package]
        import_module(package)


def add_folder(folder: Path) -> None:
    """Find modules in this folder too: after everything installed, before the folders registered earlier."""
    prefer_users_packages()
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
