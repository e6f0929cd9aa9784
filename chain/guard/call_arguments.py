"""The arguments of calls: which function of the package a call runs, and which of its arguments are sets there.

An annotation such as `Iterable[str]`, or a missing one, leaves the argument's type open. So a function is read once more for
each combination of arguments that are sets in some call.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from chain.guard.scope import Scope, Scopes
from chain.source.classes import lineage
from chain.source.modules import Module
from chain.source.static_types import StaticType, class_named

Function = ast.FunctionDef | ast.Lambda


class Callee(NamedTuple):
    """A function of the package, its scope, and the type of the first argument if it is a method (`me`)."""

    function: Function
    module: Module
    scope: Scope
    me: StaticType | None = None


def resolve_callee(node: ast.Call, place: Scopes) -> Callee | None:
    """The function that a call runs, if it belongs to the package."""
    func = node.func
    holder = place.scope_of(func.id) if isinstance(func, ast.Name) else None
    if holder is not None and isinstance(func, ast.Name):
        function = holder.functions.get(func.id)
        return None if function is None else Callee(function, place.module, holder)
    resolved = place.definition(func)
    if resolved is not None and not resolved[1]:
        definition = resolved[0]
        for function_node in (definition.node, definition.value):
            if isinstance(function_node, Function):
                return Callee(function_node, definition.module, Scope("module", None, None))
    return _method(func, place) if isinstance(func, ast.Attribute) else None


def _method(func: ast.Attribute, place: Scopes) -> Callee | None:
    holder_type = place.kind(func.value)
    if holder_type is not None and holder_type.name == "class" and holder_type.of:
        holder_type = holder_type.of[0]
    cls = class_named(holder_type, place.sources)
    for base in lineage(cls, place.sources) if cls else ():
        method = base.methods.get(func.attr)
        if isinstance(method, ast.FunctionDef):
            static = any(
                ast.unparse(decorator) == "staticmethod" for decorator in method.decorator_list
            )
            top = Scope("module", None, None)
            return Callee(method, base.definition.module, top, None if static else holder_type)
    return None


def set_arguments(node: ast.Call, to: Callee, place: Scopes) -> dict[str, StaticType]:
    """The arguments that are sets in this call, by the function's names for them."""
    args = to.function.args
    names = [arg.arg for arg in (*args.posonlyargs, *args.args)][to.me is not None :]
    passed: list[tuple[Any, ast.expr]] = [(keyword.arg, keyword.value) for keyword in node.keywords]
    for name, value in zip(names, node.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        passed.append((name, value))
    parameters = {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    value_types = {name: place.kind(value) for name, value in passed if name in parameters}
    return {
        name: value_type
        for name, value_type in value_types.items()
        if value_type is not None and value_type.name == "set"
    }
