"""Charges for `yield from`: Python passes an item on through all generators that delegate to one another."""

from __future__ import annotations

from collections.abc import Generator
from types import GeneratorType
from typing import Any, Final

from chain.metering.builtin_costs import metered_if_long
from chain.metering.fuel import charge

_PASSED: Final = 24  # ticks for an item on its way through a generator


def delegated(source: Any) -> Any:
    """Return `source`, to which a generator delegates by `yield from`, so that draining it is charged. A generator that
    delegates in turn, or an expression that may read one, pays for each item, which Python passes on through all levels."""
    if type(source) is GeneratorType:
        code = source.gi_code
        if code.co_name == "<genexpr>" or "__delegated__" in code.co_names:
            return _passed_on(source)
    return metered_if_long(source)


def _passed_on(source: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """Do as `yield from source` does, with a charge for each item."""
    try:
        item = next(source)
        while True:
            charge(_PASSED)
            try:
                sent = yield item
            except GeneratorExit:
                source.close()
                raise
            except BaseException as error:
                item = source.throw(error)
            else:
                item = source.send(sent)
    except StopIteration as end:
        return end.value
