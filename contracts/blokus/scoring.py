"""What a player's part of the board is worth, and who stands where.

Three ways to count. The original counts squares placed less squares left; the official basic rule
takes a point for every square left; the advanced one adds a bonus for placing everything, a greater
one if the single square came last. The original gives the smaller bonus too.
"""

from __future__ import annotations

from typing import Final

from chain.types import i8, u8
from contracts.blokus.pieces import NUMBERS, SQUARES_OF_ALL
from contracts.blokus.state import Scoring, Seat, State

ALL_PLACED: Final = 15
SINGLE_SQUARE_LAST: Final = 20


def scores(state: State, scoring: Scoring | None = None) -> tuple[i8, ...]:
    """Of players 1, 2, …, as the game counts unless another way is named."""
    return tuple(score(seat, scoring or state.scoring) for seat in state.seats)


def score(seat: Seat, scoring: Scoring) -> i8:
    placed = seat.squares.bit_count()
    left = SQUARES_OF_ALL - placed
    match scoring:
        case Scoring.ORIGINAL:
            return placed - left + (0 if left else ALL_PLACED)
        case Scoring.BASIC:
            return -left
        case Scoring.ADVANCED:
            return -left if left else _bonus(seat)


def _bonus(seat: Seat) -> i8:
    return SINGLE_SQUARE_LAST if seat.last_piece == NUMBERS["I1"] else ALL_PLACED


def ranks(points: tuple[i8, ...]) -> tuple[u8, ...]:
    """The place of each player: equal points share one, and the next place is left out."""
    return tuple(1 + sum(other > mine for other in points) for mine in points)
