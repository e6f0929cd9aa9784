"""The source files of a contract, and the meaning of each name in them.

A contract's own sources are the modules of its top-level package, of the packages beside it if these are not installed ones,
and of other packages of contracts. They are read and never run. A dotted path identifies a thing wherever it is mentioned:
`functools.cache`, `builtins.id`, `contracts.blokus.state.Seat`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from functools import lru_cache
from typing import Any, Final
from weakref import WeakValueDictionary

from chain.foundation.dataclass import dataclass
from chain.source.global_names import uses_of
from chain.source.syntax_trees import tree_of

_INNER: Final = (ast.If, ast.Try, ast.With, ast.For, ast.While)
_ODD: Final = (ast.Match, ast.Expr)  # these rarely set a name, `Expr` only with `:=`


@dataclass(eq=False, slots=True)
class Definition:
    """A statement, import or argument that defines a name of a module."""

    module: Module
    name: str
    node: ast.stmt | ast.alias | ast.arg
    import_path: str | None = None  # of an import: the dotted path that the name stands for
    is_for_types: bool = False  # imported under TYPE_CHECKING, so it never runs
    statement: ast.Import | ast.ImportFrom | None = None  # of an import: the whole statement

    @property
    def value(self) -> ast.expr | None:
        """The assigned expression, where one value is assigned to one name."""
        node = self.node
        if isinstance(node, ast.Assign):
            return node.value if isinstance(node.targets[0], ast.Name) else None
        return node.value if isinstance(node, ast.AnnAssign) else None

    @property
    def annotation(self) -> ast.expr | None:
        return self.node.annotation if isinstance(self.node, ast.AnnAssign | ast.arg) else None


@dataclass(eq=False)
class Module:
    """A parsed module; `broken` is the syntax error in it, if there is one."""

    name: str
    file: str
    text: str
    tree: ast.Module
    is_package: bool = False
    broken: SyntaxError | None = None
    names: dict[str, Definition] = field(default_factory=dict)  # the last definition of each name
    before: dict[str, list[Definition]] = field(default_factory=dict)  # the earlier definitions

    @property
    def last_name(self) -> str:
        return self.name.rpartition(".")[2]

    def within(self, functions: Iterable[ast.FunctionDef]) -> Module:
        """The module as a class defined inside these nested functions sees it."""
        module = replace(self, names=dict(self.names))
        for function in functions:
            arguments = [node for node in ast.walk(function.args) if isinstance(node, ast.arg)]
            argument_definitions = [Definition(module, node.arg, node) for node in arguments]
            for definition in (*argument_definitions, *definitions(module, function.body)):
                module.names[definition.name] = definition
        return module


# All modules that something still uses: instrumented copies are of one `Module`, and another one would be another source.
_in_use: Final[WeakValueDictionary[tuple[object, ...], Module]] = WeakValueDictionary()


@lru_cache(maxsize=1024)
def parse_module(name: str, file: str, text: str, is_package: bool = False) -> Module:
    """Parse a module, once for as long as anything uses it. A text with a syntax error becomes an empty module."""
    key = name, file, text, is_package
    module = _in_use.get(key)
    if module is None:
        module = _in_use[key] = _parsed(name, file, text, is_package)
    return module


def _parsed(name: str, file: str, text: str, is_package: bool) -> Module:
    broken = None
    try:
        tree = tree_of(file, text)
    except SyntaxError as error:
        tree, broken = ast.Module([], []), error
    module = Module(name, file, text, tree, is_package, broken)
    for definition in definitions(module, tree.body):
        if definition.name in module.names:
            module.before.setdefault(definition.name, []).append(module.names[definition.name])
        module.names[definition.name] = definition
    return module


def definitions(
    module: Module, body: list[ast.stmt], for_types: bool = False
) -> Iterator[Definition]:
    """Every name that these statements set, in source order, including those in inner blocks."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield Definition(module, node.name, node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imports(module, node, for_types)
        elif isinstance(node, _INNER):
            yield from _inner(module, node, for_types)
        names = dict.fromkeys(_assigned(node))
        if isinstance(node, _ODD):
            names.update(uses_of(node).binds)
        for name in names:
            yield Definition(module, name, node)


def _imports(
    module: Module, node: ast.Import | ast.ImportFrom, for_types: bool
) -> Iterator[Definition]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            target = f"{origin_of(module, node)}.{alias.name}"
            yield Definition(module, alias.asname or alias.name, alias, target, for_types, node)
        else:
            first = alias.name.partition(".")[0]
            target = alias.name if alias.asname else first
            yield Definition(module, alias.asname or first, alias, target, for_types, node)


def origin_of(module: Module, node: ast.ImportFrom) -> str:
    """The module that `from … import` imports from, with leading dots resolved."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    package = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*package, *([node.module] if node.module else [])])


def _inner(module: Module, node: ast.stmt, for_types: bool) -> Iterator[Definition]:
    if isinstance(node, ast.If):
        yield from definitions(module, node.body, for_types or is_type_checking(node))
        yield from definitions(module, node.orelse, for_types)
        return
    for name in ("body", "orelse", "finalbody"):
        yield from definitions(module, getattr(node, name, []), for_types)
    for handler in getattr(node, "handlers", []):
        yield from definitions(module, handler.body, for_types)


def is_type_checking(node: ast.If) -> bool:
    test = node.test
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"


def is_main(node: ast.AST) -> bool:
    """True for `if __name__ == "__main__":`, which is for running the file; a contract is never run that way."""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
        return False
    sides = (node.test.left, *node.test.comparators)
    return any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)


def _assigned(node: ast.stmt) -> Iterator[str]:
    """The names that a statement itself assigns, without inner blocks."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign | ast.For):
        targets = [node.target]
    elif isinstance(node, ast.With):
        targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
    elif type(node).__name__ == "TypeAlias":  # the `type` statement of Python 3.12
        targets = [node.name]  # type: ignore[attr-defined]
    for target in targets:
        yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


Load = Callable[[str], Module | None]


class SourceTree:
    """The modules that belong to a contract, looked up by name. `load` reads one when it is first needed."""

    def __init__(self, module: Module, load: Load) -> None:
        self.root = module
        self.modules: dict[str, Module | None] = {module.name: module}
        self.kinds: dict[Definition, Any] = {}  # static types of definitions, filled on demand
        self.aliases: dict[Definition, Any] = {}  # static types that aliases stand for
        self.readers: dict[str, frozenset[str]] = {}  # by `library` module: its file readers
        self._load = load
        self._split: dict[str, tuple[Module, str] | None] = {}
        self._found: dict[str, tuple[Definition, str] | None] = {}

    def module(self, name: str) -> Module | None:
        """The module of that dotted name, if it belongs to the contract."""
        if name not in self.modules:
            self.modules[name] = self._load(name)
        return self.modules[name]

    def split(self, path: str) -> tuple[Module, str] | None:
        """The innermost module that a dotted path leads into, and the rest of the path; None if it leads elsewhere."""
        if path not in self._split:
            self._split[path] = self._find(path)
        return self._split[path]

    def _find(self, path: str) -> tuple[Module, str] | None:
        match, name = None, ""
        parts = path.split(".")
        for count, part in enumerate(parts, 1):
            name = f"{name}.{part}" if name else part
            module = self.module(name)
            if module is not None:
                match = module, ".".join(parts[count:])
        return match

    def definition(self, path: str | None) -> tuple[Definition, str] | None:
        """The definition that a path leads to, following imports, and the rest of the path; None if it is not the package's."""
        if path is None:
            return None
        if path not in self._found:
            self._found[path] = None  # ends a cycle of imports
            self._found[path] = self._follow(path)
        return self._found[path]

    def _follow(self, path: str) -> tuple[Definition, str] | None:
        location = self.split(path)
        if location is None or not location[1]:
            return None
        name, _, rest = location[1].partition(".")
        target = location[0].names.get(name)
        if target is None or target.import_path is None:
            return None if target is None else (target, rest)
        return self.definition(f"{target.import_path}.{rest}" if rest else target.import_path)
