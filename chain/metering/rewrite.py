"""Finds expressions that can do unbounded work in one step, and puts what makes them pay in their place.

Not by what is called, which may be anything, but by how it is spelled: a builtin or a function of the library by its name,
also where it is only handed on; a method by its name, on whatever; an operator, a comparison, a key or a formatted text by its
shape (`operations`). So what is not written in the source of an image cannot be reached by it. What is made in a loop pays for
its room.
"""

from __future__ import annotations

import ast
from typing import Any, Final

from chain.metering.charged_operations import (
    Operations,
    is_fixed,
)
from chain.metering.frozen_collections import CHANGERS
from chain.metering.fuel import (
    EIGHTS,
    SIXTEENS,
)
from chain.metering.insert_ticks import (
    parse_at,
    tick_expression,
)
from chain.metering.method_costs import (
    METHODS,
    WORD,
)
from chain.metering.runtime_names import (
    BUILDING,
    BUILTINS,
    CALLING,
    CLASSES,
    KEYED,
    WALKING,
)
from chain.metering.stdlib_costs import is_costly
from chain.metering.tree_rewriter import DISPLAYS

_COMPREHENSIONS: Final = (ast.GeneratorExp, *DISPLAYS)
_TICKING_ALONE: Final = frozenset({*WALKING, *BUILDING, "sum", "bytes", "bytearray"})
_SUMMING: Final = frozenset({"bytes", "bytearray", *WALKING})
_ASKING: Final = frozenset({"isinstance", "issubclass"})


class CostRewriter(Operations):
    """Ticks, questions, ordered sets, texts, and whatever else must pay."""

    # Calls

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        path = self._path(node.func)
        name = path.removeprefix("builtins.") if path and path.startswith("builtins.") else None
        is_free = node in self._free
        is_priced = path is not None and is_costly(path)
        is_method = isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
        self.leave(node, is_method and not is_priced)
        self.see_call(node, path)
        is_brief = self._set_brief(node, name)
        as_it_is = self._takes_keys(node, name)
        self._visit_parts(node, path)
        self.word_args(node)
        if name is not None:
            if is_brief:
                return self._room(node)
            made = node if is_free or as_it_is else self._builtin(name, node)
            return self.seen_call(made, path) if isinstance(made, ast.Call) else made
        if is_priced:
            place = ast.copy_location(ast.Constant(path), node)
            return self._call("__metered_stdlib_call__", node, [place, node.func, *node.args])
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr in METHODS:
            if self._reads_number(func, node.args):
                return node
            attr = ast.copy_location(ast.Constant(func.attr), node)
            return self._call("__metered_method__", node, [func.value, attr, *node.args])
        last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        return self._room(node) if _is_class_name(last) else self.seen_call(node, path)

    def _reads_number(self, func: ast.Attribute, args: list[ast.expr]) -> bool:
        """`int.from_bytes(…)`, which pays for what is longer than a word."""
        is_known = func.attr == "from_bytes" and self._path(func.value) == "builtins.int"
        if not is_known or not args or isinstance(args[0], ast.Starred):
            return False
        test = f"__class_of__(V) in __rows__ and __length_of__(V) <= {WORD} and 0 in {EIGHTS}"
        args[0] = self._unless(test, "__number__", args[0])
        return True

    def _visit_parts(self, node: ast.Call, path: str | None) -> None:
        """What is called is no value that goes anywhere."""
        func = node.func
        if isinstance(func, ast.Attribute):
            node.func = self.reached(func)
        elif not isinstance(func, ast.Name):
            node.func = self._asked_for(self.visit(func))
        elif path is None and func.id not in self._module.names:
            node.func = self._asked_for(func)
        node.args = [
            self._passed(each) if path in CALLING else self.visit(each) for each in node.args
        ]
        for word in node.keywords:
            if word.arg is None:
                word.value = self._few(
                    "__charge_items__", self.visit(word.value), f" and 0 in {EIGHTS}"
                )
            else:
                word.value = (
                    self._passed(word.value) if word.arg == "key" else self.visit(word.value)
                )

    def _passed(self, node: ast.expr) -> Any:
        """A class that another function calls."""
        path = self._path(node) or ""
        name = path.removeprefix("builtins.")
        if path.startswith("builtins.") and name in CLASSES:
            return ast.copy_location(ast.Name(f"__{name}__", ast.Load()), node)
        made = self.visit(node)
        return (
            made
            if path or isinstance(node, ast.Lambda | ast.Starred | ast.Constant)
            else self._asked_for(made)
        )

    def _asked_for(self, node: ast.expr) -> ast.expr:
        """What is called, and may be a class of Python's own that got another name."""
        return self._unless("__class_of__(V) in __functions__", "__called__", node)

    def _set_brief(self, node: ast.Call, name: str | None) -> bool:
        """Whether it only takes up what is written there."""
        is_summing = name in _SUMMING and len(node.args) == 1 and is_fixed(node.args[0])
        if name in _ASKING or is_summing:
            self._brief.update(node.args)
        return is_summing

    def _takes_keys(self, node: ast.Call, name: str | None) -> bool:
        """`set(… for …)`: each pays where it is made."""
        only = node.args[0] if len(node.args) == 1 else None
        if name in KEYED and isinstance(only, ast.GeneratorExp):
            only.elt = self._paid("__key__", only.elt)
            return True
        return False

    def _builtin(self, name: str, node: ast.Call) -> ast.AST:
        args = node.args
        if name in _ASKING:
            if len(args) == 2 and not self._is_class(args[1]):
                args[1] = self._paid("__weigh__", args[1])
            return node
        if name == "type" and len(args) > 1:
            return self._call("__called_type__", node, args)
        if name not in BUILTINS or not args or _is_harmless(name, node):
            return node
        if name in ("str", "int") and len(args) == 1 and self._light.is_small(args[0]):
            return node
        is_plain = not node.keywords and not any(isinstance(each, ast.Starred) for each in args)
        if name in ("min", "max") and len(args) > 1 and is_plain:
            node.args = [self._weighed(each) for each in args]
            return node
        if name in WALKING + BUILDING and not isinstance(args[0], ast.Starred):
            word = "__charge_items__" if name in WALKING else "__charge_new_items__"
            args[0] = self._few(word, args[0], f" and 0 in {EIGHTS}")
            return node
        return self._call(f"__{name}__", node, args)

    def _call(self, word: str, node: ast.Call, args: list[ast.expr]) -> ast.AST:
        node.func = ast.copy_location(ast.Name(word, ast.Load()), node)
        node.args = args
        return node

    # What is called later

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
        made = self.reached(node)
        if is_method:
            name = ast.copy_location(ast.Constant(node.attr), node)
            return self._bound_to(node, name)
        return made

    def _bound_to(self, node: ast.Attribute, name: ast.expr) -> ast.expr:
        """A method that is taken to be called later, unless it is a plain value that has the name of one."""
        holder = node.value
        call = ast.Call(parse_at("__bound__", node), [holder, name], [])
        if self._has_names and isinstance(holder, ast.Name):
            made = parse_at(
                f"__v__ if __class_of__(__v__ := {holder.id}.{node.attr}) in __plain__ else 0", node
            )
            call.args.append(parse_at("__v__", node))
            made.orelse = ast.copy_location(call, node)
            return made  # type: ignore[no-any-return]
        return ast.copy_location(call, node)

    def _priced(self, path: str | None, node: ast.expr) -> ast.AST:
        if path is None or not is_costly(path):
            return node
        place = ast.copy_location(ast.Constant(path), node)
        return ast.copy_location(ast.Call(parse_at("__priced__", node), [place, node], []), node)

    # What is made

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:  # noqa: N802
        return self._display(node)

    def visit_List(self, node: ast.List) -> ast.AST:  # noqa: N802
        return self._display(node)

    def _display(self, node: ast.Tuple | ast.List) -> ast.AST:
        is_brief = node in self._brief or not isinstance(node.ctx, ast.Load)
        is_fixed = isinstance(node, ast.Tuple) and all(
            isinstance(each, ast.Constant) for each in node.elts
        )
        self.generic_visit(node)
        return node if is_brief or is_fixed else self._room(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        for i, key_ in enumerate(node.keys):
            if key_ is None:
                node.values[i] = self._paid("__pay_keys__", node.values[i])
            else:
                node.keys[i] = self._key(key_)
        return self._behind(SIXTEENS, node)

    def visit_Set(self, node: ast.Set) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        node.elts = [
            each if isinstance(each, ast.Starred) else self._key(each) for each in node.elts
        ]
        return self._behind(SIXTEENS, self.gathered(node))

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:  # noqa: N802
        self._repeating(self.generic_visit, node)
        for each in node.generators:
            self._count(each)
        return self._apart(node)  # type: ignore[no-any-return]

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:  # noqa: N802
        self._repeating(self.generic_visit, node)
        node.elt = self._key(node.elt)
        return self.gathered(self._apart(node))

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:  # noqa: N802
        self._repeating(self.generic_visit, node)
        node.key = self._key(node.key)
        return self._apart(node)  # type: ignore[no-any-return]

    def _count(self, node: ast.comprehension) -> None:
        """The room of a list, before it is made if it can be told, else at each turn."""
        if node.iter in self._free:
            node.ifs.insert(0, tick_expression(node.iter))
        elif node not in self._short and not isinstance(node.iter, (*DISPLAYS, ast.Constant)):
            node.iter = self._naming(False, self._few, "__counted__", node.iter)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:  # noqa: N802
        super().visit_Starred(node)
        if isinstance(node.ctx, ast.Load):
            node.value = self._few("__charge_new_items__", node.value, f" and 0 in {EIGHTS}")
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:  # noqa: N802
        if isinstance(node.targets[0], ast.Tuple) and len(node.targets) == 1:
            self._brief.add(node.value)
        self.generic_visit(node)
        if any(_takes_all(each) for each in node.targets):
            node.value = self._paid("__charge_new_items__", node.value)
        return node

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        node.value = self._few("__metered_if_long__", node.value)
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:  # noqa: N802
        takes_rest = any(
            isinstance(each, ast.MatchStar) or getattr(each, "rest", None)
            for each in ast.walk(node)
        )
        self.generic_visit(node)
        if takes_rest:
            node.subject = self._paid("__charge_new_items__", node.subject)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:  # noqa: N802
        kind = node.type
        if isinstance(kind, ast.Tuple):
            self._brief.add(kind)
        self.generic_visit(node)
        if node.type is not None and kind is not None and not self._is_class(kind):
            node.type = self._paid("__weigh__", node.type)
        return node


def _takes_all(target: ast.expr) -> bool:
    """Whether what is assigned is gone through to its end."""
    if isinstance(target, ast.Subscript):
        return isinstance(target.slice, ast.Slice)
    return any(isinstance(each, ast.Starred) for each in ast.walk(target))


def _is_harmless(name: str, node: ast.Call) -> bool:
    return (
        name in _TICKING_ALONE and len(node.args) == 1 and isinstance(node.args[0], _COMPREHENSIONS)
    )


def _is_class_name(name: str) -> bool:
    return name[:1].isupper() and not name.isupper()
