"""Fuel: what a contract's own computing may take. Three gas of a transaction buy one tick, in a tank of its own.

The tank is an iterator that yields zeros, as many as there are ticks, and stands among the builtins of every image, so that
`0 in __tank__` takes one of them and is false when none are left: no call, no lookup but one. Who finds the tank dry raises
`OutOfGas`, which no contract can catch; should it get lost all the same, every later tick raises it again, and the message
ends as out of gas whatever it returned. What a message did not use goes back to the one that sent it.

Functions that may call themselves also take a level at their beginning and give it back at their end: Python's own limit
counts other things from version to version, and where the test runner stands in the stack.

There is one tank in a process, and one message that takes from it: that of the thread whose turn it is (`chain.turn`).
"""

from __future__ import annotations

import builtins
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, Final, NoReturn

from chain.errors import OutOfGas

if TYPE_CHECKING:
    from chain.frame import Frame

GAS_PER_TICK: Final = 3  # a loop that does nothing burns a whole block in less than half a second
KEPT_BACK: Final = (
    1024  # of what is left when a message sends another, this part stays with the sender
)
DEEPEST: Final = 512  # calls of functions that may call themselves, one inside the other, each of one or two Python frames
OUTSIDE: Final = repeat(0, 2**62)  # the tank where no contract runs
_ONE_BY_ONE: Final = 256  # up to so many ticks are sooner taken than a new tank is made

# The large whole numbers that became keys in the running transaction, by their hash.
COLLIDING: Final[dict[int, set[int]]] = {}

TANK, PAIRS, FOURS, EIGHTS, DRY = "__tank__", "__pairs__", "__fours__", "__eights__", "__dry__"
SIXTEENS: Final = "__sixteens__"
MANY = "__many__"
TANKS: Final = {
    1: TANK,
    2: PAIRS,
    4: FOURS,
    8: EIGHTS,
    16: SIXTEENS,
}  # by the ticks that are taken at once
DOWN, UP, DEEP = "__down__", "__up__", "__deep__"

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
    SPACE[PAIRS] = islice(tank, 1, None, 2)
    SPACE[FOURS] = islice(tank, 3, None, 4)
    SPACE[EIGHTS] = islice(tank, 7, None, 8)
    SPACE[SIXTEENS] = islice(tank, 15, None, 16)


def charge(ticks: int) -> None:
    """Take so many ticks at once, before the work that they are for."""
    if ticks > _ONE_BY_ONE:
        rest = left() - ticks
        if rest < 1:
            dry()
        fill(rest)
        return
    for _ in islice(SPACE[TANK], max(ticks, 1) - 1, None):
        return
    dry()


def spend() -> None:
    """Take sixteen ticks, in the time of four: what it takes to call one of these functions."""
    for _ in SPACE[SIXTEENS]:
        return
    dry()


def dry() -> NoReturn:
    """There is nothing left, and there was too little."""
    fill(0)
    raise OutOfGas


def rest() -> Any:
    """Stop counting, and give the tank as it stands: what the chain does meanwhile is not the contract's."""
    tank = SPACE[TANK]
    _take_from(OUTSIDE)
    return tank


def resume(tank: Any) -> None:
    _take_from(tank)


class _Levels:
    """How deep the functions of one message may still call themselves."""

    __slots__ = ("down", "left", "up")

    def __init__(self) -> None:
        self.left = [1] + [0] * DEEPEST
        self.down, self.up = self.left.pop, self.left.append


_levels: Final = [_Levels()]  # by depth of message


def deep() -> None:
    """The last level was taken."""
    SPACE[UP](1)
    dry()


def begin(frame: Frame) -> tuple[int, Any, Any, Any]:
    """Fill the tank for a message, and give it its levels: how many ticks it may take, and what whoever sent it has of both."""
    context, limit = frame.context, frame.gas // GAS_PER_TICK
    tank, down, up, depth = SPACE[TANK], SPACE[DOWN], SPACE[UP], frame.depth
    if context.metered:
        most: int = tank.__length_hint__() - 1
        most -= most // KEPT_BACK
    else:
        most = context.fuel
        COLLIDING.clear()
    context.metered += 1
    if most < limit:
        limit = most
    while len(_levels) <= depth:
        _levels.append(_Levels())
    levels = _levels[depth]
    if len(levels.left) <= DEEPEST:  # another message still has some, or was interrupted
        levels = _levels[depth] = _Levels()
    SPACE[DOWN], SPACE[UP] = levels.down, levels.up
    fill(limit + 1)  # whoever takes the last of these has taken one too many
    return limit, tank, down, up


def end(frame: Frame, began: tuple[int, Any, Any, Any]) -> None:
    """Count what was used, and go on with the tank of before. Who ran dry is out of gas, whatever it has returned."""
    left: int = SPACE[TANK].__length_hint__()
    context = frame.context
    limit, tank, SPACE[DOWN], SPACE[UP] = began
    used = limit + 1 - left if left else limit
    frame.ticks = used
    context.metered -= 1
    if context.metered:
        fill(tank.__length_hint__() - used)
    else:
        _take_from(tank)
        context.fuel -= used
        context.ticks += used
    if not left:
        raise OutOfGas


def fail(frame: Frame, began: tuple[int, Any, Any, Any], problem: BaseException) -> None:
    """The same where something was raised. Too deep a recursion is out of gas, and takes all there was."""
    if isinstance(problem, RecursionError):
        fill(0)
    try:
        end(frame, began)
    except OutOfGas:
        if not isinstance(problem, OutOfGas):
            raise OutOfGas from problem


_take_from(OUTSIDE)
SPACE.update({DRY: dry, MANY: islice, DEEP: deep, DOWN: _levels[0].down, UP: _levels[0].up})
