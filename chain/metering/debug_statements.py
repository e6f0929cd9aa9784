"""The statements `print(…)` and `breakpoint()` in contracts: they are for the author; the chain treats them as comments.

They are not in the digest, take no fuel, and run only on a chain that is debugged (`chain.machine.debugging`). For that they
are hidden while their function is instrumented. Where a module defines one of the names itself, its calls are ordinary.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Any, Final, TypeVar

from chain.metering.instrumented_builtins import IS_DEBUGGED, LOOKING
from chain.source.modules import Module

T = TypeVar("T", bound=ast.AST)

NAMES: Final = ("print", "breakpoint")
_PRINTED: Final = f"if {IS_DEBUGGED}():\n    with {LOOKING}(): pass"
_STOPPED: Final = f"if {IS_DEBUGGED}(): pass"


def hide(tree: T, module: Module) -> T:
    """Replace each debug statement by a `pass`, which costs nothing."""
    for node in list(ast.walk(tree)):
        for statements in _bodies(node):
            for i, statement in enumerate(statements):
                if is_debug(statement, module):
                    stand_in = ast.copy_location(ast.Pass(), statement)
                    stand_in.debug = statement  # type: ignore[attr-defined]
                    statements[i] = stand_in
    return tree


def show(tree: T) -> T:
    """Restore the hidden statements, each behind a check whether debugging is on."""
    for node in list(ast.walk(tree)):
        for statements in _bodies(node):
            for i, stand_in in enumerate(statements):
                if hasattr(stand_in, "debug"):
                    statements[i] = _guarded(stand_in.debug)
    return tree


def without(statements: list[object], module: Module) -> list[Any]:
    """Return a body without its debug statements; if nothing is left, a `pass`."""
    kept = [statement for statement in statements if not is_debug(statement, module)]
    return kept if kept or not statements else [ast.Pass()]


def is_debug(node: object, module: Module) -> bool:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    called = node.value.func
    return isinstance(called, ast.Name) and called.id in NAMES and called.id not in _own(module)


@lru_cache(maxsize=4096)
def _own(module: Module) -> frozenset[str]:
    """Return which of the names the module binds itself, anywhere."""
    if not any(name in module.text for name in NAMES):
        return frozenset()
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
    return frozenset(found & {*NAMES})


def _bodies(node: ast.AST) -> list[list[Any]]:
    bodies = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    return [body for body in bodies if isinstance(body, list)]


def _guarded(statement: ast.stmt) -> ast.stmt:
    """Return a debug statement that runs if the chain is debugged. A breakpoint stops in the function itself."""
    call: Any = statement
    stops = call.value.func.id == "breakpoint"
    outer: Any = ast.parse(_STOPPED if stops else _PRINTED).body[0]
    inner = outer if stops else outer.body[0]
    inner.body = [statement]
    for node in ast.walk(outer):
        if not hasattr(node, "lineno") or node in (outer, inner):
            ast.copy_location(node, statement)
    return ast.copy_location(outer, statement)  # type: ignore[no-any-return]
