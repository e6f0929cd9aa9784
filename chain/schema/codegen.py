"""Flat functions: what a declaration means is known once, so the Python for it is written once, as text, and compiled.

An object that the text needs is given a name there; a value that does not fit is told by one of the checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class SourceBuilder:
    """Python source while it is being written: conditions under which it refuses, and the names that it uses."""

    checks: list[str] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)

    def bind(self, thing: Any) -> str:
        key = f"k{len(self.names)}"
        self.names[key] = thing
        return key

    def run(self, lines: Iterable[str], tools: Mapping[str, Any]) -> dict[str, Any]:
        """What the finished text defines; `tools` are names that it uses as they are."""
        space = {**self.names, **tools}
        exec("\n".join(lines), space)
        return space
