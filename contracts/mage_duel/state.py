"""What a duel is made of: the two sides, a move, and the state of a board between two moves.

A `State` is everything the players can see, so it says what may happen next and who is ahead. It
does not hold the cities and roads that its tiles form: those are an index over the cells, kept
beside it (`union_find`), and can be rebuilt from it. Pairs run Blue first, scores city first.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final, TypeAlias

from chain.types import u8, u16, u64
from contracts.mage_duel.tiles import DECK, EMPTY


class PlayerSide(IntEnum):
    """Blue is the host of the game, Red the guest."""

    BLUE = 0
    RED = 1

    @property
    def opponent(self) -> PlayerSide:
        return PlayerSide.RED if self is PlayerSide.BLUE else PlayerSide.BLUE


class Ending(Enum):
    """Why a game is over."""

    TWO_SKIPS = 0
    TIME_RAN_OUT = 1
    NOTHING_LEFT = 2
    CANCELED = 3


Cell: TypeAlias = tuple[u8, u8, u8]  # tile, rotation, side
Score: TypeAlias = tuple[u16, u16]  # of cities, of roads
Scores: TypeAlias = tuple[Score, Score]  # of Blue, of Red

EMPTY_CELL: Final[Cell] = (EMPTY, 0, 0)


@dataclass(frozen=True, slots=True)
class Move:
    """A tile placed, or with no tile a skip."""

    side: PlayerSide
    tile: u8 | None = None
    rotation: u8 = 0
    col: u8 = 0
    row: u8 = 0
    is_joker: bool = False


@dataclass(frozen=True, slots=True)
class RuleSet:
    """What can be set before a game: the deck, the ring and the jokers."""

    deck: tuple[u8, ...] = DECK  # how many of each tile
    cities: u8 = 1  # on each side of the ring
    roads: u8 = 1
    joker_number: u8 = 3
    joker_price: u16 = 5


@dataclass(frozen=True, slots=True)
class State:
    """A board between two moves."""

    ring: tuple[u8, ...]  # the 32 edges around the board, counter-clockwise from the bottom left
    cells: tuple[Cell, ...]  # column by column, each from the top
    deck: tuple[u8, ...]
    top_tile: u8 | None
    jokers: tuple[u8, u8]
    scores: Scores = ((0, 0), (0, 0))
    last_move: Move | None = None
    moves_done: u8 = 0
    updated_at: u64 = 0
    ending: Ending | None = None
