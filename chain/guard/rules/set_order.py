"""Sets answer membership questions. Their iteration order depends on salted hashes and changes with every run.

So a set may be counted, compared, combined with others, tested for membership, summed and sorted, but not iterated over.
"""

from __future__ import annotations

import ast
from typing import Final

from chain.guard.finding import Rule
from chain.guard.scope import Scopes
from chain.source.classes import root_name
from chain.source.static_types import StaticType
from chain.source.word_sets import word_set

_WHY: Final = "the order of a set is another one in every run"
_SORT: Final = "write sorted({text}), or keep a tuple or a dict, which remember their order"

WALK: Final = Rule("set_walk", "this walks through a set", _WHY, _SORT)
INTO: Final = Rule("set_into", "'{name}' takes the items of a set in their order", _WHY, _SORT)
UNPACK: Final = Rule("set_unpack", "a set is taken apart", _WHY, _SORT)
POP: Final = Rule(
    "set_pop",
    "'pop' takes any item of a set",
    "which one that is differs from run to run",
    "say which: item = min({text}), then {text}.remove(item)",
)
TEXT: Final = Rule("set_text", "a set is written as text", _WHY, _SORT)
TIES: Final = Rule(
    "set_ties",
    "'{name}' with a key leaves items of a set that are equal by it in any order",
    _WHY,
    "sort the set first: {name}(sorted({text}), key=…)",
)

RULES: Final = (WALK, INTO, UNPACK, POP, TEXT, TIES)

# Functions that may take a set: their result does not depend on the order of the items.
_BLIND: Final = word_set(
    "all any bool frozenset isinstance len max min set sorted sum type", "builtins."
)
_SHORT: Final = word_set("all any", "builtins.")  # these stop as soon as the result is known
_WITH_KEY: Final = word_set("max min sorted", "builtins.")
_TEXTS: Final = word_set("str format", "builtins.")
_TAKERS: Final = word_set(
    "bytearray bytes dict enumerate filter iter list map reversed tuple zip", "builtins."
)
_METHODS: Final = word_set("extend extendleft format fromkeys join")
_FROM: Final = ("itertools.", "collections.", "functools.reduce", "heapq.", "json.")


def _contains_set(node: ast.expr, place: Scopes) -> bool:
    """True if the text of this value contains a set: the value is one, or holds one."""
    value_types = [place.kind(node)]
    while value_types:
        value_type = value_types.pop()
        if _is(value_type):
            return True
        if value_type is not None and value_type.name in ("list", "tuple", "dict"):
            value_types += value_type.of
    return False


def is_set(node: ast.expr, place: Scopes) -> bool:
    return _is(place.kind(node))


def _is(kind: StaticType | None) -> bool:
    return kind is not None and kind.name == "set"


def _text(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else "the_set"


def _text_in(node: ast.expr, place: Scopes) -> str:
    return _text(node) if is_set(node, place) else "the_set"


def loops(node: ast.For, place: Scopes) -> None:
    if is_set(node.iter, place):
        place.report(WALK, node.iter, text=_text(node.iter))


def comprehensions(node: ast.ListComp | ast.GeneratorExp | ast.DictComp, place: Scopes) -> None:
    if node not in place.suppressed:
        for generator in node.generators:
            if _is_walked(node, generator, place):
                place.report(WALK, generator.iter, text=_text(generator.iter))


def _is_walked(node: ast.expr, generator: ast.comprehension, place: Scopes) -> bool:
    return place.within_comprehension(node, lambda: is_set(generator.iter, place))


def calls(node: ast.Call, place: Scopes) -> None:
    path = place.path(node.func)
    if path in _BLIND:
        _order_insensitive_call(node, str(path), place)
    elif path in _TEXTS:
        if node.args and _contains_set(node.args[0], place):
            place.report(TEXT, node, text=_text_in(node.args[0], place))
    elif path is not None and (path in _TAKERS or path.startswith(_FROM)):
        _report_consumed(node, path.removeprefix("builtins."), place)
    elif isinstance(node.func, ast.Attribute):
        _method_call(node, node.func, place)
    for argument in node.args:
        if isinstance(argument, ast.Starred) and is_set(argument.value, place):
            place.report(UNPACK, argument, text=_text(argument.value))


def _order_insensitive_call(node: ast.Call, path: str, place: Scopes) -> None:
    if len(node.args) != 1:
        return
    [only] = node.args
    if path in _WITH_KEY and any(keyword.arg == "key" for keyword in node.keywords):
        if is_set(only, place):
            place.report(TIES, node, name=path.removeprefix("builtins."), text=_text(only))
    elif isinstance(only, ast.GeneratorExp | ast.ListComp) and not _order_observable(
        only, path, place
    ):
        place.suppressed.add(only)


def _order_observable(node: ast.expr, path: str, place: Scopes) -> bool:
    """True if the order shows anyway: the loop keeps or does something on the way, or stops reading early."""
    for part in ast.walk(node):
        if isinstance(part, ast.NamedExpr):
            return True
        if isinstance(part, ast.Call) and _is_contract(root_name(part.func), place):
            return True
        if path in _SHORT and isinstance(part, ast.Name) and _is_contract(part.id, place):
            return True
    return False


def _is_contract(name: str | None, place: Scopes) -> bool:
    """True if this is `self`, of a contract or of an instance of any other class."""
    return name == "self" and place.scope_of(name) is not None


def _report_consumed(node: ast.Call, name: str, place: Scopes) -> None:
    for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
        if is_set(argument, place):
            place.report(INTO, node, name=name, text=_text(argument))


def _method_call(node: ast.Call, func: ast.Attribute, place: Scopes) -> None:
    if func.attr == "pop" and not node.args and is_set(func.value, place):
        place.report(POP, node, text=_text(func.value))
    elif func.attr in _METHODS or (func.attr == "update" and _is_ordered(place.kind(func.value))):
        _report_consumed(node, func.attr, place)


def _is_ordered(kind: StaticType | None) -> bool:
    return kind is not None and kind.name in ("dict", "list")


def assignments(node: ast.Assign, place: Scopes) -> None:
    if any(isinstance(target, ast.Tuple | ast.List) for target in node.targets) and is_set(
        node.value, place
    ):
        place.report(UNPACK, node, text=_text(node.value))


def additions(node: ast.AugAssign, place: Scopes) -> None:
    """`names += {"a", "b"}`, where `names` is a list."""
    if isinstance(node.op, ast.Add) and is_set(node.value, place):
        place.report(INTO, node, name="+=", text=_text(node.value))


def displays(node: ast.List | ast.Tuple, place: Scopes) -> None:
    if isinstance(node.ctx, ast.Load):
        for element in node.elts:
            if isinstance(element, ast.Starred) and is_set(element.value, place):
                place.report(UNPACK, element, text=_text(element.value))


def delegations(node: ast.YieldFrom, place: Scopes) -> None:
    if is_set(node.value, place):
        place.report(WALK, node.value, text=_text(node.value))


def formats(node: ast.FormattedValue, place: Scopes) -> None:
    if _contains_set(node.value, place):
        place.report(TEXT, node, text=_text_in(node.value, place))


def percents(node: ast.BinOp, place: Scopes) -> None:
    """`"%s" % names`"""
    is_text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    if is_text and isinstance(node.op, ast.Mod) and _contains_set(node.right, place):
        place.report(TEXT, node, text=_text_in(node.right, place))


CHECKS: Final = {
    ast.For: (loops,),
    ast.ListComp: (comprehensions,),
    ast.GeneratorExp: (comprehensions,),
    ast.DictComp: (comprehensions,),
    ast.Call: (calls,),
    ast.Assign: (assignments,),
    ast.AugAssign: (additions,),
    ast.List: (displays,),
    ast.Tuple: (displays,),
    ast.YieldFrom: (delegations,),
    ast.FormattedValue: (formats,),
    ast.BinOp: (percents,),
}
