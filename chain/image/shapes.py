"""Tells the shapes of source that may work long without a tick, and puts what makes them pay in their place.

Only where it cannot be seen that they do not: `min` of two arguments, a sum over a comprehension (which ticks), `zip` behind a
`for`, a product with a small number stay as they are. Additions grow slowly, so they pay only where they may feed on
themselves: where what is added was set in the loop around.
"""

from __future__ import annotations

import ast
import builtins
import operator
import re
from collections.abc import Callable
from copy import copy
from functools import lru_cache
from typing import Any, Final

from chain.frozen_list import CHANGES, changeable
from chain.guard.sources import Module
from chain.image import arithmetic
from chain.image.libraries import is_costly, library, priced
from chain.image.light import Light, light_in
from chain.image.meter import DRY, SPACE, TANK, spend
from chain.image.methods import METHODS, bound, guarded_format, method, pay_for_width
from chain.image.ticks import Ticking, parsed, tick_at
from chain.image.weight import LIGHT, PLAIN, key, weigh
from chain.image.work import (
    BUILT,
    contains,
    counted,
    guarded_bytes,
    guarded_extreme,
    guarded_iter,
    guarded_reversed,
    guarded_sorted,
    guarded_str,
    guarded_sum,
    lazily,
    moved,
    pay,
    pay_built,
    pay_keys,
    pay_pairs,
    shown,
    sliced,
    slow,
    walking,
    written,
)  # fmt: skip

_WALKING: Final = ("any", "all")
_BUILDING: Final = ("list", "tuple")
_KEYED: Final = ("set", "frozenset")
_BUILTINS: Final[dict[str, Any]] = {
    "sum": guarded_sum,
    "sorted": guarded_sorted,
    "iter": guarded_iter,
    "pow": arithmetic.power,
    "divmod": arithmetic.guarded_divmod,
    "int": arithmetic.guarded_int,
    "format": guarded_format,
    "hash": lambda value: hash(weigh(value)),
    **{name: guarded_str(getattr(builtins, name)) for name in ("str", "repr", "ascii")},
    **{name: guarded_extreme(getattr(builtins, name)) for name in ("min", "max")},
    **{name: walking(getattr(builtins, name), pay) for name in _WALKING},
    **{name: walking(getattr(builtins, name), pay_built) for name in _BUILDING},
    **{name: walking(getattr(builtins, name), pay_keys) for name in _KEYED},
    "dict": walking(dict, pay_pairs),
    **{name: guarded_bytes(getattr(builtins, name)) for name in ("bytes", "bytearray")},
    "map": lazily(map, 1),
    "filter": lazily(filter, 1),
    "zip": lazily(zip),
    "enumerate": lazily(enumerate, 0, 1),
    "reversed": guarded_reversed,
}
_CLASSES: Final = frozenset(name for name in _BUILTINS if isinstance(getattr(builtins, name), type))
_YIELDING: Final = frozenset({"map", "zip", "enumerate", "reversed"})
_CALLING: Final = frozenset(
    {"builtins.map", "builtins.filter", "functools.reduce", "functools.partial", "itertools.starmap", "collections.defaultdict"}
)
_OPERATORS: Final[dict[type[ast.operator], tuple[Any, Any]]] = {
    ast.Add: (arithmetic.add, operator.iadd),
    ast.Sub: (arithmetic.subtract, operator.isub),
    ast.Mult: (arithmetic.multiply, operator.imul),
    ast.FloorDiv: (arithmetic.divide, operator.ifloordiv),
    ast.Mod: (arithmetic.remainder, operator.imod),
    ast.Pow: (arithmetic.raise_to, operator.ipow),
    ast.LShift: (arithmetic.shift, operator.ilshift),
    ast.BitOr: (arithmetic.unite, operator.ior),
    ast.BitAnd: (arithmetic.intersect, operator.iand),
    ast.BitXor: (arithmetic.differ, operator.ixor),
}
_WORDS: Final = {
    f"__{each.__name__}__": each
    for each in (
        written, shown, contains, sliced, method, bound, library, priced, pay, pay_built, pay_keys, pay_pairs, slow, key, weigh,
        counted, moved, pay_for_width, changeable, spend, arithmetic.summed, *(each for pair in _OPERATORS.values() for each in pair),
    )
}  # fmt: skip
_HEAPS: Final = frozenset(
    f"heapq.{name}" for name in ("heapify", "heappop", "heappush", "heappushpop", "heapreplace")
)
_DISPLAYS: Final = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_COMPREHENSIONS: Final = (ast.GeneratorExp, *_DISPLAYS)
_TICKING_ALONE: Final = frozenset({*_WALKING, *_BUILDING, "sum", "bytes", "bytearray"})
_ASKING: Final = frozenset({"isinstance", "issubclass"})
_DEFINITIONS: Final = (ast.FunctionDef, ast.ClassDef)
_Loop = ast.For | ast.While

SPACE.update(_WORDS)
SPACE.update({f"__{name}__": guarded for name, guarded in _BUILTINS.items()})
SPACE.update(
    {
        "__light__": LIGHT,
        "__plain__": PLAIN,
        "__class_of__": type,
        "__length_of__": len,
        "__int_class__": int,
        "__most__": arithmetic.LARGE,
        "__least__": -arithmetic.LARGE,
    }
)


class Guarding(Ticking):
    """Ticks, and whatever else must pay."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self._module = module
        self._bound = _bound_inside(module)
        self._light = self._constants = _constants_of(module)
        self._is_inside = False  # of a function
        self._has_names = False  # where a value may be given a name on the way
        self._free: set[ast.AST] = set()  # calls whose turns tick where they stand
        self._brief: set[ast.AST] = set()  # displays that nothing keeps

    # Functions

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:  # noqa: N802
        return self._naming(True, self._inside, node, super().visit_FunctionDef)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:  # noqa: N802
        return self._naming(False, self.generic_visit, node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:  # noqa: N802
        return self._naming(False, self.generic_visit, node)

    def _naming(self, has_names: bool, visit: Callable[..., ast.AST], *args: Any) -> ast.AST:
        before, self._has_names = self._has_names, has_names
        try:
            return visit(*args)
        finally:
            self._has_names = before

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:  # noqa: N802
        made = self._naming(False, self._inside, node, super().visit_Lambda)
        assert isinstance(made, ast.Lambda)
        return self._room(made)

    def _inside(self, node: Any, visit: Callable[[Any], ast.AST]) -> ast.AST:
        """With what is known of the names in a function; that of those within it too."""
        if self._is_inside:
            return visit(node)
        self._is_inside, self._light = True, light_in(node, self._constants)
        try:
            return visit(node)
        finally:
            self._is_inside, self._light = False, self._constants

    # Calls

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        path = self._path(node.func)
        name = path.removeprefix("builtins.") if path and path.startswith("builtins.") else None
        is_free = node in self._free
        changes_first = self._changes_first(node, path)
        self._set_brief(node, name)
        as_it_is = self._takes_keys(node, name)
        self._visit_parts(node, path)
        if changes_first:
            node.args[0] = self._paid("__changeable__", node.args[0])
        if name is not None:
            return node if is_free or as_it_is else self._builtin(name, node)
        if path is not None and is_costly(path):
            place = ast.copy_location(ast.Constant(path), node)
            return self._call("__library__", node, [place, node.func, *node.args])
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr in METHODS:
            attr = ast.copy_location(ast.Constant(func.attr), node)
            return self._call("__method__", node, [func.value, attr, *node.args])
        last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        return self._room(node) if _is_class_name(last) else node

    def _visit_parts(self, node: ast.Call, path: str | None) -> None:
        """What is called is no value that goes anywhere."""
        func = node.func
        if isinstance(func, ast.Attribute):
            func.value = self.visit(func.value)
        elif not isinstance(func, ast.Name):
            node.func = self.visit(func)
        node.args = [self._passed(each) if path in _CALLING else self.visit(each) for each in node.args]
        for word in node.keywords:
            if word.arg is None:
                word.value = self._paid("__pay__", self.visit(word.value))
            else:
                word.value = self._passed(word.value) if word.arg == "key" else self.visit(word.value)

    def _passed(self, node: ast.expr) -> Any:
        """A class that another function calls."""
        path = self._path(node) or ""
        name = path.removeprefix("builtins.")
        if path.startswith("builtins.") and name in _CLASSES:
            return ast.copy_location(ast.Name(f"__{name}__", ast.Load()), node)
        return self.visit(node)

    def _set_brief(self, node: ast.Call, name: str | None) -> None:
        if name in _ASKING:
            self._brief.update(node.args)

    def _takes_keys(self, node: ast.Call, name: str | None) -> bool:
        """`set(… for …)`: each pays where it is made."""
        only = node.args[0] if len(node.args) == 1 else None
        if name in _KEYED and isinstance(only, ast.GeneratorExp):
            only.elt = self._paid("__key__", only.elt)
            return True
        return False

    def _builtin(self, name: str, node: ast.Call) -> ast.AST:
        args = node.args
        if name in _ASKING and len(args) == 2 and not self._is_class(args[1]):
            args[1] = self._paid("__weigh__", args[1])
        if name not in _BUILTINS or not args or _is_harmless(name, node):
            return node
        if name in ("str", "int") and len(args) == 1 and self._light.is_light(args[0]):
            return node
        is_plain = not node.keywords and not any(isinstance(each, ast.Starred) for each in args)
        if name in ("min", "max") and len(args) > 1 and is_plain:
            node.args = [self._weighed(each) for each in args]
            return node
        if name in _WALKING + _BUILDING and not isinstance(args[0], ast.Starred):
            word = "__pay__" if name in _WALKING else "__pay_built__"
            args[0] = self._paid(word, args[0])
            return node
        return self._call(f"__{name}__", node, args)

    def _is_class(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Tuple):
            return all(map(self._is_class, node.elts))
        if isinstance(node, ast.BinOp):
            return self._is_class(node.left) and self._is_class(node.right)
        if isinstance(node, ast.Name) and node.id not in self._bound:
            known = self._module.names.get(node.id)
            return known is None or isinstance(known.node, ast.ClassDef | ast.alias)
        return isinstance(node, ast.Constant | ast.Attribute)

    def _changes_first(self, node: ast.Call, path: str | None) -> bool:
        """Whether it changes the list that is its first argument without asking that list: `heappush(row, 1)`."""
        if not node.args or isinstance(node.args[0], ast.Starred):
            return False
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr in CHANGES:  # `list.append(row, 1)`
            return self._path(func.value) == "builtins.list"
        return path in _HEAPS

    def _call(self, word: str, node: ast.Call, args: list[ast.expr]) -> ast.AST:
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

    # What is called later

    def visit_Name(self, node: ast.Name) -> ast.AST:  # noqa: N802
        path = self._path(node) if isinstance(node.ctx, ast.Load) else None
        name = (path or "").removeprefix("builtins.")
        if path and path.startswith("builtins.") and name in _BUILTINS and name not in _CLASSES:
            return ast.copy_location(ast.Name(f"__{name}__", ast.Load()), node)
        return self._priced(path, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:  # noqa: N802
        is_read = isinstance(node.ctx, ast.Load)
        path = self._path(node) if is_read else None
        if path is not None:
            return self._priced(path, node)
        node.value = self.visit(node.value)
        if is_read and node.attr in METHODS:
            name = ast.copy_location(ast.Constant(node.attr), node)
            return ast.copy_location(ast.Call(parsed("__bound__", node), [node.value, name], []), node)
        return node

    def _priced(self, path: str | None, node: ast.expr) -> ast.AST:
        if path is None or not is_costly(path):
            return node
        place = ast.copy_location(ast.Constant(path), node)
        return ast.copy_location(ast.Call(parsed("__priced__", node), [place, node], []), node)

    # Where turns tick anyway

    def visit_For(self, node: ast.For) -> ast.AST:  # noqa: N802
        self._set_free(node.iter)
        self._brief.add(node.iter)
        return super().visit_For(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:  # noqa: N802
        self._set_free(node.iter)
        self._brief.add(node.iter)
        return super().visit_comprehension(node)

    def _set_free(self, node: ast.expr) -> None:
        name = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and isinstance(name, ast.Name) and name.id in _YIELDING:
            self._free.add(node)
            for each in node.args:
                self._set_free(each)

    # Operators

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:  # noqa: N802
        is_costly = self._is_costly(node.op, node.left, node.right)
        is_small = self._light.is_small(node.left), self._light.is_small(node.right)
        self.generic_visit(node)
        if not is_costly:
            return node
        if self._has_names and isinstance(node.op, ast.Add):
            return self._sum(node)
        if self._has_names and isinstance(node.op, ast.Sub) and _is_plain(node.right):
            return self._difference(node)
        if self._has_names and isinstance(node.op, ast.Mult) and any(is_small):
            return self._product(node, is_small[0])
        return self._operation(node.op, node.left, node.right, node)

    def _sum(self, node: ast.BinOp) -> ast.AST:
        """Looked at when it is there: it is hardly larger than what it is made of."""
        made = parsed("__v__ if __class_of__(__v__ := 0) is __int_class__ and __least__ < __v__ < __most__ else __summed__(__v__)", node)
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
        left = ast.copy_location(ast.Name(target.id, ast.Load()), target) if isinstance(target, ast.Name) else target
        if not self._is_costly(node.op, left, node.value):
            return self.generic_visit(node)
        node.value = self.visit(node.value)
        before: list[ast.stmt] = []
        if not isinstance(target, ast.Name):
            target.value = self._kept("__owner__", self.visit(target.value), before)
        if isinstance(target, ast.Subscript):
            index = target.slice
            target.slice = index if isinstance(index, ast.Constant) else self._kept("__place__", self._key(self.visit(index)), before)
        left = copy(target)
        left.ctx = ast.Load()
        value = self._operation(node.op, left, node.value, node)
        value.args.append(parsed(f"__{_OPERATORS[type(node.op)][1].__name__}__", node))
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

    def _operation(self, op: ast.operator, left: ast.expr, right: ast.expr, place: ast.AST) -> Any:
        word = f"__{_OPERATORS[type(op)][0].__name__}__"
        made = ast.Call(ast.copy_location(ast.Name(word, ast.Load()), place), [left, right], [])
        return ast.copy_location(made, place)

    def _is_costly(self, op: ast.operator, left: ast.expr, right: ast.expr) -> bool:
        light = self._light
        small = light.is_small(left), light.is_small(right)
        if type(op) not in _OPERATORS or all(small):
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
        holders = [each for each in node.comparators if isinstance(each, _DISPLAYS)]
        operands = [node.left, *node.comparators]
        self._brief.update(operands)
        is_light = [self._light.is_light(each) for each in operands]
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            return node if holders or isinstance(node.comparators[0], ast.Constant) else self._contains(node)
        for i, op in enumerate(node.ops):
            if not isinstance(op, ast.Is | ast.IsNot) and not (is_light[i] or is_light[i + 1]):
                is_light[i + 1] = True
                node.comparators[i] = self._weighed(node.comparators[i])
        return node

    def _contains(self, node: ast.Compare) -> ast.AST:
        found: ast.expr = ast.Call(parsed("__contains__", node), [node.left, node.comparators[0]], [])
        found = ast.copy_location(found, node)
        if isinstance(node.ops[0], ast.NotIn):
            found = ast.copy_location(ast.UnaryOp(ast.Not(), found), node)
        return found

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:  # noqa: N802
        self._brief.add(node.slice)
        self.generic_visit(node)
        where = node.slice
        if isinstance(where, ast.Slice):
            if not isinstance(node.ctx, ast.Load):
                node.value = self._paid("__moved__", node.value)
                return node
            is_few = where.upper is not None and self._light.is_small(where.upper) and _is_plus(where.upper)
            return node if is_few else self._paid("__sliced__", node)
        if isinstance(node.ctx, ast.Store):
            node.slice = self._key(where)
        else:
            node.slice = self._weighed(where)
            if isinstance(node.ctx, ast.Del):
                node.value = self._paid("__moved__", node.value)
        return node

    def _key(self, node: ast.expr) -> ast.expr:
        return node if isinstance(node, ast.Constant) else self._paid("__key__", node)

    def _weighed(self, node: ast.expr, word: str = "__weigh__") -> ast.expr:
        """Weighs a value, unless its class shows that it is light."""
        known = "__plain__" if word == "__shown__" else "__light__"
        if self._light.is_light(node):
            return node
        if isinstance(node, ast.Tuple):
            node.elts = [each if isinstance(each, ast.Starred) else self._weighed(each, word) for each in node.elts]
            return node
        if isinstance(node, ast.Name):
            made = parsed(f"{node.id} if __class_of__({node.id}) in {known} else {word}({node.id})", node)
            assert isinstance(made, ast.expr)
            return made
        if not self._has_names:
            return self._paid(word, node)
        made = parsed(f"__v__ if __class_of__(__v__ := 0) in {known} else {word}(__v__)", node)
        made.test.left.args[0].value = node
        return made  # type: ignore[no-any-return]

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:  # noqa: N802
        """The texts in it pay together, once they are put into one: no text is large."""
        is_light = all(
            isinstance(each, ast.Constant) or self._light.is_light(each.value) for each in node.values
            if isinstance(each, ast.Constant | ast.FormattedValue)
        )
        self.generic_visit(node)
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

    # What is made

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:  # noqa: N802
        return self._display(node)

    def visit_List(self, node: ast.List) -> ast.AST:  # noqa: N802
        return self._display(node)

    def _display(self, node: ast.Tuple | ast.List) -> ast.AST:
        is_brief = node in self._brief or not isinstance(node.ctx, ast.Load)
        is_fixed = isinstance(node, ast.Tuple) and all(isinstance(each, ast.Constant) for each in node.elts)
        self.generic_visit(node)
        return node if is_brief or is_fixed else self._room(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        for i, key_ in enumerate(node.keys):
            if key_ is None:
                node.values[i] = self._paid("__pay_keys__", node.values[i])
            else:
                node.keys[i] = self._key(key_)
        return self._after("__spend__", node)

    def visit_Set(self, node: ast.Set) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        node.elts = [each if isinstance(each, ast.Starred) else self._key(each) for each in node.elts]
        return self._after("__spend__", node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:  # noqa: N802
        self._naming(False, self.generic_visit, node)
        for each in node.generators:
            self._count(each)
        return node

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:  # noqa: N802
        self._naming(False, self.generic_visit, node)
        node.elt = self._key(node.elt)
        return node

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:  # noqa: N802
        self._naming(False, self.generic_visit, node)
        node.key = self._paid("__key__", node.key)
        return node

    def _count(self, node: ast.comprehension) -> None:
        """The room of a list, before it is made if it can be told, else at each turn."""
        if node.iter in self._free:
            node.ifs.insert(0, tick_at(node.iter))
        elif not isinstance(node.iter, (*_DISPLAYS, ast.Constant)):
            node.iter = self._paid("__counted__", node.iter)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = self._paid("__pay_built__", node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:  # noqa: N802
        if isinstance(node.targets[0], ast.Tuple) and len(node.targets) == 1:
            self._brief.add(node.value)
        self.generic_visit(node)
        if any(_takes_all(each) for each in node.targets):
            node.value = self._paid("__pay_built__", node.value)
        return node

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        node.value = self._paid("__slow__", node.value)
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:  # noqa: N802
        takes_rest = any(
            isinstance(each, ast.MatchStar) or getattr(each, "rest", None) for each in ast.walk(node)
        )
        self.generic_visit(node)
        if takes_rest:
            node.subject = self._paid("__pay_built__", node.subject)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:  # noqa: N802
        kind = node.type
        if isinstance(kind, ast.Tuple):
            self._brief.add(kind)
        self.generic_visit(node)
        if node.type is not None and kind is not None and not self._is_class(kind):
            node.type = self._paid("__weigh__", node.type)
        return node

    def _paid(self, word: str, value: ast.expr) -> ast.expr:
        return ast.copy_location(ast.Call(parsed(word, value), [value], []), value)

    def _room(self, value: ast.expr) -> ast.expr:
        """`value`, which is small and may be kept."""
        test = parsed(f"0 in {TANK} and 0 in {TANK} and 0 in {TANK} or {DRY}()", value)
        return ast.copy_location(ast.BoolOp(ast.And(), [test, value]), value)

    def _after(self, word: str, value: ast.expr) -> ast.expr:
        """`value`, behind a call that takes ticks and gives nothing."""
        return ast.copy_location(ast.BoolOp(ast.Or(), [parsed(f"{word}()", value), value]), value)


def _takes_all(target: ast.expr) -> bool:
    """Whether what is assigned is gone through to its end."""
    if isinstance(target, ast.Subscript):
        return isinstance(target.slice, ast.Slice)
    return any(isinstance(each, ast.Starred) for each in ast.walk(target))


def _is_harmless(name: str, node: ast.Call) -> bool:
    return (
        name in _TICKING_ALONE and len(node.args) == 1 and isinstance(node.args[0], _COMPREHENSIONS)
    )


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

    def visit_Name(self, node: ast.Name) -> ast.AST:  # noqa: N802
        return self.value if node.id == self.name else node


def _is_class_name(name: str) -> bool:
    return name[:1].isupper() and not name.isupper()


def _is_plus(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= 0


@lru_cache(maxsize=2048)
def _constants_of(module: Module) -> Light:
    """The numbers that stand at the top of a module, once and for all."""
    bound_ = _bound_inside(module)
    numbers = {
        name: known.value.value
        for name, known in module.names.items()
        if name not in bound_ and name not in module.before and isinstance(known.value, ast.Constant)
    }
    light = Light()
    whole = [name for name, value in numbers.items() if isinstance(value, int)]
    few = [name for name in whole if light.is_small(ast.Constant(numbers[name]))]
    return Light(frozenset(whole), frozenset(few))


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
