"""Puts what makes texts the same everywhere into a syntax tree (`texts`): where a value is written, where a class is made."""

from __future__ import annotations

import ast
from typing import Any, Final

from chain.image.gathering import Gathering
from chain.image.meter import SPACE
from chain.image.texts import args_of, picturable, told, worded
from chain.image.ticks import parsed

TOLD, WORDED, PICTURED, ARGS = "__told__", "__worded__", "__picturable__", "__args_of__"
_TEXTS: Final = {
    "builtins.str": WORDED, "builtins.format": WORDED, "builtins.repr": PICTURED, "builtins.ascii": PICTURED,
}  # fmt: skip
_FORMATS: Final = ("format", "format_map")


def _text_of(value: Any = "", /, *how: Any) -> str:
    return str(worded(value), *how)


def _picture_of(value: Any, /) -> str:
    return repr(picturable(value))


_LATER: Final = {"builtins.str": _text_of, "builtins.repr": _picture_of}

SPACE.update({TOLD: told, WORDED: worded, PICTURED: picturable, ARGS: args_of})
SPACE.update({f"__later_{path.removeprefix('builtins.')}__": made for path, made in _LATER.items()})


class Wording(Gathering):
    """Ticks, questions, ordered sets, and texts that are the same everywhere."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        first = node.decorator_list[0] if node.decorator_list else node
        node.decorator_list.insert(0, parsed(TOLD, first))
        return node

    def see_call(self, node: ast.Call, path: str | None) -> None:
        super().see_call(node, path)
        func, word = node.func, _TEXTS.get(str(path))
        if word is not None and len(node.args) > 0:
            node.args[0] = self._worded(word, node.args[0])
        elif isinstance(func, ast.Attribute) and func.attr in _FORMATS:
            node.args = [self._worded(WORDED, each) for each in node.args]
            for each in node.keywords:
                each.value = self._worded(WORDED, each.value)
        elif path == "builtins.map" and node.args:
            later = self._path(node.args[0])
            if later in _LATER:
                node.args[0] = parsed(f"__later_{later.removeprefix('builtins.')}__", node.args[0])

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:  # noqa: N802
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                word = PICTURED if each.conversion in (ord("r"), ord("a")) else WORDED
                each.value = self._worded(word, each.value)
        self.generic_visit(node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:  # noqa: N802
        if isinstance(node.op, ast.Mod) and _is_text(node.left):
            right = node.right
            if isinstance(right, ast.Tuple):
                right.elts = [self._worded(WORDED, each) for each in right.elts]
            elif not isinstance(right, ast.Dict):
                node.right = self._worded(WORDED, right)
        self.generic_visit(node)
        return node

    def reached(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.attr == "args":
            return self._asked(ARGS, self.visit(node.value))
        return super().reached(node)

    def _worded(self, word: str, value: ast.expr) -> ast.expr:
        if isinstance(value, ast.Starred | ast.Constant | ast.JoinedStr):
            return value
        return self._asked(word, value)


def _is_text(node: ast.expr) -> bool:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return is_text or isinstance(node, ast.JoinedStr)
