"""The namespace of a contract class while its body runs. It refuses a definition that would replace an entry."""

from __future__ import annotations

import inspect
from typing import Any

from chain.errors import DeclarationError
from chain.source.location import line_of


class ClassBody(dict[str, object]):
    """The names of a class body. Python would keep only the last of two entries with one name, so the second is refused."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __setitem__(self, name: str, value: Any) -> None:
        previous = self.get(name)
        entry = getattr(previous, "__entry__", None)
        if entry is not None and previous is not None and inspect.unwrap(value) is not previous:
            location = line_of(value) if inspect.isfunction(value) else line_of(previous)
            raise DeclarationError(
                f"{location}: {self._name}.{name}: it replaces the entry of that name at {line_of(previous)};"
                f" give it another name, with @{entry.kind}(name='{name}') if it overloads '{name}' in the ABI"
            )
        super().__setitem__(name, value)
