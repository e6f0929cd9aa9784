"""Statements without an effect: a value is created or compared and then dropped, where it should be emitted, raised or set."""

from __future__ import annotations

import ast
from typing import Final

from chain.guard.finding import Rule
from chain.guard.scope import Scopes
from chain.source.word_sets import word_set

UNUSED_VALUE: Final = Rule(
    "made_and_dropped",
    "this {name} is created and dropped",
    "{what}",
    "write {instead}",
)
COMPARED: Final = Rule(
    "compared_and_dropped",
    "the result of this comparison is dropped",
    "it refuses nothing and sets nothing",
    "write one '=' to assign, or require(condition, text)",
)
UNCALLED: Final = Rule(
    "uncalled",
    "'{name}' is not called",
    "naming a method does not run it",
    "write {name}()",
)

UNENTERED: Final = Rule(
    "in_place_without_with",
    "'{name}' is not entered",
    "it opens and writes nothing",
    "write with {name}(…) as model:",
)

RULES: Final = (UNUSED_VALUE, COMPARED, UNCALLED, UNENTERED)

_REVERT: Final = word_set("Revert", "chain.") | word_set("Revert", "chain.errors.")
_MARKS: Final = {
    "event": ("it is not emitted", "self.emit({name}(…))"),
    "error": ("it refuses nothing", "raise {name}(…)"),
}


def statements(node: ast.Expr, place: Scopes) -> None:
    if not place.is_running:
        return
    value = node.value
    if isinstance(value, ast.Compare) and _is_own(value.left) and isinstance(value.ops[0], ast.Eq):
        place.report(COMPARED, node)
    elif isinstance(value, ast.Call):
        _created(value, place)
    elif isinstance(value, ast.Attribute) and _is_method(value, place):
        place.report(UNCALLED, node, name=ast.unparse(value))


def _created(node: ast.Call, place: Scopes) -> None:
    """Report an event that is not emitted, an error that is not raised or a context that is not entered."""
    if isinstance(node.func, ast.Attribute) and ast.unparse(node.func) == "self.world.in_place":
        place.report(UNENTERED, node, name="self.world.in_place")
    mark = "error" if place.path(node.func) in _REVERT else _mark_of(node.func, place)
    if mark:
        name = ast.unparse(node.func)
        problem, instead = _MARKS[mark]
        place.report(UNUSED_VALUE, node, name=name, what=problem, instead=instead.format(name=name))


def _mark_of(node: ast.expr, place: Scopes) -> str:
    """The decorator of the chain, `event` or `error`, that declares this class; empty if there is neither."""
    resolved = place.definition(node)
    if resolved is None or resolved[1] or not isinstance(resolved[0].node, ast.ClassDef):
        return ""
    module_scope = place.at_top_of(resolved[0].module)
    for decorator in resolved[0].node.decorator_list:
        home, _, mark = (module_scope.path(decorator) or "").rpartition(".")
        if mark in _MARKS and home in ("chain", "chain.spec.decorators"):
            return mark
    return ""


def _is_own(node: ast.expr) -> bool:
    """True if this is a member of the contract, or an item of one, and so could be assigned."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node.value, ast.Name):
            return node.value.id == "self"
        node = node.value
    return False


def _is_method(node: ast.Attribute, place: Scopes) -> bool:
    """True if this names a plain method of the enclosing class."""
    scope = place.scope
    while scope.outer is not None and scope.what != "class":
        scope = scope.outer
    if not isinstance(scope.node, ast.ClassDef) or not isinstance(node.value, ast.Name):
        return False
    return node.value.id == "self" and any(
        isinstance(statement, ast.FunctionDef)
        and statement.name == node.attr
        and not _is_property(statement)
        for statement in scope.node.body
    )


def _is_property(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator).endswith("property") for decorator in node.decorator_list)


CHECKS: Final = {ast.Expr: (statements,)}
