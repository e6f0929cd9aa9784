"""Where the guard stands while it reads: the module, the scopes around, and what their names are known to hold.

A module's names are known from the start. Those of a function become known in the order in which it sets them, the last
setting counts. A name may also be known to be *shared*: to hold something that outlives the call, or a part of it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from chain.guard.finding import (
    Finding,
    Rule,
)
from chain.guard.inference import infer
from chain.source import static_types
from chain.source.local_names import own_names
from chain.source.modules import (
    Definition,
    Module,
    SourceTree,
)
from chain.source.static_types import (
    StaticType,
    item_type,
)

T = TypeVar("T")

_BUILTINS: Final = frozenset(dir(builtins)) | {"reveal_type"}
_MODULE_NAMES: Final = frozenset({"__file__", "__package__", "__path__", "__builtins__"})
_PARTS: Final = (ast.Attribute, ast.Subscript, ast.Starred, ast.NamedExpr)


class Scope:
    """One function, class or comprehension, or the module."""

    __slots__ = ("functions", "kinds", "node", "outer", "own", "shared", "what")

    def __init__(self, what: str, node: ast.AST | None, outer: Scope | None) -> None:
        self.what = what  # module, class, function or comprehension
        self.node = node
        self.outer = outer
        # A function has its names from the beginning, wherever in it they are set.
        self.own = own_names(node)[0] if node is not None and what == "function" else frozenset()
        self.kinds: dict[str, StaticType | None] = {}
        self.shared: dict[str, str] = {}
        self.functions: dict[str, ast.FunctionDef | ast.Lambda] = {}  # that were made here


class Scopes:
    """What a check asks while it looks at a node."""

    def __init__(self, sources: SourceTree, module: Module) -> None:
        self.sources = sources
        self.module = module
        self.scope = Scope("module", None, None)
        self.findings: dict[tuple[str, int, int, str], Finding] = {}
        self.suppressed: set[ast.AST] = (
            set()
        )  # nodes that a check has found harmless where they stand
        self.anchor: ast.AST | None = (
            None  # the f-string around: what is in it has no sure place before Python 3.12
        )

    def report(self, rule: Rule, node: Any, **words: object) -> None:
        node = self.anchor or node
        line, column = node.lineno, node.col_offset
        if column and not self.module.text.isascii():
            text = self.module.text.splitlines()[line - 1].encode()[:column]
            column = len(text.decode("utf-8", "replace"))
        finding = rule.at(self.module.file, line, column + 1, **words)
        self.findings.setdefault((finding.file, line, column, rule.name), finding)

    # Scopes

    @property
    def is_running(self) -> bool:
        """Whether this is inside a function, so that it runs on the chain; all else runs when the module is imported."""
        return self.function is not None

    @property
    def function(self) -> ast.AST | None:
        """The innermost function around, lambdas included."""
        scope: Scope | None = self.scope
        while scope is not None and scope.what != "function":
            scope = scope.outer
        return None if scope is None else scope.node

    @property
    def outermost(self) -> ast.AST | None:
        """The function or class at the top of the module in which this is."""
        found, scope = None, self.scope
        while scope.outer is not None:
            found, scope = scope.node, scope.outer
        return found

    def scope_of(self, name: str) -> Scope | None:
        """The inner scope whose name this is, if it is one's."""
        scope = self.scope
        innermost = scope
        while scope.outer is not None:
            is_own = name in scope.kinds or name in scope.own
            if is_own and (scope.what != "class" or scope is innermost):
                return scope
            scope = scope.outer
        return None

    def bind(self, name: str, kind: StaticType | None = None, shared: str | None = None) -> None:
        scope = self.scope
        if scope.outer is None:
            return  # the names of a module are known already
        scope.kinds[name] = kind
        scope.functions.pop(name, None)
        if shared is None:
            scope.shared.pop(name, None)
        else:
            scope.shared[name] = shared

    def bind_target(self, target: ast.expr, kind: StaticType | None, shared: str | None) -> None:
        """Everything that stands to the left of a `=`, or behind a `for`."""
        if isinstance(target, ast.Name):
            self.bind(target.id, kind, shared)
        elif isinstance(target, ast.Starred):
            self.bind_target(target.value, StaticType("list", (item_type(kind),)), shared)
        elif isinstance(target, ast.Tuple | ast.List):
            parts: tuple[StaticType | None, ...] = (item_type(kind),) * len(target.elts)
            if kind is not None and kind.name == "tuple" and len(kind.of) == len(parts):
                parts = kind.of
            for each, part in zip(target.elts, parts, strict=True):
                self.bind_target(each, part, shared)

    def infer_container(self, name: ast.Name, kind: StaticType | None) -> None:
        """A dict of which nothing was known holds sets from now on, once one is put into it."""
        scope, known = self.scope_of(name.id), self.kind(name)
        if kind is None or kind.name != "set" or scope is None or known is None:
            return
        if known.name == "dict" and known.of[1:2] in ((), (None,)):
            scope.kinds[name.id] = StaticType("dict", (None, kind))

    def bind_generator(self, node: ast.comprehension | ast.For | ast.AsyncFor) -> None:
        self.bind_target(
            node.target, item_type(self.kind(node.iter)), self.outliving_name(node.iter)
        )

    @contextmanager
    def scoped(self, what: str, node: ast.AST) -> Iterator[Scope]:
        self.scope = Scope(what, node, self.scope)
        try:
            yield self.scope
        finally:
            self.scope = self.scope.outer or self.scope

    def within_comprehension(self, node: Any, answer: Callable[[], T]) -> T:
        """What holds within a comprehension, where the names behind its `for` are known."""
        with self.scoped("comprehension", node):
            for generator in node.generators:
                self.bind_generator(generator)
            return answer()

    def at_top_of(self, module: Module) -> Scopes:
        return Scopes(self.sources, module)

    # What names and expressions are

    def path(self, node: ast.AST) -> str | None:
        """The dotted path of what is mentioned; None for what a function holds or computes."""
        if isinstance(node, ast.Name):
            return None if self.scope_of(node.id) else self.meaning(node.id)
        if isinstance(node, ast.Attribute):
            holder = self.path(node.value)
            return f"{holder}.{node.attr}" if holder else None
        return None

    def meaning(self, name: str) -> str | None:
        if name in self.module.names:
            return static_types.resolve_name(self.module, name)
        return f"builtins.{name}" if name in _BUILTINS or name in _MODULE_NAMES else None

    def definition(self, node: ast.AST) -> tuple[Definition, str] | None:
        """Our definition of what is mentioned, and what of it is asked for."""
        return self.sources.definition(self.path(node))

    def kind(self, node: ast.expr | None) -> StaticType | None:
        return infer(node, self)

    def annotated(self, node: ast.expr | None) -> StaticType | None:
        """The kind that an annotation names here."""
        return static_types.read(node, self.path, self.sources)

    # What outlives a call

    def _outlives(self, scope: Scope) -> bool:
        """Whether a name is of a function around this one that hands this one out, and may have done so long ago."""
        inner, outer = self.function, scope.node
        if inner is outer or not isinstance(inner, ast.FunctionDef):
            return False
        if not isinstance(outer, ast.FunctionDef):
            return False
        given = (each.value for each in ast.walk(outer) if isinstance(each, ast.Return))
        names = [each.id for each in given if isinstance(each, ast.Name)]
        return inner.name in names

    def outliving_name(self, node: ast.expr) -> str | None:
        """The name of the thing that outlives the call and of which this is all or a part; None if there is none."""
        while True:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr not in ("get", "values", "items"):
                    return None
                node = node.func.value
            elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
                return None  # a copy
            elif isinstance(node, _PARTS):
                node = node.value
            else:
                break
        if not isinstance(node, ast.Name):
            return None
        scope = self.scope_of(node.id)
        if scope is not None:
            return node.id if self._outlives(scope) else scope.shared.get(node.id)
        if not self.is_running or node.id not in self.module.names:
            return None
        return node.id
