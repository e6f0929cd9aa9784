"""The sources of a contract as they were imported: which modules are its author's own, and the top level of each.

A module is the author's own if its Python file is neither installed nor part of the chain. Everything else, above all
the standard library, is used as it is.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from chain.source.discovery import read_text
from chain.source.global_names import uses_of
from chain.source.local_names import DEFINITIONS
from chain.source.modules import (
    Definition,
    Module,
    SourceTree,
    definitions,
    is_type_checking,
    parse_module,
)
from chain.source.other_packages import SHARED_FOLDERS, folder_of_package

# The top-level packages that are not an author's.
FOREIGN: Final = sys.stdlib_module_names - {"__main__"} | {"chain", "builtins"}

# By file: its modification time and size, and its text then.
_texts: dict[str, tuple[tuple[int, int], str]] = {}


def author_module(name: str, top: str) -> Module | None:
    """The module of that name, if it was imported and belongs to the author of the package `top`.

    Other installed packages count as the author's only if they are packages of contracts.
    """
    first, file = name.partition(".")[0], getattr(sys.modules.get(name), "__file__", None)
    if first in FOREIGN:
        return None
    is_installed = file is not None and not SHARED_FOLDERS.isdisjoint(Path(file).parts)
    if first != top and is_installed and folder_of_package(first) is None:
        return None
    return module_in(name, file)


def imported_sources(root: Module) -> SourceTree:
    """The sources of the modules that were imported with `root`, as far as they are of its author."""
    return SourceTree(root, partial(author_module, top=root.name.partition(".")[0]))


def module_in(name: str, file: str | None) -> Module | None:
    """Parse the module in a file; None if that is not readable Python."""
    if not file or not file.endswith(".py"):
        return None
    text = current_text(file)
    if not text:
        return None
    module = parse_module(name, file, text, Path(file).name == "__init__.py")
    return None if module.broken else module


def current_text(file: str) -> str:
    """The present text of a file, which is read again only if it has changed."""
    try:
        stat = Path(file).stat()
    except OSError:
        return read_text(file)
    stamp = stat.st_mtime_ns, stat.st_size
    cached = _texts.get(file)
    if cached is None or cached[0] != stamp:
        cached = _texts[file] = stamp, read_text(file)
    return cached[1]


class TopLevel:
    """The top level of a module: by name, the statements or imports that define it, in source order."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.meanings: dict[str, list[ast.stmt | Definition]] = {}
        self.star_imports: list[Definition] = []  # `from … import *`
        self.lines: dict[ast.AST, int] = {}  # of top-level nodes: the index of the statement
        for i, node in enumerate(module.tree.body):
            self._add(node, i)
        self._add_around()

    def _add(self, node: ast.stmt, i: int) -> None:
        self.lines[node] = i
        if isinstance(node, ast.Import | ast.ImportFrom):
            for definition in definitions(self.module, [node]):
                self.lines[definition.node] = i
                if definition.name == "*":
                    self.star_imports.append(definition)
                elif definition.import_path != "__future__.annotations":
                    self.meanings.setdefault(definition.name, []).append(definition)
            return
        for name in _bound_by(node):
            self.meanings.setdefault(name, []).append(node)

    def _add_around(self) -> None:
        """Add the names of the enclosing functions, for a class that is defined in a function."""
        for name, definition in self.module.names.items():
            if name not in self.meanings and not isinstance(definition.node, ast.arg):
                meaning = definition if isinstance(definition.node, ast.alias) else definition.node
                if definition.node not in self.lines and isinstance(meaning, Definition | ast.stmt):
                    self.meanings[name] = [meaning]

    def meanings_for(
        self, name: str, reader: ast.AST, is_late: bool
    ) -> list[ast.stmt | Definition] | None:
        """The definitions of a name that the statement `reader` may see; while it runs, only those above it."""
        meanings, line = self.meanings.get(name), self.lines.get(reader)
        if meanings is None or is_late or line is None:
            return meanings
        above = [meaning for meaning in meanings if self.line_of(meaning) < line]
        return above or meanings

    def line_of(self, meaning: ast.stmt | Definition) -> int:
        """The index of the top-level statement; -1 for a node that is not at the top level."""
        return self.lines.get(meaning.node if isinstance(meaning, Definition) else meaning, -1)


def _bound_by(node: ast.stmt) -> Iterable[str]:
    """The names that a statement sets, without imports that are for type checking only."""
    if isinstance(node, ast.If) and is_type_checking(node):
        return [name for statement in node.orelse for name in uses_of(statement).binds]
    return [node.name] if isinstance(node, DEFINITIONS) else uses_of(node).binds


@lru_cache(maxsize=2048)
def top_of(module: Module) -> TopLevel:
    return TopLevel(module)
