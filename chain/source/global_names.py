"""The global names in a piece of source, determined by Python's scopes, as its compiler does, and not by their spelling.

An argument, a local, the variable of a comprehension, a field, a keyword: none of these is the module's name of the same
spelling. Reads are distinguished by time: those while the statement itself runs, and those in a function that runs later.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from chain.foundation.dataclass import dataclass
from chain.source.local_names import (
    COMPREHENSIONS,
    annotations_of,
    children_of,
    defaults,
    names_set,
    own_names,
)

_TEXTS: Final = 3  # how deep string annotations may be nested in each other


class GlobalRead(NamedTuple):
    """A read of a global name with the attributes that follow it: `rules.Colour.RED` is one path."""

    path: tuple[str, ...]
    is_late: bool  # read in a function or lambda, or in a generator, not while the statement runs
    is_called: bool  # read inside a `def`, so only when that is called


@dataclass(eq=False, slots=True)
class Uses:
    """The ways in which a statement uses the global names of its module."""

    reads: dict[GlobalRead, None] = field(default_factory=dict)
    binds: dict[str, None] = field(default_factory=dict)  # set or deleted while it runs
    binds_late: dict[str, None] = field(default_factory=dict)  # set by `global` in a function
    imports: dict[str, None] = field(default_factory=dict)  # paths of imports inside functions
    nodes: dict[ast.Name, None] = field(default_factory=dict)  # every mention of a global name

    @property
    def names(self) -> frozenset[str]:
        """The names that the statement reads, now or later."""
        return frozenset(read.path[0] for read in self.reads)

    @property
    def names_now(self) -> frozenset[str]:
        """The names that the statement reads while it runs."""
        return frozenset(read.path[0] for read in self.reads if not read.is_late)


@lru_cache(maxsize=16384)
def uses_of(node: ast.AST) -> Uses:
    """The global names that a top-level statement, or a node read as one, uses."""
    reader = _Reader()
    reader.visit(node)
    return reader.uses


class _Scope:
    """A scope below the module's, while it is read."""

    __slots__ = ("kind", "name", "outer", "outside", "own")

    def __init__(
        self,
        kind: str,
        own: Set[str],
        outside: Mapping[str, bool],
        outer: _Scope | None,
        name: str = "",
    ) -> None:
        self.kind = kind  # function, comprehension, class or types (that of `def f[T]`)
        self.own = own  # local names; of a class: only those set so far
        self.outside = outside  # names declared `global` (True) or `nonlocal` (False)
        self.outer = outer
        self.name = name  # of a class


class _Reader:
    def __init__(self) -> None:
        self.uses = Uses()
        self.scope: _Scope | None = None
        self.late = 0  # the number of enclosing functions, lambdas and generators
        self.called = 0  # the number of enclosing `def`s
        self.depth = 0  # the nesting depth of string annotations

    # Resolving names

    def is_global(self, name: str) -> bool:
        """True if a name in the current scope belongs to the module."""
        scope, is_first = self.scope, True
        while scope is not None:
            if name in scope.outside and (scope.kind != "class" or is_first):
                if scope.outside[name]:
                    return True
            elif scope.kind == "class":
                if (is_first and name in scope.own) or (not is_first and name == "__class__"):
                    return False
            elif name in scope.own:
                return False
            is_first = is_first and scope.kind == "types"
            scope = scope.outer
        return True

    def mangled(self, name: str) -> str:
        """The name after private name mangling: `__x` in a class `C` becomes `_C__x`."""
        scope = self.scope
        while scope is not None and scope.kind != "class":
            scope = scope.outer
        if scope is None or not name.startswith("__") or name.endswith("__"):
            return name
        return f"_{scope.name.lstrip('_')}{name}" if scope.name.strip("_") else name

    def read(self, node: ast.Name, *attributes: str) -> None:
        """Record a read of a name, with the attributes that follow it, if the name is global."""
        if self.is_global(node.id):
            self.uses.nodes[node] = None
            path = tuple(map(self.mangled, (node.id, *attributes)))
            self.uses.reads[GlobalRead(path, self.late > 0, self.called > 0)] = None

    def bind(self, name: str) -> None:
        """Record that a name is set in the current scope."""
        scope = self.scope
        if scope is not None and scope.kind == "class" and name not in scope.outside:
            scope.own = {*scope.own, name}
        elif self.is_global(name):
            bound = self.uses.binds_late if self.late else self.uses.binds
            bound[self.mangled(name)] = None

    # Nodes

    def visit(self, node: ast.AST) -> None:
        visit_node = _VISITS.get(type(node))
        if visit_node is not None:
            visit_node(self, node)
        else:
            for name in names_set(node):
                self.bind(name)
            self.children(node)

    def children(self, node: ast.AST) -> None:
        for child in children_of(node):
            self.visit(child)

    def all(self, nodes: Any) -> None:
        for node in nodes:
            self.visit(node)

    def name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.read(node)
        else:
            if self.is_global(node.id):
                self.uses.nodes[node] = None
            self.bind(node.id)

    def attribute(self, node: ast.Attribute) -> None:
        """Record `a.b.c` as one path."""
        names: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            names.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            self.read(inner, *reversed(names))
        else:
            self.visit(inner)

    def assign(self, node: ast.Assign | ast.AugAssign | ast.For | ast.AsyncFor) -> None:
        """Visit the value before the target, in the order of execution."""
        self.visit(node.iter if isinstance(node, ast.For | ast.AsyncFor) else node.value)
        if isinstance(node, ast.Assign):
            self.all(node.targets)
            return
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self.read(node.target)
        self.visit(node.target)
        if isinstance(node, ast.For | ast.AsyncFor):
            self.perhaps([*node.body, *node.orelse])

    def annotated(self, node: ast.AnnAssign) -> None:
        self.annotation(node.annotation)
        if node.value is not None:
            self.visit(node.value)
        if node.value is not None or not isinstance(node.target, ast.Name):
            self.visit(node.target)

    def annotation(self, node: ast.AST) -> None:
        """Visit an annotation, which may be a string or contain one."""
        self.visit(node)
        if self.depth >= _TEXTS:
            return
        self.depth += 1
        for text in _texts(node):
            try:
                self.annotation(ast.parse(text, mode="eval").body)
            except (SyntaxError, ValueError):
                continue
        self.depth -= 1

    def named(self, node: ast.NamedExpr) -> None:
        """Bind the name of a `:=`; in a comprehension it is set in the enclosing scope."""
        self.visit(node.value)
        inner = self.scope
        while self.scope is not None and self.scope.kind == "comprehension":
            self.scope = self.scope.outer
        self.bind(node.target.id)
        self.scope = inner

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            paths = [alias.name for alias in node.names]
        else:
            paths = [f"{'.' * node.level}{node.module or ''}:{alias.name}" for alias in node.names]
        self.uses.imports.update(dict.fromkeys(paths))
        for name in names_set(node):
            self.bind(name)

    def declared(self, node: ast.Global | ast.Nonlocal) -> None:
        """Record `global` and `nonlocal` in a class; those of a function are known before its body is read."""
        if self.scope is not None and self.scope.kind == "class":
            declarations = dict.fromkeys(node.names, isinstance(node, ast.Global))
            self.scope.outside = {**self.scope.outside, **declarations}

    def block(self, node: ast.AST) -> None:
        """Visit an `if`, `while`, `try` or `match`. The names that it sets in a class may exist afterwards, or not."""
        self.perhaps(list(children_of(node)))

    def perhaps(self, nodes: list[object]) -> None:
        """Visit nodes that may not run: the names that they set in a class do not count afterwards."""
        scope = self.scope
        before = scope.own if scope is not None and scope.kind == "class" else None
        self.all(nodes)
        if scope is not None and before is not None:
            scope.own = before

    # Scopes

    def within(self, scope: _Scope, nodes: object, *, late: int = 0, called: int = 0) -> None:
        """Visit nodes inside an inner scope."""
        self.scope, self.late, self.called = scope, self.late + late, self.called + called
        self.all(nodes)
        self.scope, self.late, self.called = scope.outer, self.late - late, self.called - called

    def comprehension(self, node: Any) -> None:
        """Visit a comprehension. The iterable of its first `for` is evaluated in the enclosing scope."""
        first = node.generators[0]
        self.visit(first.iter)
        inner: list[ast.AST] = [first.target, *first.ifs]
        for generator in node.generators[1:]:
            inner += [generator.iter, generator.target, *generator.ifs]
        inner += [part for name in ("key", "value", "elt") if (part := getattr(node, name, None))]
        scope = _Scope("comprehension", *own_names(node), self.scope)
        self.within(scope, inner, late=isinstance(node, ast.GeneratorExp))

    def lambda_(self, node: ast.Lambda) -> None:
        self.all(defaults(node.args))
        self.within(_Scope("function", *own_names(node), self.scope), [node.body], late=1)

    def typed(self, node: object, look: Callable[[], None]) -> None:
        """Call `look` inside the scope of the type parameters of `def f[T]`, `class C[T]` or `type A[T]`."""
        parameters = getattr(node, "type_params", None)
        if not parameters:
            look()
            return
        outer = self.scope
        self.scope = _Scope("types", {parameter.name for parameter in parameters}, {}, outer)
        self.all(parameters)
        look()
        self.scope = outer

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.all([*node.decorator_list, *defaults(node.args)])
        self.typed(node, lambda: self._function(node))
        self.bind(node.name)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for annotation in annotations_of(node):
            self.annotation(annotation)
        scope = _Scope("function", *own_names(node), self.scope)
        self.within(scope, node.body, late=1, called=1)

    def cls(self, node: ast.ClassDef) -> None:
        self.all(node.decorator_list)
        self.typed(node, lambda: self._class(node))
        self.bind(node.name)

    def _class(self, node: ast.ClassDef) -> None:
        self.all([*node.bases, *node.keywords])
        self.within(_Scope("class", set(), {}, self.scope, node.name), node.body)

    def alias(self, node: Any) -> None:
        """Visit `type A[T] = …`, whose value is evaluated lazily."""
        self.typed(
            node, lambda: self.within(_Scope("types", set(), {}, self.scope), [node.value], late=1)
        )
        self.visit(node.name)

    def parameter(self, node: Any) -> None:
        """Visit the bound and the default of a type parameter."""
        self.children(node)


def _texts(node: ast.AST) -> Iterator[str]:
    """The string annotations inside an annotation. `Literal["red"]` and the extras of `Annotated` are values instead."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
        return
    inner: list[ast.AST] = list(children_of(node))
    if isinstance(node, ast.Subscript):
        name = (
            node.value.attr
            if isinstance(node.value, ast.Attribute)
            else getattr(node.value, "id", "")
        )
        if name == "Literal":
            return
        if name == "Annotated" and isinstance(node.slice, ast.Tuple):
            inner = list(node.slice.elts[:1])
    for part in inner:
        yield from _texts(part)


_NEWER: Final = ("TypeAlias", "TypeVar", "ParamSpec", "TypeVarTuple", "TryStar")
_VISITS: Final[Mapping[object, Callable[[_Reader, Any], None]]] = MappingProxyType(
    {
        ast.Name: _Reader.name,
        ast.Attribute: _Reader.attribute,
        ast.Assign: _Reader.assign,
        ast.AugAssign: _Reader.assign,
        ast.For: _Reader.assign,
        ast.AsyncFor: _Reader.assign,
        ast.AnnAssign: _Reader.annotated,
        ast.NamedExpr: _Reader.named,
        ast.Import: _Reader.imported,
        ast.ImportFrom: _Reader.imported,
        ast.Global: _Reader.declared,
        ast.Nonlocal: _Reader.declared,
        **dict.fromkeys((ast.If, ast.While, ast.Try, ast.Match), _Reader.block),
        **dict.fromkeys(COMPREHENSIONS, _Reader.comprehension),
        ast.Lambda: _Reader.lambda_,
        **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), _Reader.function),
        ast.ClassDef: _Reader.cls,
        **{
            getattr(ast, name): visit_node
            for name, visit_node in zip(
                _NEWER,
                (_Reader.alias, *[_Reader.parameter] * 3, _Reader.block),
                strict=True,
            )
            if hasattr(ast, name)
        },
    }
)
