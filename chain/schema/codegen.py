"""Functions generated from a declaration: straight-line Python source, written once per declaration and compiled.

Objects that the source needs are bound to names. The checks in the source refuse a value that does not fit. Python's cache of
source lines holds the source under its title, so tracebacks and debuggers show it, and profiles name it.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import lru_cache
from types import CodeType
from typing import Any

from chain.foundation.dataclass import dataclass
from chain.schema.scalars import TOOLS


@dataclass
class SourceBuilder:
    """Python source that is being written: the conditions under which it refuses, and the objects it refers to."""

    title: str  # what the functions do, such as `encode Card`
    checks: list[str] = field(default_factory=list)
    names: dict[str, object] = field(default_factory=dict)

    def bind(self, thing: object) -> str:
        """Give `thing` a name in the source, and return that name."""
        name = f"k{len(self.names)}"
        self.names[name] = thing
        return name

    def run(self, lines: Iterable[str], tools: Mapping[str, object]) -> dict[str, Any]:
        """Execute the finished source and return its namespace. `tools` are objects that it uses by these names."""
        namespace = {**TOOLS, **self.names, **tools}
        text = "\n".join(lines)
        exec(_compiled(text, _file_of(self.title, text)), namespace)
        return namespace


@lru_cache(maxsize=4096)
def _compiled(text: str, file: str) -> CodeType:
    """Compile a source once: a class and its instrumented copy have the same."""
    code: CodeType = compile(text, file, "exec")
    return code


def _file_of(title: str, text: str) -> str:
    """Return the file name of a generated source. Different sources of one title are numbered."""
    lines, number = text.splitlines(keepends=True), 1
    file = f"<{title}>"
    while file in linecache.cache and linecache.getlines(file) != lines:
        number += 1
        file = f"<{title} {number}>"
    linecache.cache[file] = len(text), None, lines, file
    return file
