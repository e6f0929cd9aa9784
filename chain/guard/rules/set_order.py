"""Sets on chain keep the order of insertion, but Python's own sets have another order in every run.

Code at the top of a module or a class runs twice: when Python imports it, for readers and scripts, and in the instrumented
copy. So a result that depends on the order of a set would differ between the two.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Final

from chain.guard.finding import Rule
from chain.guard.inference import infer, within_comprehension
from chain.guard.scope import Scopes
from chain.source.word_sets import word_set

ORDER: Final = Rule(
    "set_order",
    "this depends on the order of a set while the module is imported",
    "in Python a set has a different order in every run, on chain that of insertion",
    "write sorted({text}), or keep a tuple or a dict",
)

RULES: Final = (ORDER,)

# Functions whose result depends on the order of the items that they take.
_TAKERS: Final = word_set(
    "ascii bytearray bytes dict enumerate filter format iter list map repr reversed str tuple zip",
    "builtins.",
)
_BLIND: Final = word_set("all any bool frozenset len max min set sorted sum", "builtins.")
_WITH_KEY: Final = word_set("max min sorted", "builtins.")
_METHODS: Final = word_set("extend format fromkeys join")
_FROM: Final = ("itertools.", "collections.", "functools.reduce", "heapq.", "json.")


def _check(node: ast.expr, place: Scopes) -> None:
    if not place.is_running and _is_unordered(node, place):
        text = ast.unparse(node.generators[0].iter if isinstance(node, ast.GeneratorExp) else node)
        place.report(ORDER, node, text=text if len(text) <= 40 else "the_set")


def _is_unordered(node: ast.expr, place: Scopes) -> bool:
    """True for a set, and for a generator that walks through one."""
    if isinstance(node, ast.GeneratorExp):
        iterables = [generator.iter for generator in node.generators]
        return within_comprehension(
            node, place, lambda: any(_is_unordered(iterable, place) for iterable in iterables)
        )
    value_type = infer(node, place)
    return value_type is not None and value_type.name == "set"


def loops(node: ast.For, place: Scopes) -> None:
    _check(node.iter, place)


def comprehensions(node: ast.ListComp | ast.DictComp, place: Scopes) -> None:
    for generator in node.generators:
        within_comprehension(node, place, partial(_check, generator.iter, place))


def calls(node: ast.Call, place: Scopes) -> None:
    path = place.path(node.func) or ""
    if path in _BLIND and not (path in _WITH_KEY and node.keywords):
        return
    is_method = isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS
    takes_order = path in _TAKERS | _WITH_KEY or path.startswith(_FROM) or is_method
    for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
        if takes_order or isinstance(argument, ast.GeneratorExp):
            _check(argument, place)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "pop" and not node.args:
        _check(node.func.value, place)
    _check_starred(node.args, place)


def displays(node: ast.List | ast.Tuple, place: Scopes) -> None:
    _check_starred(node.elts, place)


def _check_starred(nodes: list[ast.expr], place: Scopes) -> None:
    for node in nodes:
        if isinstance(node, ast.Starred):
            _check(node.value, place)


def formats(node: ast.FormattedValue, place: Scopes) -> None:
    _check(node.value, place)


def assignments(node: ast.Assign, place: Scopes) -> None:
    """`first, second = names`"""
    if any(isinstance(target, ast.Tuple | ast.List) for target in node.targets):
        _check(node.value, place)


CHECKS: Final = {
    ast.For: (loops,),
    ast.ListComp: (comprehensions,),
    ast.DictComp: (comprehensions,),
    ast.Call: (calls,),
    ast.List: (displays,),
    ast.Tuple: (displays,),
    ast.FormattedValue: (formats,),
    ast.Assign: (assignments,),
}
