"""The body of a contract class while it runs: an entry that another one would replace is told where both stand."""

from __future__ import annotations

import inspect
from typing import Any

from chain.errors import DeclarationError
from chain.source.location import line_of


class ClassBody(dict[str, Any]):
    """The names of a class body. Python keeps the last of each; of two entries that would be one too few."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __setitem__(self, name: str, value: Any) -> None:
        before = self.get(name)
        entry = getattr(before, "__entry__", None)
        if entry is not None and before is not None and inspect.unwrap(value) is not before:
            where = line_of(value) if inspect.isfunction(value) else line_of(before)
            raise DeclarationError(
                f"{where}: {self._name}.{name}: it replaces the entry of that name at {line_of(before)};"
                f" give it a name of its own, with @{entry.kind}(name='{name}') if it is to be another '{name}' in the ABI"
            )
        super().__setitem__(name, value)
