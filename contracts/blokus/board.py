"""The board as one integer: a set of squares is an int, and moving the whole set is one shift.

Square (row, col) is bit `row * 21 + col`. The rows are 20 squares long, so one bit between any two
rows is never a square: a fence. What a shift pushes over the edge of the board lands on the fence
or beyond the last row and is masked away, so it can never come back in on the other side. Square
(0, 0) is the top left one and rows go downwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

Squares: TypeAlias = int
Position: TypeAlias = tuple[int, int]

SIDE: Final = 20
STRIDE: Final = SIDE + 1
BOARD: Final[Squares] = sum(((1 << SIDE) - 1) << row * STRIDE for row in range(SIDE))
POSITIONS: Final[tuple[Position, ...]] = tuple(divmod(i, STRIDE) for i in range(SIDE * STRIDE))
CORNERS: Final[tuple[Position, ...]] = ((0, 0), (0, 19), (19, 19), (19, 0))  # of players 1 to 4
EDGE_STEPS: Final = (1, STRIDE)
DIAGONAL_STEPS: Final = (STRIDE - 1, STRIDE + 1)
EDGE_WAYS: Final[tuple[Position, ...]] = ((-1, 0), (1, 0), (0, -1), (0, 1))  # rules look so
DIAGONAL_WAYS: Final[tuple[Position, ...]] = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def is_on_board(row: int, col: int) -> bool:
    return 0 <= row < SIDE and 0 <= col < SIDE


def square(row: int, col: int) -> Squares:
    return 1 << row * STRIDE + col


def edges(squares: Squares) -> Squares:
    """The squares that share an edge with one of these."""
    return (squares << 1 | squares >> 1 | squares << STRIDE | squares >> STRIDE) & BOARD


def diagonals(squares: Squares) -> Squares:
    """The squares that share just a corner with one of these."""
    beside = squares << 1 | squares >> 1
    return (beside << STRIDE | beside >> STRIDE) & BOARD


def count_pairs(some: Squares, others: Squares, steps: tuple[int, ...]) -> int:
    """How many pairs (one of `some`, one of `others`) lie one of these steps apart, either way."""
    return sum(
        (some << step & others).bit_count() + (some >> step & others).bit_count() for step in steps
    )


def neighbours(cell: Position, ways: tuple[Position, ...]) -> list[Position]:
    """What lies these ways from a cell, in their order; the cell itself may be off the board."""
    around = [(cell[0] + row, cell[1] + col) for row, col in ways]
    return [place for place in around if is_on_board(*place)]


def indices(squares: Squares) -> Iterator[int]:
    """The bit numbers of the squares, row by row."""
    while squares:
        lowest = squares & -squares
        yield lowest.bit_length() - 1
        squares ^= lowest
