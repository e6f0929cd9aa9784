"""Replace the sets in a syntax tree by sets that keep their order (`chain.metering.ordered_sets`)."""

from __future__ import annotations

import ast
from typing import Final

from chain.metering.insert_freeze_checks import Keeping
from chain.metering.insert_ticks import call_of
from chain.metering.instrumented_builtins import MADE, VIEW, VIEWING
from chain.metering.ordered_sets import VIEWS
from chain.source.modules import Module
from chain.source.word_sets import word_set

_BARE: Final = {
    **{name: f"__bare_{name}__" for name in ("set", "frozenset")},
    **{f"__{name}__": f"__bare_{name}_paid__" for name in ("set", "frozenset")},
}
_WALKERS: Final = word_set(
    "all any dict enumerate frozenset iter len list max min reversed set sorted sum tuple zip"
)


class Gathering(Keeping):
    """A rewriter that inserts ticks and checks, and replaces sets by ordered ones."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._bare: set[ast.AST] = set()  # expressions whose set may be a plain one
        self._walked: set[ast.AST] = set()  # expressions only iterated over or tested by `in`

    def gathered(self, node: ast.Set | ast.SetComp) -> ast.expr:
        """Return an ordered set for a set display or comprehension whose parts are already visited."""
        if node in self._bare:
            return node
        nothing: ast.expr = ast.copy_location(ast.Constant(None), node)
        inner: ast.expr
        if isinstance(node, ast.SetComp):
            inner = ast.DictComp(node.elt, nothing, node.generators)
        elif any(isinstance(item, ast.Starred) for item in node.elts):
            return call_of("set", ast.copy_location(ast.List(node.elts, ast.Load()), node))
        else:
            inner = ast.Dict([*node.elts], [nothing for _ in node.elts])
        return call_of(MADE, ast.copy_location(inner, node))

    def see_call(self, node: ast.Call, path: str | None) -> None:
        """Record what a call shows about its arguments. Call it before these are visited."""
        name = path.removeprefix("builtins.") if path is not None else ""
        if name == "len" and len(node.args) == 1:
            self._bare.add(node.args[0])
        if name in _WALKERS and path != name and (len(node.args) == 1 or name == "zip"):
            self._walked.update(node.args)
        if isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS:
            self._plain.add(node.func)

    def seen_call(self, node: ast.Call, path: str | None) -> ast.AST:
        """Return the expression that replaces a call. Call it after the parts of the call are visited."""
        func = node.func
        if node in self._bare and path in _BARE_PATHS and isinstance(func, ast.Name):
            func.id = _BARE.get(func.id, func.id)
        if isinstance(func, ast.Attribute) and func.attr in VIEWS and node not in self._walked:
            return call_of(VIEW, node)
        return node

    def reached(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.attr in VIEWS and node not in self._plain:
            node.value = self.visit(node.value)
            return call_of(VIEWING, node)
        return super().reached(node)

    def see_compare(self, node: ast.Compare) -> None:
        """Record what a comparison shows about its operands. Call it before these are visited.

        Only `in` counts: other operators may call a method of the author's own class, which sees the order.
        """
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            self._walked.update(node.comparators)
            self._bare.update(node.comparators)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:  # noqa: N802
        self._walked.add(node.value)
        self.generic_visit(node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:  # noqa: N802
        self._walked.add(node.iter)
        return super().visit_For(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self._walked.add(node.iter)
        return super().visit_comprehension(node)


_BARE_PATHS: Final = ("builtins.set", "builtins.frozenset")
