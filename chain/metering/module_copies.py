"""Instrumented copies of modules: built from source again, with ticks, next to the modules that Python imported.

A copy has the name and the file of its original, but holds only what some contract reaches. Each statement is compiled and run
in its order. The copy is in `sys.modules` only while it is built, for the decorators and annotations that look there. Code
that is not the author's own, above all the chain itself, is imported as usual and shared with the original.

Contracts of one package share one module namespace, so that they share classes. If a source changes, a new module namespace
begins.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from types import CodeType, ModuleType
from typing import Any

from chain.errors import DeclarationError, OutOfGas
from chain.metering import fuel
from chain.metering.bundled_files import OWN, DataFiles, seen_as
from chain.metering.code_cache import StatementCodes
from chain.metering.copy_agreement import check_agreement
from chain.metering.counterparts import classes_in, former, register_module, resolve_qualname
from chain.metering.freeze import Freezing
from chain.metering.frozen_collections import ConstantChanged, record_name
from chain.metering.instrumented_builtins import INSTRUMENTED_BUILTINS
from chain.metering.program_sources import ProgramSources
from chain.source.global_names import uses_of
from chain.source.local_names import DEFINITIONS
from chain.source.location import relative_path
from chain.source.modules import Definition, Module
from chain.source.mutations import changes_of
from chain.source.top_level import top_of


class InstrumentedModule:
    """The instrumented copy of one module in a module namespace."""

    def __init__(self, source: Module) -> None:
        self.source = source
        self.made = ModuleType(source.name)
        namespace = vars(self.made)
        namespace["__file__"] = seen_as(source)
        namespace[OWN] = None
        namespace["__builtins__"] = INSTRUMENTED_BUILTINS
        package = source.name.rpartition(".")[0]
        namespace["__package__"] = source.name if source.is_package else package
        if source.is_package:
            namespace["__path__"] = []
        self.done: set[ast.AST] = set()
        self.is_open = False

    def may_add(self, sources: ProgramSources, module: Module) -> bool:
        """True if the newly reached statements can run now, after the others, with the same effect as in source order."""
        current_files, files = self.space[OWN], sources.data_files(module)
        if module is not self.source or (current_files and files and current_files != files):
            return False
        lines = top_of(module).lines
        done = [node for node in self.done if node in lines]
        new = [node for node in sources.modules[module] if node in lines and node not in self.done]
        return not any(
            lines[earlier] < lines[node] and _bears_on(node, earlier, module)
            for node in done
            for earlier in new
        )

    def add_files(self, files: DataFiles | None) -> None:
        """Let the module read these files from now on."""
        self.space[OWN] = self.space[OWN] or files

    @property
    def space(self) -> dict[str, Any]:
        return vars(self.made)

    @cached_property
    def _fresh(self) -> dict[ast.stmt, ast.stmt]:
        """A separate tree, because it is modified: the guard shares the other one."""
        return dict(zip(self.source.tree.body, ast.parse(self.source.text).body, strict=True))

    def _compiled(self, node: ast.stmt) -> CodeType:
        """Compile a statement with ticks."""
        rewriting = import_module("chain.metering.recompile")
        code: CodeType = rewriting.ticked_statement(
            node, self._fresh[node], self.source, self.space
        )
        return code

    def run(self, node: ast.stmt, codes: StatementCodes) -> None:
        """Run a statement with ticks."""
        code = codes.code(self.source, node, self._compiled)
        if isinstance(node, ast.AnnAssign) and "__annotations__" in self.space:
            # The old dict may be frozen.
            self.space["__annotations__"] = dict(self.space["__annotations__"])
        try:
            exec(code, self.space)
        except OutOfGas:
            raise DeclarationError(
                f"{relative_path(self.source.file)}:{node.lineno}: this takes more fuel than any "
                "call has, or creates a value that is too large, and it runs whenever the contract "
                "is loaded; make it smaller, or move it into a call"
            ) from None


def _bears_on(node: ast.AST, earlier: ast.AST, module: Module) -> bool:
    """True if `earlier` would have read or left another value if it had run before `node`."""
    if isinstance(earlier, ast.alias):
        needs = frozenset([earlier.asname or earlier.name.partition(".")[0]])
    else:
        uses = uses_of(earlier)
        needs = uses.names_now.union(uses.binds)
    if isinstance(node, ast.alias):
        return (node.asname or node.name.partition(".")[0]) in needs
    if not needs.isdisjoint(uses_of(node).binds):
        return True
    plain = isinstance(node, ast.stmt) and not isinstance(node, DEFINITIONS)
    return plain and not needs.isdisjoint(changes_of(node, module))


class ModuleNamespace:
    """A set of instrumented modules that import one another."""

    def __init__(self) -> None:
        self.modules: dict[str, InstrumentedModule] = {}
        self.packages: dict[str, ModuleType] = {}  # packages without a file
        self.history: list[str] = []  # the keys of what was built in it
        self._built: dict[str, dict[str, Any]] = {}  # what the modules held when they were built
        self._is_as_built = True  # True if nothing else was put into them since
        self.former: set[str] = set()  # modules whose originals have been imported again since

    def module_copy(self, name: str) -> ModuleType | None:
        """Return the instrumented copy of an imported module, None if it is not in this namespace."""
        return self.modules[name].made if name in self.modules else None

    def is_current(self, sources: ProgramSources) -> bool:
        """True if this was built from the same sources, and no new statement comes too late for those that ran."""
        return all(
            module.name not in self.modules
            or (
                module.name not in self.former
                and self.modules[module.name].may_add(sources, module)
            )
            for module in sources.modules
        )

    def build(self, sources: ProgramSources) -> None:
        """Build all reached statements that are still missing."""
        for module in sources.modules:
            if module.name not in self.modules:
                self.modules[module.name] = InstrumentedModule(module)
            self.modules[module.name].add_files(sources.data_files(module))
        self._is_as_built = self._is_as_built and all(
            _is_same(self.modules[name].space, space) for name, space in self._built.items()
        )
        codes = self._codes = StatementCodes(sources, self.history, self._is_as_built)
        self.history.append(codes.key)
        rest = fuel.suspend()
        try:
            with self._installed():
                for module in sources.modules:
                    self._make(self.modules[module.name], sources)
            check_agreement(
                sources, {module: self.modules[module.name].space for module in sources.modules}
            )
            Freezing({copy.source: copy.space for copy in self.modules.values()}).run()
        finally:
            fuel.resume(rest)
        for name, copy in self.modules.items():
            record_name(copy.made, f"the module '{name}'")
        for module in sources.modules:
            register_module(self.modules[module.name].space, module.name)
        codes.save()
        self._built = {name: dict(copy.space) for name, copy in self.modules.items()}

    @contextmanager
    def _installed(self) -> Iterator[None]:
        """Replace the imported modules in `sys.modules` with these, for the time of the scope."""
        before = {name: sys.modules[name] for name in self.modules if name in sys.modules}
        sys.modules.update({name: module.made for name, module in self.modules.items()})
        try:
            yield
        finally:
            for name in self.modules:
                sys.modules.pop(name, None)
            sys.modules.update(before)

    def _make(self, module: InstrumentedModule, sources: ProgramSources) -> None:
        if module.is_open or module.source not in sources.modules:
            return
        module.is_open = True
        try:
            reached = sources.modules[module.source]
            for node in module.source.tree.body:
                if node in reached and reached[node] is None:
                    if node not in module.done:
                        self._make_imported(module, node, sources)
                        module.run(node, self._codes)
                        module.done.add(node)
                elif isinstance(node, ast.Import | ast.ImportFrom):
                    for alias in node.names:
                        self._import(module, reached.get(alias), sources)
        finally:
            module.is_open = False

    def _import(
        self, module: InstrumentedModule, definition: Definition | None, sources: ProgramSources
    ) -> None:
        if definition is None or definition.is_for_types or definition.node in module.done:
            return
        path = str(definition.import_path)
        if isinstance(definition.statement, ast.Import):
            self._make_parts(definition, sources)
        location = sources.tree.split(path.removesuffix(".*") if definition.name == "*" else path)
        if location is None:
            statement = definition.statement
            assert statement is not None and isinstance(definition.node, ast.alias)
            package = self._package(path) if isinstance(statement, ast.Import) else None
            if package is None:
                _import_foreign(statement, definition.node, module)
            else:
                module.space[definition.name] = package
        else:
            other = self.modules[location[0].name]
            self._make(other, sources)
            if definition.name == "*":
                names = [name for name in other.space if not name.startswith("_")]
                module.space.update({name: other.space[name] for name in names})
            else:
                module.space[definition.name] = self._value(definition, location)
        module.done.add(definition.node)

    def _value(self, definition: Definition, place: tuple[Module, str]) -> object:
        statement = definition.statement
        if isinstance(statement, ast.Import):
            self._bind_parts(statement)
        value: Any = self.modules[place[0].name].made
        for part in filter(None, place[1].split(".")):
            value = getattr(value, part)
        return value

    def _make_imported(
        self, module: InstrumentedModule, node: ast.stmt, sources: ProgramSources
    ) -> None:
        """Build the modules that a compound statement imports before it runs, as in `try: from a import b`."""
        for path in (
            () if isinstance(node, DEFINITIONS) else sources.imported_by(module.source, node)
        ):
            location = sources.tree.split(path)
            if location is not None and location[0].name in self.modules:
                self._make(self.modules[location[0].name], sources)

    def _make_parts(self, definition: Definition, sources: ProgramSources) -> None:
        """For `import a.b`, build `a.b` too, although the statement binds `a`."""
        assert isinstance(definition.node, ast.alias)
        parts = definition.node.name.split(".")
        for count in range(1, len(parts) + 1):
            module = self.modules.get(".".join(parts[:count]))
            if module is not None:
                self._make(module, sources)

    def _package(self, name: str) -> ModuleType | None:
        """Return a package without a file of its own, with its instrumented modules as attributes; None if it has none."""
        inner = [path for path in self.modules if path.startswith(f"{name}.")]
        if not inner:
            return None
        package = self.packages.setdefault(name, ModuleType(name))
        for path in inner:
            part = path.removeprefix(f"{name}.").partition(".")[0]
            module = self.modules.get(f"{name}.{part}")
            setattr(package, part, module.made if module else self._package(f"{name}.{part}"))
        return package

    def _bind_parts(self, statement: ast.Import) -> None:
        """Make `b` an attribute of `a` after `import a.b`."""
        for alias in statement.names:
            parts = alias.name.split(".")
            for count in range(1, len(parts)):
                outer = self.modules.get(".".join(parts[:count]))
                inner = self.modules.get(".".join(parts[: count + 1]))
                if outer is not None and inner is not None:
                    outer.space[parts[count]] = inner.made


def _is_same(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return one.keys() == other.keys() and all(one[name] is other[name] for name in one)


def _import_foreign(
    statement: ast.Import | ast.ImportFrom, alias: ast.alias, module: InstrumentedModule
) -> None:
    single_import: ast.Import | ast.ImportFrom
    if isinstance(statement, ast.Import):
        single_import = ast.Import([alias])
    else:
        single_import = ast.ImportFrom(statement.module, [alias], statement.level)
    tree = ast.fix_missing_locations(ast.Module([ast.copy_location(single_import, statement)], []))
    exec(compile(tree, module.source.file, "exec", dont_inherit=True), module.space)


_namespaces: list[ModuleNamespace] = []


def retire(modules: Mapping[str, ModuleType]) -> Callable[[], None]:
    """Retire the copies of modules that are imported again: their classes stay with the old modules, and nothing is added.

    Return a function that undoes this.
    """
    former_before, retired_before = (
        former.copy(),
        [(namespace, namespace.former.copy()) for namespace in _namespaces],
    )
    module_dicts = [(name, vars(module)) for name, module in modules.items()]
    module_dicts += [
        (name, copy.space)
        for namespace in _namespaces
        for name, copy in namespace.modules.items()
        if name in modules
    ]
    for name, module_dict in module_dicts:
        for cls in classes_in(module_dict, name):
            author = resolve_qualname(vars(modules[name]), cls.__qualname__)
            former.setdefault(cls, author if isinstance(author, type) else cls)
    for namespace in _namespaces:
        namespace.former |= modules.keys() & namespace.modules.keys()

    def undo() -> None:
        former.clear()
        former.update(former_before)
        for namespace, names in retired_before:
            namespace.former = names

    return undo


def forget() -> None:
    """Add nothing more to the existing module namespaces: further copies go into new ones."""
    _namespaces.clear()


def namespace_for(sources: ProgramSources) -> ModuleNamespace:
    """Return the module namespace in which these sources are built.

    It is the existing one that holds most of them, if none of its sources has changed, or else a new one.
    """
    names = {module.name for module in sources.modules}
    fitting = [namespace for namespace in reversed(_namespaces) if namespace.is_current(sources)]
    if fitting:
        namespace = max(fitting, key=lambda namespace: len(namespace.modules.keys() & names))
        _namespaces.remove(namespace)  # if the build fails, nothing more is added to it
        try:
            return _build(namespace, sources)
        except ConstantChanged:
            pass  # the new statements change values that are already frozen
    return _build(ModuleNamespace(), sources)


def _build(namespace: ModuleNamespace, sources: ProgramSources) -> ModuleNamespace:
    namespace.build(sources)
    _namespaces.append(namespace)
    return namespace
