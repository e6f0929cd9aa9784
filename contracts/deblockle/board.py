"""The board: seven by seven squares, two of them win squares, and how far a hop reaches on it.

Each player's win square lies near the other's edge. A hop asks only where its two squares lie,
never what stands between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from contracts.deblockle.cubes import STEPS, Face
from contracts.deblockle.models import Position

SIZE: Final = 7

SQUARES: Final = tuple(Position(x, y) for y in range(1, SIZE + 1) for x in range(1, SIZE + 1))
SQUARE_AT: Final[Mapping[tuple[int, int], Position]] = {
    (square.x, square.y): square for square in SQUARES
}
WIN_SQUARES: Final[Mapping[int, Position]] = {1: Position(4, 2), 2: Position(4, 6)}


def is_win_square(square: Position, player: int) -> bool:
    """True if the cubes of a player are home there."""
    home = WIN_SQUARES[player]
    return square.x == home.x and square.y == home.y


def neighbours(square: Position) -> tuple[Position, ...]:
    """The two to four squares that share an edge with this one."""
    around = (SQUARE_AT.get((square.x + columns, square.y + rows)) for columns, rows in STEPS)
    return tuple(found for found in around if found is not None)


def can_hop(face: int, origin: Position, target: Position) -> bool:
    """Whether a cube with this face up hops from the one square to the other."""
    columns, rows = abs(target.x - origin.x), abs(target.y - origin.y)
    if face == Face.X_HOP:
        return columns == rows == 1
    if face == Face.SLIDE:
        return columns == 0 or rows == 0
    if face == Face.HOOPS:
        return columns + rows in (1, 3)
    return face == Face.T_HOP and columns + rows == 1
