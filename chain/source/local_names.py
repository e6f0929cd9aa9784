"""The local names of a function, class or comprehension, as Python's compiler determines them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NAMED: Final = (*DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@lru_cache(maxsize=16384)
def own_names(node: ast.AST) -> tuple[frozenset[str], Mapping[str, bool]]:
    """The local names of a function, lambda or comprehension, and the names that it declares as another scope's.

    The latter map to True for `global` and to False for `nonlocal`.
    """
    body: list[ast.AST]
    bound: set[str] = set()
    outside: dict[str, bool] = {}
    if isinstance(node, _FUNCTIONS):
        bound.update(argument.arg for argument in arguments(node.args))
        body = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    else:
        body = [generator.target for generator in getattr(node, "generators", ())]
    _bound(body, bound, outside)
    return frozenset(bound - outside.keys()), MappingProxyType(outside)


def arguments(node: ast.arguments) -> list[ast.arg]:
    slots = (*node.posonlyargs, *node.args, node.vararg, *node.kwonlyargs, node.kwarg)
    return [argument for argument in slots if argument is not None]


def _bound(body: list[ast.AST], found: set[str], outside: dict[str, bool]) -> None:
    """Add the names that a scope sets to `found`, and those that it declares `global` or `nonlocal` to `outside`.

    The names of inner scopes do not count.
    """
    pending = body
    inner: list[ast.AST] = []  # inside a comprehension, where only `:=` sets a name of this scope
    while pending or inner:
        is_inner = not pending
        node = (pending or inner).pop()
        if isinstance(node, ast.NamedExpr):
            found.add(node.target.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            outside.update(dict.fromkeys(node.names, isinstance(node, ast.Global)))
        elif not is_inner:
            found.update(names_set(node))
        if isinstance(node, DEFINITIONS):
            pending += _evaluated_outside(node)
        elif isinstance(node, ast.Lambda):
            (inner if is_inner else pending).extend(defaults(node.args))
        else:
            is_inner = is_inner or isinstance(node, COMPREHENSIONS)
            (inner if is_inner else pending).extend(children_of(node))


def children_of(node: ast.AST) -> Iterator[ast.AST]:
    """The children of a node, as from `ast.iter_child_nodes`, but faster: reading spends most of its time here."""
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            for child in value:
                if isinstance(child, ast.AST):
                    yield child
        elif isinstance(value, ast.AST) and value._fields:  # `Load` and the like have no fields
            yield value


def names_set(node: ast.AST) -> tuple[str, ...]:
    """The names that a node itself sets or deletes, without its children."""
    if isinstance(node, ast.Name):
        return () if isinstance(node.ctx, ast.Load) else (node.id,)
    if isinstance(node, _NAMED):
        return (node.name,) if node.name else ()
    if isinstance(node, ast.MatchMapping):
        return (node.rest,) if node.rest else ()
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        return tuple(name for name in names if name != "*")
    return ()


def defaults(node: ast.arguments) -> Iterator[ast.expr]:
    yield from (default for default in (*node.defaults, *node.kw_defaults) if default is not None)


def annotations_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    for argument in arguments(node.args):
        if argument.annotation is not None:
            yield argument.annotation
    if node.returns is not None:
        yield node.returns


def _evaluated_outside(node: Any) -> Iterator[ast.AST]:
    """The parts of a `def` or `class` that are evaluated in the enclosing scope."""
    yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from (*node.bases, *node.keywords)
    else:
        yield from (*defaults(node.args), *annotations_of(node))
