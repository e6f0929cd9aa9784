"""Rewriting of operators, comparisons, keys and formatted texts, so that they are charged by their operands or their result.

In the plain statements of a function the check needs no call: the expression binds the value to a name and tests its class.
Elsewhere the operator is replaced by a call of a runtime function (`chain.metering.runtime_names`).
"""

from __future__ import annotations

import ast
import re
from copy import copy, deepcopy
from typing import Any, Final

from chain.metering.arithmetic import FARTHEST
from chain.metering.builtin_costs import FREE
from chain.metering.insert_stable_text import PICTURES
from chain.metering.insert_ticks import call_of, parse_at
from chain.metering.instrumented_builtins import SETTABLE
from chain.metering.runtime_names import OPERATORS
from chain.metering.tree_rewriter import OURS, Weighing

# For operands V and W: the test that a quick result is fine, and that result. X is a result the test has computed already.
_WITHIN: Final = "__least__ < (X := V {} W) < __most__"
_QUICK: Final[dict[type[ast.operator], tuple[str, str]]] = {
    ast.Add: (_WITHIN.format("+"), "X"),
    ast.Sub: (_WITHIN.format("-"), "X"),
    ast.Mult: (_WITHIN.format("*"), "X"),
    ast.FloorDiv: ("__least__ < V < __most__", "V // W"),
    ast.Mod: ("__least__ < V < __most__", "V % W"),
    ast.LShift: ("__least__ < V < __most__ and W <= __farthest__", "V << W"),
    ast.BitOr: ("", "V | W"),
    ast.BitAnd: ("", "V & W"),
    ast.BitXor: ("", "V ^ W"),
}


class Operations(Weighing):
    """A rewriter that charges for operators, comparisons, keys and formatted texts."""

    # Operators

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:  # noqa: N802
        is_costly = self._is_costly(node.op, node.left, node.right)
        is_index = node in self._indices  # an index is weighed and then dropped
        if is_index and isinstance(node.op, ast.Add | ast.Sub):
            parts = (node.left, node.right)
            self._indices.update(part for part in parts if self._light.is_number(part))
        if isinstance(node.op, ast.Add):
            self._spent.update((node.left, node.right))
        self.generic_visit(node)
        if not is_costly or (is_index and isinstance(node.op, ast.Add)):
            return node
        if self._has_names and isinstance(node.op, ast.Add):
            return self._sum(node)
        return self._operation(node.op, node.left, node.right, node)

    def _sum(self, node: ast.BinOp) -> ast.AST:
        """Return a sum that is checked after it is computed: it is hardly larger than its operands."""
        is_small = "" if node in self._spent else " and __least__ < __v__ < __most__"
        checked_sum = parse_at(
            f"__v__ if __class_of__(__v__ := 0) is __int_class__{is_small}"
            f" else __v__ if __class_of__(__v__) in __rows__ and __length_of__(__v__) <= {FREE}"
            " else __summed__(__v__)",
            node,
        )
        _give(checked_sum.test, "__v__", node)
        return checked_sum  # type: ignore[no-any-return]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:  # noqa: N802
        target: Any = node.target
        left = (
            ast.copy_location(ast.Name(target.id, ast.Load()), target)
            if isinstance(target, ast.Name)
            else target
        )
        if not self._is_costly(node.op, left, node.value):
            return self.generic_visit(node)
        node.value = self.visit(node.value)
        before: list[ast.stmt] = []
        if not isinstance(target, ast.Name):
            target.value = self._kept("__owner__", self.visit(target.value), before)
        if isinstance(target, ast.Subscript):
            index = target.slice
            target.slice = (
                index
                if isinstance(index, ast.Constant)
                else self._kept("__place__", self._key(self.visit(index)), before)
            )
        left = copy(target)
        left.ctx = ast.Load()
        if isinstance(target, ast.Attribute):
            target.value = call_of(SETTABLE, target.value)
        in_place = parse_at(f"__{OPERATORS[type(node.op)][1].__name__}__", node)
        value = self._operation(node.op, left, node.value, node, in_place)
        assignment: ast.stmt = ast.copy_location(ast.Assign([target], value), node)
        if before:
            assignment = ast.copy_location(
                ast.If(ast.Constant(True), [*before, assignment], []), node
            )
        return assignment

    def _kept(self, name: str, value: ast.expr, before: list[ast.stmt]) -> ast.expr:
        """Return a name for a value that must be evaluated only once. Append its assignment to `before`."""
        if isinstance(value, ast.Name):
            return value
        assignment = ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), value)], value)
        before.append(ast.copy_location(assignment, value))
        return ast.copy_location(ast.Name(name, ast.Load()), value)

    def _operation(
        self,
        op: ast.operator,
        left: ast.expr,
        right: ast.expr,
        place: ast.AST,
        *in_place: ast.expr,
    ) -> ast.expr:
        """Return an operation that is computed inline for small integers, and by a call for all other values."""
        function_name = f"__{OPERATORS[type(op)][0].__name__}__"
        call = ast.Call(parse_at(function_name, place), [left, right, *in_place], [])
        names = self._names_for(left, right) if type(op) in _QUICK else None
        if names is None:
            return ast.copy_location(call, place)
        test, result = _QUICK[type(op)]
        if place in self._spent and "X" in result:
            test, result = "", test.partition(":= ")[2].partition(")")[0]
        if self._is_near(op, right):
            test = test.removesuffix(" and W <= __farthest__")
        if self._light.is_small(left):
            test = test.removeprefix("__least__ < V < __most__").removeprefix(" and ")
        classes, values = [], {}
        tested = self._tested(op, left, right, names) if not test else "VW"
        for name, operand in zip("VW", (left, right), strict=True):
            values[name] = names.get(name) or ast.unparse(operand)
            if name in tested and not self._light.is_sure(operand):
                classes.append(f"__class_of__({f'{name} := 0' if name in names else name})")
            elif name in names:  # the left operand is evaluated before the right one
                classes.append(f"__class_of__({name} := 0)")
        parts = [" is ".join([*classes, "__int_class__"])] if classes else []
        parts += [test] if test else []
        text = f"{result} if {' and '.join(parts) or True} else 0"
        values["X"] = names["X"]
        choice = parse_at(re.sub(r"\b[VWX]\b", lambda match: values[match[0]], text), place)
        for name, operand in zip("VW", (left, right), strict=True):
            if name in names:
                _give(choice.test, names[name], operand)
                call.args["VW".index(name)] = parse_at(names[name], place)
        choice.orelse = ast.copy_location(call, place)
        return choice  # type: ignore[no-any-return]

    def _is_near(self, op: ast.operator, right: ast.expr) -> bool:
        """True for a shift by a small number."""
        bits = right.value if isinstance(right, ast.Constant) else None
        is_near = self._light.is_small(right) or (type(bits) is int and bits <= FARTHEST)
        return isinstance(op, ast.LShift) and is_near

    def _tested(
        self, op: ast.operator, left: ast.expr, right: ast.expr, names: dict[str, str]
    ) -> str:
        """Return which of the operands V and W must be tested: most operators combine an integer only with another one."""
        operands = {"V": left, "W": right}
        unsure = [name for name, operand in operands.items() if not self._light.is_sure(operand)]
        if isinstance(op, ast.Mult) or names.keys() >= operands.keys():
            return "".join(unsure)
        return "" if len(unsure) < 2 else "W" if "W" in names else "V"

    def _names_for(self, left: ast.expr, right: ast.expr) -> dict[str, str] | None:
        """Return names for the operands that need one, none of them bound within `right`. None where names are not allowed."""
        is_read = _is_read(left), _is_read(right)
        if not self._has_names or (self._is_shared and not is_read[1]):
            return None
        depth = "" if is_read[1] else _depth(right)
        names = {"X": f"__x{depth}__"}
        is_kept = isinstance(left, ast.Constant) or self._light.is_kept(left)
        if not (all(is_read) or is_kept):
            names["V"] = f"__v{depth}__"
        if not is_read[1]:
            names["W"] = f"__w{depth}__"
        return names

    def _is_costly(self, op: ast.operator, left: ast.expr, right: ast.expr) -> bool:
        light = self._light
        small = light.is_small(left), light.is_small(right)
        if type(op) not in OPERATORS or all(small):
            return False
        if isinstance(op, ast.Add | ast.Sub):
            return not any(small)
        if isinstance(op, ast.FloorDiv):
            return not isinstance(right, ast.Constant)
        if isinstance(op, ast.Mod):
            return not light.is_number(left) or not isinstance(right, ast.Constant)
        if isinstance(op, ast.BitOr | ast.BitAnd | ast.BitXor):
            return not (light.is_number(left) or light.is_number(right))
        return True

    # Comparisons, keys and formatted texts

    def visit_Compare(self, node: ast.Compare) -> ast.AST:  # noqa: N802
        operands = [node.left, *node.comparators]
        self._spent.update(operands)
        is_light = [self._light.is_light(operand) for operand in operands]
        is_row = self._light.is_few(operands[1]) or is_fixed(operands[1])
        self.see_compare(node)
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            if isinstance(node.comparators[0], ast.Constant):
                return node
            if is_light[0] and is_row:
                return node
            if not is_row:
                return self._contains(node)
            if not is_light[1]:
                node.left = self._weighed(node.left)
            return node
        for i, op in enumerate(node.ops):
            if isinstance(op, ast.Is | ast.IsNot) or is_light[i] or is_light[i + 1]:
                continue
            left, right = operands[i : i + 2]
            if self._is_fixed(left) and not self._is_fixed(right) and _is_plain(right):
                node.comparators[i] = self._weighed_beside(left, node.comparators[i])
            else:
                is_light[i + 1] = True
                node.comparators[i] = self._weighed(node.comparators[i])
        return node

    def _contains(self, node: ast.Compare) -> ast.AST:
        call: ast.expr = ast.Call(
            parse_at("__contains__", node), [node.left, node.comparators[0]], []
        )
        call = ast.copy_location(call, node)
        if isinstance(node.ops[0], ast.NotIn):
            call = ast.copy_location(ast.UnaryOp(ast.Not(), call), node)
        return call

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:  # noqa: N802
        if not isinstance(node.ctx, ast.Del):
            self._indices.add(node.slice)
        is_row = self._light.is_row(node.value) and not isinstance(node.slice, ast.BinOp)
        self.generic_visit(node)
        index = node.slice
        if is_row and not isinstance(index, ast.Slice):
            return node
        if isinstance(index, ast.Slice):
            if not isinstance(node.ctx, ast.Load):
                node.value = call_of("__moved__", node.value)
                return node
            is_few = (
                index.upper is not None
                and self._light.is_small(index.upper)
                and _is_plus(index.upper)
            )
            if is_few:
                return node
            charged = self._few("__charge_slice__", node)
            self._sliced[charged] = node
            return charged
        if isinstance(node.ctx, ast.Store):
            is_list = isinstance(node.value, ast.Name) and node.value.id in self._light.lists
            node.slice = self._place_in_list(index) if is_list else self._key(index)
        else:
            node.slice = self._weighed(index)
            choice = node.slice
            if (
                isinstance(index, ast.Name)
                and isinstance(choice, ast.IfExp)
                and _is_plain(node.value)
            ):
                call = ast.Call(parse_at("__index__", index), [index, deepcopy(node.value)], [])
                choice.orelse = ast.copy_location(call, index)  # the index may be a slice
            if isinstance(node.ctx, ast.Del):
                node.value = call_of("__moved__", node.value)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:  # noqa: N802
        """Charge for all parts together by the length of the whole: no text is large."""
        is_light = all(
            isinstance(part, ast.Constant) or self._light.is_small(part.value)
            for part in node.values
            if isinstance(part, ast.Constant | ast.FormattedValue)
        )
        super().visit_JoinedStr(node)
        if is_light:
            return node
        if not self._has_names:
            return call_of("__written__", node)
        checked_text = parse_at(
            "__v__ if __length_of__(__v__ := 0) <= 64 else __written__(__v__)", node
        )
        checked_text.test.left.args[0].value = node
        return checked_text  # type: ignore[no-any-return]

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:  # noqa: N802
        word = "__charge_pictured__" if node.conversion in PICTURES else "__charge_shown__"
        node.value = self._weighed(self.visit(node.value), word)
        if node.format_spec is not None:
            self.generic_visit(node.format_spec)
        spec = node.format_spec
        for part in spec.values if isinstance(spec, ast.JoinedStr) else ():
            if isinstance(part, ast.FormattedValue):
                part.value = call_of("__pay_for_width__", part.value)
            elif isinstance(part, ast.Constant) and re.search(r"\d{4}", str(part.value)):
                node.value = self._wide(node.value, str(part.value))
        return node

    def _wide(self, value: ast.expr, spec: str) -> ast.expr:
        """Return an expression that charges for the width in `spec`, then evaluates to `value`."""
        pair: ast.expr = parse_at(f"(__pay_for_width__({spec!r}), 0)[1]", value)
        assert isinstance(pair, ast.Subscript) and isinstance(pair.value, ast.Tuple)
        pair.value.elts[1] = value
        return pair


def is_fixed(node: ast.expr) -> bool:
    """True if a display shows the number of its items."""
    parts = getattr(node, "elts", None)
    return parts is not None and not any(isinstance(part, ast.Starred) for part in parts)


def _is_plain(node: ast.expr) -> bool:
    """True if an expression may be evaluated twice."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name | ast.Constant)


def _is_read(node: ast.expr) -> bool:
    """True if an expression may be evaluated twice, and its evaluation runs no code."""
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Constant) and type(node.value) is int
    )


def _depth(node: ast.expr) -> str:
    """Return the suffix that makes generated names differ from those in an expression."""
    depths = [
        int(match[1] or 0)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and (match := OURS.fullmatch(inner.id))
    ]
    return str(max(depths) + 1) if depths else ""


def _give(test: ast.expr, name: str, value: ast.expr) -> None:
    """Set the value that `test` binds to `name`."""
    for node in ast.walk(test):
        if isinstance(node, ast.NamedExpr) and node.target.id == name:
            node.value = value
            return


def _is_plus(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= 0
