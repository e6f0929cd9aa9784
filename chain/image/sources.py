"""The sources of a contract as they were imported: which modules are its author's own, and what stands at the top of each.

Own is what lies in a file of Python that is neither installed nor the chain's. All else, the standard library above all, is
taken as it is.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from chain.guard.packages import text_of
from chain.guard.sources import SHARED_FOLDERS, Definition, Module, definitions, read

_FOREIGN: Final = sys.stdlib_module_names - {"__main__"} | {"chain", "builtins"}

_texts: dict[
    str, tuple[tuple[int, int], str]
] = {}  # by file: when it was last changed, what it said


def own_module(name: str, top: str) -> Module | None:
    """The module of that name, if it was imported and belongs to the author of the package `top`.

    In a folder of installed packages, which are of many authors, only that package does.
    """
    first, file = name.partition(".")[0], getattr(sys.modules.get(name), "__file__", None)
    if first in _FOREIGN:
        return None
    if first != top and file and not SHARED_FOLDERS.isdisjoint(Path(file).parts):
        return None
    return module_in(name, file)


def module_in(name: str, file: str | None) -> Module | None:
    if not file or not file.endswith(".py"):
        return None
    text = current_text(file)
    if not text:
        return None
    module = read(name, file, text, Path(file).name == "__init__.py")
    return None if module.broken else module


def current_text(file: str) -> str:
    """What a file says now; it is read again only where it has changed."""
    try:
        found = Path(file).stat()
    except OSError:
        return text_of(file)
    stamp = found.st_mtime_ns, found.st_size
    known = _texts.get(file)
    if known is None or known[0] != stamp:
        known = _texts[file] = stamp, text_of(file)
    return known[1]


class Top:
    """What stands at the top of a module: by name the statements or imports that give it a meaning."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.meanings: dict[str, list[ast.stmt | Definition]] = {}
        self.stars: list[Definition] = []  # `from … import *`
        self.changers: list[ast.stmt] = []  # statements that give no name a meaning
        for node in module.tree.body:
            self._add(node)
        known = {id(each) for each in module.tree.body}
        for (
            name,
            each,
        ) in module.names.items():  # of the functions around a class that is made in one
            if name not in self.meanings and not isinstance(each.node, ast.arg):
                inner = each if isinstance(each.node, ast.alias) else each.node
                if id(each.node) not in known and isinstance(inner, Definition | ast.stmt):
                    self.meanings[name] = [inner]

    def _add(self, node: ast.stmt) -> None:
        found = list(definitions(self.module, [node]))
        if isinstance(node, ast.Import | ast.ImportFrom):
            for each in found:
                if each.name == "*":
                    self.stars.append(each)
                elif each.target != "__future__.annotations":
                    self.meanings.setdefault(each.name, []).append(each)
            return
        for name in dict.fromkeys(each.name for each in found if not each.is_for_types):
            self.meanings.setdefault(name, []).append(node)
        if not found:
            self.changers.append(node)


@lru_cache(maxsize=2048)
def top_of(module: Module) -> Top:
    return Top(module)


@lru_cache(maxsize=16384)
def mentions(node: ast.AST) -> tuple[frozenset[str], frozenset[tuple[str, str]], frozenset[str]]:
    """The names that a piece of source mentions: by themselves, with an attribute behind them, and in imports within it."""
    bare: set[str] = set()
    dotted: set[tuple[str, str]] = set()
    imported: set[str] = set()
    _collect(node, bare, dotted, imported)
    return frozenset(bare), frozenset(dotted), frozenset(imported)


def _collect(
    node: ast.AST, bare: set[str], dotted: set[tuple[str, str]], imported: set[str]
) -> None:
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            dotted.add((each.value.id, each.attr))
            continue
        if isinstance(each, ast.Name):
            bare.add(each.id)
        elif isinstance(each, ast.Import):
            imported.update(alias.name for alias in each.names)
        elif isinstance(each, ast.ImportFrom) and not each.level:
            imported.update(f"{each.module}.{alias.name}" for alias in each.names)
        for text in _annotations_as_text(each):
            waiting.append(text)
        waiting += ast.iter_child_nodes(each)


def _annotations_as_text(node: ast.AST) -> Iterator[ast.AST]:
    for name in ("annotation", "returns"):
        annotation = getattr(node, name, None)
        for each in ast.walk(annotation) if isinstance(annotation, ast.AST) else ():
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                try:
                    yield ast.parse(each.value, mode="eval")
                except SyntaxError:
                    continue
