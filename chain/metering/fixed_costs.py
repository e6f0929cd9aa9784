"""Ticks for a stretch of code: from the start of a loop iteration, or the entry of a function, to its end.

Python executes each syntax node in such a stretch at most once. So the price is one tick for a few nodes, counted along the
longest branch. Loops and functions inside it have ticks of their own, so only their start is counted here. A node also pays
for the small value that it may create, and a call of a charging function for that function's fixed part; what depends on the
size of a value is charged at run time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final

from chain.metering.method_costs import METHODS
from chain.metering.runtime_names import BUILTINS, CLASSES, KEYED

PARTS_PER_TICK: Final = 5  # syntax nodes for one tick
_BEGUN: Final = 96  # price, in nodes, of the start of a comprehension or the creation of a function
_MADE: Final = 31  # price of the creation of an object, recognized by the name of its class, whose `__init__` pays too
# Price of the call of a method or builtin that charges by the size of its arguments.
_CHARGING: Final = 40
_ITEM: Final = 10  # price of an item of a list comprehension, or of one that a generator passes on
_BOUND: Final = 10  # price of an item more that may be a bound method
_SEARCH: Final = 30  # price of `in`
_COMPARED: Final = 10  # price of another comparison in a chain
_WRITTEN: Final = 49  # price of a formatted text with a few values
_FEW_SHOWN: Final = 3
_SHOWN: Final = 10  # price of another value in it
_UNPACKED: Final = 200  # price of `**`
# Prices of methods that do more than others, or whose name is of no priced method.
_PRICES: Final = {"keys": 30, "items": 30, "match": 100, "fullmatch": 100, "search": 100}
_SET_MADE: Final = 160  # price of the creation of a set by its name
_FUNCTION: Final = 160  # price of the creation of a function
_KEY: Final = 40  # price of an entry of a set or dict
_CLASS: Final = 2**16  # price of the creation of a class
_CALL: Final = 11
_KEPT: Final = {
    ast.GeneratorExp: _ITEM,
    ast.ListComp: _ITEM,
    ast.SetComp: _KEY,
    ast.DictComp: _KEY,
}
_COMPREHENSIONS: Final = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
ENTRY: Final = 4  # ticks of a function that may be called without a call in the source, as by `map`
_IMPLICIT: Final = (
    16  # the same for `__eq__` and other functions that C code of Python calls in its loops
)
# Those of named tuples begin like the names of an author's own functions, and charge enough at run time.
_CHARGED: Final = frozenset(name for name in METHODS if not name.startswith("_"))
_VISIBLE: Final = ("__post_init__", "__str__")  # the source shows where they are called
# Price of an attribute that is an object made on each access; `getattr` may read one.
_READ: Final = 48
_READ_BY: Final = frozenset({"caller", "origin", "address", "block", "getattr"})
_MEMBER: Final = 14  # price of an attribute of a class, which may be an Enum
_DIVISIONS: Final = (ast.FloorDiv, ast.Mod)
_NOTHING: Final = (ast.Pass, ast.Break, ast.Continue, ast.expr_context, ast.operator, ast.Constant)
_DEARER: Final[dict[type[ast.AST], int]] = {
    ast.YieldFrom: 96,
    ast.AugAssign: 4,
    ast.Attribute: 2,
    ast.Tuple: 20,
    ast.List: 24,
    ast.Set: 240,
    ast.Dict: 88,
    ast.Compare: 10,
    ast.BinOp: 4,
    ast.UnaryOp: 2,
    ast.Subscript: 12,
    ast.Starred: 40,
    ast.Slice: 15,
    ast.Try: 32,
    ast.Raise: 48,
    ast.With: 192,
    ast.MatchSequence: 32,
    ast.ExceptHandler: 40,
    ast.MatchClass: 96,
    ast.MatchMapping: 96,
    ast.Import: 24,
    ast.ImportFrom: 24,
}


def ticks_of_function(node: ast.FunctionDef) -> int:
    is_implicit = node.name.startswith("__") and node.name not in _VISIBLE
    return max(ticks_of(*node.body), _IMPLICIT if is_implicit else ENTRY)


def ticks_of(*nodes: ast.AST, more: int = 0) -> int:
    return 1 + (more + sum(map(_parts, nodes))) // PARTS_PER_TICK


def ticks_of_turns(node: Any) -> Iterator[tuple[ast.comprehension, int]]:
    """Yield each `for` of a comprehension with the ticks of one iteration, up to the next `for` or to the element."""
    element = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    kept = _KEPT.get(type(node), 0)
    if isinstance(node, ast.ListComp) and isinstance(node.elt, ast.Attribute):
        kept += _BOUND
    for i, generator in enumerate(node.generators):
        is_last = i + 1 == len(node.generators)
        yield (
            generator,
            ticks_of(
                *generator.ifs,
                *(element if is_last else [node.generators[i + 1].iter]),
                more=kept if is_last else 0,
            ),
        )


def _parts(node: Any) -> int:
    if isinstance(node, ast.If | ast.IfExp):
        return _parts(node.test) + max(_all(node.body), _all(node.orelse))
    if isinstance(node, ast.For | ast.While):
        head = [node.iter, node.target] if isinstance(node, ast.For) else [node.test]
        begun = _BEGUN if _is_class_name(_name_of(head[0])) else 4  # an Enum makes a generator
        return begun + _all(head) + _all(node.orelse)
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        args = node.args
        return _FUNCTION + _all(
            [default for default in (*args.defaults, *args.kw_defaults) if default]
        )
    if isinstance(node, ast.ClassDef):
        return _CLASS + _all(node.body)
    if isinstance(node, _COMPREHENSIONS):
        return _BEGUN + _parts(node.generators[0].iter)
    if isinstance(node, ast.AnnAssign):
        return 1 + _all([part for part in (node.target, node.value) if part])
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, _DIVISIONS):
        return 24 * PARTS_PER_TICK + _all(list(ast.iter_child_nodes(node)))
    if isinstance(node, ast.Call):
        return _CALL + _by_name(_name_of(node.func)) + _all(list(ast.iter_child_nodes(node)))
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return 11 + _COMPARED * (len(node.ops) - 1) + _all([node.left, *node.comparators])
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        return _SEARCH + _all([node.left, *node.comparators])
    if isinstance(node, ast.JoinedStr):
        values = sum(isinstance(part, ast.FormattedValue) for part in node.values)
        return _WRITTEN + _SHOWN * max(values - _FEW_SHOWN, 0) + _all(list(node.values))
    if isinstance(node, ast.keyword) and node.arg is None:
        return _UNPACKED + _parts(node.value)
    if isinstance(node, ast.Subscript) and _is_generic(_name_of(node.value)):
        return _KEY + _all([node.value, node.slice])
    if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
        return _KEY + _all(list(ast.iter_child_nodes(node)))
    if isinstance(node, _NOTHING):
        return 0
    if isinstance(node, ast.Attribute) and _is_class_name(_name_of(node.value)):
        return _MEMBER + _parts(node.value)
    if isinstance(node, ast.Attribute | ast.Name) and _name_of(node) in _READ_BY:
        return _READ + _all(list(ast.iter_child_nodes(node)))
    return 1 + _DEARER.get(type(node), 0) + _all(list(ast.iter_child_nodes(node)))


def _is_class_name(name: str) -> bool:
    return name[:1].isupper() and (len(name) == 1 or not name.isupper())


def _is_generic(name: str) -> bool:
    """True for the name of a class, whose subscript makes a type."""
    return _is_class_name(name) or name in CLASSES


def _by_name(name: str) -> int:
    if name in KEYED:
        return _SET_MADE
    if name in _PRICES:
        return _PRICES[name]
    if _is_class_name(name):
        return _MADE
    return _CHARGING if name in _CHARGED or name in BUILTINS else 0


def _name_of(node: object) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _all(nodes: object) -> int:
    return sum(map(_parts, nodes)) if isinstance(nodes, list) else _parts(nodes)
