"""`NotImplemented` tells Python to ask the other operand. An operator may return it, and nothing else may use it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from chain.guard.allowlist import OPERATORS
from chain.guard.finding import Rule
from chain.guard.scope import Scopes
from chain.source.classes import is_super

AS_A_VALUE: Final = Rule(
    "not_implemented",
    "'{name}' is used as a value, and may be NotImplemented",
    "older versions of Python take that for true, newer ones raise an error",
    "return it from a method such as __eq__, or compare it with 'is NotImplemented'",
)

RULES: Final = (AS_A_VALUE,)
_INNER: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def functions(node: ast.FunctionDef, place: Scopes) -> None:
    if node.name in OPERATORS and place.scope.what == "class":
        place.suppressed.update(_returned(node))


def _returned(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a function returns."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Return) and part.value is not None:
            yield from _choices(part.value)
        elif not isinstance(part, _INNER):
            yield from _returned(part)


def _choices(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.IfExp):
        yield from _choices(value.body)
        yield from _choices(value.orelse)
    else:
        yield value.func if isinstance(value, ast.Call) else value


def comparisons(node: ast.Compare, place: Scopes) -> None:
    if all(isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops):
        for side in (node.left, *node.comparators):
            place.suppressed.update(_choices(side))


def names(node: ast.Name, place: Scopes) -> None:
    if node not in place.suppressed and place.path(node) == "builtins.NotImplemented":
        place.report(AS_A_VALUE, node, name=node.id)


def attributes(node: ast.Attribute, place: Scopes) -> None:
    if node not in place.suppressed and node.attr in OPERATORS and is_super(node.value):
        place.report(AS_A_VALUE, node, name=ast.unparse(node))


CHECKS: Final = {
    ast.FunctionDef: (functions,),
    ast.Compare: (comparisons,),
    ast.Name: (names,),
    ast.Attribute: (attributes,),
}
