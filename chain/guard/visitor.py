"""Looking at source: each node once, in the order in which it runs, by those checks that ask for its kind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from chain.guard import (
    call_arguments,
    match_patterns,
)  # fmt: skip
from chain.guard.finding import Rule
from chain.guard.rules import (
    builtins,
    data_files,
    exceptions,
    floats,
    imports,
    metaprogramming,
    no_effect,
    set_order,
    shared_state,
    stored_lists,
    syntax,
    text,
)
from chain.guard.scope import Scopes
from chain.source.classes import root_name
from chain.source.modules import (
    definitions,
    is_type_checking,
)
from chain.source.static_types import (
    StaticType,
    copied,
)
from chain.source.word_sets import word_set

Check = Callable[[Any, Scopes], None]

TOPICS: Final = (
    syntax,
    imports,
    builtins,
    floats,
    set_order,
    shared_state,
    stored_lists,
    metaprogramming,
    exceptions,
    no_effect,
    text,
    data_files,
)
RULES: Final[tuple[Rule, ...]] = tuple(rule for topic in TOPICS for rule in topic.RULES)


def _checks() -> dict[type[ast.AST], tuple[Check, ...]]:
    found: dict[type[ast.AST], tuple[Check, ...]] = {}
    for topic in TOPICS:
        checks_of: Mapping[Any, tuple[Check, ...]] = topic.CHECKS
        for kind, checks in checks_of.items():
            found[kind] = found.get(kind, ()) + checks
    return found


CHECKS: Final[Mapping[type[ast.AST], tuple[Check, ...]]] = MappingProxyType(_checks())

# Fields that hold no nodes to look at.
_FLAT: Final = word_set("ctx op ops type_ignores type_comment kind name names id attr arg n s")
_FIELDS: Final[Mapping[type[ast.AST], tuple[str, ...]]] = MappingProxyType(
    {
        kind: tuple(name for name in kind._fields if name not in _FLAT)
        for kind in vars(ast).values()
        if isinstance(kind, type) and issubclass(kind, ast.AST)
    }
)


class Visitor:
    """`mention(name, path)` is told of everything outside of a function that the source mentions."""

    def __init__(self, place: Scopes, mention: Callable[[str, str], None]) -> None:
        self.place = place
        self.mention = mention
        self.read_with: set[tuple[ast.AST, tuple[str, ...]]] = (
            set()
        )  # functions, and which names held sets

    def visit(self, node: ast.AST) -> None:
        kind = type(node)
        for check in CHECKS.get(kind, ()):
            check(node, self.place)
        look = _LOOKS.get(kind)
        if look is not None:
            look(self, node)
        else:
            self.children(node)

    def children(self, node: ast.AST) -> None:
        for name in _FIELDS[type(node)]:
            value = getattr(node, name, None)
            if isinstance(value, list):
                self.all(value)
            elif isinstance(value, ast.AST):
                self.visit(value)

    def all(self, nodes: list[Any]) -> None:
        for node in nodes:
            if isinstance(node, ast.AST):
                self.visit(node)

    # Names

    def name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            path = self.place.path(node)
            if path is not None:
                self.mention(node.id, path)

    def attribute(self, node: ast.Attribute) -> None:
        """`a.b.c` is one mention, of all of it."""
        path = self.place.path(node)
        root = root_name(node)
        if path is None or root is None:
            self.visit(node.value)
            return
        self.mention(root, path)
        inner = node.value
        while True:
            for check in CHECKS.get(type(inner), ()):
                check(inner, self.place)
            if not isinstance(inner, ast.Attribute):
                return
            inner = inner.value

    def annotation(self, node: ast.expr | None) -> None:
        """An annotation may be written as text; what stands in it is found where the text is."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                return
            self.at_location(node, lambda: self.visit(inner))
        elif node is not None:
            self.visit(node)

    def at_location(self, node: ast.AST, look: Callable[[], None]) -> None:
        was, self.place.anchor = self.place.anchor, self.place.anchor or node
        look()
        self.place.anchor = was

    def f_string(self, node: ast.JoinedStr) -> None:
        self.at_location(node, lambda: self.all(node.values))

    # What sets names

    def assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        self.all(node.targets)
        kind, shared = self.place.kind(node.value), self.place.outliving_name(node.value)
        for target in node.targets:
            self.place.bind_target(target, kind, shared)
            if isinstance(target, ast.Name) and isinstance(node.value, ast.Lambda):
                self.place.scope.functions[target.id] = node.value
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                self.place.infer_container(target.value, kind)

    def annotated(self, node: ast.AnnAssign) -> None:
        self.annotation(node.annotation)
        self.all([node.value, node.target])
        if isinstance(node.target, ast.Name):
            kind = self.place.annotated(node.annotation) or self.place.kind(node.value)
            shared = self.place.outliving_name(node.value) if node.value else None
            self.place.bind(node.target.id, kind, shared)

    def named(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        kind, shared = self.place.kind(node.value), self.place.outliving_name(node.value)
        scope = inner = self.place.scope
        while scope.what == "comprehension" and scope.outer is not None:
            scope = scope.outer
        for self.place.scope in (scope, inner):
            self.place.bind(node.target.id, kind, shared)

    def augmented(self, node: ast.AugAssign) -> None:
        self.children(node)
        if isinstance(node.target, ast.Name):
            scope = self.place.scope_of(node.target.id)
            if scope is not None:  # `row += [1]` makes a list of its own out of one that was read
                scope.kinds[node.target.id] = copied(scope.kinds[node.target.id])

    def loop(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self.place.bind_generator(node)
        self.all([node.target, *node.body, *node.orelse])

    def with_item(self, node: ast.withitem) -> None:
        self.visit(node.context_expr)
        if node.optional_vars is not None:
            self.visit(node.optional_vars)
            self.place.bind_target(node.optional_vars, None, None)

    def handler(self, node: ast.ExceptHandler) -> None:
        if node.type is not None:
            self.visit(node.type)
        if node.name:
            self.place.bind(node.name)
        self.all(node.body)

    def match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        kind, shared = self.place.kind(node.subject), self.place.outliving_name(node.subject)
        for case in node.cases:
            self.visit(case.pattern)
            match_patterns.bind(case.pattern, kind, shared, self.place)
            self.all([case.guard, *case.body])

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        for found in definitions(self.place.module, [node]):
            imports.check_import(found, node, self.place)
            self.place.bind(found.name)
            self.mention(found.name, found.import_path or "")

    # Calls

    def call(self, node: ast.Call) -> None:
        self.children(node)
        match node:
            case ast.Call(ast.Attribute(ast.Name() as name, "setdefault"), [_, value]):
                self.place.infer_container(name, self.place.kind(value))
        to = call_arguments.resolve_callee(node, self.place)
        sets = call_arguments.set_arguments(node, to, self.place) if to is not None else {}
        if to is not None and sets and (way := (to.function, (*sets,))) not in self.read_with:
            self.read_with.add(way)
            self._read_with(to, sets)

    def _read_with(self, to: call_arguments.Callee, sets: Mapping[str, StaticType]) -> None:
        """Read a function as it runs when these of its arguments are sets."""
        place, function = self.place, to.function
        was = place.module, place.scope, place.anchor
        place.module, place.scope, place.anchor = to.module, to.scope, None
        with place.scoped("function", function):
            self._bind_arguments(function.args, to.me)
            for name, kind in sets.items():
                place.bind(name, kind)
            self.all(function.body if isinstance(function, ast.FunctionDef) else [function.body])
        place.module, place.scope, place.anchor = was

    # Blocks

    def visit_if(self, node: ast.If) -> None:
        """After both branches a name may hold what either of them set; that it may be a set is kept in mind."""
        if is_type_checking(node):
            return
        self.visit(node.test)
        scope = self.place.scope
        before = dict(scope.kinds)
        name, for_set = self._isinstance_test(node.test)
        if not for_set:
            self._is_no_set(name)
        self.all(node.body)
        after, scope.kinds = scope.kinds, before
        if for_set:
            self._is_no_set(name)
        self.all(node.orelse)
        if for_set and isinstance(node.body[-1], _LEAVES):
            after.pop(name, None)
        for name, kind in after.items():
            if name not in scope.kinds or (kind is not None and kind.name == "set"):
                scope.kinds[name] = kind

    def _isinstance_test(self, test: ast.expr) -> tuple[str, bool]:
        """Of which name a test asks the class, and whether it asks for a set: `if isinstance(names, set)`."""
        match test:
            case ast.Call(ast.Name("isinstance"), [ast.Name(name), cls]):
                several = cls.elts if isinstance(cls, ast.Tuple) else [cls]
                return name, StaticType("set") in map(self.place.annotated, several)
        return "", False

    def _is_no_set(self, name: str) -> None:
        kinds = self.place.scope.kinds
        known = kinds.get(name)
        if known is not None and known.name == "set":
            kinds[name] = None

    def comprehension(self, node: Any) -> None:
        with self.place.scoped("comprehension", node):
            for generator in node.generators:
                self.visit(generator.iter)
                self.place.bind_generator(generator)
                self.visit(generator)
            self.all(
                [getattr(node, name) for name in ("key", "value", "elt") if hasattr(node, name)]
            )

    def generator(self, node: ast.comprehension) -> None:
        self.all([node.target, *node.ifs])

    def visit_class(self, node: ast.ClassDef) -> None:
        self.all([*node.decorator_list, *node.bases, *node.keywords])
        self.place.bind(node.name)
        with self.place.scoped("class", node):
            self.all(node.body)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.all(node.decorator_list)
        self.annotation(node.returns)
        self.visit(node.args)
        self.place.bind(node.name, StaticType("function"))
        if isinstance(node, ast.FunctionDef):
            self.place.scope.functions[node.name] = node
        me = self._self_type(node)
        with self.place.scoped("function", node):
            self._bind_arguments(node.args, me)
            self.all(node.body)

    def visit_lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)
        with self.place.scoped("function", node):
            self._bind_arguments(node.args, None)
            self.visit(node.body)

    def arguments(self, node: ast.arguments) -> None:
        self.all([*node.defaults, *node.kw_defaults])
        for each in _arguments(node):
            self.annotation(each.annotation)

    def _bind_arguments(self, node: ast.arguments, me: StaticType | None) -> None:
        place = self.place
        for each in _arguments(node):
            kind = place.annotated(each.annotation)
            if each is node.vararg:
                kind = StaticType("list", (kind,))
            elif each is node.kwarg:
                kind = StaticType("dict", (StaticType("text"), kind))
            place.bind(each.arg, kind)
        positional = [*node.posonlyargs, *node.args]
        if me is not None and positional:
            place.bind(positional[0].arg, me)

    def _self_type(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> StaticType | None:
        """What the first argument of a method is: an instance of its class, or the class."""
        scope = self.place.scope
        if scope.what != "class" or not isinstance(scope.node, ast.ClassDef):
            return None
        marks = [mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)]
        if "staticmethod" in marks:
            return None
        me = StaticType(f"{self.place.module.name}.{scope.node.name}")
        return StaticType("class", (me,)) if "classmethod" in marks else me


_LEAVES: Final = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def _arguments(node: ast.arguments) -> list[ast.arg]:
    several = (*node.posonlyargs, *node.args, node.vararg, *node.kwonlyargs, node.kwarg)
    return [each for each in several if each is not None]


_LOOKS: Final[Mapping[type[ast.AST], Callable[[Visitor, Any], None]]] = MappingProxyType(
    {
        ast.Name: Visitor.name,
        ast.Attribute: Visitor.attribute,
        ast.JoinedStr: Visitor.f_string,
        ast.Assign: Visitor.assign,
        ast.AnnAssign: Visitor.annotated,
        ast.NamedExpr: Visitor.named,
        ast.AugAssign: Visitor.augmented,
        ast.For: Visitor.loop,
        ast.AsyncFor: Visitor.loop,
        ast.withitem: Visitor.with_item,
        ast.ExceptHandler: Visitor.handler,
        ast.Match: Visitor.match,
        ast.Call: Visitor.call,
        ast.Import: Visitor.imported,
        ast.ImportFrom: Visitor.imported,
        ast.If: Visitor.visit_if,
        ast.ListComp: Visitor.comprehension,
        ast.SetComp: Visitor.comprehension,
        ast.DictComp: Visitor.comprehension,
        ast.GeneratorExp: Visitor.comprehension,
        ast.comprehension: Visitor.generator,
        ast.ClassDef: Visitor.visit_class,
        ast.FunctionDef: Visitor.function,
        ast.AsyncFunctionDef: Visitor.function,
        ast.Lambda: Visitor.visit_lambda,
        ast.arguments: Visitor.arguments,
    }
)
