"""Choosing what the guard reads: whole modules, or only the code that a contract reaches.

So a contract may share a file with its tests, which the guard does not read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from chain.guard.allowlist import MODULES
from chain.guard.finding import Finding
from chain.guard.rules import imports, syntax
from chain.guard.scope import NameScope, Scopes
from chain.guard.visitor import Visitor
from chain.source.modules import Definition, Module, SourceTree, definitions, is_main
from chain.source.reachability import Reachability
from chain.source.source_folder import folder_of


class Linter:
    """A check of contracts or of whole modules."""

    def __init__(self, sources: SourceTree) -> None:
        self.reach = Reachability(sources)
        self.place = Scopes(sources, sources.root)
        self.visitor = Visitor(self.place)

    def add_contract(self, contract: Definition) -> None:
        """Read a contract class, with what it reaches."""
        self.reach.add_node(contract.module, contract.node)

    def add_module(self, module: Module) -> None:
        """Read a whole module, with the modules beside it that it imports."""
        folder = folder_of(module.name, module.file, module.is_package)
        whole: set[Module] = set()
        waiting = [module]
        while waiting:
            for module in waiting:
                whole.add(module)
                self.reach.modules.setdefault(module, {})
                for node in module.tree.body:
                    if not is_main(node):
                        self.reach.add_node(module, node)
            waiting = [
                other
                for other in self.reach.modules
                if other not in whole and folder and Path(other.file).is_relative_to(folder)
            ]

    def findings(self) -> list[Finding]:
        """Check all that was reached, and return the findings in order."""
        for module, reached in self.reach.modules.items():
            self.place.module, self.place.scope = module, NameScope("module", None, None)
            if module.broken is not None:
                error = module.broken
                line, column = error.lineno or 1, error.offset or 1
                self.place.record(syntax.NOT_PYTHON, line, column)
            for definition in filter(None, reached.values()):
                if not definition.is_for_types and not self._is_known_star(definition):
                    imports.check_import(definition, self.place)
            for node in self._nodes_of(module):
                self.visitor.visit(node)
        return sorted(self.place.findings.values())

    def _is_known_star(self, definition: Definition) -> bool:
        """True for `from … import *` from a module that is read here itself, or that is on the allowlist."""
        home = str(definition.import_path).removesuffix(".*")
        is_known = home in MODULES or self.reach.tree.split(home) is not None
        return definition.name == "*" and is_known

    def _nodes_of(self, module: Module) -> Iterator[ast.AST]:
        """The reached statements; below `if __name__ == "__main__":` only the definitions that are read."""
        for node in self.reach.nodes_of(module):
            if isinstance(node, ast.If) and is_main(node):
                names = self.reach.names.get(module, set())
                yield from (
                    inner.node for inner in definitions(module, node.body) if inner.name in names
                )
            else:
                yield node
