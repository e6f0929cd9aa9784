"""Where images live: modules made anew from source, with ticks, beside those that Python imported.

An image module has the name and the file of its original but holds only what some contract reached, each statement compiled
and run in its order. It stands in `sys.modules` just while it is being made, for the decorators and annotations that look
there. What is not the author's own, the chain first of all, is imported as ever and shared with the original.

Contracts of one package share one world, so that they share classes. Where a source has changed, a new world begins.
"""

from __future__ import annotations
import __future__

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from chain.errors import DeclarationError, OutOfGas
from chain.metering import fuel
from chain.metering.bundled_files import (
    OWN,
    DataFiles,
    seen_as,
)
from chain.metering.freeze import Freezing
from chain.metering.frozen_collections import (
    ConstantChanged,
    note,
)
from chain.metering.program_sources import ProgramSources
from chain.metering.rewrite import CostRewriter
from chain.metering.table_agreement import check_agreement
from chain.metering.twins import (
    former,
    register_module,
    resolve_qualname,
)
from chain.source.global_names import uses_of
from chain.source.local_names import DEFINITIONS
from chain.source.location import relative_path
from chain.source.modules import (
    Definition,
    Module,
)
from chain.source.mutations import changes_of
from chain.source.top_level import top_of

_ANNOTATIONS = __future__.annotations.compiler_flag


class InstrumentedModule:
    """One module of a world."""

    def __init__(self, source: Module) -> None:
        self.source = source
        self.made = ModuleType(source.name)
        space = vars(self.made)
        space["__file__"] = seen_as(source)
        space[OWN] = None
        space["__builtins__"] = fuel.INSTRUMENTED_BUILTINS
        parent = source.name.rpartition(".")[0]
        space["__package__"] = source.name if source.is_package else parent
        if source.is_package:
            space["__path__"] = []
        self.done: set[ast.AST] = set()
        self.is_open = False
        has_text = "__future__.annotations" in {
            each.import_path for each in source.names.values() if isinstance(each.node, ast.alias)
        }
        self.flags = _ANNOTATIONS if has_text else 0
        # A tree of its own, which is changed: the other is shared with the guard.
        places = zip(source.tree.body, ast.parse(source.text).body, strict=True)
        self._fresh = dict(places)

    def may_add(self, sources: ProgramSources, module: Module) -> bool:
        """Whether what was reached can run now, behind what has run, as if it had run where it stands."""
        known, files = self.space[OWN], sources.data_files(module)
        if module is not self.source or (known and files and known != files):
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
        """Let the module read these from here on."""
        self.space[OWN] = self.space[OWN] or files

    @property
    def space(self) -> dict[str, Any]:
        return vars(self.made)

    def run(self, node: ast.stmt) -> None:
        """Compile a statement with ticks, and run it."""
        ticked = CostRewriter(self.source).visit(self._fresh[node])
        code = compile(
            ast.fix_missing_locations(ast.Module([ticked], [])),
            self.source.file, "exec", self.flags, dont_inherit=True,
        )  # fmt: skip
        if isinstance(node, ast.AnnAssign) and "__annotations__" in self.space:
            self.space["__annotations__"] = dict(self.space["__annotations__"])  # may be frozen
        try:
            exec(code, self.space)
        except OutOfGas:
            raise DeclarationError(
                f"{relative_path(self.source.file)}:{node.lineno}: this takes more than any call may take, or makes a"
                " value larger than"
                " any may be, and it is run whenever the contract is loaded; make it smaller, or make it in a call"
            ) from None


def _bears_on(node: ast.AST, earlier: ast.AST, module: Module) -> bool:
    """Whether `earlier` would have found, or left, something else if it had run before `node`."""
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
    """Image modules that import one another."""

    def __init__(self) -> None:
        self.modules: dict[str, InstrumentedModule] = {}
        self.packages: dict[str, ModuleType] = {}  # those that have no file
        self.former: set[str] = set()  # of the modules, those that have been imported anew since

    def is_current(self, sources: ProgramSources) -> bool:
        """Whether the sources are still those that this world was made of, and nothing comes too late for what has run."""
        return all(
            module.name not in self.modules
            or (
                module.name not in self.former
                and self.modules[module.name].may_add(sources, module)
            )
            for module in sources.modules
        )

    def build(self, sources: ProgramSources) -> None:
        """Make all that was reached and is not there yet."""
        for module in sources.modules:
            if module.name not in self.modules:
                self.modules[module.name] = InstrumentedModule(module)
            self.modules[module.name].add_files(sources.data_files(module))
        tank = fuel.suspend()
        try:
            with self._installed():
                for module in sources.modules:
                    self._make(self.modules[module.name], sources)
            check_agreement(
                sources, {module: self.modules[module.name].space for module in sources.modules}
            )
            Freezing({each.source: each.space for each in self.modules.values()}).run()
        finally:
            fuel.resume(tank)
        for name, image in self.modules.items():
            note(image.made, f"the module '{name}'")
        for module in sources.modules:
            register_module(self.modules[module.name].space, module.name)

    @contextmanager
    def _installed(self) -> Iterator[None]:
        """Our modules take the place of those that were imported."""
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
            taken = sources.modules[module.source]
            for node in module.source.tree.body:
                if node in taken and taken[node] is None:
                    if node not in module.done:
                        self._make_imported(module, node, sources)
                        module.run(node)
                        module.done.add(node)
                elif isinstance(node, ast.Import | ast.ImportFrom):
                    for alias in node.names:
                        self._import(module, taken.get(alias), sources)
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
        place = sources.split(path.removesuffix(".*") if definition.name == "*" else path)
        if place is None:
            statement = definition.statement
            assert statement is not None and isinstance(definition.node, ast.alias)
            package = self._package(path) if isinstance(statement, ast.Import) else None
            if package is None:
                _import_foreign(statement, definition.node, module)
            else:
                module.space[definition.name] = package
        else:
            other = self.modules[place[0].name]
            self._make(other, sources)
            if definition.name == "*":
                names = [name for name in other.space if not name.startswith("_")]
                module.space.update({name: other.space[name] for name in names})
            else:
                module.space[definition.name] = self._value(definition, place)
        module.done.add(definition.node)

    def _value(self, definition: Definition, place: tuple[Module, str]) -> Any:
        statement = definition.statement
        if isinstance(statement, ast.Import):
            self._bind_parts(statement)
        found: Any = self.modules[place[0].name].made
        for part in filter(None, place[1].split(".")):
            found = getattr(found, part)
        return found

    def _make_imported(
        self, module: InstrumentedModule, node: ast.stmt, sources: ProgramSources
    ) -> None:
        """What a statement imports runs before it: that of `try: from a import b`."""
        for path in (
            () if isinstance(node, DEFINITIONS) else sources.imported_by(module.source, node)
        ):
            place = sources.split(path)
            if place is not None and place[0].name in self.modules:
                self._make(self.modules[place[0].name], sources)

    def _make_parts(self, definition: Definition, sources: ProgramSources) -> None:
        """`import a.b` runs `a.b` as well, though its name is `a`."""
        assert isinstance(definition.node, ast.alias)
        parts = definition.node.name.split(".")
        for count in range(1, len(parts) + 1):
            module = self.modules.get(".".join(parts[:count]))
            if module is not None:
                self._make(module, sources)

    def _package(self, name: str) -> ModuleType | None:
        """A package without a file of its own, with those modules in it that are images."""
        inner = [each for each in self.modules if each.startswith(f"{name}.")]
        if not inner:
            return None
        made = self.packages.setdefault(name, ModuleType(name))
        for each in inner:
            part = each.removeprefix(f"{name}.").partition(".")[0]
            module = self.modules.get(f"{name}.{part}")
            setattr(made, part, module.made if module else self._package(f"{name}.{part}"))
        return made

    def _bind_parts(self, statement: ast.Import) -> None:
        """After `import a.b`, `b` is an attribute of `a`."""
        for alias in statement.names:
            parts = alias.name.split(".")
            for count in range(1, len(parts)):
                outer = self.modules.get(".".join(parts[:count]))
                inner = self.modules.get(".".join(parts[: count + 1]))
                if outer is not None and inner is not None:
                    outer.space[parts[count]] = inner.made


def _import_foreign(
    statement: ast.Import | ast.ImportFrom, alias: ast.alias, module: InstrumentedModule
) -> None:
    one: ast.Import | ast.ImportFrom
    if isinstance(statement, ast.Import):
        one = ast.Import([alias])
    else:
        one = ast.ImportFrom(statement.module, [alias], statement.level)
    tree = ast.fix_missing_locations(ast.Module([ast.copy_location(one, statement)], []))
    exec(compile(tree, module.source.file, "exec", dont_inherit=True), module.space)


_worlds: list[ModuleNamespace] = []


def retire(modules: Mapping[str, ModuleType]) -> Callable[[], None]:
    """These modules are imported anew: what was made of the old ones stays theirs, and nothing more is made of it.

    What comes back undoes that.
    """
    known, held = former.copy(), [(world, world.former.copy()) for world in _worlds]
    spaces = [(name, vars(module)) for name, module in modules.items()]
    spaces += [(n, m.space) for world in _worlds for n, m in world.modules.items() if n in modules]
    for name, space in spaces:
        for cls in _classes_in(name, space):
            author = resolve_qualname(vars(modules[name]), cls.__qualname__)
            former.setdefault(cls, author if isinstance(author, type) else cls)
    for world in _worlds:
        world.former |= modules.keys() & world.modules.keys()

    def undo() -> None:
        former.clear()
        former.update(known)
        for world, names in held:
            world.former = names

    return undo


def forget() -> None:
    """Make no more in the worlds that there are: what is made from now on begins anew."""
    _worlds.clear()


def _classes_in(module: str, space: Mapping[str, Any]) -> Iterator[type]:
    for thing in list(space.values()):
        if isinstance(thing, type) and thing.__module__ == module and thing not in former:
            yield thing
            yield from _classes_in(module, vars(thing))


def namespace_for(sources: ProgramSources) -> ModuleNamespace:
    """The world in which this was made: the one that holds most of it, if none of its sources has changed since."""
    names = {module.name for module in sources.modules}
    fitting = [world for world in reversed(_worlds) if world.is_current(sources)]
    if fitting:
        world = max(fitting, key=lambda world: len(world.modules.keys() & names))
        _worlds.remove(world)  # unless all goes well, nothing more is made in it
        try:
            return _made(world, sources)
        except ConstantChanged:
            pass  # what is new there changes what is frozen already
    return _made(ModuleNamespace(), sources)


def _made(world: ModuleNamespace, sources: ProgramSources) -> ModuleNamespace:
    world.build(sources)
    _worlds.append(world)
    return world
