"""The functions of a module that may call themselves, directly or through others, as far as names show.

A false positive does no harm: the function takes a recursion level and gives it back. Neither does a false negative: a
recursion that names do not show reaches Python's own limit, which ends as out of gas too.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TypeAlias

from chain.source.modules import Module

Function: TypeAlias = ast.FunctionDef | ast.Lambda
_MAKERS = ("__init__", "__post_init__", "__hash__")
_GENERATORS = (ast.Yield, ast.YieldFrom)


@lru_cache(maxsize=2048)
def recursive_lines(module: Module) -> frozenset[tuple[int, int]]:
    """Return the line and column of each function that may call itself."""
    by_name: dict[str, list[ast.FunctionDef]] = {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef):
            by_name.setdefault(node.name, []).append(node)
    edges = {name: _called(nodes) & by_name.keys() for name, nodes in by_name.items()}
    return frozenset(
        (node.lineno, node.col_offset)
        for name in by_name
        if _reaches(name, edges) or _is_called_unnamed(name)
        for node in by_name[name]
        if not _yields(node)
    )


def _is_called_unnamed(name: str) -> bool:
    """True for `__eq__` and the like, which operators call without a name."""
    return name.startswith("__") and name.endswith("__") and name not in _MAKERS


def _called(nodes: list[ast.FunctionDef]) -> set[str]:
    names: set[str] = set()
    for function in nodes:
        for node in ast.walk(function):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute):
                names.add(node.attr)
    return names


def _reaches(start: str, edges: dict[str, set[str]]) -> bool:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for name in edges[waiting.pop()]:
            if name == start:
                return True
            if name not in seen:
                seen.add(name)
                waiting.append(name)
    return False


def _yields(function: ast.FunctionDef) -> bool:
    """True for a generator. It is not called while it runs, and an abandoned one would never give its level back."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, _GENERATORS):
            return True
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return False
