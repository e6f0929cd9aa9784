"""Visiting a source: each node once, in the order of execution, by the checks that are registered for its type."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from chain.guard import match_patterns
from chain.guard.inference import bind_generator, infer
from chain.guard.rules import CHECKS, imports
from chain.guard.scope import Scopes
from chain.source.local_names import arguments
from chain.source.modules import definitions, is_type_checking
from chain.source.static_types import StaticType, copied
from chain.source.word_sets import word_set

# Fields that hold no nodes to visit.
_FLAT: Final = word_set("ctx op ops type_ignores type_comment kind name names id attr arg n s")
_FIELDS: Final[Mapping[type[ast.AST], tuple[str, ...]]] = MappingProxyType(
    {
        node_type: tuple(name for name in node_type._fields if name not in _FLAT)
        for node_type in vars(ast).values()
        if isinstance(node_type, type) and issubclass(node_type, ast.AST)
    }
)


class Visitor:
    """A walk through a source that runs the checks."""

    def __init__(self, place: Scopes) -> None:
        self.place = place

    def visit(self, node: ast.AST) -> None:
        node_type = type(node)
        for check in CHECKS.get(node_type, ()):
            check(node, self.place)
        visit_node = _VISITS.get(node_type)
        if visit_node is not None:
            visit_node(self, node)
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

    def annotation(self, node: ast.expr | None) -> None:
        """Visit an annotation; findings inside a string annotation are reported at the string."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                return
            self.at_location(node, lambda: self.visit(inner))
        elif node is not None:
            self.visit(node)

    def at_location(self, node: ast.AST, look: Callable[[], None]) -> None:
        """Call `look` so that its findings are reported at `node`."""
        previous, self.place.anchor = self.place.anchor, self.place.anchor or node
        look()
        self.place.anchor = previous

    def f_string(self, node: ast.JoinedStr) -> None:
        self.at_location(node, lambda: self.all(node.values))

    # Statements and expressions that set names

    def assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        self.all(node.targets)
        value_type, shared = infer(node.value, self.place), self.place.outliving_name(node.value)
        for target in node.targets:
            self.place.bind_target(target, value_type, shared)

    def annotated(self, node: ast.AnnAssign) -> None:
        self.annotation(node.annotation)
        self.all([node.value, node.target])
        if isinstance(node.target, ast.Name):
            value_type = self.place.annotated(node.annotation) or infer(node.value, self.place)
            shared = self.place.outliving_name(node.value) if node.value else None
            self.place.bind(node.target.id, value_type, shared)

    def named(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        value_type, shared = infer(node.value, self.place), self.place.outliving_name(node.value)
        scope = inner = self.place.scope
        while scope.what == "comprehension" and scope.outer is not None:
            scope = scope.outer
        for self.place.scope in (scope, inner):
            self.place.bind(node.target.id, value_type, shared)

    def augmented(self, node: ast.AugAssign) -> None:
        self.children(node)
        if isinstance(node.target, ast.Name):
            scope = self.place.scope_of(node.target.id)
            if scope is not None:  # `row += [1]` replaces a stored list with a new one
                scope.kinds[node.target.id] = copied(scope.kinds[node.target.id])

    def loop(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        bind_generator(node, self.place)
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
        value_type, shared = (
            infer(node.subject, self.place),
            self.place.outliving_name(node.subject),
        )
        for case in node.cases:
            self.visit(case.pattern)
            match_patterns.bind(case.pattern, value_type, shared, self.place)
            self.all([case.guard, *case.body])

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        for definition in definitions(self.place.module, [node]):
            imports.check_import(definition, self.place)
            self.place.bind(definition.name)

    # Blocks

    def visit_if(self, node: ast.If) -> None:
        """Visit both branches, each with what was known before the `if`."""
        if is_type_checking(node):
            return
        self.visit(node.test)
        scope = self.place.scope
        before = dict(scope.kinds)
        self.all(node.body)
        after, scope.kinds = scope.kinds, before
        self.all(node.orelse)
        scope.kinds = {**after, **scope.kinds}

    def comprehension(self, node: Any) -> None:
        with self.place.scoped("comprehension", node):
            for generator in node.generators:
                self.visit(generator.iter)
                bind_generator(generator, self.place)
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
        self.place.bind(node.name)
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
        for argument in arguments(node):
            self.annotation(argument.annotation)

    def _bind_arguments(self, node: ast.arguments, me: StaticType | None) -> None:
        place = self.place
        for argument in arguments(node):
            value_type = place.annotated(argument.annotation)
            if argument is node.vararg:
                value_type = StaticType("list", (value_type,))
            elif argument is node.kwarg:
                value_type = StaticType("dict", (StaticType("text"), value_type))
            place.bind(argument.arg, value_type)
        positional = [*node.posonlyargs, *node.args]
        if me is not None and positional:
            place.bind(positional[0].arg, me)

    def _self_type(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> StaticType | None:
        """The type of a method's first argument: an instance of its class, or the class itself."""
        scope = self.place.scope
        if scope.what != "class" or not isinstance(scope.node, ast.ClassDef):
            return None
        decorators = [
            decorator.id for decorator in node.decorator_list if isinstance(decorator, ast.Name)
        ]
        if "staticmethod" in decorators:
            return None
        me = StaticType(f"{self.place.module.name}.{scope.node.name}")
        return StaticType("class", (me,)) if "classmethod" in decorators else me


_VISITS: Final[Mapping[type[ast.AST], Callable[[Visitor, Any], None]]] = MappingProxyType(
    {
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
