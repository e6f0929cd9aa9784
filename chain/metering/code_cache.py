"""The compiled statements of instrumented copies, cached on disk (`chain.source.disk_cache`), because instrumenting takes
longest.

How a statement is instrumented depends on its module, and on the plain values of the names above it. The key determines all
of these: it holds the texts of all reached modules, the reached statements, the data files, and the earlier builds in the
same module namespace. If a module imports from a package that is neither the author's nor Python's, nothing is cached.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Final

from chain.foundation.light_hashes import fingerprint
from chain.metering.program_sources import ProgramSources
from chain.source import disk_cache
from chain.source.modules import Module

_KNOWN: Final = sys.stdlib_module_names | {"chain"}


class StatementCodes:
    """The compiled statements for one build of a module namespace.

    `history` holds the keys of the builds before it; `is_as_built` is True if the modules are as those left them.
    """

    def __init__(self, sources: ProgramSources, history: Sequence[str], is_as_built: bool) -> None:
        self.key = fingerprint(" ".join((*history, sources.content)))
        self._is_kept = is_as_built and all(
            _imports_only_known(module, sources) for module in sources.modules
        )
        saved = disk_cache.load("statements", self.key) if self._is_kept else None
        self._codes: dict[tuple[str, int, int], CodeType] = saved or {}
        self._saved = len(self._codes)

    def code(
        self, module: Module, node: ast.stmt, make: Callable[[ast.stmt], CodeType]
    ) -> CodeType:
        """Return the code of a statement, which `make` compiles if it is not known."""
        place = module.name, node.lineno, node.col_offset
        code = self._codes.get(place)
        if code is None:
            code = self._codes[place] = make(node)
        return code

    def save(self) -> None:
        """Save the newly compiled statements."""
        if self._is_kept and len(self._codes) > self._saved:
            disk_cache.save(self._codes, "statements", self.key)


def _imports_only_known(module: Module, sources: ProgramSources) -> bool:
    paths = [definition.import_path for definition in module.names.values()]
    return all(
        path.partition(".")[0] in _KNOWN or sources.tree.split(path.removesuffix(".*")) is not None
        for path in paths
        if path is not None
    )
