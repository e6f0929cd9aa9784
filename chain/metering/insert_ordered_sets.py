"""Puts sets that keep their order into a syntax tree, in the place of those that do not (`ordered_sets`)."""

from __future__ import annotations

import ast
from typing import Final

from chain.metering.fuel import INSTRUMENTED_BUILTINS
from chain.metering.insert_freeze_checks import Keeping
from chain.metering.ordered_sets import (
    SETS,
    VIEWS,
    made,
    view,
    viewing,
)
from chain.source.modules import Module
from chain.source.word_sets import word_set

MADE, VIEW, VIEWING = "__set_of__", "__view__", "__viewing__"
_BARE: Final = {
    **{name: f"__bare_{name}__" for name in ("set", "frozenset")},
    **{f"__{name}__": f"__bare_{name}_paid__" for name in ("set", "frozenset")},
}
_WALKERS: Final = word_set(
    "all any dict enumerate frozenset iter len list max min reversed set sorted sum tuple zip"
)

INSTRUMENTED_BUILTINS.update({MADE: made, VIEW: view, VIEWING: viewing, **SETS})  # fmt: skip
INSTRUMENTED_BUILTINS.update({"__bare_set__": set, "__bare_frozenset__": frozenset})


class Gathering(Keeping):
    """Ticks, questions, and sets that keep their order."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._bare: set[ast.AST] = set()  # what makes a set of which nobody sees the order
        self._walked: set[ast.AST] = set()  # what is only walked through, or asked what is in it

    def gathered(self, node: ast.Set | ast.SetComp) -> ast.expr:
        """A set that keeps its order in the place of a literal or a comprehension whose parts were visited."""
        if node in self._bare:
            return node
        nothing: ast.expr = ast.copy_location(ast.Constant(None), node)
        inner: ast.expr
        if isinstance(node, ast.SetComp):
            inner = ast.DictComp(node.elt, nothing, node.generators)
        elif any(isinstance(each, ast.Starred) for each in node.elts):
            return self._asked("set", ast.copy_location(ast.List(node.elts, ast.Load()), node))
        else:
            inner = ast.Dict([*node.elts], [nothing for _ in node.elts])
        return self._asked(MADE, ast.copy_location(inner, node))

    def see_call(self, node: ast.Call, path: str | None) -> None:
        """Before what is in a call is visited."""
        name = path.removeprefix("builtins.") if path is not None else ""
        if name == "len" and len(node.args) == 1:
            self._bare.add(node.args[0])
        if name in _WALKERS and path != name and (len(node.args) == 1 or name == "zip"):
            self._walked.update(node.args)
        if isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS:
            self._plain.add(node.func)

    def seen_call(self, node: ast.Call, path: str | None) -> ast.AST:
        """After what is in it was."""
        func = node.func
        if node in self._bare and path in _BARE_PATHS and isinstance(func, ast.Name):
            func.id = _BARE.get(func.id, func.id)
        if isinstance(func, ast.Attribute) and func.attr in VIEWS and node not in self._walked:
            return self._asked(VIEW, node)
        return node

    def reached(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.attr in VIEWS and node not in self._plain:
            node.value = self.visit(node.value)
            return self._asked(VIEWING, node)
        return super().reached(node)

    def see_compare(self, node: ast.Compare) -> None:
        """Before what is in a comparison is visited. What is compared with an author's own object gets to see the whole."""
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
