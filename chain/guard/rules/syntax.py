"""Statements that are not allowed in a contract, and comparisons that do not mean what they say."""

from __future__ import annotations

import ast
from typing import Final

from chain.guard.finding import Rule
from chain.guard.inference import infer
from chain.guard.scope import Scopes
from chain.source.newer_python import KEYWORDS, newer_syntax

ASYNC: Final = Rule(
    "async",
    "'{word}' waits for other code",
    "the chain does not decide which code runs then",
    "remove '{word}': a call runs to its end without waiting",
)
SAME: Final = Rule(
    "is_value",
    "'is' compares the memory addresses of two {kind}",
    "equal ones may have the same address or not, depending on the Python",
    "compare them with '=='",
)
NEWER: Final = Rule(
    "newer_python",
    "{what} is newer than Python 3.11",
    "some of the versions that Boardchain runs on do not have it",
    "write it as Python 3.11 has it",
)
NOT_PYTHON: Final = Rule(
    "not_python", "this is not valid Python", "it cannot be checked", "correct it"
)

RULES: Final = (ASYNC, SAME, NEWER, NOT_PYTHON)

_WORDS: Final = {
    ast.AsyncFunctionDef: "async", ast.AsyncFor: "async", ast.AsyncWith: "async", ast.Await: "await",
}  # fmt: skip
_KINDS: Final = {
    "text": "texts", "number": "numbers", "bytes": "bytes", "tuple": "tuples", "float": "numbers",
}  # fmt: skip


def waiting(node: ast.AST, place: Scopes) -> None:
    place.report(ASYNC, node, word=_WORDS[type(node)])


def waiting_generators(node: ast.comprehension, place: Scopes) -> None:
    if node.is_async:
        place.report(ASYNC, node.target, word="async")


def comparisons(node: ast.Compare, place: Scopes) -> None:
    if not any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
        return
    operands = [node.left, *node.comparators]
    for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
        if isinstance(op, ast.Is | ast.IsNot):
            _compare(left, right, node, place)


def _compare(left: ast.expr, right: ast.expr, node: ast.Compare, place: Scopes) -> None:
    value_types = [infer(operand, place) for operand in (left, right)]
    names = [value_type.name if value_type is not None else "" for value_type in value_types]
    is_constant = any(isinstance(operand, ast.Constant | ast.Tuple) for operand in (left, right))
    if "none" in names or not (is_constant or names[0] == names[1]):
        return
    for name in names:
        if name in _KINDS:
            place.report(SAME, node, kind=_KINDS[name])
            return


def newer(node: ast.AST, place: Scopes) -> None:
    what = newer_syntax(node)
    if what is not None:
        place.report(NEWER, node, what=what)


def newer_keywords(node: ast.Call, place: Scopes) -> None:
    for keyword in node.keywords:
        if keyword.arg in KEYWORDS.get(place.path(node.func) or "", ()):
            place.report(NEWER, keyword.value, what=f"the keyword '{keyword.arg}'")


_NEWER: Final = (
    ast.Import, ast.ImportFrom, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
    *(vars(ast)[name] for name in ("TemplateStr",) if name in vars(ast)),
)  # fmt: skip
CHECKS: Final = {
    **dict.fromkeys(_NEWER, (newer,)),
    ast.Call: (newer_keywords,),
    ast.AsyncFunctionDef: (waiting,),
    ast.AsyncFor: (waiting,),
    ast.AsyncWith: (waiting,),
    ast.Await: (waiting,),
    ast.comprehension: (waiting_generators,),
    ast.Compare: (comparisons,),
}
