"""One test of a name instead of many: its result is kept in a flag.

If a function tests the same name in several places, or in a loop, the test moves to just after the statements that bind the
name. This applies to names that only assignments and parameters bind, and to tests whose result no later step changes: that a
value is light, or that it is a number near zero.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

_LOOPS: Final = (
    ast.For, ast.While, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp
)  # fmt: skip
Test: TypeAlias = tuple[str, str]  # a name, and the fact that is tested

_STATEMENTS: Final = ("body", "orelse", "finalbody")
_BODIES: Final = (*_STATEMENTS, "handlers", "cases")


def test_once(function: ast.FunctionDef, tests: Mapping[Test, list[ast.IfExp]]) -> None:
    """Replace repeated tests of a name by its flag. `tests` holds the choices that begin with the same test."""
    loops = (node for node in ast.walk(function) if isinstance(node, _LOOPS))
    repeated = {part for loop in loops for part in ast.walk(loop)}
    flags: dict[str, list[ast.Assign]] = {}
    for (name, fact), choices in tests.items():
        if len(choices) > 1 or choices[0] in repeated:
            flag = f"__{fact}_{name}__"
            test = ast.Assign([ast.Name(flag, ast.Store())], choices[0].test)
            flags.setdefault(name, []).append(test)
            for choice in choices:
                choice.test = ast.copy_location(ast.Name(flag, ast.Load()), choice)
    if flags:
        _insert(function, flags)


def _insert(function: ast.FunctionDef, flags: dict[str, list[ast.Assign]]) -> None:
    """Insert each flag after each statement that binds its name."""
    start = 0 if ast.get_docstring(function, clean=False) is None else 1
    for body in list(_bodies(function)):
        for statement in list(body):
            place = body.index(statement) + 1
            body[place:place] = _flags_of(_bound_by(statement), flags, statement)
    function.body[start:start] = _flags_of(_params(function), flags, function.body[start])


def _flags_of(
    names: list[str], flags: dict[str, list[ast.Assign]], place: ast.stmt
) -> list[ast.stmt]:
    found = (flag for name in names for flag in flags.get(name, ()))
    return [ast.copy_location(ast.Assign(flag.targets, flag.value), place) for flag in found]


def names_of(function: ast.FunctionDef) -> list[str]:
    """Return the parameters of a function, and the names that assignments of its own bind."""
    statements = (statement for body in _bodies(function) for statement in body)
    return [*_params(function), *(name for each in statements for name in _bound_by(each))]


def _params(function: ast.FunctionDef) -> list[str]:
    args = function.args
    return [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements in a function, without those of functions and classes in it."""
    for field in _BODIES:
        for part in (parts := getattr(node, field, None) or []):
            if not isinstance(part, ast.FunctionDef | ast.ClassDef):
                yield from _bodies(part)
        if parts and field in _STATEMENTS:
            yield parts


def _bound_by(statement: ast.stmt) -> list[str]:
    """Return the names that an assignment binds."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    parts = [
        part
        for target in targets
        for part in (target.elts if isinstance(target, ast.Tuple) else [target])
    ]
    return [part.id for part in parts if isinstance(part, ast.Name)]
