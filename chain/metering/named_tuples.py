"""The `__new__` and `_replace` of named tuples.

In `_replace`, a name that is not a field is a `ValueError`; in Python, since 3.13, a `TypeError`."""

from __future__ import annotations

from functools import update_wrapper
from typing import Any, Final

from chain.metering.fuel import INSTRUMENTED_BUILTINS, tick_lines
from chain.schema.codegen import SourceBuilder

_MADE: Final = 12  # ticks to make one
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


def adapt(cls: Any) -> None:
    """Change a named tuple in place, when it is made: its `__new__` charges, and its `_replace` is that of every version."""
    if not issubclass(cls, tuple) or "_fields" not in vars(cls):
        return
    if getattr(getattr(cls, "_replace", None), "__module__", "") == "collections":
        cls._replace = _REPLACE
    fields, real = ", ".join(cls._fields), cls.__new__
    lines = [
        f"def __new__({', '.join(['_cls', *cls._fields])}):",
        *(f" {line}" for line in tick_lines(_MADE + len(cls._fields))),
        f" return __tuple__(_cls, ({fields}{',' if fields else ''}))",
    ]
    tools = {"__tuple__": tuple.__new__, "__builtins__": INSTRUMENTED_BUILTINS}
    made = SourceBuilder(f"make {cls.__name__}").run(lines, tools)["__new__"]
    made.__defaults__ = real.__defaults__
    cls.__new__ = update_wrapper(made, real)
