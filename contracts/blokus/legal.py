"""All legal placements of a player, found for the whole board at once.

Two sets of squares say everything about a position: the free ones (empty, and beside none of the
player's own) and the open corners (diagonal to an own square; before the first placement the
player's corner of the board). A shape may lie where all its squares are free and one of them is an
open corner. Both are known for a shape as soon as they are known for the shape it grows from, so
beginning with the single square and going through all shapes finds every place for every piece, as
one set of squares per shape: those where its first square may lie.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from chain.types import u8
from contracts.blokus.board import (
    BOARD,
    CORNERS,
    POSITIONS,
    Squares,
    diagonals,
    edges,
    indices,
    square,
)
from contracts.blokus.move import Move
from contracts.blokus.pieces import NUMBERS, PIECES, number_of
from contracts.blokus.shapes import DISTINCT_POSES, POSES, SHAPES, Pose, pose_of
from contracts.blokus.state import State

_CORNER_SQUARES: Final = tuple(square(*corner) for corner in CORNERS)
_OWNERS: Final = tuple(shape.piece for shape in SHAPES)
_STEPS: Final = tuple(sorted({shape.step for shape in SHAPES}))
_GROWTH: Final = tuple((shape.parent, _STEPS.index(shape.step)) for shape in SHAPES)[1:]


class Placement(NamedTuple):
    """A piece, by number, and the squares it covers; several moves can mean the same one."""

    piece: int
    squares: Squares


def placement_of(move: Move) -> Placement | None:
    """What a move puts down, no squares if it leaves the board; None for a pass and for a piece that nobody owns."""
    if move.piece is None or move.position is None:
        return None
    number = number_of(move.piece)
    if number is None:
        return None
    pose = pose_of(number, move.flip, move.rotation)
    row, col = move.position
    return Placement(number, pose.squares(row, col))


@dataclass(frozen=True, slots=True)
class LegalMoves(Collection[Move]):
    """Counts and yields each placement once, by its first pose; every move that means it is in."""

    player_id: u8
    firsts: tuple[Squares, ...]  # of each shape, the squares where its first square may lie

    def __len__(self) -> int:
        return sum(map(int.bit_count, self.firsts))

    def __bool__(self) -> bool:
        return any(self.firsts)

    def __iter__(self) -> Iterator[Move]:
        return self._moves(DISTINCT_POSES)

    def __contains__(self, move: object) -> bool:
        if not isinstance(move, Move) or move.piece is None or move.position is None:
            return False
        number = NUMBERS.get(move.piece.name)
        if number is None or move.player_id != self.player_id:
            return False
        pose = pose_of(number, move.flip, move.rotation)
        squares = pose.squares(*move.position)
        return bool(squares & -squares & self.firsts[pose.shape])

    def moves(self) -> Iterator[Move]:
        """Every legal move: by piece, unflipped first, then by rotation, row and column."""
        return self._moves(POSES)

    def count_moves(self) -> int:
        return sum(self.firsts[pose.shape].bit_count() for poses in POSES for pose in poses)

    def placements(self) -> Iterator[Placement]:
        for shape, firsts in zip(SHAPES, self.firsts, strict=True):
            for index in indices(firsts):
                yield Placement(shape.piece, shape.squares << index)

    def reach(self) -> Squares:
        """Every square that some placement would cover."""
        reached = 0
        for shape, firsts in zip(SHAPES, self.firsts, strict=True):
            if firsts:
                for step in indices(shape.squares):
                    reached |= firsts << step
        return reached

    def _moves(self, poses_of_pieces: tuple[tuple[Pose, ...], ...]) -> Iterator[Move]:
        for piece, poses in zip(PIECES, poses_of_pieces, strict=True):
            for pose in poses:
                for index in indices(self.firsts[pose.shape]):
                    position = POSITIONS[index - pose.lead]
                    yield Move(piece, position, pose.rotation, self.player_id, flip=pose.flip)


def legal_moves(state: State, player_id: u8 | None = None) -> LegalMoves:
    """What the player could place now; of the player to move, if nobody is named."""
    player = state.turn if player_id is None else player_id
    if not player:
        return LegalMoves(player, (0,) * len(SHAPES))
    hand = state.seat(player).hand
    free, corners = room(state, player)
    return LegalMoves(player, _grow(free, corners, hand))


def room(state: State, player_id: u8) -> tuple[Squares, Squares]:
    """The free squares of a player and the open corners."""
    own = state.seats[player_id - 1].squares
    free = BOARD ^ (state.occupied | edges(own))
    return free, (diagonals(own) if own else _CORNER_SQUARES[player_id - 1])


def _grow(free: Squares, corners: Squares, hand: int) -> tuple[Squares, ...]:
    free_at = [free >> step for step in _STEPS]
    corners_at = [corners >> step for step in _STEPS]
    fits, touches = [free], [corners]
    for parent, step in _GROWTH:
        fits.append(fits[parent] & free_at[step])
        touches.append(touches[parent] | corners_at[step])
    return tuple(
        fit & touch if hand >> owner & 1 else 0
        for fit, touch, owner in zip(fits, touches, _OWNERS, strict=True)
    )
