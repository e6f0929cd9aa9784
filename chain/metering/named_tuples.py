"""The `_replace` of named tuples. A name that is no field is a `ValueError`; in Python, since 3.13, a `TypeError`."""

from __future__ import annotations

from typing import Any, Final

from chain.schema.codegen import SourceBuilder

# Generated, for then the error is one of Python's own: a contract does not see its text.
_REPLACE: Final = SourceBuilder("replace in a named tuple").run(
    [
        "def _replace(self, /, **changes):",
        " replaced = self._make(map(changes.pop, self._fields, self))",
        " if changes:",
        "  raise ValueError(f'Got unexpected field names: {list(changes)!r}')",
        " return replaced",
    ],
    {},
)["_replace"]


def with_stable_replace(cls: type) -> None:
    """Give a class the same `_replace` on every version, if it is a named tuple without one of its own."""
    replace: Any = getattr(cls, "_replace", None)
    if issubclass(cls, tuple) and getattr(replace, "__module__", "") == "collections":
        cls._replace = _REPLACE  # type: ignore[attr-defined]
