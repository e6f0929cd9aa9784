"""Fuel: what a contract's own computing may take. Three gas of a transaction buy one tick, in a tank of its own.

The tank is an iterator that yields zeros, as many as there are ticks, and stands among the builtins of every image, so that
`0 in __tank__` takes one of them and is false when none are left: no call, no lookup but one. Who finds the tank dry raises
`OutOfGas`, which no contract can catch; should it get lost all the same, every later tick raises it again, and the message
ends as out of gas whatever it returned. What a message did not use goes back to the one that sent it.

Functions that may call themselves also take a level at their beginning and give it back at their end: Python's own limit
counts other things from version to version, and where the test runner stands in the stack.
"""

from __future__ import annotations

import builtins
from itertools import islice, repeat
from sys import getrecursionlimit, setrecursionlimit
from typing import TYPE_CHECKING, Any, Final, NoReturn

from chain.errors import OutOfGas
from chain.stack import ROOM

if TYPE_CHECKING:
    from chain.frame import Frame

GAS_PER_TICK: Final = 3  # a loop that does nothing burns a whole block in less than half a second
KEPT_BACK: Final = (
    1024  # of what is left when a message sends another, this part stays with the sender
)
DEEPEST: Final = 512  # calls of functions that may call themselves, one inside the other, each of one or two Python frames
_ENDLESS: Final = 2**62
_ONE_BY_ONE: Final = 256  # up to so many ticks are sooner taken than a new tank is made

# The large whole numbers that became keys in the running transaction, by their hash.
COLLIDING: Final[dict[int, set[int]]] = {}

TANK, EIGHTS, DRY, DOWN, UP, DEEP = (
    "__tank__",
    "__eights__",
    "__dry__",
    "__down__",
    "__up__",
    "__deep__",
)

# The builtins of every image.
SPACE: Final[dict[str, Any]] = dict(vars(builtins))


def left() -> int:
    """The ticks in the tank."""
    ticks: int = SPACE[TANK].__length_hint__()
    return ticks


def fill(ticks: int) -> None:
    """Put so many ticks into the tank."""
    _take_from(repeat(0, ticks))


def _take_from(tank: Any) -> None:
    SPACE[TANK] = tank
    SPACE[EIGHTS] = islice(tank, 7, None, 8)


def charge(ticks: int) -> None:
    """Take so many ticks at once, before the work that they are for."""
    if ticks > _ONE_BY_ONE:
        rest = left() - ticks
        if rest < 1:
            dry()
        fill(rest)
        return
    for _ in islice(SPACE[TANK], ticks - 1, None):
        return
    dry()


def spend() -> None:
    """Take eight ticks, in the time of two."""
    for _ in SPACE[EIGHTS]:
        return
    dry()


def dry() -> NoReturn:
    """There is nothing left, and there was too little."""
    fill(0)
    raise OutOfGas


def rest() -> Any:
    """Stop counting, and give the tank as it stands: what the chain does meanwhile is not the contract's."""
    tank = SPACE[TANK]
    fill(_ENDLESS)
    return tank


def resume(tank: Any) -> None:
    _take_from(tank)


class _Levels:
    """How deep the functions of one message may still call themselves."""

    __slots__ = ("down", "up")

    def __init__(self) -> None:
        levels = [1] + [0] * DEEPEST
        self.down, self.up = levels.pop, levels.append


_levels: Final = [_Levels()]  # by depth of message


def _stand_at(depth: int) -> None:
    while len(_levels) <= depth:
        _levels.append(_Levels())
    SPACE[DOWN], SPACE[UP] = _levels[depth].down, _levels[depth].up


def deep() -> None:
    """The last level was taken."""
    SPACE[UP](1)
    dry()


def begin(frame: Frame) -> int:
    """Fill the tank for a message; how many ticks it may take."""
    context, limit = frame.context, frame.gas // GAS_PER_TICK
    if context.metered:
        most: int = SPACE[TANK].__length_hint__() - 1
        most -= most // KEPT_BACK
        _stand_at(frame.depth)
    else:
        most = context.fuel
        COLLIDING.clear()
        # It is the program's own, and py-evm raises it beyond what the stack of C holds.
        limit_outside = getrecursionlimit()
        if limit_outside != ROOM:
            context.room = limit_outside
            setrecursionlimit(ROOM)
    context.metered += 1
    if most < limit:
        limit = most
    fill(limit + 1)  # whoever takes the last of these has taken one too many
    return limit


def end(frame: Frame, outer: Any, limit: int) -> None:
    """Count what was used, and go on with the tank of before. Who ran dry is out of gas, whatever it has returned."""
    left: int = SPACE[TANK].__length_hint__()
    context = frame.context
    used = limit + 1 - left if left else limit
    frame.ticks = used
    context.metered -= 1
    if context.metered:
        fill(outer.__length_hint__() - used)
        _stand_at(frame.depth - 1)
    else:
        _take_from(outer)
        context.fuel -= used
        context.ticks += used
        if context.room:
            setrecursionlimit(context.room)
            context.room = 0
    if not left:
        raise OutOfGas


def fail(frame: Frame, outer: Any, limit: int, problem: BaseException) -> None:
    """The same where something was raised. Too deep a recursion is out of gas, and takes all there was."""
    if isinstance(problem, RecursionError):
        fill(0)
    try:
        end(frame, outer, limit)
    except OutOfGas:
        if not isinstance(problem, OutOfGas):
            raise OutOfGas from problem


SPACE.update({DRY: dry, DEEP: deep})
fill(_ENDLESS)
_stand_at(0)
