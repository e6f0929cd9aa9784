"""The sources of a program: the statements that its contract reaches, and the data files that these read."""

from __future__ import annotations

from typing import Any

from chain.foundation.light_hashes import fingerprint
from chain.metering.bundled_files import DataFiles
from chain.source.modules import Module
from chain.source.reachability import Reachability
from chain.source.top_level import imported_sources


class ProgramSources(Reachability):
    """The statements that a contract reaches, and their data files."""

    def __init__(self, root: Module) -> None:
        super().__init__(imported_sources(root))
        self._data_files: dict[Module, DataFiles | None] = {}

    @property
    def content(self) -> str:
        """A hash of all that is reached: the texts, which statements of them, and the data files."""
        parts: list[Any] = []
        for module, nodes in self.modules.items():
            places = sorted((node.lineno, node.col_offset) for node in nodes)  # type: ignore[attr-defined]
            files = self.data_files(module)
            about = module.name, module.file, module.is_package, places, files and files.digests()
            parts.append((about, fingerprint(module.text)))
        return fingerprint(repr(parts))

    def data_files(self, module: Module) -> DataFiles | None:
        """Return the data files of a module as they are at the first call; None if it reads none."""
        if module not in self._data_files:
            self._data_files[module] = DataFiles(module) if self.reads_files(module) else None
        return self._data_files[module]
