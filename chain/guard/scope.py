"""The guard's position while it reads a source: the module, the enclosing scopes, and what is known about their names.

A module's names are known from the start. A function's names become known in the order in which the function sets them; the
last assignment counts. A name may also be known to be *shared*: it holds all or part of a value that outlives the call.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from chain.guard.finding import Finding, Rule
from chain.source import static_types
from chain.source.local_names import own_names
from chain.source.modules import Definition, Module, SourceTree
from chain.source.static_types import StaticType, item_type

_BUILTINS: Final = frozenset(dir(builtins)) | {"reveal_type"}
_MODULE_NAMES: Final = frozenset({"__file__", "__package__", "__path__", "__builtins__"})
_PARTS: Final = (ast.Attribute, ast.Subscript, ast.Starred, ast.NamedExpr)


class NameScope:
    """A function, class or comprehension, or the module itself."""

    __slots__ = ("functions", "kinds", "node", "outer", "own", "shared", "what")

    def __init__(self, what: str, node: ast.AST | None, outer: NameScope | None) -> None:
        self.what = what  # module, class, function or comprehension
        self.node = node
        self.outer = outer
        # A function owns its names from its first line on, no matter on which line they are set.
        self.own = own_names(node)[0] if node is not None and what == "function" else frozenset()
        self.kinds: dict[str, StaticType | None] = {}
        self.shared: dict[str, str] = {}
        self.functions: dict[str, ast.FunctionDef] = {}  # defined in this scope


class Scopes:
    """The context that a check queries while it examines a node: scopes, names, types and findings."""

    def __init__(self, sources: SourceTree, module: Module) -> None:
        self.sources = sources
        self.module = module
        self.scope = NameScope("module", None, None)
        self.findings: dict[tuple[str, int, int, str], Finding] = {}
        # Nodes that a check has found harmless in their context.
        self.suppressed: set[ast.AST] = set()
        # The enclosing f-string: before Python 3.12 the nodes inside it have no reliable position.
        self.anchor: ast.AST | None = None

    def report(self, rule: Rule, node: Any, **words: object) -> None:
        """Record that `node` breaks `rule`; `words` fill the braces in the rule's texts."""
        node = self.anchor or node
        line, column = node.lineno, node.col_offset
        if column and not self.module.text.isascii():
            text = self.module.text.splitlines()[line - 1].encode()[:column]
            column = len(text.decode("utf-8", "replace"))
        self.record(rule, line, column + 1, **words)

    def record(self, rule: Rule, line: int, column: int, **words: object) -> None:
        """Record that `rule` is broken at this line and column of the module, counted from 1."""
        finding = rule.at(self.module.file, line, column, **words)
        self.findings.setdefault((finding.file, line, column, rule.name), finding)

    # Scopes

    @property
    def is_running(self) -> bool:
        """True inside a function, whose code runs on the chain; all other code runs when the module is imported."""
        return self.function is not None

    @property
    def function(self) -> ast.AST | None:
        """The innermost enclosing function or lambda."""
        scope: NameScope | None = self.scope
        while scope is not None and scope.what != "function":
            scope = scope.outer
        return None if scope is None else scope.node

    @property
    def outermost(self) -> ast.AST | None:
        """The enclosing function or class at the top level of the module."""
        node, scope = None, self.scope
        while scope.outer is not None:
            node, scope = scope.node, scope.outer
        return node

    def scope_of(self, name: str) -> NameScope | None:
        """The scope below the module's that owns this name; None if there is none."""
        scope = self.scope
        innermost = scope
        while scope.outer is not None:
            is_own = name in scope.kinds or name in scope.own
            if is_own and (scope.what != "class" or scope is innermost):
                return scope
            scope = scope.outer
        return None

    def bind(self, name: str, kind: StaticType | None = None, shared: str | None = None) -> None:
        """Record the static type of a name; `shared` is the name of the outliving value that it holds a part of."""
        scope = self.scope
        if scope.outer is None:
            return  # a module's names are known already
        scope.kinds[name] = kind
        scope.functions.pop(name, None)
        if shared is None:
            scope.shared.pop(name, None)
        else:
            scope.shared[name] = shared

    def bind_target(self, target: ast.expr, kind: StaticType | None, shared: str | None) -> None:
        """Bind all the names in the target of a `=` or of a `for`."""
        if isinstance(target, ast.Name):
            self.bind(target.id, kind, shared)
        elif isinstance(target, ast.Starred):
            self.bind_target(target.value, StaticType("list", (item_type(kind),)), shared)
        elif isinstance(target, ast.Tuple | ast.List):
            part_types: tuple[StaticType | None, ...] = (item_type(kind),) * len(target.elts)
            if kind is not None and kind.name == "tuple" and len(kind.of) == len(part_types):
                part_types = kind.of
            for element, part_type in zip(target.elts, part_types, strict=True):
                self.bind_target(element, part_type, shared)

    @contextmanager
    def scoped(self, what: str, node: ast.AST) -> Iterator[NameScope]:
        self.scope = NameScope(what, node, self.scope)
        try:
            yield self.scope
        finally:
            self.scope = self.scope.outer or self.scope

    def at_top_of(self, module: Module) -> Scopes:
        """A context at the top level of another module."""
        return Scopes(self.sources, module)

    # Names and expressions

    def path(self, node: ast.AST) -> str | None:
        """The dotted path that an expression mentions; None for a local or computed value."""
        if isinstance(node, ast.Name):
            return None if self.scope_of(node.id) else self.meaning(node.id)
        if isinstance(node, ast.Attribute):
            holder = self.path(node.value)
            return f"{holder}.{node.attr}" if holder else None
        return None

    def meaning(self, name: str) -> str | None:
        """The dotted path of a module-level or built-in name."""
        if name in self.module.names:
            return static_types.resolve_name(self.module, name)
        return f"builtins.{name}" if name in _BUILTINS or name in _MODULE_NAMES else None

    def definition(self, node: ast.AST) -> tuple[Definition, str] | None:
        """The package's definition of the thing mentioned, and the rest of the path after it."""
        return self.sources.definition(self.path(node))

    def annotated(self, node: ast.expr | None) -> StaticType | None:
        """The static type that an annotation names in this scope."""
        return static_types.read(node, self.path, self.sources)

    # Values that outlive a call

    def _outlives(self, scope: NameScope) -> bool:
        """True if `scope` is a function that returns the current one, so that its names may be from an earlier call."""
        inner, outer = self.function, scope.node
        if inner is outer or not isinstance(inner, ast.FunctionDef):
            return False
        if not isinstance(outer, ast.FunctionDef):
            return False
        returned = (node.value for node in ast.walk(outer) if isinstance(node, ast.Return))
        returned_names = [value.id for value in returned if isinstance(value, ast.Name)]
        return inner.name in returned_names

    def outliving_name(self, node: ast.expr) -> str | None:
        """The name of the outliving value that this expression is, or is a part of; None if there is none."""
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
