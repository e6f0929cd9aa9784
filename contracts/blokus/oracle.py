"""All legal moves the slow and obvious way: every piece in every pose on every square.

It knows no bitboards, so it can say whether the quick way is right, and how much quicker it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from contracts.blokus.board import (
    CORNERS,
    DIAGONAL_WAYS,
    EDGE_WAYS,
    POSITIONS,
    SIDE,
    Position,
    indices,
    is_on_board,
    neighbours,
)
from contracts.blokus.move import Move
from contracts.blokus.pieces import pieces_in
from contracts.blokus.shapes import FLIPS, ROTATIONS
from contracts.blokus.state import State

Grid: TypeAlias = list[list[int]]

_ANCHORS: Final = tuple((row, col) for row in range(SIDE) for col in range(SIDE))


def try_everything(state: State, player_id: int) -> list[Move]:
    """What `legal_moves(state, player_id).moves()` should be, in the same order."""
    grid, found = as_grid(state), []
    for piece in pieces_in(state.seat(player_id).hand):
        for flip in FLIPS:
            for rotation in ROTATIONS:
                cells = (piece.flip() if flip else piece).rotate(rotation).cells
                for row, col in _ANCHORS:
                    if is_allowed(grid, player_id, [(row + r, col + c) for r, c in cells]):
                        found.append(Move(piece, (row, col), rotation, player_id, flip=flip))
    return found


def as_grid(state: State) -> Grid:
    grid = [[0] * SIDE for _ in range(SIDE)]
    for player, seat in enumerate(state.seats, 1):
        for row, col in (POSITIONS[index] for index in indices(seat.squares)):
            grid[row][col] = player
    return grid


def is_allowed(grid: Grid, player: int, cells: Sequence[Position]) -> bool:
    if any(not is_on_board(row, col) or grid[row][col] for row, col in cells):
        return False
    if _touches(grid, player, cells, EDGE_WAYS):
        return False
    if any(player in line for line in grid):
        return _touches(grid, player, cells, DIAGONAL_WAYS)
    return CORNERS[player - 1] in cells


def _touches(
    grid: Grid, player: int, cells: Sequence[Position], ways: tuple[Position, ...]
) -> bool:
    around = [place for cell in cells for place in neighbours(cell, ways)]
    return any(grid[row][col] == player for row, col in around)
