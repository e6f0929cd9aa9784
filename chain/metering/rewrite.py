"""Replacement of expressions that can do unbounded work in one step by calls that charge for the work.

Expressions are recognized by their spelling, because the value that is called may be anything: a builtin or a function of the
standard library by its name, also where it is only passed on; a method by its name, on any object; an operator, a comparison,
a key or a formatted text by its syntax (`chain.metering.charged_operations`). So an instrumented copy cannot reach a function
that is not written in its source. The fixed part of each price is in the ticks of the stretch
of code (`chain.metering.fixed_costs`).
"""

from __future__ import annotations

import ast
from typing import Any, Final

from chain.metering.charged_operations import Operations, is_fixed
from chain.metering.frozen_collections import CHANGERS
from chain.metering.insert_ticks import call_of, parse_at
from chain.metering.method_costs import METHODS, WORD
from chain.metering.own_costs import TYPES
from chain.metering.runtime_names import BUILDING, BUILTINS, CALLING, CLASSES, KEYED, WALKING
from chain.metering.stdlib_costs import is_costly
from chain.metering.tree_rewriter import DISPLAYS

_COMPREHENSIONS: Final = (ast.GeneratorExp, *DISPLAYS)
_TICKING_ALONE: Final = frozenset({*WALKING, *BUILDING, "sum", "bytes", "bytearray"})
_SUMMING: Final = frozenset({"bytes", "bytearray", *WALKING})
_ASKING: Final = frozenset({"isinstance", "issubclass"})


class CostRewriter(Operations):
    """The complete rewriter: ticks, checks, ordered sets, stable texts, and charges for expensive expressions."""

    # Calls

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        path = self._path(node.func)
        name = path.removeprefix("builtins.") if path and path.startswith("builtins.") else None
        is_free = node in self._free
        is_priced = path is not None and is_costly(path)
        is_method = isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
        self.leave(node, is_method and not is_priced)
        self.see_call(node, path)
        is_summing = name in _SUMMING and len(node.args) == 1 and is_fixed(node.args[0])
        is_unchanged = self._takes_keys(node, name)
        self._visit_parts(node, path)
        if name is not None:
            call = node if is_free or is_unchanged or is_summing else self._builtin(name, node)
            return self.seen_call(call, path) if isinstance(call, ast.Call) else call
        if is_priced:
            path_node = ast.copy_location(ast.Constant(path), node)
            return self._call("__metered_stdlib_call__", node, [path_node, node.func, *node.args])
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr in METHODS:
            if self._reads_number(func, node.args):
                return node
            if bounds := self._joins.get(node):
                sizes = [ast.copy_location(ast.Constant(size), node) for size in bounds]
                return self._call("__join_pieces__", node, [func.value, *node.args, *sizes])
            if func.attr == "format" or _is_positional(node):
                return self._call(f"__call_{func.attr}__", node, [func.value, *node.args])
            attr = ast.copy_location(ast.Constant(func.attr), node)
            return self._call("__metered_method__", node, [func.value, attr, *node.args])
        return self.seen_call(node, path)

    def _reads_number(self, func: ast.Attribute, args: list[ast.expr]) -> bool:
        """Rewrite `int.from_bytes(…)`, which pays for bytes beyond a word; False if the call is another one."""
        is_known = func.attr == "from_bytes" and self._path(func.value) == "builtins.int"
        if not is_known or not args or isinstance(args[0], ast.Starred):
            return False
        test = f"__class_of__(V) in __rows__ and __length_of__(V) <= {WORD}"
        args[0] = self._unless(test, "__number__", args[0])
        return True

    def _visit_parts(self, node: ast.Call, path: str | None) -> None:
        """Visit the function and the arguments of a call. The function itself is not a value that is passed on."""
        func = node.func
        if isinstance(func, ast.Attribute):
            node.func = self.reached(func)
        elif not isinstance(func, ast.Name):
            node.func = self._asked_for(self.visit(func))
        elif path is None and func.id not in self._module.names:
            node.func = self._asked_for(func)
        called = CALLING.get(path or "", 0)
        node.args = [
            self._passed(arg) if i < called else self.visit(arg) for i, arg in enumerate(node.args)
        ]
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = self._few("__pay_keys__", self.visit(keyword.value))
            else:
                keyword.value = (
                    self._passed(keyword.value)
                    if keyword.arg == "key"
                    else self.visit(keyword.value)
                )

    def _passed(self, node: ast.expr) -> Any:
        """Return an argument that may be a class, which the called function calls in turn."""
        path = self._path(node) or ""
        name = path.removeprefix("builtins.")
        if path.startswith("builtins.") and name in CLASSES:
            return ast.copy_location(ast.Name(f"__{name}__", ast.Load()), node)
        visited = self.visit(node)
        return (
            visited
            if (path and path not in TYPES)
            or isinstance(node, ast.Lambda | ast.Starred | ast.Constant)
            else self._asked_for(visited)
        )

    def _asked_for(self, node: ast.expr) -> ast.expr:
        """Return the called expression, checked at run time: it may be a builtin class under another name."""
        return self._unless("__class_of__(V) in __functions__", "__called__", node)

    def _takes_keys(self, node: ast.Call, name: str | None) -> bool:
        """Charge for each key of `set(… for …)` where it is created; True if the call is such a one."""
        only = node.args[0] if len(node.args) == 1 else None
        if name in KEYED and isinstance(only, ast.GeneratorExp):
            only.elt = call_of("__key__", only.elt)
            return True
        return False

    def _builtin(self, name: str, node: ast.Call) -> ast.AST:
        args = node.args
        if name in _ASKING:
            if len(args) == 2 and not self._is_class(args[1]):
                args[1] = call_of("__weigh__", args[1])
            return node
        if name == "type" and len(args) > 1:
            return self._call("__called_type__", node, args)
        if name not in BUILTINS or not args or _is_harmless(name, node):
            return node
        if name in ("str", "int") and len(args) == 1 and self._light.is_small(args[0]):
            return node
        if name in ("min", "max") and len(args) > 1 and _is_positional(node):
            node.args = [self._weighed(arg) for arg in args]
            return node
        if name in WALKING + BUILDING and not isinstance(args[0], ast.Starred):
            word = "__charge_items__" if name in WALKING else "__charge_new_items__"
            args[0] = self._few(word, args[0])
            return node
        return self._call(f"__{name}__", node, args)

    def _call(self, word: str, node: ast.Call, args: list[ast.expr]) -> ast.AST:
        node.func = ast.copy_location(ast.Name(word, ast.Load()), node)
        node.args = args
        return node

    # Functions that are called later

    def visit_Name(self, node: ast.Name) -> ast.AST:  # noqa: N802
        path = self._path(node) if isinstance(node.ctx, ast.Load) else None
        name = (path or "").removeprefix("builtins.")
        if path and path.startswith("builtins.") and name in BUILTINS and name not in CLASSES:
            return ast.copy_location(ast.Name(f"__{name}__", ast.Load()), node)
        return self._priced(path, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:  # noqa: N802
        is_read = isinstance(node.ctx, ast.Load)
        path = self._path(node) if is_read else None
        if path is not None and node.attr not in CHANGERS:
            return self._priced(path, node)
        is_method = is_read and node.attr in METHODS
        if is_method:
            self._plain.add(node)
        reached = self.reached(node)
        if is_method:
            name = ast.copy_location(ast.Constant(node.attr), node)
            return self._bound_to(node, name)
        return reached

    def _bound_to(self, node: ast.Attribute, name: ast.expr) -> ast.expr:
        """Return a method reference that charges when it is called, unless it is a plain value with such a name."""
        holder = node.value
        call = ast.Call(parse_at("__bound__", node), [holder, name], [])
        if self._has_names and isinstance(holder, ast.Name):
            choice = parse_at(
                f"__v__ if __class_of__(__v__ := {holder.id}.{node.attr}) in __plain__ else 0", node
            )
            call.args.append(parse_at("__v__", node))
            choice.orelse = ast.copy_location(call, node)
            return choice  # type: ignore[no-any-return]
        return ast.copy_location(call, node)

    def _priced(self, path: str | None, node: ast.expr) -> ast.AST:
        if path is None or not is_costly(path):
            return node
        path_node = ast.copy_location(ast.Constant(path), node)
        return ast.copy_location(
            ast.Call(parse_at("__priced__", node), [path_node, node], []), node
        )

    # Displays, comprehensions and other new values

    def visit_Dict(self, node: ast.Dict) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        for i, key_ in enumerate(node.keys):
            if key_ is None:
                node.values[i] = call_of("__pay_keys__", node.values[i])
            else:
                node.keys[i] = self._key(key_)
        return node

    def visit_Set(self, node: ast.Set) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        node.elts = [
            element if isinstance(element, ast.Starred) else self._key(element)
            for element in node.elts
        ]
        return self.gathered(node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        return self._apart(node)  # type: ignore[no-any-return]

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        node.elt = self._key(node.elt)
        return self.gathered(self._apart(node))

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        node.key = self._key(node.key)
        return self._apart(node)  # type: ignore[no-any-return]

    def visit_Starred(self, node: ast.Starred) -> ast.AST:  # noqa: N802
        super().visit_Starred(node)
        if isinstance(node.ctx, ast.Load):
            node.value = self._few("__charge_new_items__", node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        if any(_takes_all(target) for target in node.targets):
            node.value = call_of("__charge_new_items__", node.value)
        return node

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        node.value = self._few("__delegated__", node.value)
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:  # noqa: N802
        takes_rest = any(
            isinstance(part, ast.MatchStar) or getattr(part, "rest", None)
            for part in ast.walk(node)
        )
        compared = [
            part.value for part in ast.walk(node)
            if isinstance(part, ast.MatchValue) and not self._light.is_light(part.value)
        ]  # fmt: skip
        self.generic_visit(node)
        if takes_rest:
            node.subject = call_of("__charge_new_items__", node.subject)
        for _ in compared:
            node.subject = call_of("__weigh__", node.subject)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:  # noqa: N802
        error_type = node.type
        self.generic_visit(node)
        if node.type is not None and error_type is not None and not self._is_class(error_type):
            node.type = call_of("__weigh__", node.type)
        return node


def _takes_all(target: ast.expr) -> bool:
    """True if the assignment iterates over the whole assigned value."""
    if isinstance(target, ast.Subscript):
        return isinstance(target.slice, ast.Slice)
    return any(isinstance(part, ast.Starred) for part in ast.walk(target))


def _is_positional(node: ast.Call) -> bool:
    return not node.keywords and not any(isinstance(arg, ast.Starred) for arg in node.args)


def _is_harmless(name: str, node: ast.Call) -> bool:
    return (
        name in _TICKING_ALONE and len(node.args) == 1 and isinstance(node.args[0], _COMPREHENSIONS)
    )
