"""Rewriting of a file: a tick for each turn of a loop and each call of a function, sets that keep their order, bounds.

The code keeps its shape: the same functions in the same order, with the same names and lines. So each function object can
get the code that belongs to it (`chain.metering.analysis`).
"""

from __future__ import annotations

import ast
from collections.abc import Container, Mapping
from typing import Any, Final, TypeVar

from chain.metering.bounded import AROUND_ARGUMENTS, AROUND_CALL, COUNT, METHODS, SHIFT
from chain.metering.fuel import DRY, TANK
from chain.source.import_paths import bound_in, path_of

_SETS: Final = {"builtins.set": "__set__", "builtins.frozenset": "__frozenset__"}
_OF_VIEWS: Final = {
    ast.BitAnd: "__and__",
    ast.BitOr: "__or__",
    ast.Sub: "__sub__",
    ast.BitXor: "__xor__",
}
_DEBUG: Final = ("print", "breakpoint")
_SMALL: Final = 256  # exponents and shifts in the source up to this number need no check
N = TypeVar("N", bound=ast.AST)
_TICK: Final = f"0 in {TANK} or {DRY}()"


def with_ticks(tree: ast.Module, imports: Mapping[str, str]) -> ast.Module:
    """Return the syntax tree of a file, rewritten in place."""
    _Rewriter(imports).visit(tree)
    return ast.fix_missing_locations(tree)


def is_debug(node: object, own: Container[str]) -> bool:
    """Return True for `print(…)` and `breakpoint()`: they run only on a chain that is debugged, and belong to no contract.

    `own` has the names that the file binds.
    """
    match node:
        case ast.Expr(ast.Call(ast.Name(name))):
            return name in _DEBUG and name not in own
    return False


def _at(place: ast.AST, node: N) -> N:
    """Return a new node, whose parts have the lines of `place` unless they have their own."""
    waiting: list[ast.AST] = [node]
    for part in waiting:
        if not hasattr(part, "lineno"):
            ast.copy_location(part, place)
            waiting += ast.iter_child_nodes(part)
    return node


def _call(word: str, *args: ast.expr) -> ast.Call:
    call: ast.Call = _at(args[0], ast.Call(ast.Name(word, ast.Load()), [*args], []))
    return call


def _parsed(place: ast.AST, text: str) -> Any:
    tree: Any = ast.parse(text).body[0]
    for part in ast.walk(tree):
        ast.copy_location(part, place)
    return tree


class _Rewriter(ast.NodeTransformer):
    def __init__(self, imports: Mapping[str, str]) -> None:
        self._imports = imports
        self._local: list[frozenset[str]] = []
        self._counted: set[ast.AST] = set()  # a loop walks over them, with its own ticks
        self._unordered: set[ast.AST] = set()  # their order does not show

    def _path(self, node: ast.AST) -> str | None:
        return path_of(node, self._imports, self._local)

    # Ticks

    def visit_FunctionDef(self, node: Any) -> ast.AST:
        self._local.append(bound_in(node))
        self.generic_visit(node)
        self._local.pop()
        self._tick(node.body, after_docstring=ast.get_docstring(node, clean=False) is not None)
        return node  # type: ignore[no-any-return]

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._local.append(bound_in(node))
        self.generic_visit(node)
        self._local.pop()
        node.body = _at(node.body, ast.BoolOp(ast.And(), [self._is_paid(node.body), node.body]))
        return node

    def visit_For(self, node: Any) -> ast.AST:
        self._counted.add(getattr(node, "iter", node))
        self.generic_visit(node)
        self._tick(node.body)
        return node  # type: ignore[no-any-return]

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self.visit_FunctionDef(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self.visit_For(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self._counted.add(node.iter)
        self.generic_visit(node)
        node.ifs.insert(0, self._is_paid(node.iter))
        return node

    def _tick(self, body: list[ast.stmt], after_docstring: bool = False) -> None:
        place = body[1] if after_docstring and len(body) > 1 else body[0]
        body.insert(after_docstring, _parsed(place, _TICK))

    def _is_paid(self, place: ast.expr) -> ast.expr:
        tick: ast.expr = _parsed(place, _TICK).value
        return tick

    # Sets

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        for operation, operand in zip(node.ops, node.comparators, strict=True):
            if isinstance(operation, ast.In | ast.NotIn | ast.Is | ast.IsNot):
                self._unordered.add(operand)
        self.generic_visit(node)
        return node

    def visit_Set(self, node: ast.Set) -> ast.AST:
        self.generic_visit(node)
        if node in self._unordered:
            return node
        return _call("__set__", _at(node, ast.Tuple(node.elts, ast.Load())))

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        self.generic_visit(node)
        return _call("__set__", _at(node, ast.ListComp(node.elt, node.generators)))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        word = _SETS.get(self._path(node) or "") if isinstance(node.ctx, ast.Load) else None
        if word is None or node in self._unordered:
            return node
        return ast.copy_location(ast.Name(word, ast.Load()), node)

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        self._unordered.add(node.cls)
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node  # an annotation names types

    # Bounds

    def visit_Call(self, node: ast.Call) -> ast.AST:
        path, is_free = self._path(node.func), node in self._counted or node in self._unordered
        if path == "builtins.len":
            self._unordered.update(node.args)
        elif path in ("builtins.isinstance", "builtins.issubclass"):
            self._unordered.update(part for arg in node.args[1:] for part in ast.walk(arg))
        self.generic_visit(node)
        if path == "builtins.range" and not is_free:
            node.func = ast.copy_location(ast.Name("__range__", ast.Load()), node)
        elif path == "builtins.pow" and len(node.args) == 2:
            node.func = ast.copy_location(ast.Name("__power__", ast.Load()), node)
        elif path in AROUND_CALL and not is_free:
            return _call(AROUND_CALL[path], node)
        elif path in AROUND_ARGUMENTS:
            self._bound(AROUND_ARGUMENTS[path], node.args)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            self._bound(METHODS[node.func.attr], node.args)
        return node

    def _bound(self, word: str, args: list[ast.expr]) -> None:
        args[:] = [
            arg if isinstance(arg, ast.Starred) else self._bounded(word, arg) for arg in args
        ]

    def _bounded(self, word: str, node: ast.expr) -> ast.expr:
        match node:
            case ast.Constant(int(number)) if number <= _SMALL:
                return node
            case ast.Constant(value) if not isinstance(value, int):
                return node
        return _call(word, node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        sign = _OF_VIEWS.get(type(node.op))
        is_of_views = sign and (_is_view(node.left) or _is_view(node.right))
        self.generic_visit(node)
        match node.op:
            case ast.Pow() if not _is_small(node.right):
                return _call("__power__", node.left, node.right)
            case ast.LShift():
                node.right = self._bounded(SHIFT, node.right)
            case ast.Mult() if _is_sequence(node.left):
                node.right = self._bounded(COUNT, node.right)
            case ast.Mult() if _is_sequence(node.right):
                node.left = self._bounded(COUNT, node.left)
            case _ if is_of_views:
                return _call("__of_views__", node.left, node.right, _at(node, ast.Constant(sign)))
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.LShift):
            node.value = self._bounded(SHIFT, node.value)
        elif isinstance(node.target, ast.Name):
            base = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
            exponent = node.value
            if isinstance(node.op, ast.Mult) and ast.dump(base) == ast.dump(exponent):
                exponent = _at(node, ast.Constant(2))  # a number that is squared grows fastest
            elif not isinstance(node.op, ast.Pow):
                return node
            power = _call("__power__", base, exponent)
            return ast.copy_location(ast.Assign([node.target], power), node)
        return node

    # Statements for debugging

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if not is_debug(node, self._imports):
            self.generic_visit(node)
            return node
        around = _parsed(node, "if __is_debugged__():\n    with __looking__(): pass")
        if node.value.func.id == "breakpoint":  # type: ignore[attr-defined]
            around.body = [node]
        else:
            around.body[0].body = [node]
        return around  # type: ignore[no-any-return]


def _is_small(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value <= _SMALL


def _is_view(node: ast.expr) -> bool:
    match node:
        case ast.Call(ast.Attribute(_, name)):
            return name in ("keys", "items")
    return False


def _is_sequence(node: ast.expr) -> bool:
    """Return True if this is a text or a list in the source."""
    match node:
        case ast.Constant(str() | bytes()):
            return True
    return isinstance(node, ast.List | ast.Tuple | ast.ListComp | ast.JoinedStr)
