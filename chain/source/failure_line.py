"""The author's line in a traceback: the place to which the message of a failure points."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Final

# How the names of our files begin; compiled modules name theirs from the folder of the project, generated code has none.
_OURS: Final = (str(Path(__file__).parent.parent), "chain/", "chain\\", "<")
_PYTHON: Final = str(Path(os.__file__).parent)  # the folder of the standard library


def innermost_author_line(traceback: TracebackType | None) -> tuple[str, int] | None:
    """The file (as Python names it) and line of the innermost step of a traceback outside the chain's own code."""
    found = None
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not file.startswith(_OURS) and not is_of_python(file):
            found = file, traceback.tb_lineno
        traceback = traceback.tb_next
    return found


def is_of_python(file: str) -> bool:
    """True if a file belongs to Python's standard library, and not to a package installed below it."""
    return file.startswith(_PYTHON) and "site-packages" not in file
