"""Tells the shapes of source that may work long without a tick, and puts what makes them pay in their place.

Only where it cannot be seen that they do not: `min` of two arguments, a sum over a comprehension (which ticks), `zip` behind a
`for`, a product with a small number stay as they are. Additions grow slowly, so they pay only where they may feed on
themselves: where what is added was set in the loop around.
"""

from __future__ import annotations

import ast
import builtins
import re
from functools import lru_cache
from typing import Any, Final

from chain.guard.sources import Module
from chain.image.libraries import is_costly, library
from chain.image.meter import SPACE
from chain.image.methods import METHODS, guarded_format, method, pay_for_width, percent, written
from chain.image.ticks import parsed
from chain.image.wording import Wording
from chain.image.work import (
    BUILT,
    add,
    contains,
    guarded_bytes,
    guarded_iter,
    guarded_reversed,
    guarded_sorted,
    guarded_sum,
    lazily,
    multiply,
    pay,
    pay_built,
    power,
    shift,
    sliced,
    slow,
    united,
    walking,
)  # fmt: skip

_WALKING: Final = ("min", "max", "any", "all")
_BUILDING: Final = ("list", "tuple", "set", "frozenset", "dict")
_BUILTINS: Final[dict[str, Any]] = {
    "sum": guarded_sum,
    "sorted": guarded_sorted,
    "iter": guarded_iter,
    "pow": power,
    "format": guarded_format,
    **{name: walking(getattr(builtins, name)) for name in _WALKING},
    **{name: walking(SPACE[name], BUILT) for name in _BUILDING},
    **{name: guarded_bytes(getattr(builtins, name)) for name in ("bytes", "bytearray")},
    "map": lazily(map, 1),
    "filter": lazily(filter, 1),
    "zip": lazily(zip),
    "enumerate": lazily(enumerate, 0, 1),
    "reversed": guarded_reversed,
}
_YIELDING: Final = frozenset({"map", "zip", "enumerate", "reversed"})
_OPERATORS: Final = {
    ast.Mult: multiply,
    ast.Pow: power,
    ast.LShift: shift,
    ast.Mod: percent,
    ast.Add: add,
    ast.BitOr: united,
}
_WORDS: Final = {
    f"__{each.__name__}__": each
    for each in (
        add, united, written, multiply, power, shift, percent, contains, sliced, method, library, pay, pay_built, slow,
        pay_for_width,
    )
}  # fmt: skip
_FEW: Final = 64  # a constant up to this makes nothing big at once
_DISPLAYS: Final = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_COMPREHENSIONS: Final = (ast.GeneratorExp, *_DISPLAYS)
_TICKING_ALONE: Final = frozenset({*_WALKING, *_BUILDING, "sum", "bytes", "bytearray"})
_SEQUENCES: Final = (ast.List, ast.Tuple, ast.JoinedStr, ast.ListComp)
_DEFINITIONS: Final = (ast.FunctionDef, ast.ClassDef)
_Loop = ast.For | ast.While

SPACE.update(_WORDS)
SPACE.update(
    {
        f"__bare_{name}_paid__": walking(getattr(builtins, name), BUILT)
        for name in ("set", "frozenset")
    }
)
SPACE.update({f"__{name}__": guarded for name, guarded in _BUILTINS.items()})


class Guarding(Wording):
    """Ticks, questions, ordered sets, texts, and whatever else must pay."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._module = module
        self._bound = _bound_inside(module)
        self._grown: list[frozenset[str]] = [frozenset()]  # by loop around: the names that it sets
        self._free: set[ast.AST] = set()  # calls whose turns tick where they stand

    # Calls

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        path = self._path(node.func)
        is_free = node in self._free or _is_harmless(path, node)
        costly = path is not None and is_costly(path)
        is_method = isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
        self.leave(node, is_method and not costly)
        self.see_call(node, path)
        self.generic_visit(node)
        return self.seen_call(self._priced(node, path, costly, is_free), path)

    def _priced(self, node: ast.Call, path: str | None, costly: bool, is_free: bool) -> ast.Call:
        if path is None or not path.startswith("builtins."):
            if costly:
                place = ast.copy_location(ast.Constant(path), node)
                return self._call("__library__", node, [place, node.func, *node.args])
            if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
                name = ast.copy_location(ast.Constant(node.func.attr), node)
                return self._call("__method__", node, [node.func.value, name, *node.args])
            return node
        name_ = path.removeprefix("builtins.")
        if name_ not in _BUILTINS or is_free:
            return node
        if name_ in _WALKING + _BUILDING and not isinstance(node.args[0], ast.Starred):
            word = "__pay__" if name_ in _WALKING else "__pay_built__"
            node.args[0] = self._paid(word, node.args[0])
            return node
        return self._call(f"__{name_}__", node, node.args)

    def _call(self, word: str, node: ast.Call, args: list[ast.expr]) -> ast.Call:
        node.func = ast.copy_location(ast.Name(word, ast.Load()), node)
        node.args = args
        return node

    def _path(self, node: ast.expr) -> str | None:
        """The path of what is called, where the module's names tell it."""
        if isinstance(node, ast.Attribute):
            holder = self._path(node.value)
            return (
                f"{holder}.{node.attr}" if holder and not holder.startswith("builtins.") else None
            )
        if not isinstance(node, ast.Name) or node.id in self._bound:
            return None
        known = self._module.names.get(node.id)
        if known is not None:
            return known.target
        return f"builtins.{node.id}" if hasattr(builtins, node.id) else None

    # Where turns tick anyway

    def visit_For(self, node: ast.For) -> ast.AST:  # noqa: N802
        self._set_free(node.iter)
        return super().visit_For(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self._set_free(node.iter)
        return super().visit_comprehension(node)

    def _set_free(self, node: ast.expr) -> None:
        name = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and isinstance(name, ast.Name) and name.id in _YIELDING:
            self._free.add(node)
            for each in node.args:
                self._set_free(each)

    def _loop(self, node: _Loop) -> ast.AST:
        self._grown.append(self._grown[-1] | _set_in(node))
        try:
            return super()._loop(node)
        finally:
            self._grown.pop()

    # Operators

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:  # noqa: N802
        is_costly = self._is_costly(node.op, node.left, node.right)
        super().visit_BinOp(node)
        return self._operation(node.op, node.left, node.right, node) if is_costly else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:  # noqa: N802
        target = node.target
        is_costly = isinstance(target, ast.Name) and self._is_costly(
            node.op, target, node.value, True
        )
        self.generic_visit(node)
        if not is_costly or not isinstance(target, ast.Name):
            return node
        before = ast.copy_location(ast.Name(target.id, ast.Load()), target)
        value = self._operation(node.op, before, node.value, node)
        if isinstance(node.op, ast.Add | ast.Mult):
            value.keywords = [ast.keyword("inside", ast.Constant(True))]
        return ast.copy_location(ast.Assign([target], value), node)

    def _operation(self, op: ast.operator, left: ast.expr, right: ast.expr, place: ast.AST) -> Any:
        word = f"__{_OPERATORS[type(op)].__name__}__"
        made = ast.Call(ast.copy_location(ast.Name(word, ast.Load()), place), [left, right], [])
        return ast.copy_location(made, place)

    def _is_costly(
        self, op: ast.operator, left: ast.expr, right: ast.expr, feeds: bool = False
    ) -> bool:
        small = self._small(left), self._small(right)
        if isinstance(op, ast.Pow):
            return not all(small)
        if isinstance(op, ast.Mod):
            return _is_text(left)
        if isinstance(op, ast.LShift):
            return not all(small) and (not small[1] or self._may_grow(left))
        if isinstance(op, ast.Mult):
            if any(isinstance(each, _SEQUENCES) or _is_text(each) for each in (left, right)):
                return not any(small)
            return not any(small) or self._may_grow(left) or self._may_grow(right)
        if isinstance(op, ast.BitOr):
            return not any(small) and not feeds and self._may_grow(left)
        if isinstance(op, ast.Add) and not any(small):
            grows = feeds or self._may_grow(left) or self._may_grow(right)
            return grows or ast.dump(left) == ast.dump(right)  # a helper that doubles, in a loop
        return False

    def _small(self, node: ast.expr) -> bool:
        """Whether it is a small number for sure."""
        if isinstance(node, ast.UnaryOp):
            return self._small(node.operand)
        if isinstance(node, ast.Name) and node.id not in self._bound:
            known = self._module.names.get(node.id)
            value = known.value if known is not None else None
            return isinstance(value, ast.Constant) and self._small(value)
        return isinstance(node, ast.Constant) and (
            isinstance(node.value, int) and abs(node.value) <= _FEW
        )

    def _may_grow(self, node: ast.expr) -> bool:
        """Whether it is a name, or made of one, that the loop around sets."""
        grown = self._grown[-1]
        return bool(grown) and any(
            isinstance(each, ast.Name) and each.id in grown for each in _operands(node)
        )

    # Other shapes

    def visit_Compare(self, node: ast.Compare) -> ast.AST:  # noqa: N802
        self.see_compare(node)
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.In | ast.NotIn):
            return node
        right = node.comparators[0]
        if isinstance(right, (*_DISPLAYS, ast.Constant)):
            return node
        found: ast.expr = ast.Call(parsed("__contains__", node), [node.left, right], [])
        found = ast.copy_location(found, node)
        if isinstance(node.ops[0], ast.NotIn):
            found = ast.copy_location(ast.UnaryOp(ast.Not(), found), node)
        return found

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        where = node.slice
        if not isinstance(where, ast.Slice) or not isinstance(node.ctx, ast.Load):
            return node
        if where.upper is not None and self._small(where.upper) and _is_plus(where.upper):
            return node
        return self._paid("__sliced__", node)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:  # noqa: N802
        super().visit_Starred(node)
        if isinstance(node.ctx, ast.Load):
            node.value = self._paid("__pay__", node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        if any(_takes_all(each) for each in node.targets):
            node.value = self._paid("__pay__", node.value)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        for i, key in enumerate(node.keys):
            if key is None:
                node.values[i] = self._paid("__pay__", node.values[i])
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:  # noqa: N802
        """A text that may be made of the one that the turn before made."""
        values = [each.value for each in node.values if isinstance(each, ast.FormattedValue)]
        grows = any(map(self._may_grow, values))
        super().visit_JoinedStr(node)
        return self._paid("__written__", node) if grows else node

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        node.value = self._paid("__slow__", node.value)
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:  # noqa: N802
        node.value = self.visit(node.value)
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

    def _paid(self, word: str, value: ast.expr) -> ast.expr:
        return ast.copy_location(ast.Call(parsed(word, value), [value], []), value)


def _takes_all(target: ast.expr) -> bool:
    """Whether what is assigned is gone through to its end."""
    if isinstance(target, ast.Subscript):
        return isinstance(target.slice, ast.Slice)
    return any(isinstance(each, ast.Starred) for each in ast.walk(target))


def _is_harmless(path: str | None, node: ast.Call) -> bool:
    """Whether a call of something built in needs not pay, as its arguments stand there."""
    name, args = (path or "").removeprefix("builtins."), node.args
    if not args:
        return True
    if len(args) > 1 and name in ("min", "max"):
        return not any(isinstance(each, ast.Starred) for each in args)
    if name in _TICKING_ALONE and len(args) == 1:
        return isinstance(args[0], _COMPREHENSIONS)
    return False


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _is_plus(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= 0


def _operands(node: ast.expr) -> list[ast.expr]:
    """What an expression is directly made of: not what it looks up or calls."""
    if isinstance(node, ast.BinOp):
        return [*_operands(node.left), *_operands(node.right)]
    if isinstance(node, ast.IfExp):
        return [*_operands(node.body), *_operands(node.orelse)]
    if isinstance(node, ast.List | ast.Tuple):
        return [inner for each in node.elts for inner in _operands(each)]
    if isinstance(node, ast.Starred | ast.NamedExpr):
        return _operands(node.value)
    return [node]


def _set_in(loop: _Loop) -> frozenset[str]:
    """The names that a loop sets, other than by its own `for`."""
    found: set[str] = set()
    for node in ast.walk(loop):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr | ast.AugAssign):
            targets = [node.target]
        for target in targets:
            found.update(each.id for each in ast.walk(target) if isinstance(each, ast.Name))
    return frozenset(found)


@lru_cache(maxsize=2048)
def _bound_inside(module: Module) -> frozenset[str]:
    """The names that something within the module sets, besides its top: they may stand for anything."""
    found: set[str] = set()
    for top in module.tree.body:
        found.update(each.arg for each in ast.walk(top) if isinstance(each, ast.arg))
        for each in top.body if isinstance(top, ast.FunctionDef | ast.ClassDef) else ():
            for node in ast.walk(each):
                if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    found.add(node.id)
                elif isinstance(top, ast.FunctionDef) and isinstance(node, _DEFINITIONS):
                    found.add(node.name)
    return frozenset(found)
