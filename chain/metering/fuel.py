"""Fuel: what a contract's own computing may take. Three gas of a transaction buy one tick, in a tank of its own.

A tank is an iterator that yields zeros, and stands among the builtins of every image, so that `0 in __tank__` takes one of
them and is false when none are left: no call, no lookup but one. There is a tank of single ticks and others whose zeros are
worth several, as coins are, so that a long stretch pays in one step too. Where one is empty, `__out_of_fuel__` makes change:
what all of them hold is put into them anew. A step takes the same with change and without. When all hold less than is asked,
it raises `OutOfGas`, which no contract can catch; should that get lost all the same, every later tick raises it again, and the
message ends as out of gas whatever it returned. What a message did not use goes back to the one that sent it.

Functions that may call themselves also take a level at their beginning and give it back at their end: Python's own limit
counts other things from version to version, and where the test runner stands in the stack.

There is one set of tanks in a process, and one message that takes from it: that of the thread whose turn it is
(`chain.concurrency.turn`).
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from itertools import islice, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from chain.errors import OutOfGas

if TYPE_CHECKING:
    from chain.machine.frame import Frame

GAS_PER_TICK: Final = 3  # a loop that does nothing burns a whole block in less than half a second
KEPT_BACK: Final = (
    1024  # of what is left when a message sends another, this part stays with the sender
)
DEEPEST: Final = 512  # calls of functions that may call themselves, one inside the other, each of one or two Python frames
_SHARE: Final = 2**18  # ticks at most in a tank other than that of single ones
_PLENTY: Final = 6 * _SHARE
_ONE_BY_ONE: Final = 256  # so many steps are sooner taken than all tanks are filled anew

Tanks: TypeAlias = tuple["repeat[int]", ...]

# The large whole numbers that became keys in the running transaction, by their hash.
COLLIDING: Final[dict[int, set[int]]] = {}

TANK, PAIRS, FOURS, EIGHTS, DRY = (
    "__tank__",
    "__pairs__",
    "__fours__",
    "__eights__",
    "__out_of_fuel__",
)
SIXTEENS, MOST = "__sixteens__", "__sixty_fours__"
CHARGE: Final = "__charge__"
TANKS: Final = {1: TANK, 2: PAIRS, 4: FOURS, 8: EIGHTS, 16: SIXTEENS, 64: MOST}  # by their worth
WORTHS: Final = {tank: worth for worth, tank in TANKS.items()}
LARGEST: Final = 64
# The tank whose step takes so many ticks, or the next larger one.
_TANK_OF: Final = tuple(
    next(name for worth, name in TANKS.items() if ticks <= worth) for ticks in range(LARGEST + 1)
)
_WORTH: Final = {name: worth for worth, name in TANKS.items()}
DOWN, UP, DEEP = "__down__", "__up__", "__too_deep__"

# The builtins of every image.
INSTRUMENTED_BUILTINS: Final[dict[str, Any]] = dict(vars(builtins))
_standing: Final[Callable[[dict[str, Any]], Tanks]] = itemgetter(*TANKS.values())


def _shared(ticks: int) -> Tanks:
    """Tanks that hold so many ticks. How they lie in them depends on nothing else."""
    if ticks >= _PLENTY:
        return (
            repeat(0, ticks - 5 * _SHARE), repeat(0, _SHARE // 2), repeat(0, _SHARE // 4), repeat(0, _SHARE // 8),
            repeat(0, _SHARE // 16), repeat(0, _SHARE // LARGEST),
        )  # fmt: skip
    counts = [ticks // len(TANKS) // worth for worth in TANKS]
    ticks -= sum(count * worth for count, worth in zip(counts, TANKS, strict=True))
    ones, pairs, fours, eights, sixteens, most = map(repeat, [0] * len(TANKS), counts)
    return repeat(0, ones.__length_hint__() + ticks), pairs, fours, eights, sixteens, most


def _held_by(tanks: Tanks) -> int:
    ones, pairs, fours, eights, sixteens, most = tanks
    return (
        ones.__length_hint__()
        + 2 * pairs.__length_hint__()
        + 4 * fours.__length_hint__()
        + 8 * eights.__length_hint__()
        + 16 * sixteens.__length_hint__()
        + LARGEST * most.__length_hint__()
    )


def remaining() -> int:
    """The ticks in the tanks."""
    return _held_by(_standing(INSTRUMENTED_BUILTINS))


def set_fuel(ticks: int) -> None:
    """Have so many ticks in the tanks."""
    resume(_shared(ticks))


def suspend() -> Tanks:
    """Stop counting, and give the tanks as they stand: what the chain does meanwhile is not the contract's."""
    tanks = _standing(INSTRUMENTED_BUILTINS)
    resume(OUTSIDE)
    return tanks


def resume(tanks: Tanks) -> None:
    """Take from these."""
    space = INSTRUMENTED_BUILTINS
    (
        space[TANK], space[PAIRS], space[FOURS], space[EIGHTS], space[SIXTEENS], space[MOST]
    ) = tanks  # fmt: skip


def charge(ticks: int) -> None:
    """Take so many ticks at once, or somewhat more, before the work that they are for."""
    if ticks > LARGEST:
        steps = -(-ticks // LARGEST)
        if steps <= _ONE_BY_ONE:
            tank, ticks = INSTRUMENTED_BUILTINS[MOST], steps * LARGEST
            if steps <= tank.__length_hint__():
                for _ in islice(tank, steps - 1, None):
                    return
        change(ticks)
    else:
        tank = _TANK_OF[ticks] if ticks > 0 else TANK
        for _ in INSTRUMENTED_BUILTINS[tank]:
            return
        change(_WORTH[tank])


def charge_8() -> None:
    """Take sixteen ticks: what it takes to call one of these functions."""
    for _ in INSTRUMENTED_BUILTINS[SIXTEENS]:
        return
    change(16)


def change(ticks: int = 8) -> bool:
    """Take so many ticks from all tanks, as the one for them is empty, and share out what is left. True, for a condition;
    eight where an image does not say how many."""
    rest = remaining() - ticks
    if rest < 0:
        out_of_fuel()
    set_fuel(rest)
    return True


def out_of_fuel() -> NoReturn:
    """There is nothing left, and there was too little."""
    set_fuel(0)
    raise OutOfGas


class _Levels:
    """How deep the functions of one message may still call themselves."""

    __slots__ = ("down", "remaining", "up")

    def __init__(self) -> None:
        self.remaining = [1] + [0] * DEEPEST
        self.down, self.up = self.remaining.pop, self.remaining.append


_levels: Final = [_Levels()]  # by depth of message


def too_deep() -> None:
    """The last level was taken."""
    INSTRUMENTED_BUILTINS[UP](1)
    out_of_fuel()


def start_message(frame: Frame, outer: Tanks | None = None) -> tuple[int, Tanks, Any, Any]:
    """Give a message its ticks and levels: how many ticks it may take, and what whoever sent it has of both (`outer`, if
    that is not what stands there)."""
    context, limit = frame.context, frame.gas // GAS_PER_TICK
    tanks, down, up, depth = (
        outer or _standing(INSTRUMENTED_BUILTINS),
        INSTRUMENTED_BUILTINS[DOWN],
        INSTRUMENTED_BUILTINS[UP],
        frame.depth,
    )
    if context.metering_depth:
        most = _held_by(tanks) - 1
        most -= most // KEPT_BACK
    else:
        most = context.fuel
        COLLIDING.clear()
    context.metering_depth += 1
    if most < limit:
        limit = most
    while len(_levels) <= depth:
        _levels.append(_Levels())
    levels = _levels[depth]
    if len(levels.remaining) <= DEEPEST:  # another message still has some, or was interrupted
        levels = _levels[depth] = _Levels()
    INSTRUMENTED_BUILTINS[DOWN], INSTRUMENTED_BUILTINS[UP] = levels.down, levels.up
    set_fuel(limit + 1)  # whoever takes the last of these has taken one too many
    return limit, tanks, down, up


def end_message(frame: Frame, began: tuple[int, Tanks, Any, Any]) -> None:
    """Count what was used, and go on with the tanks of before. Who ran dry is out of gas, whatever it has returned."""
    rest = remaining()
    context = frame.context
    limit, tanks, INSTRUMENTED_BUILTINS[DOWN], INSTRUMENTED_BUILTINS[UP] = began
    used = limit + 1 - rest if rest else limit
    frame.ticks = used
    context.metering_depth -= 1
    if context.metering_depth:
        set_fuel(_held_by(tanks) - used)
    else:
        resume(tanks)
        context.fuel -= used
        context.ticks += used
    if not rest:
        raise OutOfGas


def abort_message(frame: Frame, began: tuple[int, Tanks, Any, Any], problem: BaseException) -> None:
    """The same where something was raised. Too deep a recursion is out of gas, and takes all there was."""
    if isinstance(problem, RecursionError):
        set_fuel(0)
    try:
        end_message(frame, began)
    except OutOfGas:
        if not isinstance(problem, OutOfGas):
            raise OutOfGas from problem


OUTSIDE: Final = _shared(2**62)  # the tanks where no contract runs
resume(OUTSIDE)
INSTRUMENTED_BUILTINS.update(
    {DRY: change, CHARGE: charge, DEEP: too_deep, DOWN: _levels[0].down, UP: _levels[0].up}
)
