"""Syntax trees of source files: each text of a file is parsed once. The trees are shared and must not be changed."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path
from typing import Final

_BLOCKS: Final = ("body", "orelse", "handlers", "finalbody", "cases")


@lru_cache(maxsize=1024)
def tree_of(file: str, text: str) -> ast.Module:
    """The syntax tree of a file that holds this text. Raise SyntaxError if it is not Python."""
    return ast.parse(text, file)


@lru_cache(maxsize=1024)
def definitions_in(file: str, text: str) -> list[ast.AST]:
    """The classes and functions in a file that holds this text, outer ones first; none if it is not Python."""
    try:
        level: list[ast.AST] = [tree_of(file, text)]
    except SyntaxError:
        return []
    found: list[ast.AST] = []
    while level:
        level = [inner for node in level for block in _BLOCKS for inner in getattr(node, block, ())]
        found += [
            node
            for node in level
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        ]
    return found


def text_tree(file: str) -> ast.Module:
    """The syntax tree of a file as it is now; an empty one if it cannot be read."""
    try:
        return tree_of(file, Path(file).read_text("utf-8"))
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])
