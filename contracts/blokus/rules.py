"""The rules of Blokus on a board of 20 by 20, for two to four players with one colour each.

A first piece covers the player's corner of the board. Every later one touches the player's own at a
corner and never along an edge; how it touches the others' does not matter. Who can place nothing
passes and is out. When nobody is in, those with the most points have won. `legal_moves(state)` are
the moves, `play(state, move)` is the position after one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from chain.errors import Revert, require
from chain.types import i8, u8
from contracts.blokus.board import CORNERS, EDGE_WAYS, Position, is_on_board, neighbours, square
from contracts.blokus.legal import LegalMoves, Placement, legal_moves, placement_of, room
from contracts.blokus.move import Move
from contracts.blokus.notation import draw, from_text, to_text
from contracts.blokus.scoring import ranks, scores
from contracts.blokus.shapes import Pose, pose_of
from contracts.blokus.state import PLAYER_NOT_FOUND, Scoring, Seat, State, start, with_turn_played

__all__ = [
    "Ending",
    "LegalMoves",
    "Outcome",
    "Placement",
    "Scoring",
    "Seat",
    "State",
    "draw",
    "from_text",
    "legal_moves",
    "outcome",
    "pass_turn",
    "place",
    "placement_of",
    "play",
    "refusal",
    "scores",
    "start",
    "to_text",
]

GAME_OVER: Final = "Game is over"
NOT_YOUR_TURN: Final = "Not your turn"
CANNOT_PASS: Final = "A player with a legal placement cannot pass"
NOT_OWNED: Final = "Player does not own this piece"
ALREADY_PLACED: Final = "Piece is already placed"
NO_CORNER_CONTACT: Final = (
    "Piece must touch at least one of your own pieces corner-to-corner (diagonally)"
)


class Ending(Enum):
    """Why a game is over."""

    ALL_PLACED = 0  # every player has placed every piece
    ALL_STUCK = 1  # those who still have pieces can place none


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: `scores` and `ranks` are of players 1, 2, …; the first rank has won."""

    ending: Ending
    winners: tuple[u8, ...]
    scores: tuple[i8, ...]
    ranks: tuple[u8, ...]


def play(state: State, move: Move) -> State:
    """The position after the move of the player whose turn it is."""
    require(state.turn, GAME_OVER)
    require(move.player_id <= len(state.seats), PLAYER_NOT_FOUND)
    require(move.player_id == state.turn, NOT_YOUR_TURN)
    placement = placement_of(move)
    reason = _refusal(state, move, placement)
    if reason:
        raise Revert(reason)
    return place(state, placement) if placement else _leave(state)


def pass_turn(state: State) -> State:
    """The player to move can place nothing and is out."""
    require(state.turn, GAME_OVER)
    require(not legal_moves(state), CANNOT_PASS)
    return _leave(state)


def _leave(state: State) -> State:
    seat = state.seats[state.turn - 1]
    return with_turn_played(state, Seat(seat.squares, seat.hand, True, seat.last_piece))


def place(state: State, placement: Placement) -> State:
    """The position after a placement of the player to move that is known to be legal."""
    number, squares = placement
    seat = state.seats[state.turn - 1]
    return with_turn_played(
        state, Seat(seat.squares | squares, seat.hand ^ 1 << number, False, number)
    )


def refusal(state: State, move: Move) -> str | None:
    """Why the rules do not allow a move, whosever turn it is; None if they do."""
    return _refusal(state, move, placement_of(move))


def _refusal(state: State, move: Move, placement: Placement | None) -> str | None:
    player = move.player_id
    if player > len(state.seats):
        return PLAYER_NOT_FOUND
    if move.position is None:
        return CANNOT_PASS if legal_moves(state, player) else None
    if placement is None:
        return NOT_OWNED
    number, squares = placement
    if not state.seats[player - 1].hand >> number & 1:
        return ALREADY_PLACED
    free, corners = room(state, player)
    if squares and squares & free == squares and squares & corners:
        return None
    return _fault(state, player, pose_of(number, move.flip, move.rotation), move.position)


def _fault(state: State, player: u8, pose: Pose, anchor: Position) -> str:
    """The first rule that a placement breaks, and where."""
    own, occupied = state.seats[player - 1].squares, state.occupied
    cells = [(anchor[0] + row, anchor[1] + col) for row, col in pose.cells]
    for cell in cells:
        if not is_on_board(*cell):
            return f"Position {cell} is outside board bounds"
    for cell in cells:
        if occupied & square(*cell):
            return f"Position {cell} is already occupied"
    for cell in cells:
        for beside in neighbours(cell, EDGE_WAYS):
            if own & square(*beside):
                return f"Piece would have edge-to-edge contact with own piece at {beside}"
    if not own:
        return f"First move must occupy the starting corner {CORNERS[player - 1]}"
    return NO_CORNER_CONTACT


def outcome(state: State) -> Outcome | None:
    """How the game ended; None while it goes on."""
    if state.turn:
        return None
    points = scores(state)
    places = ranks(points)
    stuck = any(seat.hand for seat in state.seats)
    return Outcome(
        ending=Ending.ALL_STUCK if stuck else Ending.ALL_PLACED,
        winners=tuple(player for player, rank in enumerate(places, 1) if rank == 1),
        scores=points,
        ranks=places,
    )
