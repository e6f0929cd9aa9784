"""Which names a function, class or comprehension has for itself, as Python's compiler sees it."""

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
    """The names that a function, lambda or comprehension has for itself, whatever of it has run.

    And those of which it says that they are of another scope; True for `global`.
    """
    body: list[ast.AST]
    found: set[str] = set()
    outside: dict[str, bool] = {}
    if isinstance(node, _FUNCTIONS):
        found.update(each.arg for each in arguments(node.args))
        body = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    else:
        body = [generator.target for generator in getattr(node, "generators", ())]
    _bound(body, found, outside)
    return frozenset(found - outside.keys()), MappingProxyType(outside)


def arguments(node: ast.arguments) -> list[ast.arg]:
    several = (*node.posonlyargs, *node.args, node.vararg, *node.kwonlyargs, node.kwarg)
    return [each for each in several if each is not None]


def _bound(body: list[ast.AST], found: set[str], outside: dict[str, bool]) -> None:
    """The names that a scope sets, inner scopes left out, and those that it says are of another."""
    waiting = body
    inner: list[ast.AST] = []  # in a comprehension, of which only `:=` sets a name here
    while waiting or inner:
        is_inner = not waiting
        node = (waiting or inner).pop()
        if isinstance(node, ast.NamedExpr):
            found.add(node.target.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            outside.update(dict.fromkeys(node.names, isinstance(node, ast.Global)))
        elif not is_inner:
            found.update(names_set(node))
        if isinstance(node, DEFINITIONS):
            waiting += _evaluated_outside(node)
        elif isinstance(node, ast.Lambda):
            (inner if is_inner else waiting).extend(defaults(node.args))
        else:
            is_inner = is_inner or isinstance(node, COMPREHENSIONS)
            (inner if is_inner else waiting).extend(children_of(node))


def children_of(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a node. As `ast.iter_child_nodes`, but faster, for this is most of the work of looking at a source."""
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            for each in value:
                if isinstance(each, ast.AST):
                    yield each
        elif isinstance(value, ast.AST) and value._fields:  # no `Load` and the like
            yield value


def names_set(node: ast.AST) -> tuple[str, ...]:
    """The names that a node sets or deletes by itself."""
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
    yield from (each for each in (*node.defaults, *node.kw_defaults) if each is not None)


def annotations_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    for each in arguments(node.args):
        if each.annotation is not None:
            yield each.annotation
    if node.returns is not None:
        yield node.returns


def _evaluated_outside(node: Any) -> Iterator[ast.AST]:
    """What of a `def` or `class` runs in the scope around it."""
    yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from (*node.bases, *node.keywords)
    else:
        yield from (*defaults(node.args), *annotations_of(node))
