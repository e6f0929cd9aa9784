"""Players that choose by themselves, for use beside the chain: Easy, Medium, Hard, and Original.

All choose among the legal moves. Easy takes any; its choice depends on its seed and on the position
and on nothing else, so the same game can be played again. The others give points to every move and
take the best one, the first of several, in the order of `LegalMoves.moves`. Original gives them as
the original game did, whose three levels were one: it forgot to mirror the piece before it looked
around. `timeout_seconds` tells how long a caller may be ready to wait; no strategy looks at a
clock.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar

from contracts.blokus.board import (
    BOARD,
    DIAGONAL_STEPS,
    DIAGONAL_WAYS,
    EDGE_STEPS,
    EDGE_WAYS,
    SIDE,
    Position,
    Squares,
    count_pairs,
    neighbours,
    square,
)
from contracts.blokus.legal import legal_moves
from contracts.blokus.move import Move, pass_of
from contracts.blokus.notation import to_text
from contracts.blokus.pieces import NUMBERS
from contracts.blokus.shapes import Pose, pose_of
from contracts.blokus.state import State


class Strategy(ABC):
    """Chooses a move for the player whose turn it is; passes when there is none."""

    __slots__ = ()
    difficulty_name: ClassVar[str]
    timeout_seconds: ClassVar[int]

    def calculate_move(self, state: State) -> Move:
        moves = tuple(legal_moves(state).moves())
        return self.choose(state, moves) if moves else pass_of(state.turn)

    @abstractmethod
    def choose(self, state: State, moves: Sequence[Move]) -> Move:
        """One of these moves, of which there is at least one."""


@dataclass(frozen=True, slots=True)
class Easy(Strategy):
    difficulty_name = "Easy"
    timeout_seconds = 3

    seed: int = 0

    def choose(self, state: State, moves: Sequence[Move]) -> Move:
        return Random(f"{self.seed} {to_text(state)}").choice(moves)


class BestScore(Strategy):
    """Takes the first of the moves with the most points."""

    __slots__ = ()

    def choose(self, state: State, moves: Sequence[Move]) -> Move:
        return max(moves, key=lambda move: self.score(state, move))

    @abstractmethod
    def score(self, state: State, move: Move) -> int:
        """The points of a placement."""


class Medium(BestScore):
    """Likes corners, large pieces and the rim of the board."""

    __slots__ = ()
    difficulty_name = "Medium"
    timeout_seconds = 5

    def score(self, state: State, move: Move) -> int:
        pose, (row, col) = _pose_and_anchor(move)
        squares = pose.squares(row, col)
        corners = count_pairs(squares, _own(state, move), DIAGONAL_STEPS)
        is_at_rim = min(row, col) < 2 or max(row, col) > SIDE - 3
        return 10 * corners + 2 * len(pose.cells) + (3 if is_at_rim else 0)


class Hard(BestScore):
    """Looks at the board after the move: own squares, corners, and edges that are still open."""

    __slots__ = ()
    difficulty_name = "Hard"
    timeout_seconds = 8

    def score(self, state: State, move: Move) -> int:
        pose, anchor = _pose_and_anchor(move)
        squares = pose.squares(*anchor)
        own = _own(state, move) | squares
        empty = BOARD ^ (state.occupied | squares)
        corners = count_pairs(squares, own, DIAGONAL_STEPS)
        return 2 * own.bit_count() + 15 * corners + 2 * count_pairs(own, empty, EDGE_STEPS)


class Original(BestScore):
    """Likes corners, large pieces and the middle; looks around the piece as if never mirrored."""

    __slots__ = ()
    difficulty_name = "Original"
    timeout_seconds = 5

    def score(self, state: State, move: Move) -> int:
        """In half points, so that they are whole."""
        pose, (row, col) = _pose_and_anchor(move)
        own = _own(state, move)
        unmirrored, _ = _pose_and_anchor(replace(move, flip=False))
        cells = [(row + r, col + c) for r, c in unmirrored.cells]
        corners = _own_neighbours(own, cells, DIAGONAL_WAYS)
        edges = _own_neighbours(own, cells, EDGE_WAYS)
        distance = abs(row - SIDE // 2) + abs(col - SIDE // 2)
        return 20 * corners + 4 * len(pose.cells) + 40 - distance - 10 * edges


def _pose_and_anchor(move: Move) -> tuple[Pose, Position]:
    if move.piece is None or move.position is None:
        raise ValueError("a pass has no points")
    return pose_of(NUMBERS[move.piece.name], move.flip, move.rotation), move.position


def _own(state: State, move: Move) -> Squares:
    return state.seat(move.player_id).squares


def _own_neighbours(own: Squares, cells: Sequence[Position], ways: tuple[Position, ...]) -> int:
    """How many (cell, own square) pairs lie so; the cells themselves may be off the board."""
    around = [place for cell in cells for place in neighbours(cell, ways)]
    return sum(1 for place in around if own & square(*place))
