"""A cube: what its faces mean, and how it lies after a roll.

Opposite faces add up to seven, so three faces tell the whole cube. A roll tips it over one of its
lower edges onto the next square. Directions are absolute, the same for both players: forward is
always towards row 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from itertools import product
from typing import Final, TypeAlias

from contracts.deblockle.models import Direction

Step: TypeAlias = tuple[int, int]  # columns to the right, rows down
Faces: TypeAlias = tuple[int, int, int]  # up, front, right

FORWARD: Final[Step] = (0, -1)
RIGHT: Final[Step] = (1, 0)
BACKWARD: Final[Step] = (0, 1)
LEFT: Final[Step] = (-1, 0)
STEPS: Final = (FORWARD, RIGHT, BACKWARD, LEFT)


class Face(IntEnum):
    """The six faces; the one on top says how the cube hops."""

    STAR = 1
    X_HOP = 2
    SLIDE = 3
    HOOPS = 4
    T_HOP = 5
    STOP = 6


def opposite(face: int) -> int:
    """The face on the other side of the cube."""
    return 7 - face


def roll(direction: Direction, step: Step) -> Direction:
    """How a cube lies after it rolled one step."""
    columns, rows = step
    return _ROLLS[columns, rows][direction.up, direction.front, direction.right]


def _rolled(step: Step, up: int, front: int, right: int) -> Faces:
    if step == FORWARD:
        return opposite(front), up, right
    if step == RIGHT:
        return opposite(right), front, up
    if step == BACKWARD:
        return front, opposite(up), right
    return right, front, opposite(up)


# Every way three faces can meet at a corner: those of a real cube and those of its mirror image.
DIRECTIONS: Final[Mapping[Faces, Direction]] = {
    faces: Direction(*faces)
    for faces in product(range(1, 7), range(1, 7), range(1, 7))
    if len({min(face, opposite(face)) for face in faces}) == 3
}

_ROLLS: Final[Mapping[Step, Mapping[Faces, Direction]]] = {
    step: {faces: DIRECTIONS[_rolled(step, *faces)] for faces in DIRECTIONS} for step in STEPS
}
