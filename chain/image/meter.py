"""Fuel: what a contract's own computing may take. Three gas of a transaction buy one tick, in a tank of its own.

A tank is an iterator that yields zeros, and stands among the builtins of every image, so that `0 in __tank__` takes one of
them and is false when none are left: no call, no lookup but one. There is a tank of single ticks and others whose zeros are
worth several, as coins are, so that a long stretch pays in one step too. Where one is empty, `__dry__` makes change: what all
of them hold is put into them anew. When they hold less than is asked, it raises `OutOfGas`, which no contract can catch;
should that get lost all the same, every later tick raises it again, and the message ends as out of gas whatever it returned.
What a message did not use goes back to the one that sent it.

Functions that may call themselves also take a level at their beginning and give it back at their end: Python's own limit
counts other things from version to version, and where the test runner stands in the stack.

There is one set of tanks in a process, and one message that takes from it: that of the thread whose turn it is (`chain.turn`).
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
OUTSIDE: Final = 2**62  # what is in the tanks where no contract runs
_SHARE: Final = 2**18  # ticks at most in a tank other than that of single ones
_ONE_BY_ONE: Final = 256  # so many steps are sooner taken than all tanks are filled anew

# The large whole numbers that became keys in the running transaction, by their hash.
COLLIDING: Final[dict[int, set[int]]] = {}

TANK, PAIRS, FOURS, EIGHTS, DRY = "__tank__", "__pairs__", "__fours__", "__eights__", "__dry__"
SIXTEENS, MOST = "__sixteens__", "__sixty_fours__"
CHARGE: Final = "__charge__"
TANKS: Final = {1: TANK, 2: PAIRS, 4: FOURS, 8: EIGHTS, 16: SIXTEENS, 64: MOST}  # by their worth
LARGEST: Final = 64
# The tank whose step takes so many ticks, or the next larger one.
_TANK_OF: Final = tuple(
    next(name for worth, name in TANKS.items() if ticks <= worth) for ticks in range(LARGEST + 1)
)
DOWN, UP, DEEP = "__down__", "__up__", "__deep__"

# The builtins of every image.
SPACE: Final[dict[str, Any]] = dict(vars(builtins))


def _in_others() -> int:
    """The ticks in all tanks but that of single ones."""
    space = SPACE
    return (  # type: ignore[no-any-return]
        2 * space[PAIRS].__length_hint__()
        + 4 * space[FOURS].__length_hint__()
        + 8 * space[EIGHTS].__length_hint__()
        + 16 * space[SIXTEENS].__length_hint__()
        + LARGEST * space[MOST].__length_hint__()
    )


def left() -> int:
    """The ticks in the tanks."""
    ones: int = SPACE[TANK].__length_hint__()
    return ones + _in_others()


def fill(ticks: int) -> None:
    """Have so many ticks in the tanks. The others stay as they are, where the single ones can make up for them."""
    _fill(ticks, _in_others())


def _fill(ticks: int, others: int) -> None:
    if others > ticks:
        _share(ticks)
    else:
        SPACE[TANK] = repeat(0, ticks - others)


def _share(ticks: int) -> None:
    """Put so many ticks into the tanks, about as much into each."""
    share = min(ticks // len(TANKS), _SHARE)
    for worth, tank in TANKS.items():
        SPACE[tank] = repeat(0, share // worth)
        ticks -= share - share % worth
    SPACE[TANK] = repeat(0, ticks + share)


def rest() -> int:
    """Stop counting, and give what is in the tanks: what the chain does meanwhile is not the contract's."""
    ticks = left()
    fill(OUTSIDE)
    return ticks


def resume(ticks: int) -> None:
    fill(ticks)


def charge(ticks: int) -> None:
    """Take so many ticks at once, or somewhat more, before the work that they are for."""
    if 0 <= ticks <= LARGEST:
        for _ in SPACE[_TANK_OF[ticks]]:
            return
    elif ticks > 0:
        steps, tank = -(-ticks // LARGEST), SPACE[MOST]
        if steps <= _ONE_BY_ONE and steps <= tank.__length_hint__():
            for _ in islice(tank, steps - 1, None):
                return
    change(max(ticks, 1))


def spend() -> None:
    """Take sixteen ticks: what it takes to call one of these functions."""
    for _ in SPACE[SIXTEENS]:
        return
    change(16)


def change(ticks: int = 8) -> bool:
    """Take so many ticks from all tanks, as the one for them is empty, and share out what is left. True, for a condition;
    eight where an image does not say how many."""
    rest = left() - ticks
    if rest < 0:
        dry()
    _share(rest)
    return True


def dry() -> NoReturn:
    """There is nothing left, and there was too little."""
    fill(0)
    raise OutOfGas


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


def begin(frame: Frame, outer: int | None = None) -> tuple[int, int, Any, Any]:
    """Give a message its ticks and levels: how many ticks it may take, and what whoever sent it has of both (`outer`, if
    that is not what is in the tanks)."""
    context, limit = frame.context, frame.gas // GAS_PER_TICK
    down, up, depth = SPACE[DOWN], SPACE[UP], frame.depth
    if outer is None:
        outer = left()
    if context.metered:
        most = outer - 1
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
    return limit, outer, down, up


def end(frame: Frame, began: tuple[int, int, Any, Any]) -> None:
    """Count what was used, and go on with what was before. Who ran dry is out of gas, whatever it has returned."""
    others = _in_others()
    rest = SPACE[TANK].__length_hint__() + others
    context = frame.context
    limit, outer, SPACE[DOWN], SPACE[UP] = began
    used = limit + 1 - rest if rest else limit
    frame.ticks = used
    context.metered -= 1
    if context.metered:
        outer -= used
    else:
        context.fuel -= used
        context.ticks += used
    _fill(outer, others)
    if not rest:
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


_share(OUTSIDE)
SPACE.update({DRY: change, CHARGE: charge, DEEP: deep, DOWN: _levels[0].down, UP: _levels[0].up})
