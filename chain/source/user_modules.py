"""Where users' modules are found: in the working directory, beside a script, and in the project around it.

They come after installed packages, so that a file of a user that is called `json.py` or `uvicorn.py` does no harm.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

_MARKS: Final = ("pyproject.toml", "setup.cfg", "setup.py", ".git")  # mark a project's root
_INSTALLED: Final = ("site-packages", "dist-packages")


def add_folder(folder: Path) -> None:
    """Find modules in this folder, before those in folders that were added earlier."""
    name = str(folder)
    if name in sys.path[1:]:
        sys.path.remove(name)
    if name not in sys.path:
        installed = [place for place, path in enumerate(sys.path, 1) if path.endswith(_INSTALLED)]
        sys.path.insert(installed[-1] if installed else len(sys.path), name)


def add_project(start: Path) -> None:
    """Find modules in this folder, and in the root of the project that it belongs to."""
    for folder in start.parents:
        if any((folder / mark).exists() for mark in _MARKS):
            add_folder(folder)
            break
    add_folder(start)
