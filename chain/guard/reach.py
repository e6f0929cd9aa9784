"""What else bears on the values that a contract uses: statements that change them, though the contract never mentions these."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from chain.guard.classes import CHANGERS, root_name
from chain.guard.sources import Definition, Module


def others_that_change(module: Module, seen: Set[ast.AST]) -> list[ast.stmt]:
    """The statements at the top of a module that were not seen yet and change a value of those that were."""
    values = {name for name, each in module.names.items() if each.is_value and each.node in seen}
    if not values:
        return []
    others = (node for node in module.tree.body if node not in seen)
    return [node for node in others if values & _changes_when_imported(node, module)]


def _changes_when_imported(node: ast.stmt, module: Module) -> set[str]:
    """A function or class that stands there does nothing, but its decorators do."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        parts: list[ast.AST] = list(node.decorator_list)
    else:
        parts = [node]
    found: set[str] = set()
    called: set[Definition] = set()
    for part in parts:
        _collect(part, module, found, called)
    return found


def _collect(node: ast.AST, module: Module, found: set[str], called: set[Definition]) -> None:
    """The names that a piece of source changes, itself or through functions of its module that it mentions."""
    for each in ast.walk(node):
        found.update(_changed(each))
        if isinstance(each, ast.Name):
            other = module.names.get(each.id)
            if other and other not in called and isinstance(other.node, ast.FunctionDef):
                called.add(other)
                _collect(other.node, module, found, called)


def _changed(node: ast.AST) -> Iterator[str]:
    root: str | None = None
    if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
        root = root_name(node)
    elif isinstance(node, ast.AugAssign):
        root = root_name(node.target)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        root = root_name(node.func.value) if node.func.attr in CHANGERS else None
    if root is not None:
        yield root
