"""Whole numbers only: no float, no `/`, and no function or format that implicitly makes a float."""

from __future__ import annotations

import ast
import re
from typing import Final

from chain.guard.finding import Rule
from chain.guard.inference import infer
from chain.guard.scope import Scopes
from chain.source.static_types import PATH

_WHY: Final = "floats are rounded, and the rules of a game must be exact"

FLOAT: Final = Rule("float", "{text} is a float", _WHY, "count in whole numbers of a smaller unit")
COMPLEX: Final = Rule(
    "complex", "{text} is a complex number", "it consists of floats", "keep two whole numbers"
)
DIVISION: Final = Rule(
    "division", "'{sign}' makes a float", _WHY, "write '{sign2}', which returns a whole number"
)
FLOAT_TYPE: Final = Rule(
    "float_type",
    "'float' is not a type for a contract",
    _WHY,
    "use int, and None for 'no limit'",
)
POWER: Final = Rule(
    "power", "a power with a negative exponent is a float", _WHY, "divide by the power with '//'"
)
FLOAT_FUNCTION: Final = Rule(
    "float_function",
    "'{path}' works with floats",
    _WHY,
    "use '//' and '%', or {names} of math, which return whole numbers",
)
FLOAT_FORMAT: Final = Rule(
    "float_format",
    "the format '{spec}' converts its number to a float",
    _WHY,
    "write the parts of the number with divmod",
)
LOCALE_FORMAT: Final = Rule(
    "locale_format",
    "the format '{spec}' depends on the machine's settings",
    "they differ from machine to machine",
    "write 'd', or ',' for groups of three digits",
)
JSON_FLOAT: Final = Rule(
    "json_float",
    "json.loads makes every number with a decimal point a float",
    _WHY,
    "pass parse_float=str and parse_constant=str, or a function that refuses",
)

RULES: Final = (
    FLOAT, COMPLEX, DIVISION, FLOAT_TYPE, POWER, FLOAT_FUNCTION, FLOAT_FORMAT, LOCALE_FORMAT, JSON_FLOAT,
)  # fmt: skip

_PERCENT: Final = re.compile(r"%(?:\([^)]*\))?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?([a-zA-Z%])")
_BRACES: Final = re.compile(r"(?<!\{)\{[^{}:]*:([^{}]*)\}")


def literals(node: ast.Constant, place: Scopes) -> None:
    if isinstance(node.value, float):
        place.report(FLOAT, node, text=_written(node, place))
    elif isinstance(node.value, complex):
        place.report(COMPLEX, node, text=_written(node, place))


def _written(node: ast.Constant, place: Scopes) -> str:
    return ast.get_source_segment(place.module.text, node) or repr(node.value)


def operators(node: ast.BinOp | ast.AugAssign, place: Scopes) -> None:
    if isinstance(node.op, ast.Div):
        if isinstance(node, ast.BinOp) and infer(node, place) == PATH:
            return  # joins paths, which only a contract's `library` module has
        sign = "/" if isinstance(node, ast.BinOp) else "/="
        place.report(DIVISION, node, sign=sign, sign2="/" + sign)
    elif isinstance(node.op, ast.Pow):
        if _is_negative(node.right if isinstance(node, ast.BinOp) else node.value):
            place.report(POWER, node)
    elif isinstance(node.op, ast.Mod) and isinstance(node, ast.BinOp):
        _check_percent(node.left, place)


def _check_percent(text: ast.expr, place: Scopes) -> None:
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        for conversion in _PERCENT.findall(text.value):
            _check_format(text, f"%{conversion}", conversion if conversion != "%" else "", place)


def _is_negative(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def calls(node: ast.Call, place: Scopes) -> None:
    path = place.path(node.func)
    if path == "builtins.pow" and len(node.args) == 2 and _is_negative(node.args[1]):
        place.report(POWER, node)
    elif path == "builtins.format" and len(node.args) == 2:
        _check_constant(node.args[1], place)
    elif path == "json.loads":
        keywords = {keyword.arg for keyword in node.keywords}
        if not {"parse_float", None} & keywords:
            place.report(JSON_FLOAT, node)
    elif isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        text = node.func.value
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            for spec in _BRACES.findall(text.value):
                _check_format(text, spec, spec[-1:], place)


def formats(node: ast.FormattedValue, place: Scopes) -> None:
    spec = node.format_spec
    if isinstance(spec, ast.JoinedStr) and spec.values:
        last = spec.values[-1]
        if isinstance(last, ast.Constant):
            _check_format(node, str(last.value), str(last.value)[-1:], place)


def _check_constant(node: ast.expr, place: Scopes) -> None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        _check_format(node, node.value, node.value[-1:], place)


def _check_format(node: ast.expr, spec: str, sort: str, place: Scopes) -> None:
    if sort == "n":
        place.report(LOCALE_FORMAT, node, spec=spec)
    elif sort and sort in "eEfFgG%":
        place.report(FLOAT_FORMAT, node, spec=spec)


CHECKS: Final = {
    ast.Constant: (literals,),
    ast.BinOp: (operators,),
    ast.AugAssign: (operators,),
    ast.Call: (calls,),
    ast.FormattedValue: (formats,),
}
