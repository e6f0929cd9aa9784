"""Puts ticks into a syntax tree: at the head of every turn of a loop or comprehension, and at the entry of every function.

What stands there is taken for a whole stretch that no other tick interrupts, so there are the more of them the longer the
stretch is (`stretches`): a turn that does much is not bought for the price of one that does nothing.

A tick stands where nothing of the author's catches it, first in the body, and has the place of the statement behind it, so a
debugger and a coverage report see the lines they know. What works long without ticks is told apart in
`chain.metering.rewrite`.
"""

from __future__ import annotations

import ast
from typing import Any, Final

from chain.metering.fuel import (
    CHARGE,
    DEEP,
    DOWN,
    DRY,
    LARGEST,
    TANKS,
    UP,
)
from chain.metering.recursion import recursive_lines
from chain.metering.stretches import (
    ENTRY,
    ticks_of,
    ticks_of_turns,
)
from chain.source.modules import Module

_STEPS: Final = 3  # more of them are sooner taken by a call


def parse_at(code: str, place: ast.AST) -> Any:
    """The expression that `code` says, as if it stood at `place`."""
    made = ast.parse(code, mode="eval").body
    for node in ast.walk(made):
        ast.copy_location(node, place)
    return made


def _steps(ticks: int) -> list[int]:
    """The worth of the tanks that make up so many ticks, or a few more; of none where that takes too many steps."""
    worth = [LARGEST] * (ticks // LARGEST)
    if over := ticks % LARGEST:
        worth += [16, 16] if 16 < over <= 32 else [min(each for each in TANKS if over <= each)]
    return worth if len(worth) <= _STEPS else []


def tick_expression(place: ast.AST, ticks: int = 1) -> ast.expr:
    steps = " and ".join(f"(0 in {TANKS[each]} or {DRY}({each}))" for each in _steps(ticks))
    made: ast.expr = parse_at(steps or f"{CHARGE}({ticks}) is None", place)
    return made


def ticks_before(place: ast.stmt, ticks: int = 1) -> list[ast.stmt]:
    """Ticks that stand by themselves, which are the quicker kind."""
    steps = [f"for __t__ in {TANKS[each]}: break\nelse: {DRY}({each})" for each in _steps(ticks)]
    made = ast.parse("\n".join(steps or [f"{CHARGE}({ticks})"]))
    for node in ast.walk(made):
        ast.copy_location(node, place)
    return made.body


class TickInserter(ast.NodeTransformer):
    """Changes a tree in place."""

    def __init__(self, module: Module) -> None:
        self.recursive = recursive_lines(module)
        self._turns: dict[ast.comprehension, int] = {}  # what each turn takes

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        ticks = max(ticks_of(*node.body), ENTRY)
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        self._visit_defaults(node.args)
        node.body = [self.visit(each) for each in node.body]
        head = [node.body.pop(0)] if ast.get_docstring(node, clean=False) is not None else []
        first = node.body[0] if node.body else head[0]
        tick = ticks_before(first, ticks)
        if (node.lineno, node.col_offset) in self.recursive:
            node.body = [*head, *tick, *_with_depth_guard(node, first)]
        else:
            node.body = [*head, *tick, *node.body]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        ticks = max(ticks_of(node.body), ENTRY)
        self._visit_defaults(node.args)
        body = self.visit(node.body)
        both = ast.BoolOp(ast.And(), [tick_expression(body, ticks), body])
        node.body = ast.copy_location(both, body)
        return node

    def _visit_defaults(self, args: ast.arguments) -> None:
        args.defaults = [self.visit(each) for each in args.defaults]
        args.kw_defaults = [each and self.visit(each) for each in args.kw_defaults]

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        """A turn of a generator, beside those of its loops."""
        self.generic_visit(node)
        value = node.value or ast.copy_location(ast.Constant(None), node)
        node.value = ast.copy_location(
            ast.BoolOp(ast.And(), [tick_expression(value), value]), value
        )
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """What stands for types stays as it is."""
        node.target = self.visit(node.target)
        node.value = node.value and self.visit(node.value)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._loop(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._loop(node)

    def _loop(self, node: ast.For | ast.While) -> ast.AST:
        ticks = ticks_of(*node.body, *([node.test] if isinstance(node, ast.While) else ()))
        self.generic_visit(node)
        first = node.body[0]
        node.body[:0] = ticks_before(first, ticks)
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
            self._turns.update(ticks_of_turns(node))
        return super().generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        ticks = self._turns.pop(node, 1)
        self.generic_visit(node)
        node.ifs.insert(0, tick_expression(node.iter, ticks))
        return node


def _statement(value: ast.expr, place: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Expr(value), place)


def _with_depth_guard(node: ast.FunctionDef, first: ast.stmt) -> list[ast.stmt]:
    """The body with a level taken before it and given back behind it, on the line of the `def`."""
    test = parse_at(f"{DOWN}() and {DEEP}()", first)
    after = _statement(parse_at(f"{UP}(0)", node), node)
    if not node.body:
        return []
    guarded = ast.Try(body=node.body, handlers=[], orelse=[], finalbody=[after])
    return [_statement(test, first), ast.copy_location(guarded, first)]
