"""The source files of a contract, and what each of their names stands for.

A contract's own sources are the modules of its top-level package and those of the packages beside it, as long as these are not
installed ones, and of other packages of contracts. They are read and never run. A dotted path names a thing wherever it is
mentioned: `functools.cache`, `builtins.id`, `contracts.blokus.state.Seat`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from chain.source.global_names import uses_of
from chain.source.other_packages import (
    SHARED_FOLDERS,
    folder_of_package,
)

_INNER: Final = (ast.If, ast.Try, ast.With, ast.For, ast.While)
_ODD: Final = (ast.Match, ast.Expr)  # which seldom set a name, the latter with `:=`


@dataclass(eq=False, slots=True)
class Definition:
    """What gives a name of a module its meaning."""

    module: Module
    name: str
    node: ast.stmt | ast.alias | ast.arg
    import_path: str | None = None  # of an import: the path it stands for
    is_for_types: bool = False  # imported under TYPE_CHECKING, so it never runs
    statement: ast.Import | ast.ImportFrom | None = None  # of an import: all of it

    @property
    def value(self) -> ast.expr | None:
        """What is assigned, where that is one thing to one name."""
        node = self.node
        if isinstance(node, ast.Assign):
            return node.value if isinstance(node.targets[0], ast.Name) else None
        return node.value if isinstance(node, ast.AnnAssign) else None

    @property
    def annotation(self) -> ast.expr | None:
        return self.node.annotation if isinstance(self.node, ast.AnnAssign | ast.arg) else None

    @property
    def is_value(self) -> bool:
        return isinstance(
            self.node, ast.Assign | ast.AnnAssign | ast.For | ast.With | ast.AugAssign
        )


@dataclass(eq=False, slots=True)
class Module:
    name: str
    file: str
    text: str
    tree: ast.Module
    is_package: bool = False
    broken: SyntaxError | None = None
    names: dict[str, Definition] = field(default_factory=dict)  # what each means in the end
    before: dict[str, list[Definition]] = field(default_factory=dict)  # what else it may mean

    @property
    def last_name(self) -> str:
        return self.name.rpartition(".")[2]

    def within(self, functions: Iterable[ast.FunctionDef]) -> Module:
        """The module as a class sees it that is made in these functions, one inside the other."""
        module = replace(self, names=dict(self.names))
        for function in functions:
            arguments = [node for node in ast.walk(function.args) if isinstance(node, ast.arg)]
            own = [Definition(module, node.arg, node) for node in arguments]
            for found in (*own, *definitions(module, function.body)):
                module.names[found.name] = found
        return module


@lru_cache(maxsize=1024)
def parse_module(name: str, file: str, text: str, is_package: bool = False) -> Module:
    """The module that is written so."""
    broken = None
    try:
        tree = ast.parse(text)
    except SyntaxError as wrong:
        tree, broken = ast.Module([], []), wrong
    module = Module(name, file, text, tree, is_package, broken)
    for found in definitions(module, tree.body):
        if found.name in module.names:
            module.before.setdefault(found.name, []).append(module.names[found.name])
        module.names[found.name] = found
    return module


def definitions(
    module: Module, body: list[ast.stmt], for_types: bool = False
) -> Iterator[Definition]:
    """Every name that these statements set, in their order; what stands in an inner block too."""
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
    """The module of which `from … import` takes names, dots at its beginning resolved."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    here = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*here, *([node.module] if node.module else [])])


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
    """`if __name__ == "__main__":` is for whoever runs the file; a contract is not run so."""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
        return False
    sides = (node.test.left, *node.test.comparators)
    return any(isinstance(each, ast.Name) and each.id == "__name__" for each in sides)


def _assigned(node: ast.stmt) -> Iterator[str]:
    """The names that a statement itself assigns."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign | ast.For):
        targets = [node.target]
    elif isinstance(node, ast.With):
        targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
    elif type(node).__name__ == "TypeAlias":  # the statement `type`, of Python 3.12
        targets = [node.name]  # type: ignore[attr-defined]
    for target in targets:
        yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))


class SourceTree:
    """The modules that belong to a contract: found by name, each read when it is first asked for."""

    def __init__(self, module: Module, folder: Path | None) -> None:
        self.folder = folder  # in which the names of modules begin; None if there is only the one
        self.top = module.name.partition(".")[0]
        self.modules: dict[str, Module | None] = {module.name: module}
        self.kinds: dict[Definition, Any] = {}  # of what kind each is, as far as somebody asked
        self.aliases: dict[Definition, Any] = {}  # the same for those that are annotations
        self.returns: dict[Definition, Any] = {}  # of what kind is what each function returns
        self.given: dict[ast.Lambda, Any] = {}  # and each lambda
        self.readers: dict[str, frozenset[str]] = {}  # by library, the functions that read files
        self._split: dict[str, tuple[Module, str] | None] = {}
        self._listed: dict[Path, frozenset[str]] = {}
        self._found: dict[str, tuple[Definition, str] | None] = {}

    def module(self, name: str) -> Module | None:
        if name not in self.modules:
            self.modules[name] = self._load(name)
        return self.modules[name]

    def _load(self, name: str) -> Module | None:
        first, *rest = name.split(".")
        home = self._home_of(first)
        if home is None:
            return None
        folder = home.joinpath(*[first, *rest[:-1]] if rest else [])
        last = rest[-1] if rest else first
        for file, is_package in ((f"{last}.py", False), (last, True)):
            if file in self._names_in(folder):
                path = folder / file / "__init__.py" if is_package else folder / file
                text = (
                    path.read_text("utf-8") if path.is_file() else ""
                )  # a package may do without it
                return parse_module(name, str(path), text, is_package)
        return None

    def _home_of(self, first: str) -> Path | None:
        """The folder in which a package lies: that of the contract, or where it is installed."""
        if self.folder is None or first in _FOREIGN:
            return None
        is_shared = first != self.top and self.folder.name in SHARED_FOLDERS
        if not is_shared and not self._names_in(self.folder).isdisjoint((first, f"{first}.py")):
            return self.folder
        return folder_of_package(first)

    def is_beside(self, module: Module) -> bool:
        """Whether a module is of the package with which this begins, or of one in the same folder."""
        return self.folder is not None and Path(module.file).is_relative_to(self.folder)

    def _names_in(self, folder: Path) -> frozenset[str]:
        if folder not in self._listed:
            inner = folder.iterdir() if folder.is_dir() else ()
            self._listed[folder] = frozenset(path.name for path in inner)
        return self._listed[folder]

    def split(self, path: str) -> tuple[Module, str] | None:
        """The module that a path leads into, and the rest of the path; None if it leads elsewhere."""
        if path not in self._split:
            self._split[path] = self._find(path)
        return self._split[path]

    def _find(self, path: str) -> tuple[Module, str] | None:
        """The last module on the way; only packages have others in them."""
        name, found, rest = "", None, path
        while rest:
            first, _, rest = rest.partition(".")
            name = f"{name}.{first}" if name else first
            module = self.module(name)
            if module is not None:
                found = module, rest
            if module is None or not module.is_package:
                return found
        return found

    def definition(self, path: str | None) -> tuple[Definition, str] | None:
        """What a path stands for, imports followed, and what of it the path asks for; None if it is not ours."""
        if path is None:
            return None
        if path not in self._found:
            self._found[path] = None  # so that imports in a circle come to an end
            self._found[path] = self._follow(path)
        return self._found[path]

    def _follow(self, path: str) -> tuple[Definition, str] | None:
        place = self.split(path)
        if place is None or not place[1]:
            return None
        name, _, rest = place[1].partition(".")
        found = place[0].names.get(name)
        if found is None or found.import_path is None:
            return None if found is None else (found, rest)
        return self.definition(f"{found.import_path}.{rest}" if rest else found.import_path)


_FOREIGN: Final = sys.stdlib_module_names | {"chain"}


def folder_of(name: str, file: str, is_package: bool) -> Path | None:
    """Where the names of modules begin, by one module and its file; None if the two do not agree."""
    parts, path = name.split("."), Path(file)
    if not path.is_file():
        return None
    where = path.parent if is_package else path.with_suffix("")
    return where.parents[len(parts) - 1] if where.parts[-len(parts) :] == tuple(parts) else None


def single_file(name: str, file: str) -> tuple[str, Path]:
    """A module taken for itself, with the files beside it, when its name does not tell where it lies."""
    return Path(file).stem or name, Path(file).parent
