"""Conditions that cannot be false, as in `require(n == 1 or 2, …)`."""

from __future__ import annotations

import ast
from collections.abc import Set


def why_always_true(node: ast.expr, functions: Set[str], *, is_part: bool = False) -> str:
    """Return the reason if a condition is always true; an empty text if it can be false.

    `functions` are names of functions. `True` alone is meant so, but not as a part of a condition.
    """
    match node:
        case ast.Constant(value) if value and (is_part or value is not True):
            return f"{value!r} is true"
        case ast.Tuple(parts) | ast.List(parts) | ast.Set(parts):
            is_filled = any(not isinstance(part, ast.Starred) for part in parts)
            return f"a {type(node).__name__.lower()} that is not empty is true" if is_filled else ""
        case ast.Dict([ast.expr(), *_]):
            return "a dict that is not empty is true"
        case ast.JoinedStr(parts) if any(isinstance(part, ast.Constant) for part in parts):
            return "a text that is not empty is true"
        case ast.GeneratorExp():
            return "a generator is true"
        case ast.Lambda():
            return "a function that is not called is true"
        case ast.Name(name) if name in functions:
            return f"{name} is not called, and a function is true"
        case ast.BoolOp(ast.Or(), parts):
            whys = (why_always_true(part, functions, is_part=True) for part in parts)
            return next(filter(None, whys), "") or _why_one_differs(parts)
    return ""


def _why_one_differs(parts: list[ast.expr]) -> str:
    """Return the reason against `n != 1 or n != 2`."""
    excluded: dict[str, str] = {}
    for part in parts:
        match part:
            case ast.Compare(left, [ast.NotEq()], [ast.Constant() as right]):
                name, value = ast.unparse(left), ast.unparse(right)
                if excluded.setdefault(name, value) != value:
                    return f"{name} differs from {excluded[name]} or from {value}, write 'and'"
    return ""
