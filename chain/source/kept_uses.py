"""The names that statements use, kept on disk for the next process (`chain.source.disk_cache`): to read them takes longest."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import starmap
from typing import TypeAlias

from chain.foundation.light_hashes import fingerprint
from chain.source import disk_cache
from chain.source.global_names import GlobalRead, uses_of
from chain.source.modules import Module

_Place: TypeAlias = tuple[str, str, int, int, int | None, int | None]
_Kept: TypeAlias = tuple[list[tuple[tuple[str, ...], bool, bool]], list[str]]


class KeptUses:
    """The reads and the imports of statements, for everything that is reached from one module."""

    def __init__(self) -> None:
        self._key: str | None = None  # the hash of the first module
        self._saved: dict[_Place, _Kept] = {}
        self._used: dict[_Place, _Kept] = {}
        self._texts: dict[Module, str] = {}

    def of(self, module: Module, node: ast.AST) -> tuple[Iterator[GlobalRead], list[str]]:
        """Return the global names that a statement reads, and the imports in its functions."""
        place = self._place(module, node)
        kept = self._saved.get(place)
        if kept is None:
            uses = uses_of(node)
            kept = [(*read,) for read in uses.reads], list(uses.imports)
        self._used[place] = kept
        return starmap(GlobalRead, kept[0]), kept[1]

    def save(self) -> None:
        """Keep what was read, if some of it was read anew."""
        if self._key is not None and not self._used.keys() <= self._saved.keys():
            self._saved = self._saved | self._used
            disk_cache.save(self._used, "uses", self._key)

    def _place(self, module: Module, node: ast.AST) -> _Place:
        text = self._texts.get(module)
        if text is None:
            text = fingerprint(module.text)
            self._texts[module] = text
        if self._key is None:
            self._key = text
            self._saved = disk_cache.load("uses", text) or {}
        start = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        end = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
        return (text, type(node).__name__, *start, *end)
