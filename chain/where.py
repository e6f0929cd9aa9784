"""Where something stands in a person's source: `file.py:12`."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path
from types import FrameType, FunctionType, TracebackType
from typing import Any

_OURS = str(Path(__file__).parent)


def line_of(thing: Any) -> str:
    """`file.py:12` of a function, or of a class while or after it is made."""
    if isinstance(thing, FunctionType):
        return f"{short(thing.__code__.co_filename)}:{thing.__code__.co_firstlineno}"
    try:
        return f"{short(inspect.getsourcefile(thing) or '?')}:{inspect.getsourcelines(thing)[1]}"
    except (OSError, TypeError):
        return f"{short(getattr(sys.modules.get(thing.__module__), '__file__', None) or thing.__module__)}"


def line_of_field(cls: type, name: str) -> str:
    """`file.py:13` of the annotation of `name` in the body of `cls`, or of the class where its source is not at hand."""
    try:
        lines, first = inspect.getsourcelines(cls)
        tree = ast.parse(
            inspect.cleandoc("".join(lines)) if lines[0][:1].isspace() else "".join(lines)
        )
    except (OSError, TypeError, SyntaxError):
        return line_of(cls)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and node.target.id == name
        ):
            return f"{line_of(cls).rpartition(':')[0]}:{first + node.lineno - 1}"
    return line_of(cls)


def place_of(frame: FrameType) -> str:
    return f"{short(frame.f_code.co_filename)}:{frame.f_lineno}"


def raised_at(traceback: TracebackType | None) -> tuple[str, int] | None:
    """File (as Python knows it) and line of the innermost step of a traceback that is not the chain's own code."""
    found = None
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not file.startswith((_OURS, "<")):
            found = file, traceback.tb_lineno
        traceback = traceback.tb_next
    return found


def short(file: str) -> str:
    """The path as seen from the working directory, when it lies below it."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return path.name if "site-packages" in path.parts else str(path)
