"""Puts questions into a syntax tree where what outlives a call might be changed without a word.

Its collections refuse by themselves (`constants`). What cannot is asked here: an object whose attribute is set, and a method
that is taken off a class of Python's, as in `list.append(row, 1)` or `map(list.append, rows, items)`. A call such as
`row.append(1)` stays as it is: it has too few arguments to be one of a class.
"""

from __future__ import annotations

import ast
from typing import Final

from chain.errors import DeclarationError
from chain.metering.frozen_collections import (
    CHANGERS,
    changes_nothing,
    settable,
    taken,
)
from chain.metering.fuel import INSTRUMENTED_BUILTINS
from chain.metering.insert_ticks import (
    TickInserter,
    parse_at,
)
from chain.metering.ordered_sets import VIEWS
from chain.source.location import relative_path
from chain.source.modules import Module

SETTABLE, TAKEN = "__settable__", "__taken__"
_MAKERS: Final = ("__init__", "__post_init__")

INSTRUMENTED_BUILTINS.update({SETTABLE: settable, TAKEN: taken})


class Keeping(TickInserter):
    """Ticks, and what may not be changed asks."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._file = module.file
        self._function = ""  # the one around
        self._plain: set[ast.AST] = set()  # attributes that need not ask where they stand

    def _path(self, node: ast.expr) -> str | None:
        """The path of what is mentioned, where the module's names tell it."""
        raise NotImplementedError

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:  # noqa: N802
        before, self._function = self._function, node.name
        try:
            return super().visit_FunctionDef(node)
        finally:
            self._function = before

    def leave(self, node: ast.Call, is_asked: bool = False) -> None:
        """Let the method of a call be, where that is asked elsewhere, or cannot be one of a class that changes its first
        argument."""
        func, args = node.func, node.args
        if not isinstance(func, ast.Attribute):
            return
        is_sure = not any(isinstance(each, ast.Starred) for each in args)
        is_sure = is_sure and not (args and node.keywords) and changes_nothing(func.attr, len(args))
        is_making = self._function in _MAKERS and func.attr in _MAKERS and _is_super(func.value)
        if is_asked or is_sure or is_making:
            self._plain.add(func)

    def reached(self, node: ast.Attribute) -> ast.expr:
        """What stands in the place of an attribute."""
        node.value = self.visit(node.value)
        if not isinstance(node.ctx, ast.Load):
            node.value = self._asked(SETTABLE, node.value)
        elif node.attr in CHANGERS and node not in self._plain:
            return self._asked(TAKEN, node)
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:  # noqa: N802
        """`case object(append=push)` takes a method off a class."""
        for name in node.kwd_attrs:
            if name in CHANGERS or name in VIEWS:
                raise DeclarationError(
                    f"{relative_path(self._file)}:{node.lineno}: a pattern takes the method '{name}' off what it matches,"
                    " which may"
                    " be a class; match the value, and call the method by its name"
                )
        self.generic_visit(node)
        return node

    def _asked(self, word: str, value: ast.expr) -> ast.expr:
        return ast.copy_location(ast.Call(parse_at(word, value), [value], []), value)


def _is_super(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
    )
