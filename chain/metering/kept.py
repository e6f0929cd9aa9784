"""Programs that are kept, to run in another process and after an edit: the texts of modules, and the constants as data.

The modules run again under private names. Their constants are not computed again but set, so that data files need not be there
any more. The digest of the class that results is computed from all this, and must be the same.
"""

from __future__ import annotations

import ast
import linecache
import pickle
import sys
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from io import BytesIO
from types import CellType, CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any, NamedTuple

from chain.metering.analysis import Key, key_of, plain_code
from chain.metering.as_data import KEPT, as_data, label_of
from chain.metering.build import Build
from chain.metering.program import build_of
from chain.source.compiled_code import cell_value, codes_in
from chain.source.import_paths import names_bound
from chain.source.location import read_text
from chain.source.own_modules import is_own, modules_imported_by
from chain.source.syntax_trees import tree_of

_SET, _NOTE = "__set_kept__", "__note_kept__"


class NotKept(ValueError):
    """A program that cannot run in another process."""


class Text(NamedTuple):
    """The source of a module."""

    file: str
    is_package: bool
    text: str


class Kept(NamedTuple):
    """What it takes to run a contract again."""

    module: str
    name: str
    digest: bytes
    texts: dict[str, Text]  # by module
    constants: dict[str, dict[str, bytes]]  # by module and name, pickled


def keep(cls: type) -> Kept:
    """Return what it takes to run a contract class in another process. Raise `NotKept` if that is not possible."""
    build: Build = build_of(cls)
    digest = build.program.digest
    package = cls.__module__.partition(".")[0]
    for each in sys.meta_path:  # a contract that another one deploys, which runs as it was kept
        if isinstance(each, _Modules) and each.package == package:
            label = label_of(cls.__module__)
            return Kept(label, cls.__qualname__, digest, each.texts, each.constants)
    if not is_own(cls.__module__):
        raise NotKept(f"{cls.__name__} is part of the chain: it is there wherever the chain is")
    if "<locals>" in cls.__qualname__:
        raise NotKept(
            f"{cls.__name__} is made by a function, with the variables of that: a class at the top of a module can be kept"
        )
    texts, constants = {}, {}
    for name in modules_imported_by(cls.__module__):
        module = sys.modules[name]
        file = getattr(module, "__file__", None)
        if file is None and hasattr(module, "__path__"):  # a folder without an `__init__.py`
            continue
        if file is None:
            raise NotKept(f"{cls.__name__} was typed at a prompt: a class in a file can be kept")
        text = build.texts.get(file) or read_text(file)
        tree = tree_of(file, text)
        constants[label_of(name)] = values = dict(_constants(module, tree, build))
        if name == "__main__":
            text = _definitions(text, tree, vars(module), values)
        texts[label_of(name)] = Text(file, hasattr(module, "__path__"), text)
    return Kept(label_of(cls.__module__), cls.__qualname__, digest, texts, constants)


def _definitions(
    text: str, tree: ast.Module, space: dict[str, object], constants: Collection[str]
) -> str:
    """Return the text of a script with only the statements that define: what else it does is not to be done again."""
    lines = text.splitlines(keepends=True)
    for node in tree.body:
        names, made = names_bound(node), FunctionType | type | ModuleType
        is_value = isinstance(node, ast.Assign | ast.AnnAssign) and names.issubset(constants)
        is_loop = isinstance(node, ast.For | ast.While | ast.With)
        if is_value or (
            names and not is_loop and all(isinstance(space.get(name), made) for name in names)
        ):
            continue
        if not isinstance(node, ast.Import | ast.ImportFrom):
            for line in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[line] = "\n"
    return "".join(lines)


def _constants(module: ModuleType, tree: ast.Module, build: Build) -> Iterator[tuple[str, bytes]]:
    """Yield the values of a module and of its reached classes that can be made again."""
    space = vars(module)
    values = {
        name: space[name] for node in tree.body for name in names_bound(node) if name in space
    }
    for (home, name), (place, value) in build.reach.values.items():
        holder = space.get(name.partition(".")[0])
        if home == module.__name__ and isinstance(holder, type) and holder is place.holder:
            values[name] = value
    for name, value in values.items():
        if not isinstance(value, FunctionType | type | ModuleType):
            try:
                file = BytesIO()
                _Saving(file).dump(value)
                yield name, file.getvalue()
            except Exception:  # of a class of the author too; it is left to the source
                pass


class _Saving(pickle.Pickler):
    def reducer_override(self, value: object) -> Any:
        if isinstance(value, FunctionType) and "<" in value.__qualname__:
            key = key_of(plain_code(value))
            cells = [cell_value(cell) for cell in value.__closure__ or ()]
            return local_function, (value.__module__, key, cells, value.__defaults__)
        if isinstance(value, MappingProxyType):
            return read_only, (dict(value),)
        return NotImplemented


def local_function(*parts: object) -> object:
    """Stand for the method of `_Loading` that makes a function without a name of its own."""
    raise NotImplementedError


def read_only(mapping: dict[object, object]) -> Mapping[object, object]:
    """Return a mapping that cannot be changed: its class has no name by which `pickle` could find it."""
    return MappingProxyType(mapping)


class _Loading(pickle.Unpickler):
    def __init__(self, value: bytes, modules: _Modules) -> None:
        super().__init__(BytesIO(value))
        self._modules = modules

    def find_class(self, module: str, name: str) -> Any:
        if name == local_function.__name__ and module == __name__:
            return self._local_function
        thing: Any = self._modules.module(label_of(module))
        for part in name.split("."):
            thing = getattr(thing, part)
        return thing

    def _local_function(
        self, module: str, key: Key, cells: list[object], defaults: tuple[object, ...] | None
    ) -> FunctionType:
        code, space = self._modules.codes[label_of(module)][key], vars(self._modules.module(module))
        return FunctionType(code, space, code.co_name, defaults, tuple(map(CellType, cells)))


def run_kept(kept: Kept) -> type:
    """Return the class of a program that was kept. Raise `NotKept` if its modules do not run, or make another contract."""
    package = f"{KEPT}{kept.digest.hex()[:16]}"
    if package in sys.modules:
        return _class_of(package, kept)
    modules = _Modules(package, kept)
    try:
        modules.install()
        cls = _class_of(package, kept)
        digest = build_of(cls).program.digest
    except BaseException as error:
        modules.forget()
        if not isinstance(error, Exception):
            raise
        raise NotKept(f"{kept.name} does not run as it was kept: {error}") from error
    if digest != kept.digest:
        modules.forget()
        because = f": {modules.problems[0]}" if modules.problems else ""
        raise NotKept(
            f"{kept.name} is 0x{digest.hex()[:8]}… now, and was 0x{kept.digest.hex()[:8]}… when it was kept{because}"
        )
    return cls


def _class_of(package: str, kept: Kept) -> type:
    thing: Any = import_module(f"{package}.{kept.module}")
    for part in kept.name.split("."):
        thing = getattr(thing, part)
    cls: type = thing
    return cls


class _Modules:
    """An import hook for the modules of one kept program."""

    def __init__(self, package: str, kept: Kept) -> None:
        self.package, self.texts, self.constants = package, kept.texts, kept.constants
        self.problems: list[str] = []
        self.codes: dict[str, dict[Key, CodeType]] = {}  # by module

    def install(self) -> None:
        package = ModuleType(self.package)
        package.__path__ = []
        sys.modules[self.package] = package
        sys.meta_path.insert(0, self)

    def forget(self) -> None:
        """Leave no module of the program behind."""
        sys.meta_path.remove(self)
        for name in [name for name in sys.modules if f"{name}.".startswith(f"{self.package}.")]:
            del sys.modules[name]

    def module(self, label: str) -> ModuleType:
        return import_module(f"{self.package}.{label}" if label in self.texts else label)

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        if not name.startswith(f"{self.package}."):
            return None
        text = self.texts.get(label_of(name))
        return ModuleSpec(name, self, is_package=text is None or text.is_package)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python to create the module."""

    def exec_module(self, module: ModuleType) -> None:
        label, space = label_of(module.__name__), vars(module)
        if label not in self.texts:
            return
        text, constants = self.texts[label], self.constants[label]
        file = f"{text.file}@deployed-{self.package.removeprefix(KEPT)[:8]}"
        linecache.cache[file] = len(text.text), None, text.text.splitlines(keepends=True), file
        tree = _Private(self, constants).visit(ast.parse(text.text, file))
        code = compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True)
        self.codes[label] = {key_of(inner): inner for inner in codes_in(code)}
        is_set = partial(self._is_set, space, constants)
        space.update({"__file__": file, _SET: is_set, _NOTE: self._note})
        exec(code, space)
        for name in constants:
            is_set(name)

    def _note(self, problem: Exception, line: int) -> None:
        self.problems.append(f"line {line}: {type(problem).__name__}: {problem}")

    def _is_set(self, space: dict[str, object], constants: dict[str, bytes], name: str) -> bool:
        """Set a constant of a module or of a class, and return True; False if it is left to the source."""
        *path, last = name.split(".")
        try:
            value = _Loading(constants[name], self).load()
        except (LookupError, AttributeError, TypeError):
            return False
        if path:
            type.__setattr__(space[path[0]], last, value)
        elif _text(space.get(last)) != _text(value):
            space[last] = value
        return True


def _text(value: object) -> str:
    return ascii(as_data(value, lambda found: None))


class _Private(ast.NodeTransformer):
    """A rewriting of the source of a kept module: it imports kept modules, sets its constants, and goes on after a failure.

    A statement at the top that computes something may fail, as a data file is missing, and do no harm: the digest tells.
    """

    def __init__(self, modules: _Modules, constants: Collection[str]) -> None:
        self._package, self._constants = modules.package, constants
        parts = [label.split(".") for label in modules.texts]
        self._kept = {".".join(each[:count]) for each in parts for count in range(1, len(each) + 1)}

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self.generic_visit(node)
        node.body = [self._top(part) for part in node.body]
        return node

    def _top(self, node: ast.stmt) -> ast.stmt:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or isinstance(
            node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
        ):
            return node
        names = names_bound(node) if isinstance(node, ast.Assign | ast.AnnAssign) else set()
        around = f"try: pass\nexcept Exception as __e__: {_NOTE}(__e__, {node.lineno})"
        if names and names.issubset(self._constants):
            around = f"if not ({' and '.join(f'{_SET}({name!r})' for name in sorted(names))}): pass"
        statement: Any = ast.parse(around).body[0]
        statement.body = [node]
        return statement  # type: ignore[no-any-return]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if not node.level and node.module in self._kept:
            node.module = f"{self._package}.{node.module}"
        return node

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        kept = [alias for alias in node.names if alias.name in self._kept]
        for alias in kept:
            alias.name = f"{self._package}.{alias.name}"
        tops = [ast.alias(alias.name.split(".")[1]) for alias in kept if alias.asname is None]
        return [node, *([ast.ImportFrom(self._package, tops, 0)] if tops else [])]
