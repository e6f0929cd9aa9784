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
    nodes = [*ast.walk(module.tree)]
    imported = {name for node in nodes for name in _imported(node)}
    by_name: dict[str, list[ast.FunctionDef]] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            by_name.setdefault(node.name, []).append(node)
    edges = {
        function: [called for name in _names_in(function, imported) for called in by_name.get(name, ())]
        for functions in by_name.values()
        for function in functions
    }  # fmt: skip
    return frozenset(
        (function.lineno, function.col_offset)
        for function in edges
        if (_reaches(function, edges) or _is_called_unnamed(function.name))
        and not _yields(function)
    )


def _is_called_unnamed(name: str) -> bool:
    """True for `__eq__` and the like, which operators call without a name."""
    return name.startswith("__") and name.endswith("__") and name not in _MAKERS


def _imported(node: ast.AST) -> list[str]:
    """Return the names that an import binds."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return []
    return [alias.asname or alias.name.partition(".")[0] for alias in node.names]


def _names_in(function: ast.FunctionDef, imported: set[str]) -> set[str]:
    """Return the names in a function, without those of what it imports: `rules.play` is not the `play` of its own module."""
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            is_foreign = isinstance(node.value, ast.Name) and node.value.id in imported
            names.update([] if is_foreign else [node.attr])
    return names


def _reaches(start: ast.FunctionDef, edges: dict[ast.FunctionDef, list[ast.FunctionDef]]) -> bool:
    """Return True if a function may call itself."""
    seen: set[ast.FunctionDef] = set()
    waiting = [start]
    while waiting:
        for function in edges[waiting.pop()]:
            if function is start:
                return True
            if function not in seen:
                seen.add(function)
                waiting.append(function)
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
