"""What a call hands on: which function of ours it runs, and which of that function's arguments are sets there.

An annotation such as `Iterable[str]`, or none at all, leaves open what comes. So a function is read once more for each
way in which somebody hands it a set.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from chain.guard.scope import (
    Scope,
    Scopes,
)
from chain.source.classes import lineage
from chain.source.modules import Module
from chain.source.static_types import (
    StaticType,
    class_named,
)

Function = ast.FunctionDef | ast.Lambda


class Callee(NamedTuple):
    """A function of ours, where it stands, and what the first argument of a method is."""

    function: Function
    module: Module
    scope: Scope
    me: StaticType | None = None


def resolve_callee(node: ast.Call, place: Scopes) -> Callee | None:
    """The function that a call runs, if it is one of ours."""
    func = node.func
    holder = place.scope_of(func.id) if isinstance(func, ast.Name) else None
    if holder is not None and isinstance(func, ast.Name):
        function = holder.functions.get(func.id)
        return None if function is None else Callee(function, place.module, holder)
    found = place.definition(func)
    if found is not None and not found[1]:
        definition = found[0]
        for each in (definition.node, definition.value):
            if isinstance(each, Function):
                return Callee(each, definition.module, Scope("module", None, None))
    return _method(func, place) if isinstance(func, ast.Attribute) else None


def _method(func: ast.Attribute, place: Scopes) -> Callee | None:
    kind = place.kind(func.value)
    if kind is not None and kind.name == "class" and kind.of:
        kind = kind.of[0]
    cls = class_named(kind, place.sources)
    for each in lineage(cls, place.sources) if cls else ():
        method = each.methods.get(func.attr)
        if isinstance(method, ast.FunctionDef):
            static = any(ast.unparse(mark) == "staticmethod" for mark in method.decorator_list)
            top = Scope("module", None, None)
            return Callee(method, each.definition.module, top, None if static else kind)
    return None


def set_arguments(node: ast.Call, to: Callee, place: Scopes) -> dict[str, StaticType]:
    """The arguments that are sets in this call, by the names that the function has for them."""
    args = to.function.args
    names = [each.arg for each in (*args.posonlyargs, *args.args)][to.me is not None :]
    given: list[tuple[Any, ast.expr]] = [(each.arg, each.value) for each in node.keywords]
    for name, value in zip(names, node.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        given.append((name, value))
    known = {each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    kinds = {name: place.kind(value) for name, value in given if name in known}
    return {name: kind for name, kind in kinds.items() if kind is not None and kind.name == "set"}
