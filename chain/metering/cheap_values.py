"""Static knowledge of values: that an expression is an integer, or at least a value of negligible size.

Only facts that hold in every run count: a constant of the module, a length, arithmetic with an integer operand, and a name
that its function binds to nothing else. All other values are checked at run time (`chain.metering.value_size`).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import EnumType
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from chain.metering.builtin_costs import FREE
from chain.metering.repeated_tests import names_of
from chain.metering.value_size import LIGHT, SHORT

Function: TypeAlias = ast.FunctionDef | ast.Lambda

_MOST: Final = 64  # items of a constant that is sliced at no extra cost
FEW: Final = 64  # a constant up to this cannot make a value large in one step
_COUNTING: Final = frozenset({"len", "ord", "bool", "isinstance", "issubclass", "callable"})
_NUMBER: Final = frozenset({"int"})
_LIST: Final = frozenset({"list"})
_RANGE: Final = frozenset({"range"})
_WHOLE: Final = (ast.FloorDiv, ast.LShift, ast.RShift, ast.Pow)
_EITHER: Final = (ast.Add, ast.Sub, ast.BitAnd, ast.BitOr, ast.BitXor)


class Light:
    """The names and expressions of one function that are known to be integers, small, few or light."""

    def __init__(
        self,
        numbers: frozenset[str] = frozenset(),
        small: frozenset[str] = frozenset(),
        few: frozenset[str] = frozenset(),
        light: frozenset[str] = frozenset(),
        taken: frozenset[str] = frozenset(),
        rows: Mapping[str, bool] = MappingProxyType({}),
        heavy: frozenset[str] = frozenset(),
        long: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.numbers = numbers
        self.small = small  # the numbers that cannot grow
        self.few = few  # names of short tuples at the top of the module
        self.light = light  # names at the top of the module whose values have negligible size
        self.taken = taken  # names that the module or function binds, so they do not mean builtins
        # Names of texts and short tuples at the top of the module: True for a text.
        self.rows = rows
        self.heavy = heavy  # long or nested constants in classes, such as `Side.NAMES`
        self.long = long  # the lengths of longer tuples at the top of the module
        self.own: frozenset[str] = frozenset()  # names that the function binds
        self.fixed: frozenset[str] = frozenset()  # names that only assignments and parameters bind
        self.lists: frozenset[str] = frozenset()  # names that are only ever bound to new lists
        self.kept = self.fixed  # names that keep their values while an expression is evaluated
        # The same, on the assumption that any other value may be of the author's own class.
        self.strictly: Light | None = None

    def without(self, names: frozenset[str]) -> Light:
        """Return the knowledge for a function that binds `names` itself."""
        return Light(
            self.numbers - names,
            self.small - names,
            self.few - names,
            self.light - names,
            self.taken | names,
            {name: is_text for name, is_text in self.rows.items() if name not in names},
            self.heavy,
            {name: length for name, length in self.long.items() if name not in names},
        )

    def knowing(
        self, numbers: frozenset[str], small: frozenset[str], kind: type[Light] | None = None
    ) -> Light:
        """Return a copy with other numbers and small numbers. `kind` is its class."""
        return (kind or Light)(
            numbers, small, self.few, self.light, self.taken, self.rows, self.heavy, self.long
        )

    def is_sure(self, node: ast.expr) -> bool:
        """True if the expression is an integer even if every unchecked value may be of the author's own class."""
        return self.strictly is not None and self.strictly.is_number(node)

    def is_number(self, node: ast.expr) -> bool:
        """True if the expression is certainly an integer."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int)
        if isinstance(node, ast.Name):
            return node.id in self.numbers
        if isinstance(node, ast.BinOp):
            return self._is_sum(node)
        if isinstance(node, ast.Call):
            return self._is_counting(node) or self._is_reading(node)
        if isinstance(node, ast.Starred):  # an item of an iterable
            iterable = node.value
            return isinstance(iterable, ast.Call) and self._is_builtin(iterable.func, _RANGE)
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
        """True for `int.from_bytes(…)`, which returns an integer of any size."""
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
        """True if the value certainly has negligible size."""
        if isinstance(node, ast.Constant | ast.Compare | ast.Lambda):
            return True
        if _is_member(node):
            return ast.unparse(node) not in self.heavy
        if isinstance(node, ast.IfExp):
            return self.is_light(node.body) and self.is_light(node.orelse)
        if isinstance(node, ast.Tuple):
            return all(map(self.is_light, node.elts))
        if isinstance(node, ast.Name):
            return node.id in self.light or node.id in self.numbers
        if isinstance(node, ast.Subscript):
            return self.is_row(node.value) and self.is_light(node.value)
        return self.is_number(node)

    def is_kept(self, node: ast.expr) -> bool:
        """True for a name that keeps its value while the rest of an expression is evaluated."""
        return isinstance(node, ast.Name) and node.id in self.kept

    def is_new_list(self, node: ast.expr | None) -> bool:
        """True for `[…]`, `[… for …]` and `list(…)`."""
        is_called = isinstance(node, ast.Call) and self._is_builtin(node.func, _LIST)
        return is_called or isinstance(node, ast.List | ast.ListComp)

    def is_row(self, node: ast.expr) -> bool:
        """True for a text or short tuple of the module: an index into it is never hashed or compared."""
        return isinstance(node, ast.Name) and node.id in self.rows

    def is_plain(self, node: ast.expr) -> bool:
        """True if the value is certainly formatted in one step."""
        if isinstance(node, ast.Subscript):  # a part of a text
            return self.is_row(node.value) and self.rows[ast.unparse(node.value)]
        return self.is_small(node)

    def is_few(self, node: ast.expr) -> bool:
        """True if the value holds no more items than the source shows."""
        if isinstance(node, ast.IfExp):
            return self.is_few(node.body) and self.is_few(node.orelse)
        if isinstance(node, ast.Name):
            return node.id in self.few
        return isinstance(node, ast.Tuple | ast.List) and not any(
            isinstance(item, ast.Starred) for item in node.elts
        )

    def is_small(self, node: ast.expr) -> bool:
        """True if the value is certainly a small integer, which adds little however often it is added."""
        if isinstance(node, ast.UnaryOp):
            return self.is_small(node.operand)
        if isinstance(node, ast.Call):
            return self._is_counting(node)
        if isinstance(node, ast.Name):
            return node.id in self.small
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Add | ast.Sub):
                return self.is_small(node.left) and self.is_small(node.right)
            is_rest = isinstance(node.op, ast.Mod) and self.is_number(node.left)
            return is_rest and self.is_small(node.right)
        return isinstance(node, ast.Constant) and (
            isinstance(node.value, int) and abs(node.value) <= FEW
        )


class Strictly(Light):
    """Knowledge that counts a result as an integer only if all operands are integers."""

    def _is_signed(self, node: ast.UnaryOp) -> bool:
        return isinstance(node.op, ast.Not) or self.is_number(node.operand)

    def _is_sum(self, node: ast.BinOp) -> bool:
        is_made = self.is_number(node.left) and self.is_number(node.right)
        return is_made and not isinstance(node.op, ast.Pow | ast.Div | ast.MatMult)


def _is_member(node: ast.expr) -> bool:
    """True for a class attribute such as `Side.LEFT`: it was made before any call."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    name = node.value.id
    return node.attr.isupper() and name[:1].isupper() and not name.isupper()


def light_of(constants: Mapping[str, Any], taken: frozenset[str]) -> Light:
    """Return the knowledge of values that are set for good. `taken` holds the names that do not mean builtins."""
    numbers = {name for name, value in constants.items() if type(value) in (int, bool)}
    return Light(
        frozenset(numbers),
        frozenset(name for name in numbers if abs(constants[name]) <= FEW),
        frozenset(name for name, value in constants.items() if _is_row(value)),
        frozenset(name for name, value in constants.items() if _is_light(value)),
        taken,
        {
            name: type(value) is str
            for name, value in constants.items()
            if type(value) in (str, tuple) and len(value) <= _MOST
        },
        frozenset(
            f"{name}.{part}"
            for name, value in constants.items()
            if isinstance(value, type) and not isinstance(value, EnumType)
            for part, held in vars(value).items()
            if type(held) in (str, bytes, tuple) and not _is_brief(held)
        ),
        {
            name: len(value)
            for name, value in constants.items()
            if type(value) is tuple and len(value) > FREE
        },
    )


def _is_row(value: object) -> bool:
    return type(value) is tuple and len(value) <= FREE


def _is_brief(value: Any) -> bool:
    return len(value) < SHORT and (
        type(value) is not tuple or all(type(part) in LIGHT or _is_light(part) for part in value)
    )


def _is_light(value: Any) -> bool:
    if type(value) is str:
        return len(value) < SHORT
    is_short = type(value) is tuple and len(value) <= _MOST
    return type(value) in LIGHT or (is_short and LIGHT.issuperset(map(type, value)))


def light_in(function: Function, constants: Light) -> Light:
    """Return the knowledge of a function: of the names it binds, and of the `constants` around it that it does not bind."""
    bindings: dict[str, list[ast.expr | None]] = {}
    for name, value in _bindings(function):
        bindings.setdefault(name, []).append(value)
    outer = constants.without(frozenset(bindings))
    numbers = _numbers(bindings, outer, Light)
    often = {name for name, values in bindings.items() if len(values) > 1}
    small = {
        name
        for name, values in bindings.items()
        if all(value is not None and _is_bounded(value, outer, often) for value in values)
    }
    light = outer.knowing(numbers, outer.small | small)
    light.own = frozenset(bindings)
    if isinstance(function, ast.FunctionDef):
        assigned = Counter(names_of(function))
        light.fixed = frozenset(
            name for name, times in assigned.items() if times == len(bindings[name])
        )
        light.lists = frozenset(
            name for name in assigned if all(map(outer.is_new_list, bindings[name]))
        )
    light.kept = (light.fixed - often) | outer.numbers
    light.strictly = outer.knowing(_numbers(bindings, outer, Strictly), light.small, Strictly)
    return light


def _numbers(
    found: dict[str, list[ast.expr | None]], around: Light, kind: type[Light]
) -> frozenset[str]:
    """Return the names that are only ever bound to integers. `found` holds the values each name is bound to."""
    numbers = around.numbers | found.keys()
    while True:
        light = around.knowing(numbers, around.small, kind)
        non_numbers = {
            name
            for name, values in found.items()
            if not all(value is not None and light.is_number(value) for value in values)
        }
        if numbers.isdisjoint(non_numbers):
            return numbers
        numbers -= non_numbers


def _is_bounded(value: ast.expr, around: Light, often: set[str]) -> bool:
    """True if the value is a small integer, or an item of a range whose end does not grow in a loop.

    `often` holds the names that are bound more than once.
    """
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
    """Yield each name that the function binds, with its value, or None where the value is not known."""
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
            yield node.target.id, ast.Starred(node.iter)  # an item of the iterable
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield from ((name, None) for name in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and node is not function:
            yield node.name, None
        yield from ((name, None) for name in _other_names(node))


def _other_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds to values that the source does not show."""
    targets: list[ast.AST] = []
    if isinstance(node, ast.Assign):
        targets = [target for target in node.targets if not isinstance(target, ast.Name)]
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
        for inner in ast.walk(target):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                yield inner.id
