"""A list that is read from a contract's storage is a value. It is made anew and assigned, not changed where it is.

The value itself refuses to be changed when the contract runs (`chain.storage.frozen_list`); here it is said sooner, where
annotations tell what is read. An assignment to the field, to a key of a Map or to an item of a Vector is no such change.
"""

from __future__ import annotations

import ast
from typing import Final

from chain.guard.call_arguments import resolve_callee
from chain.guard.finding import Rule
from chain.guard.rules.shared_state import ARGUMENT_CHANGERS
from chain.guard.scope import Scopes
from chain.source.classes import changes_argument
from chain.source.static_types import StaticType
from chain.source.word_sets import word_set

STORED: Final = Rule(
    "stored_list",
    "this changes {text}, a list that was read from storage",
    "what is read is a copy, so the change would be lost, and is refused when the contract runs",
    "put a new list into self.{field}, such as [*{text}, item], or a changed copy, list({text})",
)
UNREAD: Final = Rule(
    "unread_list",
    "this adds to {text}, which was read from storage and is not looked at again",
    "what is read is a copy, so the change is lost",
    "put the longer list into self.{field}, or take the line away",
)

RULES: Final = (STORED, UNREAD)

_CHANGERS: Final = word_set(
    "append clear extend insert pop remove reverse sort __delitem__ __setitem__"
)
_LOOPS: Final = (ast.For, ast.While)


def _stored(node: ast.expr, place: Scopes) -> StaticType | None:
    kind = place.kind(node)
    return kind if kind is not None and kind.name == "list" and kind.field else None


def _check(value: ast.expr, node: ast.AST, place: Scopes) -> None:
    kind = _stored(value, place)
    if kind is not None:
        text = ast.unparse(value)
        place.report(STORED, node, text=text if len(text) <= 40 else "the list", field=kind.field)


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
    """A list of storage is given to a function of ours that changes what it is given."""
    lists = [i for i, each in enumerate(node.args) if _stored(each, place)]
    to = resolve_callee(node, place) if lists else None
    if to is None or not isinstance(to.function, ast.FunctionDef):
        return
    first = 0 if to.me is None else 1
    for i in lists:
        if changes_argument(to.function, first + i) and not _sets(to.function, first + i):
            _check(node.args[i], node, place)


def _sets(function: ast.FunctionDef, index: int) -> bool:
    """Whether the function gives another value to that argument: `row = list(row)`."""
    name = [*function.args.posonlyargs, *function.args.args][index].arg
    return any(
        isinstance(each, ast.Name) and each.id == name and not isinstance(each.ctx, ast.Load)
        for each in ast.walk(function)
    )


def additions(node: ast.AugAssign, place: Scopes) -> None:
    """`row += [1]`, where `row` was read from storage: it makes a new list, which somebody must look at."""
    target, function = node.target, place.function
    if not isinstance(target, ast.Name) or function is None:
        return
    read = ast.copy_location(ast.Name(target.id, ast.Load()), target)
    kind = _stored(read, place)
    if kind is not None and not _is_read_after(node, target.id, function):
        place.report(UNREAD, node, text=target.id, field=kind.field)


def _is_read_after(node: ast.AugAssign, name: str, function: ast.AST) -> bool:
    loops = [each for each in ast.walk(function) if isinstance(each, _LOOPS) and _has(each, node)]
    start = min([node.lineno + 1, *(each.lineno for each in loops)])
    return any(
        isinstance(each, ast.Name)
        and each.id == name
        and isinstance(each.ctx, ast.Load)
        and each.lineno >= start
        for each in ast.walk(function)
    )


def _has(outer: ast.AST, inner: ast.AST) -> bool:
    return any(each is inner for each in ast.walk(outer))


CHECKS: Final = {
    ast.Subscript: (settings,),
    ast.Call: (calls,),
    ast.AugAssign: (additions,),
}
