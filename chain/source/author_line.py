"""The author's line in a traceback: the place to which the message of a failure points."""

from __future__ import annotations

import os
from pathlib import Path
from types import FrameType, TracebackType
from typing import Final

_OURS: Final = str(Path(__file__).parent.parent)
_PYTHON: Final = str(Path(os.__file__).parent)  # the folder of the standard library


def innermost_author_line(traceback: TracebackType | None) -> tuple[str, int] | None:
    """The file (as Python names it) and line of the innermost step of a traceback outside the chain's own code."""
    found = None
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not (_is_ours(traceback.tb_frame) or file.startswith("<") or is_of_python(file)):
            found = file, traceback.tb_lineno
        traceback = traceback.tb_next
    return found


def _is_ours(frame: FrameType) -> bool:
    """True in the chain's own code. A compiled module names its file as it was called when it was compiled."""
    module = str(frame.f_globals.get("__name__"))
    return frame.f_code.co_filename.startswith(_OURS) or module.startswith("chain.")


def is_of_python(file: str) -> bool:
    """True if a file belongs to Python's standard library, and not to a package installed below it."""
    return file.startswith(_PYTHON) and "site-packages" not in file
