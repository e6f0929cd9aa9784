"""Choosing what the guard reads: whole modules, or only the code that a contract can reach.

A check of a contract begins with its class. Everything mentioned there is read in turn, wherever it is in the package. So a
contract may share a file with its tests, which the guard does not read.
"""

from __future__ import annotations

import ast

from chain.guard.finding import Finding
from chain.guard.rules import imports, syntax
from chain.guard.scope import Scope, Scopes
from chain.guard.visitor import Visitor
from chain.source.modules import Definition, Module, SourceTree, is_main
from chain.source.mutations import statements_mutating

Unit = Definition | tuple[Module, ast.stmt]


class Linter:
    """A check of one contract or of some modules; with `whole`, every module reached is read completely."""

    def __init__(self, sources: SourceTree, module: Module, *, whole: bool) -> None:
        self.sources = sources
        self.whole = whole
        self.place = Scopes(sources, module)
        self.walk = Visitor(self.place, self._mentioned)
        self.queue: list[Unit] = []
        self.seen: set[ast.AST] = set()
        self.names: dict[Module, set[str]] = {}  # by module: the names of it that were mentioned
        self.modules: dict[Module, None] = {}  # in the order of their first use
        self.whole_modules: set[Module] = set()  # those that are read completely

    def findings(self) -> list[Finding]:
        """Read everything in the queue, and what it leads to, and return the findings in order."""
        while self.queue:
            self._read(self.queue.pop())
            if not self.queue and not self.whole:
                for module in self.modules:
                    others = statements_mutating(module, self.seen, self.names.get(module, set()))
                    self.queue += [(module, node) for node, _ in others]
        return sorted(self.place.findings.values())

    def add_module(self, module: Module) -> None:
        """Queue a whole module."""
        if module in self.whole_modules:
            return
        self.whole_modules.add(module)
        self.modules.setdefault(module)
        self.queue += [(module, node) for node in module.tree.body]
        if module.broken is not None:
            error = module.broken
            line, column = error.lineno or 1, error.offset or 1
            finding = syntax.NOT_PYTHON.at(module.file, line, column)
            self.place.findings[finding.file, line, column, finding.rule] = finding

    def reach(self, path: str) -> None:
        """Queue the module or definition that a path leads to, following imports."""
        while path:
            location = self.sources.split(path)
            if location is None:
                return
            module, rest = location
            if not rest or (self.whole and self.sources.is_beside(module)):
                self.add_module(module)
                return
            name, _, more = rest.partition(".")
            self.names.setdefault(module, set()).add(name)
            definition = module.names.get(name)
            if definition is None:
                return
            self.queue += (*module.before.get(name, ()), definition)
            path = (
                f"{definition.import_path}.{more}"
                if definition.import_path and more
                else definition.import_path or ""
            )

    def _mentioned(self, name: str, path: str) -> None:
        """Queue what a global name in the source stands for, and what the path from it leads to."""
        definition = self.place.module.names.get(name)
        self.names.setdefault(self.place.module, set()).add(name)
        if definition is not None and not self.whole:
            self.queue += (*self.place.module.before.get(name, ()), definition)
        if definition is None or definition.import_path is not None:
            self.reach(path)

    def _read(self, unit: Unit) -> None:
        module, node = unit if isinstance(unit, tuple) else (unit.module, unit.node)
        if node in self.seen:
            return
        self.seen.add(node)
        self.modules.setdefault(module)
        self.place.module, self.place.scope = module, Scope("module", None, None)
        if isinstance(unit, Definition) and unit.statement is not None:
            if not unit.is_for_types:
                imports.check_import(unit, unit.statement, self.place)
        elif not isinstance(node, ast.arg) and not is_main(node):
            self.walk.visit(node)
