"""What source tells of a value before it is there: that it is a number, or at least nothing that holds much.

Only what is sure whatever runs: a constant, a length, what arithmetic gives with a number in it, and a name that nothing in
its function sets to anything else. All else is looked at when it runs (`chain.metering.value_size`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.Lambda

FEW: Final = 64  # a constant up to this makes nothing big at once
_COUNTING: Final = frozenset({"len", "ord", "bool", "isinstance", "issubclass", "callable"})
_NUMBER: Final = frozenset({"int"})
_RANGE: Final = frozenset({"range"})
_WHOLE: Final = (ast.FloorDiv, ast.LShift, ast.RShift, ast.Pow)
_EITHER: Final = (ast.Add, ast.Sub, ast.BitAnd, ast.BitOr, ast.BitXor)
_CODE: Final = (ast.FunctionDef, ast.Lambda, ast.ClassDef)


class Light:
    """Knows the numbers of one function."""

    def __init__(
        self,
        numbers: frozenset[str] = frozenset(),
        small: frozenset[str] = frozenset(),
        few: frozenset[str] = frozenset(),
        light: frozenset[str] = frozenset(),
        taken: frozenset[str] = frozenset(),
    ) -> None:
        self.numbers = numbers
        self.small = small  # those of them that cannot grow
        self.few = few  # displays at the top of the module
        self.light = light  # what stands there and holds next to nothing
        self.taken = taken  # by the module: these are no builtins
        self.strictly: Light | None = None  # where an author's own class may have had a part in it

    def without(self, names: frozenset[str]) -> Light:
        """For a function that sets these itself."""
        return Light(
            self.numbers - names,
            self.small - names,
            self.few - names,
            self.light - names,
            self.taken | names,
        )

    def knowing(
        self, numbers: frozenset[str], small: frozenset[str], kind: type[Light] | None = None
    ) -> Light:
        return (kind or Light)(numbers, small, self.few, self.light, self.taken)

    def is_sure(self, node: ast.expr) -> bool:
        """Whether it is one even if an author's own class may stand in every place that is not looked at."""
        return self.strictly is not None and self.strictly.is_number(node)

    def is_number(self, node: ast.expr) -> bool:
        """Whether it is a whole number for sure."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int)
        if isinstance(node, ast.Name):
            return node.id in self.numbers
        if isinstance(node, ast.BinOp):
            return self._is_sum(node)
        if isinstance(node, ast.Call):
            return self._is_counting(node) or self._is_reading(node)
        if isinstance(node, ast.Starred):  # one of a range
            made = node.value
            return isinstance(made, ast.Call) and self._is_builtin(made.func, _RANGE)
        if isinstance(node, ast.Compare):
            return all(map(self.is_number, (node.left, *node.comparators)))
        if isinstance(node, ast.IfExp):
            return self.is_number(node.body) and self.is_number(node.orelse)
        if isinstance(node, ast.UnaryOp):
            return self._is_signed(node)
        return isinstance(node, ast.NamedExpr) and self.is_number(node.value)

    def _is_counting(self, node: ast.Call) -> bool:
        return self._is_builtin(node.func, _COUNTING)

    def _is_reading(self, node: ast.Call) -> bool:
        """`int.from_bytes(…)`, which gives a number of any size."""
        func = node.func
        return (
            isinstance(func, ast.Attribute)
            and func.attr == "from_bytes"
            and self._is_builtin(func.value, _NUMBER)
        )

    def _is_builtin(self, node: ast.expr, names: frozenset[str]) -> bool:
        return isinstance(node, ast.Name) and node.id in names and node.id not in self.taken

    def _is_signed(self, node: ast.UnaryOp) -> bool:
        return isinstance(node.op, ast.Invert | ast.Not) or self.is_number(node.operand)

    def _is_sum(self, node: ast.BinOp) -> bool:
        left, right = self.is_number(node.left), self.is_number(node.right)
        if isinstance(node.op, ast.Mod):
            return left
        if isinstance(node.op, ast.Mult):
            return left and right
        return isinstance(node.op, _WHOLE) or (isinstance(node.op, _EITHER) and (left or right))

    def is_light(self, node: ast.expr) -> bool:
        """Whether it holds next to nothing for sure."""
        if isinstance(node, ast.Constant | ast.Compare | ast.Lambda) or _is_member(node):
            return True
        if isinstance(node, ast.IfExp):
            return self.is_light(node.body) and self.is_light(node.orelse)
        if isinstance(node, ast.Tuple):
            return all(map(self.is_light, node.elts))
        if isinstance(node, ast.Name) and node.id in self.light:
            return True
        return self.is_number(node)

    def is_few(self, node: ast.expr) -> bool:
        """Whether it holds no more things than are written there."""
        if isinstance(node, ast.IfExp):
            return self.is_few(node.body) and self.is_few(node.orelse)
        if isinstance(node, ast.Name):
            return node.id in self.few
        return isinstance(node, ast.Tuple | ast.List) and not any(
            isinstance(each, ast.Starred) for each in node.elts
        )

    def is_small(self, node: ast.expr) -> bool:
        """Whether it is a small number for sure, however often it is added."""
        if isinstance(node, ast.UnaryOp):
            return self.is_small(node.operand)
        if isinstance(node, ast.Call):
            return self._is_counting(node)
        if isinstance(node, ast.Name):
            return node.id in self.small
        if isinstance(node, ast.BinOp):
            return (
                isinstance(node.op, ast.Mod)
                and self.is_number(node.left)
                and self.is_small(node.right)
            )
        return isinstance(node, ast.Constant) and (
            isinstance(node.value, int) and abs(node.value) <= FEW
        )


class Strictly(Light):
    """Knows only what is made of numbers alone."""

    def _is_signed(self, node: ast.UnaryOp) -> bool:
        return isinstance(node.op, ast.Not) or self.is_number(node.operand)

    def _is_sum(self, node: ast.BinOp) -> bool:
        is_made = self.is_number(node.left) and self.is_number(node.right)
        return is_made and not isinstance(node.op, ast.Pow | ast.Div | ast.MatMult)


def _is_member(node: ast.expr) -> bool:
    """`Side.LEFT`: what stands in a class was there before anything ran."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    name = node.value.id
    return node.attr.isupper() and name[:1].isupper() and not name.isupper()


def light_in(function: Function, constants: Light) -> Light:
    """What is known of the names in a function, and of those around it that it does not set."""
    found: dict[str, list[ast.expr | None]] = {}
    for name, value in _bindings(function):
        found.setdefault(name, []).append(value)
    around = constants.without(frozenset(found))
    numbers = _numbers(found, around, Light)
    often = {name for name, values in found.items() if len(values) > 1}
    small = {
        name
        for name, values in found.items()
        if all(value is not None and _is_bounded(value, around, often) for value in values)
    }
    light = around.knowing(numbers, around.small | small)
    light.strictly = around.knowing(_numbers(found, around, Strictly), light.small, Strictly)
    return light


def _numbers(
    found: dict[str, list[ast.expr | None]], around: Light, kind: type[Light]
) -> frozenset[str]:
    """The names that are only ever set to numbers."""
    numbers = around.numbers | found.keys()
    while True:
        light = around.knowing(numbers, around.small, kind)
        wrong = {
            name
            for name, values in found.items()
            if not all(value is not None and light.is_number(value) for value in values)
        }
        if numbers.isdisjoint(wrong):
            return numbers
        numbers -= wrong


def _is_bounded(value: ast.expr, around: Light, often: set[str]) -> bool:
    """Whether it is a small number, or one of a range whose end no loop moves."""
    if isinstance(value, ast.Starred):
        if not around.is_number(value):
            return False
        parts = list(ast.walk(value.value))
        return not any(
            isinstance(part, ast.Attribute | ast.Subscript | ast.NamedExpr)
            or (isinstance(part, ast.Name) and part.id in often)
            for part in parts
        )
    return around.is_small(value)


def _bindings(function: Function) -> Iterator[tuple[str, ast.expr | None]]:
    """Each name that something sets, with what it is set to if that can be seen."""
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg, None
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name):
            yield node.target.id, node.value
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, ast.BinOp(node.target, node.op, node.value)
        elif isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
            yield node.target.id, ast.Starred(node.iter)  # one of them
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield from ((name, None) for name in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and node is not function:
            yield node.name, None
        yield from ((name, None) for name in _other_names(node))


def _other_names(node: ast.AST) -> Iterator[str]:
    """The names that a statement sets in ways that do not tell what to."""
    targets: list[ast.AST] = []
    if isinstance(node, ast.Assign):
        targets = [each for each in node.targets if not isinstance(each, ast.Name)]
    elif isinstance(node, ast.For | ast.comprehension) and not isinstance(node.target, ast.Name):
        targets = [node.target]
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        targets = [node.optional_vars]
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    for target in targets:
        yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))
