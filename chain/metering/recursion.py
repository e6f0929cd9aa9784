"""Which functions of a module may call themselves, as far as names tell: over a ring of others, or as it only seems.

Too many are no harm, they take a level and give it back. Too few neither: what runs away in ways that names do not tell meets
Python's own limit, which is out of gas as well.
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
    """Where the functions begin that may call themselves."""
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
    """`__eq__` and the like: an operator that calls it has no name."""
    return name.startswith("__") and name.endswith("__") and name not in _MAKERS


def _called(nodes: list[ast.FunctionDef]) -> set[str]:
    found: set[str] = set()
    for function in nodes:
        for node in ast.walk(function):
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
    return found


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
    """A generator is not called while it runs; where it is left, its level would stay with it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, _GENERATORS):
            return True
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return False
