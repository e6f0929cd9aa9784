"""Walks over sets at the top of a module, which show their order. In Python, that order differs in every run. On chain, a
set keeps the order of insertion, but a module is imported before that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from typing import Final

from chain.source.word_sets import word_set

_WALKING: Final = word_set("dict enumerate filter fromkeys iter join list map reversed tuple zip")
_ORDER_FREE: Final = word_set("all any frozenset len max min set sorted sum")


def is_set(node: ast.expr | None, sets: Set[str]) -> bool:
    """Return True for an expression that is plainly a set. `sets` are the names of sets."""
    match node:
        case ast.Set() | ast.SetComp() | ast.Call(ast.Name("set" | "frozenset")):
            return True
        case ast.BinOp(left, ast.BitOr() | ast.BitAnd() | ast.BitXor() | ast.Sub()):
            return is_set(left, sets)
    return isinstance(node, ast.Name) and node.id in sets


def sets_walked_over(node: ast.AST, sets: Set[str], is_free: bool = False) -> Iterator[ast.expr]:
    """Yield the sets whose order shows in a statement, functions in it left out. In `sorted(…)` and the like, order is free."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        return
    if not is_free:
        yield from (each for each in _walked_over(node) if is_set(each, sets))
    is_free = isinstance(node, ast.Set | ast.SetComp) or _is_call(node, _ORDER_FREE)
    for child in ast.iter_child_nodes(node):
        yield from sets_walked_over(child, sets, is_free)


def _walked_over(node: ast.AST) -> Iterable[ast.expr]:
    match node:
        case (
            ast.For(iter=walked)
            | ast.Starred(walked, ast.Load())
            | ast.Assign([ast.Tuple()], walked)
        ):
            return [walked]
        case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
            return [part.iter for part in node.generators]
        case ast.Call(args=arguments) if _is_call(node, _WALKING):
            return arguments
    return []


def _is_call(node: ast.AST, names: Set[str]) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in names
