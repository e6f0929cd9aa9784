"""Insert calls that make texts the same on every machine (`chain.metering.stable_text`), where `str` or `repr` is implicit."""

from __future__ import annotations

import ast
from typing import Any, Final

from chain.errors import DeclarationError
from chain.metering.insert_ordered_sets import Gathering
from chain.metering.insert_ticks import call_of, parse_at
from chain.metering.instrumented_builtins import ARGS, HASHING, PICTURED, TELLING, TOLD
from chain.metering.newer_unicode import new_letter
from chain.source.location import relative_path

_TELLING: Final = ("__str__", "__repr__", "__format__")
PICTURES: Final = (ord("r"), ord("a"))


class Wording(Gathering):
    """A rewriter that inserts ticks and checks, orders sets, and makes texts stable."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        first = node.decorator_list[0] if node.decorator_list else node
        node.decorator_list.insert(0, parse_at(TOLD, first))
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:  # noqa: N802
        letter = new_letter(node.value) if isinstance(node.value, str) else None
        if letter is not None:
            raise DeclarationError(
                f"{relative_path(self._file)}:{node.lineno}: this text has the character {letter}, "
                "which not every version of Python knows; use older ones"
            )
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:  # noqa: N802
        for part in node.values:
            if isinstance(part, ast.FormattedValue) and part.conversion in PICTURES:
                part.value = call_of(PICTURED, part.value)
        self.generic_visit(node)
        return node

    def reached(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.attr == "args":
            return call_of(ARGS, self.visit(node.value))
        if isinstance(node.ctx, ast.Load) and node.attr == "__hash__":
            return call_of(HASHING, self.visit(node.value))
        if isinstance(node.ctx, ast.Load) and node.attr in _TELLING:
            call: Any = call_of(TELLING, self.visit(node.value))
            call.args.append(ast.copy_location(ast.Constant(node.attr), node))
            return call  # type: ignore[no-any-return]
        return super().reached(node)
