"""Answers as JSON text, kept once they were made: clients ask for the same ones again and again.

What is in closed blocks never changes, unless the chain is truncated; then all is forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Generic, TypeVar

from chain.ledger.ledger import Ledger

_MOST_TEXTS: Final = 10_000

K = TypeVar("K")


class KeptTexts(Generic[K]):
    """Some texts of one chain."""

    longest: ClassVar[int]  # characters of a text that is kept

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._kept: dict[K, str] = {}
        ledger.on_truncated.append(self._on_truncate)

    def _keep(self, made: Mapping[K, str]) -> None:
        kept = self._kept
        if len(kept) + len(made) > _MOST_TEXTS:
            kept.clear()
        if len(made) <= _MOST_TEXTS:
            for key, text in made.items():
                if len(text) <= self.longest:
                    kept[key] = text

    def _on_truncate(self, blocks: int, receipts: int) -> None:
        self._kept.clear()
