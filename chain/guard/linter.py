"""What is to be read: whole modules, or only what a contract can reach.

A reading of a contract begins with its class; whatever is mentioned there is read in turn, wherever in its package it stands.
So a contract may stand in a file beside its tests, which are nobody's business here.
"""

from __future__ import annotations

import ast

from chain.guard.finding import Finding
from chain.guard.rules import (
    imports,
    syntax,
)
from chain.guard.scope import (
    Scope,
    Scopes,
)
from chain.guard.visitor import Visitor
from chain.source.modules import (
    Definition,
    Module,
    SourceTree,
    is_main,
)
from chain.source.mutations import statements_mutating

Unit = Definition | tuple[Module, ast.stmt]


class Linter:
    """`whole` takes every module that is reached as it is."""

    def __init__(self, sources: SourceTree, module: Module, *, whole: bool) -> None:
        self.sources = sources
        self.whole = whole
        self.place = Scopes(sources, module)
        self.walk = Visitor(self.place, self._mentioned)
        self.queue: list[Unit] = []
        self.seen: set[ast.AST] = set()
        self.names: dict[Module, set[str]] = {}  # by module: which of its names were mentioned
        self.modules: dict[Module, None] = {}  # in the order in which they were met
        self.whole_modules: set[Module] = set()  # those that are read as a whole

    def findings(self) -> list[Finding]:
        while self.queue:
            self._read(self.queue.pop())
            if not self.queue and not self.whole:
                for module in self.modules:
                    others = statements_mutating(module, self.seen, self.names.get(module, set()))
                    self.queue += [(module, node) for node, _ in others]
        return sorted(self.place.findings.values())

    def add_module(self, module: Module) -> None:
        """Read all of a module."""
        if module in self.whole_modules:
            return
        self.whole_modules.add(module)
        self.modules.setdefault(module)
        self.queue += [(module, node) for node in module.tree.body]
        if module.broken is not None:
            wrong = module.broken
            line, column = wrong.lineno or 1, wrong.offset or 1
            found = syntax.NOT_PYTHON.at(module.file, line, column)
            self.place.findings[found.file, line, column, found.rule] = found

    def reach(self, path: str) -> None:
        """Read what a path leads to, imports followed."""
        while path:
            place = self.sources.split(path)
            if place is None:
                return
            module, rest = place
            if not rest or (self.whole and self.sources.is_beside(module)):
                self.add_module(module)
                return
            name, _, more = rest.partition(".")
            self.names.setdefault(module, set()).add(name)
            found = module.names.get(name)
            if found is None:
                return
            self.queue += (*module.before.get(name, ()), found)
            path = (
                f"{found.import_path}.{more}"
                if found.import_path and more
                else found.import_path or ""
            )

    def _mentioned(self, name: str, path: str) -> None:
        found = self.place.module.names.get(name)
        self.names.setdefault(self.place.module, set()).add(name)
        if found is not None and not self.whole:
            self.queue += (*self.place.module.before.get(name, ()), found)
        if found is None or found.import_path is not None:
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
