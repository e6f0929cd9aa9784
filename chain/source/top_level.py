"""The sources of a contract as they were imported: which modules are its author's own, and what stands at the top of each.

Own is what lies in a file of Python that is neither installed nor the chain's. All else, the standard library above all, is
taken as it is.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from chain.source.discovery import read_text
from chain.source.global_names import uses_of
from chain.source.local_names import DEFINITIONS
from chain.source.modules import (
    Definition,
    Module,
    definitions,
    is_type_checking,
    parse_module,
)
from chain.source.other_packages import (
    SHARED_FOLDERS,
    folder_of_package,
)

_FOREIGN: Final = sys.stdlib_module_names - {"__main__"} | {"chain", "builtins"}

_texts: dict[
    str, tuple[tuple[int, int], str]
] = {}  # by file: when it was last changed, what it said


def author_module(name: str, top: str) -> Module | None:
    """The module of that name, if it was imported and belongs to the author of the package `top`.

    Of the other installed packages, which are of many authors, only those of contracts do.
    """
    first, file = name.partition(".")[0], getattr(sys.modules.get(name), "__file__", None)
    if first in _FOREIGN:
        return None
    is_installed = file is not None and not SHARED_FOLDERS.isdisjoint(Path(file).parts)
    if first != top and is_installed and folder_of_package(first) is None:
        return None
    return module_in(name, file)


def module_in(name: str, file: str | None) -> Module | None:
    if not file or not file.endswith(".py"):
        return None
    text = current_text(file)
    if not text:
        return None
    module = parse_module(name, file, text, Path(file).name == "__init__.py")
    return None if module.broken else module


def current_text(file: str) -> str:
    """What a file says now; it is read again only where it has changed."""
    try:
        found = Path(file).stat()
    except OSError:
        return read_text(file)
    stamp = found.st_mtime_ns, found.st_size
    known = _texts.get(file)
    if known is None or known[0] != stamp:
        known = _texts[file] = stamp, read_text(file)
    return known[1]


class TopLevel:
    """What stands at the top of a module: by name the statements or imports that give it a meaning, in their order."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.meanings: dict[str, list[ast.stmt | Definition]] = {}
        self.star_imports: list[Definition] = []  # `from … import *`
        self.lines: dict[ast.AST, int] = {}  # of what stands at the top: the how manieth it is
        for i, node in enumerate(module.tree.body):
            self._add(node, i)
        self._add_around()

    def _add(self, node: ast.stmt, i: int) -> None:
        self.lines[node] = i
        if isinstance(node, ast.Import | ast.ImportFrom):
            for each in definitions(self.module, [node]):
                self.lines[each.node] = i
                if each.name == "*":
                    self.star_imports.append(each)
                elif each.import_path != "__future__.annotations":
                    self.meanings.setdefault(each.name, []).append(each)
            return
        for name in _bound_by(node):
            self.meanings.setdefault(name, []).append(node)

    def _add_around(self) -> None:
        """The names of the functions around a class that is made in one."""
        for name, each in self.module.names.items():
            if name not in self.meanings and not isinstance(each.node, ast.arg):
                inner = each if isinstance(each.node, ast.alias) else each.node
                if each.node not in self.lines and isinstance(inner, Definition | ast.stmt):
                    self.meanings[name] = [inner]

    def meanings_for(
        self, name: str, reader: ast.AST, is_late: bool
    ) -> list[ast.stmt | Definition] | None:
        """What gives a name its meaning for a statement that reads it: while it runs it sees only what stands above it."""
        meanings, line = self.meanings.get(name), self.lines.get(reader)
        if meanings is None or is_late or line is None:
            return meanings
        above = [each for each in meanings if self.line_of(each) < line]
        return above or meanings

    def line_of(self, meaning: ast.stmt | Definition) -> int:
        return self.lines.get(meaning.node if isinstance(meaning, Definition) else meaning, -1)


def _bound_by(node: ast.stmt) -> Iterable[str]:
    """The names that a statement sets; not what it imports for types only."""
    if isinstance(node, ast.If) and is_type_checking(node):
        return [name for each in node.orelse for name in uses_of(each).binds]
    return [node.name] if isinstance(node, DEFINITIONS) else uses_of(node).binds


@lru_cache(maxsize=2048)
def top_of(module: Module) -> TopLevel:
    return TopLevel(module)
