"""What a name in a source stands for, by its dotted path: `functools.cache`, `builtins.id`, `contracts.blokus.state.Seat`."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module

_DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def imports_of(tree: ast.Module, module: str = "", is_package: bool = False) -> dict[str, str]:
    """Return the paths of all names that a file binds at its top: imported ones by their origin, its own by its module."""
    paths = {name: f"{module}.{name}" for node in tree.body for name in names_bound(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                paths[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            home = origin_of(node, module, is_package)
            for alias in node.names:
                if alias.name == "*":
                    paths = {name: f"{home}.{name}" for name in _public_names(home)} | paths
                else:
                    paths[alias.asname or alias.name] = f"{home}.{alias.name}"
    return paths


def _public_names(module: str) -> Sequence[str]:
    """Return what `from module import *` binds. A user's module counts only if it has been imported."""
    if module.partition(".")[0] in sys.stdlib_module_names | {"chain"}:
        with suppress(ImportError):
            import_module(module)
    found = vars(sys.modules[module]) if module in sys.modules else {}
    return found.get("__all__") or [name for name in found if not name.startswith("_")]


def origin_of(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    """Return the whole name of the module that a statement `from … import` names."""
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    parts = parts[: len(parts) - node.level + is_package]
    return ".".join([*parts, node.module] if node.module else parts)


def path_of(
    node: ast.AST, imports: Mapping[str, str], local: Sequence[frozenset[str]]
) -> str | None:
    """Return the path that an expression stands for; None if it is not a name that the top of the file determines."""
    if isinstance(node, ast.Attribute):
        holder = path_of(node.value, imports, local)
        return f"{holder}.{node.attr}" if holder and not holder.startswith("builtins.") else None
    if not isinstance(node, ast.Name) or any(node.id in names for names in local):
        return None
    return imports.get(node.id) or (f"builtins.{node.id}" if hasattr(builtins, node.id) else None)


def bound_in(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """Return the names that a function binds."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    args = {part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg)}
    return frozenset(args.union(*map(names_bound, body)))


def names_bound(node: ast.AST) -> set[str]:
    """Return the names that a statement binds, without those inside a function or class."""
    if isinstance(node, _DEFINITIONS):
        return {node.name}
    found = set[str]()
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        found.add(node.id)
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        found.add(node.name)
    elif isinstance(node, ast.MatchMapping) and node.rest:
        found.add(node.rest)
    inner = () if isinstance(node, ast.Lambda) else ast.iter_child_nodes(node)
    return found.union(*map(names_bound, inner))
