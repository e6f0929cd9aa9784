"""Packages in other folders than the contract that uses them, as long as they are made for the chain too.

A contract may derive from a class of another package, or call its functions. A package that is neither installed nor part of
Python belongs to the contract's author. Of the installed packages, only those that import the chain are read, since most
have nothing to do with it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Final

# Folders of installed packages, which have many authors.
SHARED_FOLDERS: Final = frozenset({"site-packages", "dist-packages"})
_IMPORTS_CHAIN: Final = re.compile(rb"^\s*(?:from|import)\s+chain\b", re.MULTILINE)
_FILES: Final = 400  # the number of files examined per package


def folder_of_package(first: str) -> Path | None:
    """The folder that contains the top-level package or module `first`, if it may hold contracts. Nothing is imported."""
    for path in locations_of(first):
        if SHARED_FOLDERS.isdisjoint(path.parts) or _is_for_chain(path):
            return path.parent
    return None


def locations_of(first: str) -> list[Path]:
    """The folders or the file of the top-level package or module `first` on Python's path."""
    try:
        spec = find_spec(first)
    except (ImportError, ValueError, AttributeError):
        return []
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return [Path(location) for location in spec.submodule_search_locations]
    return [Path(spec.origin)] if spec.has_location and spec.origin else []


@lru_cache(maxsize=256)
def _is_for_chain(place: Path) -> bool:
    files = islice(place.rglob("*.py"), _FILES) if place.is_dir() else [place]
    return any(_IMPORTS_CHAIN.search(file.read_bytes()) for file in files if file.is_file())
