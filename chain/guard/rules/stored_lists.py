"""A list read from a contract's storage is a value: replace it with a new list, never change it in place.

The list itself refuses changes when the contract runs (`chain.storage.frozen_list`). This rule reports them earlier, where
annotations show that a list was read from storage. Assigning to the field, to a key of a Map or to an item of a Vector is
not such a change.
"""

from __future__ import annotations

import ast
from typing import Final

from chain.guard.finding import Rule
from chain.guard.inference import infer, instance_of
from chain.guard.rules.shared_state import ARGUMENT_CHANGERS
from chain.guard.scope import Scopes
from chain.source.classes import changes_argument, method_of
from chain.source.static_types import StaticType, class_named
from chain.source.word_sets import word_set

STORED: Final = Rule(
    "stored_list",
    "this changes {text}, a list that was read from storage",
    "the list is a copy: the change would be lost, so it is refused when the contract runs",
    "assign a new list to {target}, such as [*{whole}, item], or a changed copy, list({whole})",
)
UNREAD: Final = Rule(
    "unread_list",
    "this adds to {text}, which was read from storage and is not used again",
    "the list is a copy, so the change is lost",
    "assign the longer list to self.{field}, or remove the line",
)

RULES: Final = (STORED, UNREAD)

_CHANGERS: Final = word_set(
    "append clear extend insert pop remove reverse sort __delitem__ __setitem__"
)
_LOOPS: Final = (ast.For, ast.While)


def _stored(node: ast.expr, place: Scopes) -> StaticType | None:
    value_type = infer(node, place)
    return (
        value_type
        if value_type is not None and value_type.name == "list" and value_type.field
        else None
    )


def _check(value: ast.expr, node: ast.AST, place: Scopes) -> None:
    value_type = _stored(value, place)
    if value_type is not None:
        whole = value  # a list in a list is written together with that one
        while isinstance(whole, ast.Subscript) and _stored(whole.value, place) is not None:
            whole = whole.value
        holder = infer(whole.value, place) if isinstance(whole, ast.Subscript) else None
        is_item = isinstance(whole, ast.Subscript) and (holder is None or holder.name != "tuple")
        place.report(
            STORED, node, text=_shown(value), whole=_shown(whole),
            target=_shown(whole) if is_item else f"self.{value_type.field}",
        )  # fmt: skip


def _shown(value: ast.expr) -> str:
    text = ast.unparse(value)
    return text if len(text) <= 40 else "the list"


def settings(node: ast.Subscript, place: Scopes) -> None:
    """`self.row[0] = 1`, `self.rows[0] += [1]`, `del self.row[0]`"""
    if not isinstance(node.ctx, ast.Load):
        _check(node.value, node, place)


def calls(node: ast.Call, place: Scopes) -> None:
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr in _CHANGERS:
        if place.path(func.value) == "builtins.list" and node.args:
            _check(node.args[0], node, place)
        else:
            _check(func.value, node, place)
    if not node.args:
        return
    is_shuffle = isinstance(func, ast.Attribute) and func.attr == "shuffle"
    if is_shuffle or place.path(func) in ARGUMENT_CHANGERS:
        _check(node.args[0], node, place)
    else:
        _hand_on(node, place)


def _hand_on(node: ast.Call, place: Scopes) -> None:
    """Report a stored list that is passed to a function of the package that changes its argument."""
    lists = [i for i, argument in enumerate(node.args) if _stored(argument, place)]
    function, first = _callee(node.func, place) if lists else (None, 0)
    if isinstance(function, ast.FunctionDef):
        for i in lists:
            if changes_argument(function, first + i) and not _sets(function, first + i):
                _check(node.args[i], node, place)


def _callee(func: ast.expr, place: Scopes) -> tuple[ast.AST | None, int]:
    """The function of the package that a call runs, and the position in it of the first argument that is passed."""
    scope = place.scope_of(func.id) if isinstance(func, ast.Name) else None
    if scope is not None and isinstance(func, ast.Name):
        return scope.functions.get(func.id), 0
    resolved = place.definition(func)
    if resolved is not None and not resolved[1] and isinstance(resolved[0].node, ast.FunctionDef):
        return resolved[0].node, 0
    holder = infer(func.value, place) if isinstance(func, ast.Attribute) else None
    cls = class_named(instance_of(holder) or holder, place.sources)
    name = func.attr if isinstance(func, ast.Attribute) else ""
    method = method_of(cls, name, place.sources) if cls else None
    if method is None:
        return None, 0
    is_static = any(ast.unparse(mark) == "staticmethod" for mark in method.decorator_list)
    return method, 0 if is_static else 1


def _sets(function: ast.FunctionDef, index: int) -> bool:
    """True if the function rebinds the argument at `index`: `row = list(row)`."""
    name = [*function.args.posonlyargs, *function.args.args][index].arg
    return any(
        isinstance(part, ast.Name) and part.id == name and not isinstance(part.ctx, ast.Load)
        for part in ast.walk(function)
    )


def additions(node: ast.AugAssign, place: Scopes) -> None:
    """Report `row += [1]`, where `row` was read from storage, if the new list it creates is not used afterwards."""
    target, function = node.target, place.function
    if not isinstance(target, ast.Name) or function is None:
        return
    read = ast.copy_location(ast.Name(target.id, ast.Load()), target)
    value_type = _stored(read, place)
    if value_type is not None and not _is_read_after(node, target.id, function):
        place.report(UNREAD, node, text=target.id, field=value_type.field)


def _is_read_after(node: ast.AugAssign, name: str, function: ast.AST) -> bool:
    loops = [loop for loop in ast.walk(function) if isinstance(loop, _LOOPS) and _has(loop, node)]
    start = min([node.lineno + 1, *(loop.lineno for loop in loops)])
    return any(
        isinstance(part, ast.Name)
        and part.id == name
        and isinstance(part.ctx, ast.Load)
        and part.lineno >= start
        for part in ast.walk(function)
    )


def _has(outer: ast.AST, inner: ast.AST) -> bool:
    return any(part is inner for part in ast.walk(outer))


CHECKS: Final = {
    ast.Subscript: (settings,),
    ast.Call: (calls,),
    ast.AugAssign: (additions,),
}
