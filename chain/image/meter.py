"""Fuel: what a contract's own computing may take. One gas of a transaction buys one tick, in a tank of its own.

The tank is an iterator that yields zeros, as many as there are ticks, and stands among the builtins of every image, so that
`0 in __tank__` takes one of them and is false when none are left: no call, no lookup but one. Who finds the tank dry raises
`OutOfGas`, which no contract can catch; should it get lost all the same, every later tick raises it again, and the message
ends as out of gas whatever it returned. What a message did not use goes back to the one that sent it.

Functions that may call themselves also take a level at their beginning and give it back at their end: Python's own limit
counts other things from version to version, and where the test runner stands in the stack.
"""

from __future__ import annotations

import builtins
import sys
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, NoReturn

from chain.errors import OutOfGas

if TYPE_CHECKING:
    from chain.frame import Frame

TICKS_PER_GAS: Final = 1
KEPT_BACK: Final = (
    1024  # of what is left when a message sends another, this part stays with the sender
)
DEEPEST: Final = 512  # calls of functions that may call themselves, one inside the other
_ROOM: Final = 3_000  # Python frames, of which a level takes one or two; more might not find room on the stack of C
_ENDLESS: Final = 2**62

TANK, DRY, DOWN, UP, DEEP = "__tank__", "__dry__", "__down__", "__up__", "__deep__"
EIGHT = "__eight__"  # the same tank, to be taken from by eights

# The builtins of every image.
SPACE: Final[dict[str, Any]] = dict(vars(builtins))


def left() -> int:
    """The ticks in the tank."""
    ticks: int = SPACE[TANK].__length_hint__()
    return ticks


def fill(ticks: int) -> None:
    """Put so many ticks into the tank."""
    set_tank(repeat(0, ticks))


def set_tank(tank: Any) -> None:
    SPACE[TANK] = tank
    SPACE[EIGHT] = zip(tank, tank, tank, tank, tank, tank, tank, tank, strict=False)


def charge(ticks: int) -> None:
    """Take so many ticks at once, before the work that they are for."""
    rest = left() - ticks
    if rest < 1:
        dry()
    fill(rest)


def spend() -> None:
    """Take eight ticks, in the time of two."""
    for _ in SPACE[EIGHT]:
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
    set_tank(tank)


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


class Fill:
    """The tank of one message, from its first tick to its last."""

    __slots__ = ("_limit", "_outer", "_room", "_within", "frame")

    def __init__(self, frame: Frame) -> None:
        context = frame.context
        self.frame, self._outer = frame, SPACE[TANK]
        self._within = context.metered
        if self._within:
            limit = self._outer.__length_hint__() - 1
            limit -= limit // KEPT_BACK
            _stand_at(frame.depth)
        else:
            context.metered = True
            limit = context.fuel
            self._room = sys.getrecursionlimit()
            if (
                self._room != _ROOM
            ):  # py-evm raises it, test runners too: far beyond what the stack of C holds
                sys.setrecursionlimit(_ROOM)
        if frame.gas * TICKS_PER_GAS < limit:
            limit = frame.gas * TICKS_PER_GAS
        self._limit = limit
        fill(limit + 1)  # whoever takes the last of these has taken one too many

    def close(self) -> None:
        """Count what was used, and let the sender go on. Who ran dry is out of gas, whatever it has returned."""
        if self._settle():
            raise OutOfGas

    def fail(self, problem: BaseException) -> None:
        """The same where something was raised. Too deep a recursion is out of gas, and takes all there was."""
        if isinstance(problem, RecursionError):
            fill(0)
        if self._settle() and not isinstance(problem, OutOfGas):
            raise OutOfGas from problem

    def _settle(self) -> bool:
        left: int = SPACE[TANK].__length_hint__()
        frame = self.frame
        used = self._limit + 1 - left if left else self._limit
        frame.ticks = used
        if self._within:
            fill(self._outer.__length_hint__() - used)
            _stand_at(frame.depth - 1)
        else:
            context = frame.context
            set_tank(self._outer)
            if self._room != _ROOM:
                sys.setrecursionlimit(self._room)
            context.metered = False
            context.fuel -= used
            context.ticks += used
        return not left


SPACE.update({DRY: dry, DEEP: deep})
fill(_ENDLESS)
_stand_at(0)
