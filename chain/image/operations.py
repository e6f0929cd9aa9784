"""Operators, comparisons, keys and texts that are made of values: each looks at what it is given, or at what came of it.

In the plain statements of a function that takes no call: a value gets a name on the way, and its class is looked at. Elsewhere
a word stands in the place of the operator.
"""

from __future__ import annotations

import ast
import re
from copy import copy, deepcopy
from typing import Any, Final

from chain.image.keeping import SETTABLE
from chain.image.ticks import parsed
from chain.image.weighing import DISPLAYS, Weighing
from chain.image.words import OPERATORS

_BITS: Final[dict[type[ast.operator], tuple[str, str]]] = {
    ast.BitOr: ("|", "unite"),
    ast.BitAnd: ("&", "intersect"),
    ast.BitXor: ("^", "differ"),
}


class Operations(Weighing):
    """Makes operators pay, comparisons, keys and formatted texts."""

    # Operators

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:  # noqa: N802
        is_costly = self._is_costly(node.op, node.left, node.right)
        is_small = self._light.is_small(node.left), self._light.is_small(node.right)
        is_index = node in self._indices  # it is weighed, and not kept
        if is_index and isinstance(node.op, ast.Add | ast.Sub):
            parts = (node.left, node.right)
            self._indices.update(each for each in parts if self._light.is_number(each))
        self.generic_visit(node)
        if not is_costly or (is_index and isinstance(node.op, ast.Add)):
            return node
        if self._has_names and isinstance(node.op, ast.Add):
            return self._sum(node)
        if self._has_names and isinstance(node.op, ast.Sub) and _is_plain(node.right):
            return self._difference(node)
        if self._has_names and isinstance(node.op, ast.Mult) and any(is_small):
            return self._product(node, is_small[0])
        if self._has_names and type(node.op) in _BITS and _is_plain(node.right):
            return self._bits(node, *_BITS[type(node.op)])
        return self._operation(node.op, node.left, node.right, node)

    def _bits(self, node: ast.BinOp, sign: str, word: str) -> ast.AST:
        """Of numbers it is no larger than they are; of sets and dicts it is."""
        made = parsed(
            f"__v__ {sign} __w__ if __class_of__(__v__ := 0) is __int_class__ else __{word}__(__v__, __w__)",
            node,
        )
        made.test.left.args[0].value = node.left
        return _Named("__w__", node.right).visit(made)  # type: ignore[no-any-return]

    def _sum(self, node: ast.BinOp) -> ast.AST:
        """Looked at when it is there: it is hardly larger than what it is made of."""
        made = parsed(
            "__v__ if __class_of__(__v__ := 0) is __int_class__ and __least__ < __v__ < __most__ else __summed__(__v__)",
            node,
        )
        made.test.values[0].left.args[0].value = node
        return made  # type: ignore[no-any-return]

    def _difference(self, node: ast.BinOp) -> ast.AST:
        """That of sets works longer than its size tells."""
        made = parsed(
            "__x__ if __class_of__(__v__ := 0) is __int_class__ and __class_of__(__x__ := __v__ - __w__) is __int_class__"
            " and __least__ < __x__ < __most__ else __subtract__(__v__, __w__)",
            node,
        )
        made.test.values[0].left.args[0].value = node.left
        return _Named("__w__", node.right).visit(made)  # type: ignore[no-any-return]

    def _product(self, node: ast.BinOp, is_first: bool) -> ast.AST:
        """By a small number."""
        few, other = (node.left, node.right) if is_first else (node.right, node.left)
        text = "__v__ * __w__" if not is_first else "__w__ * __v__"
        made = parsed(
            f"__x__ if __class_of__(__v__ := 0) is __int_class__ and __least__ < (__x__ := {text}) < __most__"
            f" else __multiply__({text.replace(' *', ',')})",
            node,
        )
        made.test.values[0].left.args[0].value = other
        return _Named("__w__", few).visit(made)  # type: ignore[no-any-return]

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
            target.value = self._paid(SETTABLE, target.value)
        value = self._operation(node.op, left, node.value, node)
        value.args.append(parsed(f"__{OPERATORS[type(node.op)][1].__name__}__", node))
        made: ast.stmt = ast.copy_location(ast.Assign([target], value), node)
        if before:
            made = ast.copy_location(ast.If(ast.Constant(True), [*before, made], []), node)
        return made

    def _kept(self, name: str, value: ast.expr, before: list[ast.stmt]) -> ast.expr:
        """A name for what must not be asked for twice."""
        if isinstance(value, ast.Name):
            return value
        made = ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), value)], value)
        before.append(ast.copy_location(made, value))
        return ast.copy_location(ast.Name(name, ast.Load()), value)

    def _operation(
        self, op: ast.operator, left: ast.expr, right: ast.expr, place: ast.AST
    ) -> ast.Call:
        word = f"__{OPERATORS[type(op)][0].__name__}__"
        made = ast.Call(ast.copy_location(ast.Name(word, ast.Load()), place), [left, right], [])
        return ast.copy_location(made, place)

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

    # What is compared, found by its hash, or written

    def visit_Compare(self, node: ast.Compare) -> ast.AST:  # noqa: N802
        holders = [each for each in node.comparators if isinstance(each, DISPLAYS)]
        operands = [node.left, *node.comparators]
        self._brief.update(operands)
        is_light = [self._light.is_light(each) for each in operands]
        self.see_compare(node)
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            if isinstance(node.comparators[0], ast.Constant):
                return node
            if not holders or not all(map(_is_fixed, holders)):
                return self._contains(node)
            if not is_light[0] and not is_light[1]:
                node.left = self._weighed(node.left)
            return node
        for i, op in enumerate(node.ops):
            if not isinstance(op, ast.Is | ast.IsNot) and not (is_light[i] or is_light[i + 1]):
                is_light[i + 1] = True
                node.comparators[i] = self._weighed(node.comparators[i])
        return node

    def _contains(self, node: ast.Compare) -> ast.AST:
        found: ast.expr = ast.Call(
            parsed("__contains__", node), [node.left, node.comparators[0]], []
        )
        found = ast.copy_location(found, node)
        if isinstance(node.ops[0], ast.NotIn):
            found = ast.copy_location(ast.UnaryOp(ast.Not(), found), node)
        return found

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:  # noqa: N802
        self._brief.add(node.slice)
        if isinstance(node.ctx, ast.Load):
            self._indices.add(node.slice)
        self.generic_visit(node)
        where = node.slice
        if isinstance(where, ast.Slice):
            if not isinstance(node.ctx, ast.Load):
                node.value = self._paid("__moved__", node.value)
                return node
            is_few = (
                where.upper is not None
                and self._light.is_small(where.upper)
                and _is_plus(where.upper)
            )
            return node if is_few else self._paid("__sliced__", node)
        if isinstance(node.ctx, ast.Store):
            node.slice = self._key(where)
        else:
            node.slice = self._weighed(where)
            choice = node.slice
            if (
                isinstance(where, ast.Name)
                and isinstance(choice, ast.IfExp)
                and _is_plain(node.value)
            ):
                asked = ast.Call(parsed("__index__", where), [where, deepcopy(node.value)], [])
                choice.orelse = ast.copy_location(asked, where)  # it may be a slice
            if isinstance(node.ctx, ast.Del):
                node.value = self._paid("__moved__", node.value)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:  # noqa: N802
        """The texts in it pay together, once they are put into one: no text is large."""
        is_light = all(
            isinstance(each, ast.Constant) or self._light.is_small(each.value)
            for each in node.values
            if isinstance(each, ast.Constant | ast.FormattedValue)
        )
        super().visit_JoinedStr(node)
        if is_light:
            return node
        if not self._has_names:
            return self._paid("__written__", node)
        made = parsed("__v__ if __length_of__(__v__ := 0) <= 64 else __written__(__v__)", node)
        made.test.left.args[0].value = node
        return made  # type: ignore[no-any-return]

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:  # noqa: N802
        node.value = self._weighed(self.visit(node.value), "__shown__")
        if node.format_spec is not None:
            self.generic_visit(node.format_spec)
        spec = node.format_spec
        for each in spec.values if isinstance(spec, ast.JoinedStr) else ():
            if isinstance(each, ast.FormattedValue):
                each.value = self._paid("__pay_for_width__", each.value)
            elif isinstance(each, ast.Constant) and re.search(r"\d{4}", str(each.value)):
                node.value = self._wide(node.value, str(each.value))
        return node

    def _wide(self, value: ast.expr, spec: str) -> ast.expr:
        """Pays for the width, then is the value."""
        made: ast.expr = parsed(f"(__pay_for_width__({spec!r}), 0)[1]", value)
        assert isinstance(made, ast.Subscript) and isinstance(made.value, ast.Tuple)
        made.value.elts[1] = value
        return made


def _is_fixed(node: ast.expr) -> bool:
    """Whether a display shows how many there are in it."""
    parts = getattr(node, "elts", None)
    return parts is not None and not any(isinstance(each, ast.Starred) for each in parts)


def _is_plain(node: ast.expr) -> bool:
    """Whether it may be asked for twice."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name | ast.Constant)


class _Named(ast.NodeTransformer):
    """Puts an expression in the place of a name."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self.name = name
        self.value = value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.value if node.id == self.name else node


def _is_plus(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= 0
