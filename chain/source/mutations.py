"""Statements that change the values a contract uses, although the contract never mentions these statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from typing import Final

from chain.source.classes import CHANGERS, changes_argument, changes_self, root_name
from chain.source.global_names import Uses, uses_of
from chain.source.local_names import DEFINITIONS, children_of
from chain.source.modules import Module, is_main
from chain.source.word_sets import word_set

# Functions that pass on the items of their arguments, so that changing such an item changes the argument.
_HANDING_ON: Final = word_set("enumerate filter iter list map next reversed sorted tuple zip")
_VIEWS: Final = word_set("values items get setdefault")
# Functions of the standard library that change their first argument.
_FOREIGN_CHANGERS: Final = word_set(
    "insort insort_left insort_right heapify heappop heappush heappushpop heapreplace shuffle delitem setitem"
)


def statements_mutating(
    module: Module, seen: Set[ast.AST], names: Set[str]
) -> list[tuple[ast.stmt, str]]:
    """The unseen top-level statements of a module that change the value of one of `names`, each with that name."""
    statements = []
    for node in module.tree.body:
        if node not in seen and not isinstance(node, ast.Import | ast.ImportFrom):
            changed = names & changes_of(node, module)
            if changed and not is_main(node):
                statements.append((node, min(changed)))
    return statements


@lru_cache(maxsize=16384)
def changes_of(node: ast.stmt, module: Module) -> frozenset[str]:
    """The global names whose values a statement changes, directly or through functions that it mentions."""
    changes = _Changes(module)
    if not isinstance(node, DEFINITIONS):
        changes.collect(uses_of(node), [node])
    elif node.decorator_list:  # a definition itself runs nothing, but its decorators do
        changes.collect(uses_of(node), node.decorator_list)
    return frozenset(changes.found)


class _Changes:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.found: set[str] = set()
        self.followed: set[ast.AST] = set()

    def collect(self, uses: Uses, body: Sequence[ast.AST]) -> None:
        """Collect the names whose values `body` changes; `uses` describes the statement that `body` is a part of."""
        running = [node for part in body for node in _running(part)]
        roots = {root for node in running for root in self._changed(node)}
        for root in _followed(roots, _aliases(running)):
            if root in uses.names or root in uses.binds or root in uses.binds_late:
                self.found |= _followed({root}, _aliases_of(self.module))
        mentioned = {
            node.id for node in running if isinstance(node, ast.Name) and node in uses.nodes
        }
        for name in mentioned:
            definition = self.module.names.get(name)
            function = definition.node if definition is not None else None
            if isinstance(function, ast.FunctionDef) and function not in self.followed:
                self.followed.add(function)
                inner = uses_of(function)
                self.found |= set(inner.binds_late)
                self.collect(inner, function.body)

    def _changed(self, node: ast.AST) -> Iterator[str]:
        """The root names of the expressions whose values a node changes."""
        changed: list[ast.expr] = []
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            changed.append(node)
        elif isinstance(node, ast.AugAssign):
            changed.append(node.target)
        elif isinstance(node, ast.Call):
            changed += self._changed_by_call(node)
        for expression in changed:
            root = root_name(expression)
            if root is not None:
                yield root

    def _changed_by_call(self, node: ast.Call) -> Iterator[ast.expr]:
        func = node.func
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if isinstance(func, ast.Attribute) and (name in CHANGERS or self._is_doer(func)):
            yield func.value
        if name in _FOREIGN_CHANGERS:
            yield from node.args[:1]
        definition = self.module.names.get(name) if isinstance(func, ast.Name) else None
        if definition is not None and isinstance(definition.node, ast.FunctionDef):
            for i, argument in enumerate(node.args):
                if changes_argument(definition.node, i):
                    yield argument

    def _is_doer(self, func: ast.Attribute) -> bool:
        """True for `REGISTRY.enter(…)`, where `REGISTRY = Registry()` and that method changes its instance."""
        holder = self.module.names.get(root_name(func) or "")
        value = holder.value if holder is not None else None
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
            return False
        created_class = self.module.names.get(value.func.id)
        return (
            created_class is not None
            and isinstance(created_class.node, ast.ClassDef)
            and any(
                isinstance(member, ast.FunctionDef)
                and member.name == func.attr
                and changes_self(member)
                for member in created_class.node.body
            )
        )


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that run with a statement; of a function defined in it, only the decorators."""
    pending = [node]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            pending += part.decorator_list
        else:
            pending += children_of(part)


@lru_cache(maxsize=2048)
def _aliases_of(module: Module) -> dict[str, set[str]]:
    """The aliases at the top level of a module."""
    plain = (
        node for node in module.tree.body if not isinstance(node, DEFINITIONS) and not is_main(node)
    )
    return _aliases([part for node in plain for part in _running(node)])


def _aliases(nodes: list[ast.AST]) -> dict[str, set[str]]:
    """By name: the names of the values that it is an alias or a part of."""
    aliases: dict[str, set[str]] = {}
    for node in nodes:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets, roots = node.targets, set(_roots(node.value))
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets, roots = [node.target], set(_roots(node.value))
        elif isinstance(node, ast.For | ast.comprehension):
            targets, roots = [node.target], set(_roots(node.iter, is_walked=True))
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and roots:
                    aliases.setdefault(part.id, set()).update(roots)
    return aliases


def _roots(node: ast.expr, is_walked: bool = False) -> Iterator[str]:
    """The names whose value, or a part of it, an expression yields; with `is_walked`, whose items it yields."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.NamedExpr):
        yield from _roots(node.value, is_walked)
    elif isinstance(node, ast.IfExp):
        yield from (*_roots(node.body, is_walked), *_roots(node.orelse, is_walked))
    elif isinstance(node, ast.Tuple | ast.List):
        for inner in node.elts:
            yield from _roots(inner, is_walked)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in _VIEWS:
            yield from _roots(node.func.value, is_walked)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and is_walked:
        for inner in node.args if node.func.id in _HANDING_ON else ():
            yield from _roots(inner, is_walked)


def _followed(names: set[str], aliases: dict[str, set[str]]) -> set[str]:
    """The names, and all that they are directly or indirectly aliases of."""
    reached, pending = set(names), list(names)
    while pending:
        more = aliases.get(pending.pop(), set()) - reached
        reached |= more
        pending += more
    return reached
