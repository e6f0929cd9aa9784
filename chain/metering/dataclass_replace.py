"""A short form of `replace` for the dataclasses of instrumented copies.

Games keep their states in frozen dataclasses, and each step makes changed copies of them. Python's `replace` looks at all that
is known of each field. The function here is generated for one class each, and does the same in a fraction of the time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from chain.foundation.dataclass import has_plain_init
from chain.metering.fuel import charge
from chain.schema.codegen import SourceBuilder

_ANY: Final = 256  # ticks for Python's own `replace`
_CHANGING: Final = 32  # ticks for the `replace` of a class that is not frozen
_FIELD: Final = 8  # ticks more for each of its fields
_KEPT: Final = object()  # in place of a field that does not change


def replace(thing: Any, /, **changes: Any) -> Any:
    """Return `dataclasses.replace(thing, **changes)`."""
    function, ticks = _replacer(thing.__class__)
    if ticks:
        charge(ticks)
    return function(thing, **changes)


@lru_cache(maxsize=256)
def _replacer(cls: type) -> tuple[Callable[..., Any], int]:
    """Return the `replace` of one class, and the ticks for a class that is not frozen."""
    names = (
        [field.name for field in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []
    )
    if not names or not has_plain_init(cls):
        return dataclasses.replace, _ANY
    made_as: Any = cls.__dataclass_params__  # type: ignore[attr-defined]
    ticks = 0 if made_as.frozen else _CHANGING + _FIELD * len(names)
    parameters = ", ".join(f"{name}=__kept__" for name in names)
    values = ", ".join(f"__thing__.{name} if {name} is __kept__ else {name}" for name in names)
    given = ", ".join(f"{name!r}: {name}" for name in names)
    lines = [
        f"def replace(__thing__, /, *, {parameters}, **__others__):",
        f" if __others__: return __refuse__(__thing__, {{{given}}}, __others__)",
        f" return __cls__({values})",
    ]
    builder = SourceBuilder(f"replace in {cls.__name__}")
    names_in_it = {"__kept__": _KEPT, "__cls__": cls, "__refuse__": _refuse}
    return builder.run(lines, names_in_it)["replace"], ticks


def _refuse(thing: Any, given: dict[str, Any], others: dict[str, Any]) -> Any:
    """Let Python refuse the names that are no fields, in its own words."""
    changes = {name: value for name, value in given.items() if value is not _KEPT}
    return dataclasses.replace(thing, **changes, **others)
