"""What a game of Deblockle is made of.

Everything here is a frozen value: a move makes a new `State` that shares every untouched cube with
the old one. `GameRecord` has the fields and the order that players know from the document. Which
cube was just rolled is no part of that shape, so `State` carries it beside the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from chain.types import i8, u8


class Phase(Enum):
    """What the active player does next."""

    ROLL = 0
    HOP = 1
    END = 2

    def __str__(self) -> str:
        return self.name.capitalize()


@dataclass(frozen=True, slots=True)
class Position:
    """A square: column `x` from left to right, row `y` from top to bottom, both 1 to 7."""

    x: i8
    y: i8

    def __str__(self) -> str:
        return f"({self.x},{self.y})"


@dataclass(frozen=True, slots=True)
class Direction:
    """How a cube lies: the faces that look up, to row 1 and to column 7."""

    up: u8
    front: u8
    right: u8


@dataclass(frozen=True, slots=True)
class Cube:
    """One cube of player 1 or 2."""

    player: u8
    position: Position
    direction: Direction


@dataclass(frozen=True, slots=True)
class Game:
    """The part of a game that all can see. A cube keeps its place in `board` until it scores."""

    phase: Phase
    active_player: u8
    board: tuple[Cube, ...]


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game and the accounts that play it."""

    game: Game
    is_finished: bool
    first_player: str
    second_player: str


@dataclass(frozen=True, slots=True)
class State:
    """A game, and in the Hop phase the square of the cube that was rolled: no other may hop."""

    game: Game
    rolled: Position | None = None


class Move(NamedTuple):
    """A roll or a hop: from where, to where."""

    origin: Position
    target: Position


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winner: u8
    reason: str


def opponent(player: int) -> int:
    """The other of the two players."""
    return 3 - player
