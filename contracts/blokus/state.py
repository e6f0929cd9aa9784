"""A position: what each player has on the board and in hand, and whose turn it is.

The board is nothing of its own; it is the players' squares together. A player is out of the game
when all pieces are placed or after a pass, for a stuck player stays stuck: only own squares open
corners. The turn goes round among those who are in; nobody's turn (0) means that the game is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from chain.errors import require
from chain.types import u8, u32
from contracts.blokus.board import Squares
from contracts.blokus.pieces import FULL_HAND

PLAYER_NOT_FOUND: Final = "Player not found"


class Scoring(Enum):
    """How squares become points."""

    ORIGINAL = 0
    BASIC = 1
    ADVANCED = 2


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's part of the position; to store it, see `models.SeatRecord`."""

    squares: Squares = 0
    hand: u32 = FULL_HAND
    passed: bool = False
    last_piece: u8 | None = None

    @property
    def is_out(self) -> bool:
        return self.passed or not self.hand


@dataclass(frozen=True, slots=True)
class State:
    """The seats of players 1, 2, …; `turn` is a player's id, or 0 when the game is over."""

    seats: tuple[Seat, ...]
    turn: u8 = 1
    scoring: Scoring = Scoring.ORIGINAL

    def seat(self, player_id: u8) -> Seat:
        require(1 <= player_id <= len(self.seats), PLAYER_NOT_FOUND)
        return self.seats[player_id - 1]

    @property
    def occupied(self) -> Squares:
        taken = 0
        for seat in self.seats:
            taken |= seat.squares
        return taken


def start(players: u8 = 4, scoring: Scoring = Scoring.ORIGINAL) -> State:
    require(2 <= players <= 4, "Blokus is played by 2, 3 or 4 players")
    return State((Seat(),) * players, scoring=scoring)


def with_turn_played(state: State, seat: Seat) -> State:
    """The player to move leaves `seat` behind, and the turn goes to the next one who is in."""
    seats = list(state.seats)
    seats[state.turn - 1] = seat
    return State(tuple(seats), next_player(seats, state.turn), state.scoring)


def next_player(seats: Sequence[Seat], turn: u8) -> u8:
    for step in range(len(seats)):
        index = (turn + step) % len(seats)  # players count from 1, seats from 0
        if not seats[index].is_out:
            return index + 1
    return 0
