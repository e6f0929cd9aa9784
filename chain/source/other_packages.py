"""Packages that lie elsewhere than the contract that uses them, as long as they are made for the chain too.

A contract may derive from one of another package, or call it. What is neither installed nor Python's own is its author's; of
the installed packages, of which most have nothing to do with this, only those that import the chain are read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Final

SHARED_FOLDERS: Final = frozenset(
    {"site-packages", "dist-packages"}
)  # what lies there is of many authors
_IMPORTS_CHAIN: Final = re.compile(rb"^\s*(?:from|import)\s+chain\b", re.MULTILINE)
_FILES: Final = 400  # of a package, to look at


def folder_of_package(first: str) -> Path | None:
    """Where a package or module of that name lies, if it is one of contracts; nothing of it is imported."""
    for place in places_of(first):
        if SHARED_FOLDERS.isdisjoint(place.parts) or _is_for_chain(place):
            return place.parent
    return None


def places_of(first: str) -> list[Path]:
    """The folders or the file of a package or module at the top of Python's path."""
    try:
        found = find_spec(first)
    except (ImportError, ValueError, AttributeError):
        return []
    if found is None:
        return []
    if found.submodule_search_locations is not None:
        return [Path(place) for place in found.submodule_search_locations]
    return [Path(found.origin)] if found.has_location and found.origin else []


@lru_cache(maxsize=256)
def _is_for_chain(place: Path) -> bool:
    files = islice(place.rglob("*.py"), _FILES) if place.is_dir() else [place]
    return any(_IMPORTS_CHAIN.search(file.read_bytes()) for file in files if file.is_file())
