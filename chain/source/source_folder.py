"""Reading the modules of a contract from their folders, whether they have been imported or not."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from chain.source.modules import Module, parse_module
from chain.source.other_packages import SHARED_FOLDERS, folder_of_package

_LEFT_OUT: Final = frozenset({"__pycache__", "node_modules"})
_FOREIGN: Final = sys.stdlib_module_names | {"chain"}


def files_below(folder: Path) -> Iterator[Path]:
    """All files of a package, except in folders that no contract reads: hidden ones, caches, installed packages of npm."""
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _LEFT_OUT and name[0] != "."]
        yield from (Path(place, name) for name in files)


class SourceFolder:
    """The folder that the module names of a contract are relative to."""

    def __init__(self, folder: Path, top: str) -> None:
        self.folder = folder
        self.top = top  # the contract's top-level package
        self._listed: dict[Path, frozenset[str]] = {}

    def load(self, name: str) -> Module | None:
        """Read the module of that dotted name from this folder, or from where its package is installed."""
        path = self.find(name)
        if path is None:
            return None
        # A package need not have an `__init__.py`.
        text = path.read_text("utf-8") if path.is_file() else ""
        return parse_module(name, str(path), text, path.name == "__init__.py")

    def find(self, name: str) -> Path | None:
        """The file of the module of that dotted name; None if there is none."""
        first, *rest = name.split(".")
        home = self._home_of(first)
        if home is None:
            return None
        folder = home.joinpath(*[first, *rest[:-1]] if rest else [])
        last = rest[-1] if rest else first
        names = self._names_in(folder)
        if f"{last}.py" in names:
            return folder / f"{last}.py"
        return folder / last / "__init__.py" if last in names else None

    def _home_of(self, first: str) -> Path | None:
        """The folder that contains the package `first`: the contract's, or the one where it is installed."""
        if first in _FOREIGN:
            return None
        is_shared = first != self.top and self.folder.name in SHARED_FOLDERS
        if not is_shared and not self._names_in(self.folder).isdisjoint((first, f"{first}.py")):
            return self.folder
        return folder_of_package(first)

    def _names_in(self, folder: Path) -> frozenset[str]:
        if folder not in self._listed:
            inner = folder.iterdir() if folder.is_dir() else ()
            self._listed[folder] = frozenset(path.name for path in inner)
        return self._listed[folder]


def folder_of(name: str, file: str, is_package: bool) -> Path | None:
    """The folder that module names are relative to, by one module and its file; None if the two do not match."""
    parts, path = name.split("."), Path(file)
    if not path.is_file():
        return None
    stem = path.parent if is_package else path.with_suffix("")
    return stem.parents[len(parts) - 1] if stem.parts[-len(parts) :] == tuple(parts) else None


def single_file(name: str, file: str) -> tuple[str, Path]:
    """The name and folder of a module that stands alone with the files beside it, when its name does not match its path."""
    return Path(file).stem or name, Path(file).parent
