"""Functions generated from a declaration: straight-line Python source, written once per declaration and compiled.

Objects that the source needs are bound to names. The checks in the source refuse a value that does not fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chain.schema.scalars import TOOLS


@dataclass
class SourceBuilder:
    """Python source that is being written: the conditions under which it refuses, and the objects it refers to."""

    checks: list[str] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)

    def bind(self, thing: Any) -> str:
        """Give `thing` a name in the source, and return that name."""
        name = f"k{len(self.names)}"
        self.names[name] = thing
        return name

    def run(self, lines: Iterable[str], tools: Mapping[str, Any]) -> dict[str, Any]:
        """Execute the finished source and return its namespace. `tools` are objects that it uses by these names."""
        namespace = {**TOOLS, **self.names, **tools}
        exec("\n".join(lines), namespace)
        return namespace
