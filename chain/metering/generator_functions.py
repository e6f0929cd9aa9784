"""Generator functions that charge when they are called: Python makes the generator then, and runs none of its body.

The function gets another one inside, with the same parameters, whose body is its own.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from chain.metering.fuel import GENERATOR, tick_lines
from chain.metering.insert_ticks import statements_before, tick_expression

_MADE: Final = 16  # ticks to make a generator


def charged_function(function: ast.FunctionDef) -> None:
    """Change a function in place, if it makes generators."""
    if not _yields(function.body):
        return
    head = [function.body.pop(0)] if ast.get_docstring(function, clean=False) is not None else []
    place = function.body[0] if function.body else head[0]
    inner = ast.FunctionDef(GENERATOR, _bare(function.args), function.body, [])
    made = ast.Return(_call(function.args))
    function.body = [
        *head,
        *statements_before(place, tick_lines(_MADE)),
        ast.copy_location(inner, function),
        ast.copy_location(made, place),
    ]
    for node in (*ast.walk(inner.args), *ast.walk(made)):
        ast.copy_location(node, place)


def charged_lambda(function: ast.Lambda) -> None:
    """Change a lambda function in place, if it makes generators."""
    if _yields([function.body]):
        nothing = ast.arguments([], [], None, [], [], None, [])
        inner = ast.copy_location(ast.Lambda(nothing, function.body), function.body)
        call = ast.copy_location(ast.Call(inner, [], []), inner)
        both = ast.BoolOp(ast.And(), [tick_expression(inner, _MADE), call])
        function.body = ast.copy_location(both, inner)


def _yields(nodes: Sequence[ast.AST]) -> bool:
    waiting: list[ast.AST] = [*nodes]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return False


def _bare(args: ast.arguments) -> ast.arguments:
    """Return parameters without defaults and annotations."""

    def bare(arg: ast.arg) -> ast.arg:
        return ast.arg(arg.arg)

    return ast.arguments(
        posonlyargs=[bare(arg) for arg in args.posonlyargs],
        args=[bare(arg) for arg in args.args],
        vararg=args.vararg and bare(args.vararg),
        kwonlyargs=[bare(arg) for arg in args.kwonlyargs],
        kw_defaults=[None for _ in args.kwonlyargs],
        kwarg=args.kwarg and bare(args.kwarg),
        defaults=[],
    )


def _call(args: ast.arguments) -> ast.expr:
    """Return a call of a function with its own parameters."""

    def value(arg: ast.arg) -> ast.expr:
        return ast.Name(arg.arg, ast.Load())

    positional = [value(arg) for arg in (*args.posonlyargs, *args.args)]
    if args.vararg:
        positional.append(ast.Starred(value(args.vararg), ast.Load()))
    keywords = [ast.keyword(arg.arg, value(arg)) for arg in args.kwonlyargs]
    if args.kwarg:
        keywords.append(ast.keyword(None, value(args.kwarg)))
    return ast.Call(ast.Name(GENERATOR, ast.Load()), positional, keywords)
