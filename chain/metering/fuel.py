"""Fuel: the budget for a contract's own computing, counted in ticks: one for each turn of a loop and each function call.

The ticks are in a tank: an iterator that yields zeros, under a name that every function finds among Python's builtins.
`0 in __tank__` takes one and is false when none is left. Outside of messages the tank is practically endless.
A process has one tank, and one message uses it: that of the thread whose turn it is (`chain.foundation.turn`).
"""

from __future__ import annotations

import builtins
from contextlib import nullcontext
from itertools import repeat
from typing import Any, Final, NoReturn, TypeAlias

from chain.errors import OutOfGas

GAS_PER_TICK: Final = 20
KEPT_BACK: Final = 1024  # a message that sends another keeps one tick in this many
OUTSIDE: Final = 2**62  # the ticks while no contract runs
TANK, DRY = "__tank__", "__out_of_fuel__"
IS_DEBUGGED, LOOKING = "__is_debugged__", "__looking__"
BUILTINS: Final[dict[str, Any]] = vars(builtins)
_length: Final = repeat.__length_hint__
_ENDLESS: Final = repeat(0, OUTSIDE)

Tank: TypeAlias = "repeat[int]"
# A message's limit of ticks, and the remaining ticks of its sender; None for the first message of a transaction.
Started: TypeAlias = tuple[int, int | None]


class Budget:
    """The part of a transaction that fuel concerns."""

    __slots__ = ("fuel", "metering_depth", "ticks")

    fuel: int  # ticks that Python contracts may still use
    ticks: int  # ticks that they used
    metering_depth: int  # number of nested Python contracts that run now


class MeteredMessage:
    """The part of a message that fuel concerns."""

    __slots__ = ("context", "gas", "ticks")

    context: Budget
    gas: int
    ticks: int  # fuel used by its own code and by the messages it sent


def is_counted() -> bool:
    """Return True while a message runs, except while the chain's own work is done for it."""
    return BUILTINS[TANK] is not _ENDLESS


def remaining() -> int:
    """Return the number of ticks in the tank."""
    return _length(BUILTINS[TANK])


def set_fuel(ticks: int) -> None:
    """Make the tank hold this many ticks."""
    BUILTINS[TANK] = repeat(0, ticks)


def suspend() -> Tank:
    """Stop counting, as the chain's own work is not charged to the contract. Return the tank, for `resume`."""
    tank: Tank = BUILTINS[TANK]
    BUILTINS[TANK] = _ENDLESS
    return tank


def resume(tank: Tank) -> None:
    """Count again, with the tank that `suspend` returned."""
    BUILTINS[TANK] = tank


def out_of_fuel() -> NoReturn:
    """Empty the tank and raise OutOfGas."""
    set_fuel(0)
    raise OutOfGas


def start_message(frame: MeteredMessage) -> Started:
    """Set up the ticks of a message."""
    context, limit, sender = frame.context, frame.gas // GAS_PER_TICK, None
    if context.metering_depth:
        sender = remaining()
        most = sender - 1
        limit = min(limit, most - most // KEPT_BACK)
    elif context.fuel < limit:
        limit = context.fuel
    context.metering_depth += 1
    BUILTINS[TANK] = repeat(0, limit + 1)  # who takes the extra tick has taken one too many
    return limit, sender


def end_message(frame: MeteredMessage, started: Started) -> None:
    """Count the ticks a message used, and restore those of its sender. An empty tank means out of gas, whatever it returned."""
    context, (limit, sender), rest = frame.context, started, _length(BUILTINS[TANK])
    frame.ticks = used = limit + 1 - rest if rest else limit
    context.metering_depth -= 1
    if sender is None:
        BUILTINS[TANK] = _ENDLESS
        context.fuel -= used
        context.ticks += used
    else:
        BUILTINS[TANK] = repeat(0, sender - used)
    if not rest:
        raise OutOfGas


def abort_message(frame: MeteredMessage, started: Started, problem: BaseException) -> None:
    """End a message that raised `problem`. A `RecursionError` is out of gas, and takes all ticks of the message."""
    if isinstance(problem, RecursionError):
        set_fuel(0)
    try:
        end_message(frame, started)
    except OutOfGas:
        if not isinstance(problem, OutOfGas):
            raise OutOfGas from problem


BUILTINS.update({TANK: _ENDLESS, DRY: out_of_fuel})
# Around statements for debugging: outside of messages, `print` prints; `chain.machine.debugging` sets other functions.
BUILTINS.update({IS_DEBUGGED: lambda: not is_counted(), LOOKING: nullcontext})
