"""The dataclasses of instrumented copies, whose `__init__` charges, whatever calls it in a contract. The chain itself makes
records by their plain makers: how many it makes depends on what it has cached.
"""

from __future__ import annotations

import dataclasses
from functools import wraps
from typing import Any, Final

from chain.foundation import dataclass as made_here
from chain.metering.fuel import INSTRUMENTED_BUILTINS, charge, tick_lines

_FEW: Final = 2  # fields for which half the ticks do
_BEGUN: Final = 16  # ticks for an `__init__`
_SLOT: Final = 3  # ticks for a field that it sets
_FIELD: Final = 8  # ticks for a field that it sets by its name, as a frozen class without slots does, or that it makes


def dataclass(cls: type, **how: Any) -> type:
    """Return `dataclasses.dataclass(cls, **how)`."""
    has_own = "__init__" in vars(cls)
    make: Any = made_here.dataclass
    made = make(cls, start_of_init=_ticking, **how)
    if not has_own and "__init__" in vars(made) and not made_here.has_start(made):
        made.__init__ = _charged(made.__init__, ticks_of(made))
    return made  # type: ignore[no-any-return]


def _ticking(cls: type) -> made_here.Start:
    return tick_lines(ticks_of(cls)), INSTRUMENTED_BUILTINS


def ticks_of(cls: Any) -> int:
    """Return the ticks for an `__init__` of a class."""
    fields, frozen = dataclasses.fields(cls), cls.__dataclass_params__.frozen
    by_name = [
        field for field in fields if frozen and field.name not in vars(cls).get("__slots__", ())
    ]
    later = [field for field in fields if field.default_factory is not dataclasses.MISSING]
    if not by_name and not later:
        return _BEGUN // 2 if len(fields) <= _FEW else max(_BEGUN, _SLOT * len(fields))
    return _BEGUN + _SLOT * len(fields) + _FIELD * (len(by_name) + len(later))


def _charged(init: Any, ticks: int) -> Any:
    @wraps(init)
    def charged(*args: object, **named: object) -> None:
        charge(ticks)
        init(*args, **named)

    return charged
