"""The ticks that a piece of code takes."""

from __future__ import annotations

from collections.abc import Callable

from chain.errors import OutOfGas
from chain.metering.fuel import remaining, resume, set_fuel, suspend


def told(act: Callable[[], object]) -> tuple[object, int]:
    """What `act` returns or raises, and the ticks that it takes."""
    outside = suspend()
    set_fuel(10**6)
    result: object
    try:
        result = act()
    except (ValueError, TypeError, LookupError, AttributeError, OutOfGas) as error:
        result = type(error)
    finally:
        ticks = 10**6 - remaining()
        resume(outside)
    return result, ticks
