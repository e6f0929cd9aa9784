"""Insert checks into a syntax tree where a value that outlives the call could be changed unnoticed.

Constant collections refuse changes by themselves (`chain.metering.frozen_collections`). Other values need a check: an object
whose attribute is set, and a method taken off a built-in class, as in `list.append(row, 1)` or `map(list.append, rows, items)`.
A call such as `row.append(1)` stays as it is: it has too few arguments to be a call on the class.
"""

from __future__ import annotations

import ast
from typing import Final

from chain.errors import DeclarationError
from chain.metering.frozen_collections import CHANGERS, changes_nothing
from chain.metering.insert_ticks import TickInserter, call_of
from chain.metering.instrumented_builtins import SETTABLE, TAKEN
from chain.metering.ordered_sets import VIEWS
from chain.source.classes import is_super
from chain.source.location import relative_path
from chain.source.modules import Module

_MAKERS: Final = ("__init__", "__post_init__")


class Keeping(TickInserter):
    """A rewriter that inserts ticks and checks for forbidden changes."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._function = ""  # the name of the enclosing function
        self._plain: set[ast.AST] = set()  # attributes that need no check

    def _path(self, node: ast.expr) -> str | None:
        """Return the import path of the object an expression names, None if the names of the module do not show it."""
        raise NotImplementedError

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:  # noqa: N802
        before, self._function = self._function, node.name
        try:
            return super().visit_FunctionDef(node)
        finally:
            self._function = before

    def leave(self, node: ast.Call, is_asked: bool = False) -> None:
        """Leave the method of a call unchecked if it is checked elsewhere, or cannot change its first argument.

        `is_asked` is true if the call is replaced by one that checks the method.
        """
        func, args = node.func, node.args
        if not isinstance(func, ast.Attribute):
            return
        is_sure = not any(isinstance(arg, ast.Starred) for arg in args)
        is_sure = is_sure and not (args and node.keywords) and changes_nothing(func.attr, len(args))
        is_making = self._function in _MAKERS and func.attr in _MAKERS and is_super(func.value)
        if is_asked or is_sure or is_making:
            self._plain.add(func)

    def reached(self, node: ast.Attribute) -> ast.expr:
        """Return the expression that replaces an attribute."""
        node.value = self.visit(node.value)
        if not isinstance(node.ctx, ast.Load):
            node.value = call_of(SETTABLE, node.value)
        elif node.attr in CHANGERS and node not in self._plain:
            return call_of(TAKEN, node)
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:  # noqa: N802
        """Refuse a pattern such as `case object(append=push)`, which takes a method off a class."""
        for name in node.kwd_attrs:
            if name in CHANGERS or name in VIEWS:
                raise DeclarationError(
                    f"{relative_path(self._file)}:{node.lineno}: a pattern takes the method '{name}' "
                    "from the matched value, which may be a class; match the value, and call the "
                    "method by its name"
                )
        self.generic_visit(node)
        return node
