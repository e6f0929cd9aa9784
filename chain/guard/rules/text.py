"""Text is made from the contents of a value, never from its memory address or from a `repr` that varies between Pythons."""

from __future__ import annotations

import ast
import re
from typing import Final

from chain.guard.finding import Rule
from chain.guard.scope import Scopes
from chain.source.classes import is_printable
from chain.source.static_types import PLAIN, StaticType, class_named

_WHERE: Final = "that may hold an address in memory, which is another one in every run"

REPR: Final = Rule(
    "repr",
    "'{how}' pictures something of which is not known here that it is text, a number or a dataclass",
    _WHERE,
    "annotate what it is, or write its members out",
)
OBJECT: Final = Rule(
    "object_text",
    "a {cls} is written as text, and has no words of its own",
    "so Python writes where it lies in memory, which is another place in every run",
    "write its members out, give {cls} a __str__, or make it a dataclass",
)
CODE: Final = Rule(
    "code_text",
    "a {thing} is written as text",
    "so Python writes where it lies in memory or in which module, not what it does",
    "write a text that says it",
)
PERCENT: Final = Rule(
    "repr_format",
    "'{how}' in a format pictures whatever is put there",
    _WHERE,
    "write an f-string with the members that you mean",
)

RULES: Final = (REPR, OBJECT, CODE, PERCENT)

_PICTURES: Final = re.compile(r"%(?:\([^)]*\))?[-+ #0]*\d*([ra])|\{[^{}]*!([ra])[^{}]*\}")


def formats(node: ast.FormattedValue, place: Scopes) -> None:
    if node.conversion in (ord("r"), ord("a")):
        _check_picture(node.value, node, f"!{chr(node.conversion)}", place)
    else:
        _check_text(node.value, node, place)


def calls(node: ast.Call, place: Scopes) -> None:
    path = place.path(node.func)
    if path in ("builtins.repr", "builtins.ascii") and len(node.args) == 1:
        place.suppressed.add(node.func)
        _check_picture(node.args[0], node, path.removeprefix("builtins."), place)
    elif path in ("builtins.str", "builtins.format") and node.args:
        _check_text(node.args[0], node, place)
    elif isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        _check_template(node.func.value, place)
        if isinstance(node.func.value, ast.Constant):
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                _check_text(argument, argument, place)


def names(node: ast.Name, place: Scopes) -> None:
    """`map(repr, things)`"""
    if node.id not in ("repr", "ascii") or node in place.suppressed:
        return
    if place.path(node) == f"builtins.{node.id}":
        place.report(REPR, node, how=node.id)


def operators(node: ast.BinOp, place: Scopes) -> None:
    if isinstance(node.op, ast.Mod):
        _check_template(node.left, place)
        if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            right = node.right
            for operand in right.elts if isinstance(right, ast.Tuple) else [right]:
                _check_text(operand, operand, place)


def _check_template(node: ast.expr, place: Scopes) -> None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        for percent, braces in _PICTURES.findall(node.value):
            place.report(PERCENT, node, how=f"%{percent}" if percent else f"!{braces}")


def _check_picture(value: ast.expr, node: ast.expr, how: str, place: Scopes) -> None:
    if not _is_pictured(place.kind(value), place):
        place.report(REPR, node, how=how)


def _is_pictured(kind: StaticType | None, place: Scopes) -> bool:
    """True if the `repr` of a value of this type depends on its contents only."""
    if kind is None:
        return False
    if kind.name in PLAIN:
        return True
    if kind.name in ("list", "tuple", "dict"):
        return bool(kind.of) and all(_is_pictured(item, place) for item in kind.of)
    cls = class_named(kind, place.sources)
    return cls is not None and is_printable(cls, place.sources)


def _check_text(value: ast.expr, node: ast.expr, place: Scopes) -> None:
    value_type = place.kind(value)
    if value_type is None:
        return
    if value_type.name in ("function", "class", "stream", "object"):
        thing = {"stream": "generator", "object": "bare object"}.get(
            value_type.name, value_type.name
        )
        place.report(CODE, node, thing=thing)
        return
    cls = class_named(value_type, place.sources)
    if cls is not None and not is_printable(cls, place.sources):
        place.report(OBJECT, node, cls=cls.node.name)


CHECKS: Final = {
    ast.FormattedValue: (formats,),
    ast.Call: (calls,),
    ast.Name: (names,),
    ast.BinOp: (operators,),
}
