"""What the contract stores and shows: the values of the rules, cut to the words of a chain.

A record is made from a value of the rules by `of` and turned back into it by `read`. An untouched
seat is all zeros, so a new game writes none, and what a player has on the board, in hand and behind
them lies in two words: a placement changes one of them or both, as far down the board as it lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from chain.types import u8, u32, u64, u128, u256
from contracts.blokus.pieces import FULL_HAND
from contracts.blokus.state import Scoring, Seat, State

_LOW: Final = (1 << 256) - 1
_MIDDLE: Final = (1 << 128) - 1


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game in one word: for how many, how many are here, how it counts, and whose turn it is."""

    players: u8
    joined: u8
    scoring: Scoring
    turn: u8  # a player's id, or 0 when the game is over

    @property
    def is_full(self) -> bool:
        return self.joined == self.players


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """A `Seat` in two words; it has the pieces that left the hand, so that a new one is all zeros."""

    low: u256  # the squares, cut into three parts
    middle: u128
    high: u64
    placed: u32
    passed: bool
    last_piece: u8 | None

    @staticmethod
    def of(seat: Seat) -> SeatRecord:
        squares = seat.squares
        low, middle, high = squares & _LOW, squares >> 256 & _MIDDLE, squares >> 384
        return SeatRecord(low, middle, high, FULL_HAND ^ seat.hand, seat.passed, seat.last_piece)

    def read(self) -> Seat:
        squares = self.high << 384 | self.middle << 256 | self.low
        return Seat(squares, FULL_HAND ^ self.placed, self.passed, self.last_piece)


@dataclass(frozen=True, slots=True)
class StateRecord:
    """A whole position, for whoever thinks beside the chain: `game.state(0).read()`."""

    seats: tuple[SeatRecord, ...]
    turn: u8
    scoring: Scoring

    @staticmethod
    def of(state: State) -> StateRecord:
        seats = tuple([SeatRecord.of(seat) for seat in state.seats])
        return StateRecord(seats, state.turn, state.scoring)

    def read(self) -> State:
        return State(tuple([seat.read() for seat in self.seats]), self.turn, self.scoring)


@dataclass(frozen=True, slots=True)
class LegalCount:
    """How much a player could do: placements, and the moves that mean them."""

    placements: u32
    moves: u32
