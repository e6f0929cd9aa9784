"""Fuel: the budget for a contract's own computing, counted in ticks. Six gas of a transaction buy one tick.

The ticks are held in tanks. A tank is an iterator that yields zeros, and is one of the builtins of every instrumented copy.
`0 in __tank__` takes one zero and is false when none is left: it takes one lookup and no call. There is a tank of single ticks,
and there are others whose zeros are worth several ticks, as coins are, so that a long stretch of code also pays in one step.
Where a tank is empty, `__out_of_fuel__` makes change: it distributes the ticks of all tanks over them again. A step costs the
same with and without change, so only the sum counts: a new message changes the tank of single ticks, and the others stay. When
the tanks together hold too little, it raises `OutOfGas`, which a contract cannot catch. If the exception gets lost anyway,
every later tick raises it again, and the message ends as out of gas whatever it returned. The ticks that a message did not use
go back to its sender.

A turn of a `while` loop that does next to nothing takes half a tick. There is a tank of halves too, which `__out_of_turns__`
fills with some of the ticks.

Functions that may call themselves also take a level when they start and return it when they end. Python's own recursion limit
does not do: it counts differently from version to version, and includes the frames of the test runner.

A process has one set of tanks, and one message uses it: that of the thread whose turn it is (`chain.foundation.turn`).
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from itertools import repeat
from operator import itemgetter
from typing import Any, Final, NoReturn, TypeAlias

from chain.errors import OutOfGas

GAS_PER_TICK: Final = 6  # a loop that does nothing burns a whole block in less than half a second
KEPT_BACK: Final = 1024  # a message that sends another keeps one tick in this many
DEEPEST: Final = 512  # nested calls of recursive functions, each of one or two Python frames
_SHARE: Final = 2**18  # the most ticks in a tank other than that of single ticks
OUTSIDE: Final = 2**62  # the ticks while no contract runs
_TURNS: Final = 4096  # ticks that become halves at a time
_ONE_BY_ONE: Final = 8  # up to this many steps are faster than setting the tank
_ROUNDED: Final = 256  # up to this many steps are whole ones


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


# The remaining ticks of the sender of a message, and its functions to take a recursion level and to return it.
Sender: TypeAlias = tuple[int, Callable[[], int], Callable[[int], None]]
# A message's limit of ticks, and its sender; None for the first message of a transaction.
Started: TypeAlias = tuple[int, Sender | None]

# The keys of the running transaction that might collide on purpose, by their hash.
COLLIDING: Final[dict[int, set[object]]] = {}

# The dicts that lost entries in the running transaction, each with a number of deletions, by identity.
EMPTIED: Final[dict[int, list[Any]]] = {}

TANK, FOURS, EIGHTS, DRY = "__tank__", "__fours__", "__eights__", "__out_of_fuel__"
SIXTEENS, THIRTY_TWOS, MOST = "__sixteens__", "__thirty_twos__", "__sixty_fours__"
HALVES, NO_TURNS = "__halves__", "__out_of_turns__"
CHARGE: Final = "__charge__"
# By the worth of a zero.
TANKS: Final = {1: TANK, 4: FOURS, 8: EIGHTS, 16: SIXTEENS, 32: THIRTY_TWOS, 64: MOST}
WORTHS: Final = {tank: worth for worth, tank in TANKS.items()}
LARGEST: Final = 64
_STEPS: Final = 6  # beyond this number of steps, a call is faster; one of 32 ticks counts as two
# By number of ticks: the tank from which a charge takes them, or a few more. It takes more than 16 from the largest.
_TANK_OF: Final = tuple(
    next(TANKS[worth] for worth in (1, 4, 8, 16, LARGEST) if ticks <= worth)
    for ticks in range(LARGEST + 1)
)
DOWN, UP, DEEP = "__down__", "__up__", "__too_deep__"
GENERATOR: Final = "__generator__"  # the name of the function within one that makes generators

# The builtins of every instrumented copy.
INSTRUMENTED_BUILTINS: Final[dict[str, Any]] = dict(vars(builtins))
_small: Final[Callable[[dict[str, object]], tuple[repeat[int], ...]]] = itemgetter(TANK, HALVES)
_larger: Final[Callable[[dict[str, object]], tuple[repeat[int], ...]]] = itemgetter(
    *list(TANKS.values())[1:]
)
_all_tanks: Final[Callable[[dict[str, object]], tuple[repeat[int], ...]]] = itemgetter(
    TANK, HALVES, *list(TANKS.values())[1:]
)


# A function, since the compiled core calls a method of another object by its name.
_length: Final[Callable[[repeat[int]], int]] = repeat.__length_hint__

_ENDLESS: Final = repeat(0, OUTSIDE)
_EMPTY: Final = repeat(0, 0)


def remaining() -> int:
    """Return the number of whole ticks in all tanks."""
    singles, halves = _small(INSTRUMENTED_BUILTINS)
    whole, half = _length(singles), _length(halves)
    return whole + _in_larger_tanks() + half // 2


def _remaining_halves() -> int:
    singles, halves = _small(INSTRUMENTED_BUILTINS)
    return 2 * (_length(singles) + _in_larger_tanks()) + _length(halves)


def _in_larger_tanks() -> int:
    fours, eights, sixteens, thirty_twos, most = _larger(INSTRUMENTED_BUILTINS)
    of_4, of_8, of_16 = _length(fours), _length(eights), _length(sixteens)
    of_32, of_64 = _length(thirty_twos), _length(most)
    return 4 * of_4 + 8 * of_8 + 16 * of_16 + 32 * of_32 + LARGEST * of_64


def steps_of(ticks: int) -> list[int]:
    """Return the sizes of the steps that add up to this many ticks, or a few more. Return none where a call is faster."""
    sizes = [LARGEST] * (ticks // LARGEST)
    if rest := ticks % LARGEST:
        sizes += [1, 1] if rest == 2 else [min(size for size in TANKS if rest <= size)]
    return sizes if -(-ticks // LARGEST) + sizes.count(32) <= _STEPS else []


def tick_lines(ticks: int) -> list[str]:
    """Return lines of source, for a function of an instrumented copy, that take this many ticks."""
    lines = [
        line
        for size in steps_of(ticks)
        for line in (f"for __t__ in {TANKS[size]}: break", f"else: {DRY}({size})")
    ]
    return lines or [f"{CHARGE}({ticks})"]


def turn_lines() -> list[str]:
    """Return lines of source, for a function of an instrumented copy, that take half a tick."""
    return [f"for __t__ in {HALVES}: break", f"else: {NO_TURNS}()"]


def set_fuel(ticks: int) -> None:
    """Make the tanks hold exactly this many ticks together. The larger ones stay as they are, if possible."""
    INSTRUMENTED_BUILTINS[HALVES] = _EMPTY
    singles = ticks - _in_larger_tanks()
    if singles < 0:
        _distribute(2 * ticks)
    else:
        INSTRUMENTED_BUILTINS[TANK] = repeat(0, singles)


def _distribute(halves: int) -> None:
    """Fill all tanks, so that they hold exactly this many halves of a tick together."""
    ticks, odd = divmod(halves, 2)
    share = min(ticks // len(TANKS), _SHARE)
    for worth, tank in TANKS.items():
        INSTRUMENTED_BUILTINS[tank] = repeat(0, share // worth)
    INSTRUMENTED_BUILTINS[TANK] = repeat(0, ticks - _in_larger_tanks())
    INSTRUMENTED_BUILTINS[HALVES] = repeat(0, odd)


def suspend() -> int:
    """Stop counting, as the chain's own work is not charged to the contract. Return the remaining fuel, for `resume`."""
    halves = _remaining_halves()
    set_fuel(OUTSIDE)
    return halves


def resume(halves: int) -> None:
    """Count again, from the fuel that `suspend` returned."""
    _distribute(halves)


def charge(ticks: int) -> None:
    """Take this many ticks, or a few more. Call it before the work that it pays for."""
    if ticks > LARGEST:
        steps = -(-ticks // LARGEST)
        if steps <= _ONE_BY_ONE:
            for _ in INSTRUMENTED_BUILTINS[MOST]:
                steps -= 1
                if not steps:
                    return
            ticks = steps * LARGEST
        elif steps <= _ROUNDED:
            ticks, left = steps * LARGEST, _length(INSTRUMENTED_BUILTINS[MOST]) - steps
            if left >= 0:
                INSTRUMENTED_BUILTINS[MOST] = repeat(0, left)
                return
        change(ticks)
    elif ticks > 2:
        tank = _TANK_OF[ticks]
        for _ in INSTRUMENTED_BUILTINS[tank]:
            return
        change(WORTHS[tank])
    else:
        for _ in INSTRUMENTED_BUILTINS[TANK]:
            if ticks < 2:
                return
            ticks = 1
        change(max(ticks, 1))


def charge_8() -> None:
    """Take sixteen ticks, the price of a call to a charging function."""
    for _ in INSTRUMENTED_BUILTINS[SIXTEENS]:
        return
    change(16)


def change(ticks: int = 8) -> bool:
    """Take this many ticks from all tanks together, because the tank for them is empty, and distribute the rest over the
    tanks.

    Return True, for use in a condition. An instrumented copy that passes no number means eight ticks.
    """
    rest = _remaining_halves() - 2 * ticks
    if rest < 0:
        out_of_fuel()
    _distribute(rest)
    return True


def take_turn() -> None:
    """Take half a tick, because the tank of halves is empty, and fill that tank."""
    ticks = min(remaining(), _TURNS)
    if ticks == 0:
        out_of_fuel()
    change(ticks)
    INSTRUMENTED_BUILTINS[HALVES] = repeat(0, 2 * ticks - 1)


def out_of_fuel() -> NoReturn:
    """Empty the tanks and raise OutOfGas."""
    set_fuel(0)
    raise OutOfGas


class _Levels:
    """The remaining recursion levels of one message."""

    __slots__ = ("down", "remaining", "up")

    def __init__(self) -> None:
        self.remaining = [1] + [0] * DEEPEST
        self.down, self.up = self.remaining.pop, self.remaining.append


_levels: Final = [_Levels()]  # by the depth of the message


def _use_levels(depth: int) -> None:
    """Let the next message have the levels of its depth."""
    if len(_levels) <= depth:
        _levels.append(_Levels())
    levels = _levels[depth]
    if len(levels.remaining) <= DEEPEST:  # another message still holds levels, or was interrupted
        levels = _levels[depth] = _Levels()
    INSTRUMENTED_BUILTINS[DOWN], INSTRUMENTED_BUILTINS[UP] = levels.down, levels.up


def too_deep() -> None:
    """Run out of gas, as the last level was taken."""
    INSTRUMENTED_BUILTINS[UP](1)
    out_of_fuel()


def start_message(frame: MeteredMessage) -> Started:
    """Set up the ticks and levels of a message. Return its limit of ticks, and the ticks and levels of its sender."""
    context, limit = frame.context, frame.gas // GAS_PER_TICK
    if context.metering_depth:
        return _start_nested_message(context, limit)
    if COLLIDING:
        COLLIDING.clear()
    if EMPTIED:
        EMPTIED.clear()
    first = _levels[0]
    if INSTRUMENTED_BUILTINS[UP] is not first.up or len(first.remaining) <= DEEPEST:
        _use_levels(0)  # another message was interrupted
    if context.fuel < limit:
        limit = context.fuel
    context.metering_depth = 1
    # `set_fuel(limit + 1)` inlined, as every call comes here. The message that takes the extra tick has taken one too many.
    fours, eights, sixteens, thirty_twos, most = _larger(INSTRUMENTED_BUILTINS)
    of_4, of_8, of_16 = _length(fours), _length(eights), _length(sixteens)
    of_32, of_64 = _length(thirty_twos), _length(most)
    singles = limit + 1 - (4 * of_4 + 8 * of_8 + 16 * of_16 + 32 * of_32 + LARGEST * of_64)
    if singles < 0:
        _distribute(2 * (limit + 1))
    else:
        INSTRUMENTED_BUILTINS[TANK] = repeat(0, singles)
        INSTRUMENTED_BUILTINS[HALVES] = _EMPTY
    return limit, None


def _start_nested_message(context: Budget, limit: int) -> Started:
    """Set up the ticks and levels of a message that another one sends."""
    ticks, depth = remaining(), context.metering_depth
    most = ticks - 1
    most -= most // KEPT_BACK
    sender = ticks, INSTRUMENTED_BUILTINS[DOWN], INSTRUMENTED_BUILTINS[UP]
    _use_levels(depth)
    context.metering_depth = depth + 1
    limit = min(limit, most)
    set_fuel(limit + 1)
    return limit, sender


def end_message(frame: MeteredMessage, started: Started) -> None:
    """Count the ticks a message used, and restore the ticks and levels of its sender.

    A message that emptied its tanks is out of gas, whatever it returned.
    """
    context = frame.context
    limit, sender = started
    # `remaining()` inlined, as every call comes here.
    singles, halves, fours, eights, sixteens, thirty_twos, most = _all_tanks(INSTRUMENTED_BUILTINS)
    of_4, of_8, of_16 = _length(fours), _length(eights), _length(sixteens)
    of_32, of_64 = _length(thirty_twos), _length(most)
    rest = 4 * of_4 + 8 * of_8 + 16 * of_16 + 32 * of_32 + LARGEST * of_64
    rest += _length(singles) + _length(halves) // 2
    frame.ticks = used = limit + 1 - rest if rest else limit
    context.metering_depth -= 1
    if sender is None:
        INSTRUMENTED_BUILTINS[TANK] = _ENDLESS
        context.fuel -= used
        context.ticks += used
    else:
        ticks, INSTRUMENTED_BUILTINS[DOWN], INSTRUMENTED_BUILTINS[UP] = sender
        set_fuel(ticks - used)
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


_distribute(2 * OUTSIDE)
INSTRUMENTED_BUILTINS.update(
    {
        DRY: change,
        NO_TURNS: take_turn,
        CHARGE: charge,
        DEEP: too_deep,
        DOWN: _levels[0].down,
        UP: _levels[0].up,
    }
)
