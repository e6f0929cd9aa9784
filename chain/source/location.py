"""Where something stands in a person's source: `file.py:12`.

A class or function knows the line it begins at, decorators included. For the very line, of an argument or a field, the file
is parsed, which happens only when there is something to complain about.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, FunctionType, TracebackType
from typing import Any, NamedTuple

_OURS = str(Path(__file__).parent.parent)
_PYTHON = sysconfig.get_path("stdlib")


class Source(NamedTuple):
    """The statement that made something."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{relative_path(self.file)}:{self.line}"


def source_of_frame(frame: FrameType) -> Source:
    """The statement that runs in `frame`."""
    return Source(frame.f_code.co_filename, frame.f_lineno)


def location_of_frame(frame: FrameType) -> str:
    return str(source_of_frame(frame))


def line_of(thing: Any, source: Source | None = None) -> str:
    """`file.py:12`: the `def` of a function, or the `class` of a class that the statement at `source` made."""
    if isinstance(thing, FunctionType):
        code, node = inspect.unwrap(thing).__code__, _definition(thing)
        return str(Source(code.co_filename, node.lineno if node else code.co_firstlineno))
    source = source or _definition_site(thing)
    node = _node(source.file, source.line, ast.ClassDef, thing.__name__)
    return str(Source(source.file, node.lineno if node else source.line))


def line_of_field(cls: type, name: str, source: Source | None = None) -> str:
    """`file.py:13`: the annotation of `name` in the body of `cls`, or the class where its source is not at hand."""
    source = source or _definition_site(cls)
    node = _node(source.file, source.line, ast.ClassDef, cls.__name__)
    for inner in node.body if isinstance(node, ast.ClassDef) else ():
        if (
            isinstance(inner, ast.AnnAssign)
            and isinstance(inner.target, ast.Name)
            and inner.target.id == name
        ):
            return str(Source(source.file, inner.lineno))
    return line_of(cls, source)


def line_of_argument(function: FunctionType, name: str) -> str:
    """`file.py:14`: the argument `name` of `function`; `return` is what it returns."""
    node, file = _definition(function), inspect.unwrap(function).__code__.co_filename
    for inner in ast.walk(node.args) if node else ():
        if isinstance(inner, ast.arg) and inner.arg == name:
            return str(Source(file, inner.lineno))
    if name == "return" and node and node.returns:
        return str(Source(file, node.returns.lineno))
    return line_of(function)


def _definition(function: FunctionType) -> Any:
    """The syntax of a function, of the one inside where it is wrapped; None where its source is not at hand."""
    inside = inspect.unwrap(function)
    code = inside.__code__
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return _node(code.co_filename, code.co_firstlineno, kinds, inside.__name__)


def _definition_site(cls: type) -> Source:
    """Where a class that nobody took note of was made: from its methods, or at least its file."""
    for value in vars(cls).values():
        if isinstance(value, FunctionType) and not value.__code__.co_filename.startswith("<"):
            file, line = value.__code__.co_filename, value.__code__.co_firstlineno
            around = [
                node
                for node in _nodes(file)
                if isinstance(node, ast.ClassDef) and _spans(node, line)
            ]
            return Source(file, around[-1].lineno if around else line)
    file = getattr(sys.modules.get(cls.__module__), "__file__", None) or cls.__module__
    named = [
        node
        for node in _nodes(file)
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__
    ]
    return Source(file, named[-1].lineno if named else 1)


def _node(file: str, line: int, kind: Any, name: str) -> Any:
    """The class or function `name` whose first line, a decorator's perhaps, or whose whole is around `line`."""
    found = [
        node
        for node in _nodes(file)
        if isinstance(node, kind) and node.name == name and _spans(node, line)
    ]
    return found[-1] if found else None


def _nodes(file: str) -> Iterator[ast.AST]:
    try:
        return ast.walk(ast.parse("".join(linecache.getlines(file))))
    except SyntaxError:
        return iter(())


def _spans(node: Any, line: int) -> bool:
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return bool(first <= line <= node.end_lineno)


def innermost_author_line(traceback: TracebackType | None) -> tuple[str, int] | None:
    """File (as Python knows it) and line of the innermost step of a traceback that is not the chain's own code."""
    found = None
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not file.startswith((_OURS, "<")) and not _is_pythons(file):
            found = file, traceback.tb_lineno
        traceback = traceback.tb_next
    return found


def _is_pythons(file: str) -> bool:
    """Whether a file is of Python's own library, not of a package that is installed in it."""
    return file.startswith(_PYTHON) and "site-packages" not in file


def relative_path(file: str) -> str:
    """The path as seen from the working directory, when it lies below it."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return path.name if "site-packages" in path.parts else str(path)
