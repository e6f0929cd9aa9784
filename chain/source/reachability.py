"""The code that a contract reaches in its own sources: the top-level statements of modules, followed from name to name.

A contract may share a file with its tests, and its package may hold strategies and drawings that it never uses. None of that
is a part of it. A statement that defines no name but changes the value of a reached one is reached too. The guard reads these
statements, the digest covers them, and the instrumented copy runs them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

from chain.source.global_names import GlobalRead
from chain.source.kept_uses import KeptUses
from chain.source.modules import Definition, Module, SourceTree, is_type_checking
from chain.source.mutations import statements_mutating
from chain.source.top_level import top_of

_READERS = ("pathlib", "importlib", "builtins.open", "io", "os")


class Reachability:
    """The reached statements. They grow with each thing that is added, and with everything it mentions."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree
        self.modules: dict[Module, dict[ast.AST, Definition | None]] = {}
        self.names: dict[Module, set[str]] = {}  # by module: the names of it that are read
        self.because_of: dict[ast.AST, str] = {}  # the name that led to each node
        self._waiting: list[tuple[Module, ast.AST]] = []
        self._uses = KeptUses()

    # Results

    def nodes_of(self, module: Module) -> list[ast.AST]:
        """The reached statements of a module in source order, without imports."""
        reached = self.modules[module]
        nodes = [node for node, definition in reached.items() if definition is None]
        return sorted(nodes, key=lambda node: (node.lineno, node.col_offset))  # type: ignore[attr-defined]

    def imports_of(self, module: Module) -> Iterator[tuple[str, str]]:
        """The reached imports of a module: each name with its dotted path."""
        for definition in self.modules[module].values():
            if definition is not None and not definition.is_for_types:
                yield definition.name, str(definition.import_path)

    def reads_files(self, module: Module) -> bool:
        """True if the reached part of a module may read files."""
        if any(path.startswith(_READERS) for _, path in self.imports_of(module)):
            return True
        if "open" in top_of(module).meanings:
            return False
        reads = (self.reads_of(module, node) for node in self.nodes_of(module))
        return any(read.path[0] == "open" for read in chain.from_iterable(reads))

    def reads_of(self, module: Module, node: ast.AST) -> Iterator[GlobalRead]:
        """The global names that a node of a module reads."""
        return self._uses.of(module, node)[0]

    def save(self) -> None:
        """Keep what was read of the sources for the next process."""
        self._uses.save()

    # Reaching

    def add_name(self, module: Module, name: str) -> None:
        """Mark everything that a name of a module may stand for as reached."""
        self._mark_name(module, name)
        self._propagate()

    def _mark_name(self, module: Module, name: str) -> None:
        top = top_of(module)
        for meaning in top.meanings.get(name, ()):
            if isinstance(meaning, Definition):
                self._mark(module, meaning.node, meaning, name)
            else:
                self._mark(module, meaning, None, name)
        if name not in top.meanings:
            for star in top.star_imports:
                self._mark(module, star.node, star, name)

    def add_node(self, module: Module, node: ast.AST) -> None:
        """Mark a node at any position of a module as reached."""
        self._mark(module, node, None)
        self._propagate()

    def add_module(self, module: Module) -> None:
        """Mark everything at the top level of a module as reached."""
        for name in top_of(module).meanings:
            self._mark_name(module, name)
        self._propagate()

    def _mark(
        self, module: Module, node: ast.AST, definition: Definition | None, name: str = ""
    ) -> None:
        reached = self.modules.setdefault(module, {})
        if node not in reached:
            reached[node] = definition
            self.because_of[node] = name
            self._waiting.append((module, node))

    def _propagate(self) -> None:
        while self._waiting:
            module, node = self._waiting.pop()
            definition = self.modules[module][node]
            if definition is None:
                self._read(module, node)
            elif definition.name == "*":
                self._star(definition)
            elif not definition.is_for_types:
                self._path(str(definition.import_path))
            if not self._waiting:
                for other in list(self.modules):
                    names = self.names.get(other, set())
                    for statement, name in statements_mutating(
                        other, self.modules[other].keys(), names
                    ):
                        self._mark(other, statement, None, name)
        self.save()

    def _read(self, module: Module, node: ast.AST) -> None:
        only_for_types = isinstance(node, ast.If) and is_type_checking(node)
        for part in node.orelse if isinstance(node, ast.If) and only_for_types else [node]:
            for read in self.reads_of(module, part):
                self._mention(module, read, node)
            for path in self.imported_by(module, part):
                self._path(path)

    def imported_by(self, module: Module, node: ast.AST) -> Iterator[str]:
        """The dotted paths of the imports inside a statement."""
        for path in self._uses.of(module, node)[1]:
            home, _, name = path.rpartition(":")
            inner = home.lstrip(".")
            if level := len(home) - len(inner):
                parts = module.name.split(".")
                home = ".".join(
                    [*parts[: len(parts) - level + module.is_package], *filter(None, [inner])]
                )
            yield f"{home}.{name}" if home else name

    def _mention(self, module: Module, read: GlobalRead, reader: ast.AST | None = None) -> None:
        name, *attributes = read.path
        self.names.setdefault(module, set()).add(name)
        top = top_of(module)
        meanings = (
            top.meanings_for(name, reader, read.is_late) if reader else top.meanings.get(name)
        )
        if meanings is None:
            for star in top.star_imports:
                self._mark(module, star.node, star, name)
            return
        for meaning in meanings:
            if not isinstance(meaning, Definition):
                self._mark(module, meaning, None, name)
                continue
            self._mark(module, meaning.node, meaning, name)
            if not meaning.is_for_types:
                self._into(str(meaning.import_path), attributes)

    def _into(self, target: str, attributes: list[str]) -> None:
        """Reach the used parts of the module that a name stands for."""
        location = self.tree.split(target)
        if location is not None and location[1]:
            return
        inner = self.tree.split(".".join([target, *attributes]))
        if inner is not None and inner[1]:
            self._path(".".join([target, *attributes]))
        elif inner is not None:  # the module is used as a value, so any part of it may be
            self._everything(inner[0])

    def _path(self, path: str) -> None:
        location = self.tree.split(path)
        if location is None:
            return
        module, rest = location
        self.modules.setdefault(module, {})
        if rest:
            self._mention(module, GlobalRead(tuple(rest.split(".")), True, False))

    def _star(self, definition: Definition) -> None:
        location = self.tree.split(str(definition.import_path).removesuffix(".*"))
        if location is not None and not location[1]:
            self._everything(location[0])

    def _everything(self, module: Module) -> None:
        self.modules.setdefault(module, {})
        for name in top_of(module).meanings:
            self._mention(module, GlobalRead((name,), True, False))
