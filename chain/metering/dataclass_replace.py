"""A short form of `replace` for the dataclasses of instrumented copies.

Games keep their states in frozen dataclasses, and each step makes changed copies of them. Python's `replace` looks at all that
is known of each field. The function here is generated for one class each, and does the same in a fraction of the time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeAlias

from chain.foundation.dataclass import has_plain_init, has_start, parts_of_maker
from chain.metering.dataclass_init import ticks_of
from chain.metering.frozen_collections import is_recorded
from chain.metering.fuel import INSTRUMENTED_BUILTINS, charge, tick_lines
from chain.schema.codegen import SourceBuilder

_ANY: Final = 256  # ticks for Python's own `replace`
_CHANGING: Final = 32  # ticks for the `replace` of a class that is not frozen
_FIELD: Final = 8  # ticks more for each of its fields
_KEPT: Final = object()  # in place of a field that does not change
# A function that makes a changed copy, and the ticks for a class that is not frozen.
_Replacer: TypeAlias = tuple[Callable[..., Any], int]
_final: Final[dict[type, _Replacer]] = {}


def replace(thing: Any, /, **changes: Any) -> Any:
    """Return `dataclasses.replace(thing, **changes)`."""
    function, ticks = _final.get(thing.__class__) or _replacer(thing.__class__)
    if ticks:
        charge(ticks)
    return function(thing, **changes)


def _replacer(cls: type) -> _Replacer:
    """Return the `replace` of one class. A class that outlives calls is final: it keeps its methods, and so its `replace`."""
    if not is_recorded(cls):
        return _made(cls, False)
    _final[cls] = _made(cls, True)
    return _final[cls]


@lru_cache(maxsize=256)
def _made(cls: type, is_final: bool) -> _Replacer:
    """Return a function that is generated for one class. Objects of a final class are made without a call of it."""
    names = (
        [field.name for field in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []
    )
    if not names or not has_plain_init(cls):
        return dataclasses.replace, _ANY
    made_as: Any = cls.__dataclass_params__  # type: ignore[attr-defined]
    ticks = 0 if made_as.frozen else _CHANGING + _FIELD * len(names)
    names_in_it = {"__kept__": _KEPT, "__cls__": cls, "__refuse__": _refuse}
    making = [f"return __cls__({', '.join(names)})"]
    if is_final and _is_made_plainly(cls):
        parts = parts_of_maker(cls)
        making = [*tick_lines(ticks_of(cls)), *parts.lines]
        names_in_it |= {**parts.things, "__builtins__": INSTRUMENTED_BUILTINS}
    parameters = ", ".join(f"{name}=__kept__" for name in names)
    given = ", ".join(f"{name!r}: {name}" for name in names)
    lines = [
        f"def replace(__thing__, /, *, {parameters}, **__others__):",
        f" if __others__: return __refuse__(__thing__, {{{given}}}, __others__)",
        *(f" if {name} is __kept__: {name} = __thing__.{name}" for name in names),
        *(f" {line}" for line in making),
    ]
    return SourceBuilder(f"replace in {cls.__name__}").run(lines, names_in_it)["replace"], ticks


def _is_made_plainly(cls: Any) -> bool:
    """True if a call of a class makes an object and calls its `__init__`, which was made with ticks, and does nothing else."""
    return (
        "__init__" in vars(cls)
        and has_start(cls)
        and cls.__new__ is object.__new__
        and type(cls).__call__ is type.__call__
    )


def _refuse(thing: Any, given: dict[str, Any], others: dict[str, Any]) -> Any:
    """Let Python refuse the names that are no fields, in its own words."""
    changes = {name: value for name, value in given.items() if value is not _KEPT}
    return dataclasses.replace(thing, **changes, **others)
