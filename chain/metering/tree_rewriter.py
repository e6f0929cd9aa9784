"""Base of the rewriters: the context of the current node, and helpers that wrap a value in a call."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any, Final, TypeGuard, TypeVar

from chain.metering.builtin_costs import BUILT, FREE
from chain.metering.cheap_values import light_in, light_of
from chain.metering.generator_functions import charged_function, charged_lambda
from chain.metering.insert_stable_text import Wording
from chain.metering.insert_ticks import call_of, charge_expression, parse_at
from chain.metering.repeated_tests import Test, test_once
from chain.metering.text_pieces import Bounds, joins_of_pieces
from chain.source.modules import Module

DISPLAYS: Final = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)
_PAYING_LATER: Final = ("__metered_if_long__", "__delegated__")  # for what is yielded
OURS: Final = re.compile(r"__c?[vwx](\d*)__")  # a temporary name for a value
_IS_LIGHT: Final = "__class_of__(V) is __int_class__ or __class_of__(V) in __light__"
_T = TypeVar("_T")
_YIELDING: Final = frozenset({"map", "zip", "enumerate", "reversed"})
_DEFINITIONS: Final = (ast.FunctionDef, ast.ClassDef)


class Weighing(Wording):
    """A rewriter that inserts ticks, and tracks the names, loops and displays around the current node."""

    def __init__(self, module: Module, constants: Mapping[str, object]) -> None:
        super().__init__(module)
        self._module = module
        self._values = constants
        self._bound = _bound_inside(module)
        self._light = self._constants = light_of(constants, self._bound | frozenset(module.names))
        self._is_inside = False  # True inside a function
        self._joins: dict[ast.Call, Bounds] = {}  # of short texts, in the function
        self._tests: dict[Test, list[ast.IfExp]] = {}  # of names, in the function
        self._has_names = False  # True where a value may be assigned to a temporary name
        self._is_shared = False  # True inside a generator expression, which may be suspended
        self._iterables: set[ast.AST] = set()  # of comprehensions, which cannot contain `:=`
        self._is_iterable = False
        self._free: set[ast.AST] = set()  # calls whose iterations the loop around charges already
        self._sliced: dict[
            ast.AST, ast.expr
        ] = {}  # slices, by the expressions that charge for them
        self._indices: set[ast.AST] = set()  # sums that are only used as an index
        # Operands of comparisons and sums, which accumulate nothing.
        self._spent: set[ast.AST] = set()

    # Functions

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:  # noqa: N802
        is_inside = self._is_inside
        if not is_inside:
            self._tests = {}
        function: Any = self._naming(True, self._inside, node, super().visit_FunctionDef)
        if not is_inside:
            test_once(function, self._tests)
        charged_function(function)
        return function  # type: ignore[no-any-return]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:  # noqa: N802
        return self._naming(False, super().visit_ClassDef, node)

    def visit(self, node: ast.AST) -> Any:
        if node not in self._iterables:
            return super().visit(node)
        before, self._is_iterable = self._is_iterable, True
        try:
            return self._naming(False, super().visit, node)
        finally:
            self._is_iterable = before

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:  # noqa: N802
        before, self._is_shared = self._is_shared, True
        try:
            self.generic_visit(node)
            return self._apart(node)  # type: ignore[no-any-return]
        finally:
            self._is_shared = before

    def _apart(self, node: ast.AST) -> Any:
        """Rename the temporary names in a comprehension, to keep them apart from the faster ones of the function around it."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and OURS.fullmatch(part.id):
                part.id = part.id.replace("__c", "__", 1).replace("__", "__c", 1)
        return node

    def _naming(self, has_names: bool, visit: Callable[..., _T], *args: object) -> _T:
        before, self._has_names = self._has_names, has_names
        try:
            return visit(*args)
        finally:
            self._has_names = before

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:  # noqa: N802
        function: Any = self._naming(
            not self._is_iterable, self._inside, node, super().visit_Lambda
        )
        charged_lambda(function)
        return function  # type: ignore[no-any-return]

    def _inside(self, node: Any, visit: Callable[[Any], ast.AST]) -> ast.AST:
        """Visit a function with the facts about its names; they apply to nested functions too."""
        if self._is_inside:
            return visit(node)
        self._is_inside, self._light = True, light_in(node, self._constants)
        self._joins = dict(joins_of_pieces(node, self._light, self._values))
        try:
            return visit(node)
        finally:
            self._is_inside, self._light = False, self._constants

    def _is_class(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Tuple):
            return all(map(self._is_class, node.elts))
        if isinstance(node, ast.BinOp):
            return self._is_class(node.left) and self._is_class(node.right)
        if isinstance(node, ast.Name) and node.id not in self._bound:
            definition = self._module.names.get(node.id)
            return definition is None or isinstance(definition.node, ast.ClassDef | ast.alias)
        return isinstance(node, ast.Constant | ast.Attribute)

    def _path(self, node: ast.expr) -> str | None:
        """Return the import path of an expression, if the names of the module determine it; else None."""
        if isinstance(node, ast.Attribute):
            holder = self._path(node.value)
            return (
                f"{holder}.{node.attr}" if holder and not holder.startswith("builtins.") else None
            )
        if not isinstance(node, ast.Name) or node.id in self._bound:
            return None
        definition = self._module.names.get(node.id)
        if definition is not None:
            return definition.import_path
        return f"builtins.{node.id}" if hasattr(builtins, node.id) else None

    # Loops, whose iterations are charged anyway

    def visit_For(self, node: ast.For) -> ast.AST:  # noqa: N802
        self._set_free(node.iter)
        return super().visit_For(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self._set_free(node.iter)
        self._iterables.add(node.iter)
        return super().visit_comprehension(node)

    def _set_free(self, node: ast.expr) -> None:
        name = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and isinstance(name, ast.Name) and name.id in _YIELDING:
            if not any(isinstance(arg, ast.Starred) for arg in node.args):
                self._free.add(node)
            for arg in node.args:
                self._set_free(arg)

    # Calls around a value

    def _key(self, node: ast.expr) -> ast.expr:
        """Charge for a key; a number near zero pays only for its memory."""
        if isinstance(node, ast.Constant):
            return node
        if isinstance(node, ast.Tuple):
            return call_of("__key__", node)
        test = "__class_of__(V) is __int_class__ and __below__ < V < __above__"
        return self._noted("near", self._unless(test, "__key__", node), node)

    def _place_in_list(self, node: ast.expr) -> ast.expr:
        """Charge for an index that is not an integer: it may be a slice."""
        if self._light.is_number(node):
            return node
        return self._unless("__class_of__(V) is __int_class__", "__key__", node)

    def _few(self, word: str, node: ast.expr) -> ast.expr:
        """Wrap `node` in a call of `word`, except for a short list or tuple."""
        if self._light.is_few(node):
            return node
        length = self._light.long.get(node.id, 0) if isinstance(node, ast.Name) else 0
        if length and word == "__charge_new_items__":
            tick = charge_expression(node, length * BUILT)
            return ast.copy_location(ast.BoolOp(ast.And(), [tick, node]), node)
        if word not in _PAYING_LATER:
            node = self._sliced.get(node, node)  # the walk costs more than the slice
        test = f"__class_of__(V) in __rows__ and __length_of__(V) <= {FREE}"
        return self._unless(test, word, node)

    def _unless(self, test: str, word: str, node: ast.expr) -> ast.expr:
        """Return `node`, wrapped in a call of `word` unless `test` is true at run time. V is the value in the test."""
        if isinstance(node, ast.Name):
            text = f"V if {test} else {word}(V)"
            return parse_at(text.replace("V", node.id), node)  # type: ignore[no-any-return]
        if not self._has_names:
            return call_of(word, node)
        test = test.replace("(V)", "(__v__ := 0)", 1).replace("V", "__v__")
        choice = parse_at(f"__v__ if {test} else {word}(__v__)", node)
        first: Any = choice.test.values[0] if isinstance(choice.test, ast.BoolOp) else choice.test
        first.left.args[0].value = node
        return choice  # type: ignore[no-any-return]

    def _weighed(self, node: ast.expr, word: str = "__weigh__") -> ast.expr:
        """Wrap a value in a call that weighs it, unless its class shows that it is light."""
        is_text = word != "__weigh__"
        if self._light.is_plain(node) if is_text else self._light.is_light(node):
            return node
        if isinstance(node, ast.Tuple):
            node.elts = [
                element if isinstance(element, ast.Starred) else self._weighed(element, word)
                for element in node.elts
            ]
            return node
        if is_text:
            return self._unless("__class_of__(V) in __plain__", word, node)
        return self._noted("light", self._unless(_IS_LIGHT, word, node), node)

    def _noted(self, fact: str, choice: Any, tested: ast.expr) -> ast.expr:
        """Return a choice that begins with the test of a fact about a name, which may be tested elsewhere too."""
        if self._is_fixed(tested):
            self._tests.setdefault((tested.id, fact), []).append(choice)
        return choice  # type: ignore[no-any-return]

    def _weighed_beside(self, other: ast.Name, node: ast.expr) -> ast.expr:
        """Wrap a value in a call that weighs it, unless the one it is compared with is light."""
        choice = parse_at(f"0 if {_IS_LIGHT.replace('V', other.id)} else 0", node)
        choice.body, choice.orelse = node, call_of("__weigh__", deepcopy(node))
        return self._noted("light", choice, other)

    def _is_fixed(self, node: ast.expr) -> TypeGuard[ast.Name]:
        return isinstance(node, ast.Name) and node.id in self._light.fixed


def constants_before(line: int, module: Module, space: Mapping[str, object]) -> dict[str, object]:
    """Return the values in `space` that were set once, above a line, and that no function sets."""
    return {
        name: space[name]
        for name, definition in module.names.items()
        if name in space
        and name not in module.before
        and name not in _bound_inside(module)
        and (definition.statement or definition.node).lineno < line
    }


@lru_cache(maxsize=2048)
def _bound_inside(module: Module) -> frozenset[str]:
    """Return the names that are bound below the top level of a module: they may have any value."""
    names: set[str] = set()
    for top in module.tree.body:
        names.update(node.arg for node in ast.walk(top) if isinstance(node, ast.arg))
        for statement in top.body if isinstance(top, ast.FunctionDef | ast.ClassDef) else ():
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    names.add(node.id)
                elif isinstance(top, ast.FunctionDef) and isinstance(node, _DEFINITIONS):
                    names.add(node.name)
    return frozenset(names)
