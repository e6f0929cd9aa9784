"""What else bears on the values that a contract uses: statements that change them, though the contract never mentions these."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from typing import Final

from chain.source.classes import (
    CHANGERS,
    changes_argument,
    changes_self,
    root_name,
)
from chain.source.global_names import (
    Uses,
    uses_of,
)
from chain.source.local_names import (
    DEFINITIONS,
    children_of,
)
from chain.source.modules import (
    Module,
    is_main,
)
from chain.source.word_sets import word_set

# What hands on the items of its arguments, so that who changes an item changes these.
_HANDING_ON: Final = word_set("enumerate filter iter list map next reversed sorted tuple zip")
_VIEWS: Final = word_set("values items get setdefault")
# Functions of the standard library that change their first argument.
_FOREIGN_CHANGERS: Final = word_set(
    "insort insort_left insort_right heapify heappop heappush heappushpop heapreplace shuffle delitem setitem"
)


def statements_mutating(
    module: Module, seen: Set[ast.AST], names: Set[str]
) -> list[tuple[ast.stmt, str]]:
    """The statements at the top of a module not seen yet that change what one of `names` stands for, with that name."""
    found = []
    for node in module.tree.body:
        if node not in seen and not isinstance(node, ast.Import | ast.ImportFrom):
            changed = names & changes_of(node, module)
            if changed and not is_main(node):
                found.append((node, min(changed)))
    return found


@lru_cache(maxsize=16384)
def changes_of(node: ast.stmt, module: Module) -> frozenset[str]:
    """The global names of which a statement changes what they hold, itself or through functions that it mentions."""
    changes = _Changes(module)
    if not isinstance(node, DEFINITIONS):
        changes.collect(uses_of(node), [node])
    elif node.decorator_list:  # a function or class that stands there does nothing, but these do
        changes.collect(uses_of(node), node.decorator_list)
    return frozenset(changes.found)


class _Changes:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.found: set[str] = set()
        self.followed: set[ast.AST] = set()

    def collect(self, uses: Uses, body: Sequence[ast.AST]) -> None:
        """What `body` changes, a part of what `uses` tells of."""
        running = [each for part in body for each in _running(part)]
        roots = {root for each in running for root in self._changed(each)}
        for root in _followed(roots, _aliases(running)):
            if root in uses.names or root in uses.binds or root in uses.binds_late:
                self.found |= _followed({root}, _aliases_of(self.module))
        mentioned = {
            each.id for each in running if isinstance(each, ast.Name) and each in uses.nodes
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
        """The names at the beginning of what a node changes."""
        changed: list[ast.expr] = []
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            changed.append(node)
        elif isinstance(node, ast.AugAssign):
            changed.append(node.target)
        elif isinstance(node, ast.Call):
            changed += self._changed_by_call(node)
        for each in changed:
            root = root_name(each)
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
        """`REGISTRY.enter(…)`, where `REGISTRY = Registry()` and that method changes what it is called on."""
        holder = self.module.names.get(root_name(func) or "")
        value = holder.value if holder is not None else None
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
            return False
        made = self.module.names.get(value.func.id)
        return (
            made is not None
            and isinstance(made.node, ast.ClassDef)
            and any(
                isinstance(each, ast.FunctionDef) and each.name == func.attr and changes_self(each)
                for each in made.node.body
            )
        )


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """All that runs with a statement: of the functions in it only what stands around them."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += each.decorator_list
        else:
            waiting += children_of(each)


@lru_cache(maxsize=2048)
def _aliases_of(module: Module) -> dict[str, set[str]]:
    """The other names of things at the top of a module."""
    plain = (
        node for node in module.tree.body if not isinstance(node, DEFINITIONS) and not is_main(node)
    )
    return _aliases([each for node in plain for each in _running(node)])


def _aliases(nodes: list[ast.AST]) -> dict[str, set[str]]:
    """By name the names of that of which it is another name, or a part."""
    found: dict[str, set[str]] = {}
    for node in nodes:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets, roots = node.targets, set(_roots(node.value))
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets, roots = [node.target], set(_roots(node.value))
        elif isinstance(node, ast.For | ast.comprehension):
            targets, roots = [node.target], set(_roots(node.iter, is_walked=True))
        for target in targets:
            for each in ast.walk(target):
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and roots:
                    found.setdefault(each.id, set()).update(roots)
    return found


def _roots(node: ast.expr, is_walked: bool = False) -> Iterator[str]:
    """The names of which an expression hands out the thing itself or a part; `is_walked`: its items."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.NamedExpr):
        yield from _roots(node.value, is_walked)
    elif isinstance(node, ast.IfExp):
        yield from (*_roots(node.body, is_walked), *_roots(node.orelse, is_walked))
    elif isinstance(node, ast.Tuple | ast.List):
        for each in node.elts:
            yield from _roots(each, is_walked)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in _VIEWS:
            yield from _roots(node.func.value, is_walked)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and is_walked:
        for each in node.args if node.func.id in _HANDING_ON else ():
            yield from _roots(each, is_walked)


def _followed(names: set[str], aliases: dict[str, set[str]]) -> set[str]:
    found, waiting = set(names), list(names)
    while waiting:
        more = aliases.get(waiting.pop(), set()) - found
        found |= more
        waiting += more
    return found
