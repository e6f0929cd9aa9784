"""Insert ticks into a syntax tree: at the start of every iteration of a loop or comprehension, and at the entry of every
function.

A tick pays for the whole stretch of code up to the next tick. The longer the stretch, the more ticks are taken at once
(`chain.metering.fixed_costs`), so an iteration that does much costs more than one that does nothing.

A tick is the first statement of a body, so no `try` of the author's in that body catches its exception. It has the location
of the statement after it, so debuggers and coverage reports see the usual lines. Operations that run for long without a tick
are handled by `chain.metering.rewrite`.
"""

from __future__ import annotations

import ast
from typing import Any

from chain.errors import DeclarationError
from chain.metering.fixed_costs import ENTRY, ticks_of, ticks_of_function, ticks_of_turns
from chain.metering.fuel import (
    CHARGE,
    DEEP,
    DOWN,
    DRY,
    LARGEST,
    TANKS,
    UP,
    steps_of,
    tick_lines,
    turn_lines,
)
from chain.metering.recursion import recursive_lines
from chain.source.location import relative_path
from chain.source.modules import Module
from chain.source.newer_python import newer_syntax


def parse_at(code: str, place: ast.AST) -> Any:
    """Return the expression in `code`, with the location of the node `place`."""
    expression = ast.parse(code, mode="eval").body
    for node in ast.walk(expression):
        ast.copy_location(node, place)
    return expression


def call_of(word: str, value: ast.expr) -> ast.expr:
    """Return a call of the function `word` with `value`."""
    return ast.copy_location(ast.Call(parse_at(word, value), [value], []), value)


def tick_expression(place: ast.AST, ticks: int = 1) -> ast.expr:
    """Return an expression that takes this many ticks and is true."""
    steps = " and ".join(f"(0 in {TANKS[size]} or {DRY}({size}))" for size in steps_of(ticks))
    expression: ast.expr = parse_at(steps or f"{CHARGE}({ticks}) is None", place)
    return expression


def charge_expression(place: ast.AST, ticks: int) -> ast.expr:
    """Return an expression that takes what a charge of more ticks than the largest step takes, and is true."""
    rounded = -(-ticks // LARGEST) * LARGEST
    return tick_expression(place, rounded if steps_of(rounded) else ticks)


def statements_before(place: ast.stmt, lines: list[str]) -> list[ast.stmt]:
    """Return the statements in these lines. To take ticks, they are faster than an expression."""
    module = ast.parse("\n".join(lines))
    for node in ast.walk(module):
        ast.copy_location(node, place)
    return module.body


class TickInserter(ast.NodeTransformer):
    """A rewriter that inserts ticks into a syntax tree, in place."""

    def __init__(self, module: Module) -> None:
        self._file = module.file
        self.recursive = recursive_lines(module)
        self._turns: dict[ast.comprehension, int] = {}  # the ticks for each iteration

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        ticks = ticks_of_function(node)
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        self._visit_defaults(node.args)
        node.body = [self.visit(statement) for statement in node.body]
        head = [node.body.pop(0)] if ast.get_docstring(node, clean=False) is not None else []
        first = node.body[0] if node.body else head[0]
        tick = statements_before(first, tick_lines(ticks))
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
        args.defaults = [self.visit(default) for default in args.defaults]
        args.kw_defaults = [default and self.visit(default) for default in args.kw_defaults]

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        """Insert a tick for each step of a generator, in addition to those of its loops."""
        self.generic_visit(node)
        value = node.value or ast.copy_location(ast.Constant(None), node)
        node.value = ast.copy_location(
            ast.BoolOp(ast.And(), [tick_expression(value, 2), value]), value
        )
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Leave the annotation as it is."""
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
        lines = turn_lines() if isinstance(node, ast.While) and ticks == 1 else tick_lines(ticks)
        node.body[:0] = statements_before(node.body[0], lines)
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if (what := newer_syntax(node)) is not None:
            raise DeclarationError(
                f"{relative_path(self._file)}:{getattr(node, 'lineno', 1)}: {what} is newer than Python 3.11, and not every"
                " version has it; write it as Python 3.11 has it"
            )
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
    """Return the body of a function, taking a level before it and returning it after it.

    The level is returned on the line of the `def`. `first` is the statement whose location the level is taken at.
    """
    test = parse_at(f"{DOWN}() and {DEEP}()", first)
    after = _statement(parse_at(f"{UP}(0)", node), node)
    if not node.body:
        return []
    guarded = ast.Try(body=node.body, handlers=[], orelse=[], finalbody=[after])
    return [_statement(test, first), ast.copy_location(guarded, first)]
