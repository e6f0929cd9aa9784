"""The location of a thing in its author's source: `file.py:12`.

A class or function knows its first line, decorators included. To find the line of its `def` or `class`, of an argument or a
field, the file is parsed, once.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from functools import lru_cache
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, NamedTuple, TypeAlias, TypeVar

from chain.source.syntax_trees import definitions_in

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
N = TypeVar("N", bound="Function | ast.ClassDef")


def read_text(file: str) -> str:
    """The text of a file, or of a source that exists only in Python's cache of lines."""
    try:
        return Path(file).read_text("utf-8")
    except (OSError, ValueError):
        return "".join(linecache.getlines(file))


class Source(NamedTuple):
    """The file and line of the statement that made a thing."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{relative_path(self.file)}:{self.line}"


def source_of_frame(frame: FrameType) -> Source:
    """The statement that is running in `frame`."""
    return Source(frame.f_code.co_filename, frame.f_lineno)


def location_of_frame(frame: FrameType) -> str:
    """`file.py:12`: the statement that is running in `frame`."""
    return str(source_of_frame(frame))


def line_of(thing: Any, source: Source | None = None) -> str:
    """`file.py:12`: the `def` of a function, or the `class` of a class that the statement at `source` made."""
    if isinstance(thing, FunctionType):
        code, node = inspect.unwrap(thing).__code__, _definition(thing)
        return str(Source(code.co_filename, node.lineno if node else code.co_firstlineno))
    source = source or _definition_site(thing)
    written = _node(source.file, source.line, (ast.ClassDef,), thing.__name__)
    return str(Source(source.file, written.lineno if written else source.line))


def line_of_field(cls: type, name: str, source: Source | None = None) -> str:
    """`file.py:13`: the annotation of `name` in the body of `cls`, or the class if its source is not available."""
    source = source or _definition_site(cls)
    node = _node(source.file, source.line, (ast.ClassDef,), cls.__name__)
    for inner in node.body if isinstance(node, ast.ClassDef) else ():
        if (
            isinstance(inner, ast.AnnAssign)
            and isinstance(inner.target, ast.Name)
            and inner.target.id == name
        ):
            return str(Source(source.file, inner.lineno))
    return line_of(cls, source)


def line_of_argument(function: FunctionType, name: str) -> str:
    """`file.py:14`: the argument `name` of `function`; the name `return` means its return annotation."""
    node, file = _definition(function), inspect.unwrap(function).__code__.co_filename
    for inner in ast.walk(node.args) if node else ():
        if isinstance(inner, ast.arg) and inner.arg == name:
            return str(Source(file, inner.lineno))
    if name == "return" and node and node.returns:
        return str(Source(file, node.returns.lineno))
    return line_of(function)


def _definition(function: FunctionType) -> Function | None:
    """The syntax node of a function, without its wrappers; None if its source is not available."""
    unwrapped = inspect.unwrap(function)
    code = unwrapped.__code__
    kinds: tuple[type[Function], ...] = ast.FunctionDef, ast.AsyncFunctionDef
    return _node(code.co_filename, code.co_firstlineno, kinds, unwrapped.__name__)


def _definition_site(cls: type) -> Source:
    """The location of a class for which none was recorded: by its methods, or at least its file."""
    for value in vars(cls).values():
        if isinstance(value, FunctionType) and not value.__code__.co_filename.startswith("<"):
            file, line = value.__code__.co_filename, value.__code__.co_firstlineno
            enclosing = [
                node
                for node in _definitions(file)
                if isinstance(node, ast.ClassDef) and _spans(node, line)
            ]
            return Source(file, enclosing[-1].lineno if enclosing else line)
    file = getattr(sys.modules.get(cls.__module__), "__file__", None) or cls.__module__
    candidates = [
        node
        for node in _definitions(file)
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__
    ]
    return Source(file, candidates[-1].lineno if candidates else 1)


def _node(file: str, line: int, kinds: tuple[type[N], ...], name: str) -> N | None:
    """The innermost node of one of `kinds` called `name` whose lines, decorators included, contain `line`."""
    candidates = [
        node
        for node in _definitions(file)
        if isinstance(node, kinds) and node.name == name and _spans(node, line)
    ]
    return candidates[-1] if candidates else None


def _definitions(file: str) -> list[ast.AST]:
    return definitions_in(file, "".join(linecache.getlines(file)))


def _spans(node: Function | ast.ClassDef, line: int) -> bool:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first <= line <= (node.end_lineno or first)


def relative_path(file: str) -> str:
    """The path relative to the working directory, if the file is below it."""
    return _relative(file, Path.cwd())


@lru_cache(maxsize=1024)
def _relative(file: str, folder: Path) -> str:
    path = Path(file)
    try:
        return str(path.relative_to(folder))
    except ValueError:
        return path.name if "site-packages" in path.parts else str(path)
