"""The 21 pieces of a player: every way to join one to five squares, drawn as they lie in the box.

The digits of a drawing number the squares in the order in which the rules look at them; it decides
which square a refusal names. A piece turned or mirrored is not pushed back to the top left: what
was square (0, 0) of the drawing stays (0, 0), and that is the point by which a move says where the
piece goes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from contracts.blokus.board import Position

# In the order of the inventory, which is the order of the names; `/` ends a row.
DRAWINGS: Final = MappingProxyType(
    {
        "F5": ".3./145/2..",
        "I1": "1",
        "I2": "1/2",
        "I3": "1/2/3",
        "I4": "1/2/3/4",
        "I5": "1/2/3/4/5",
        "L4": "123/..4",
        "L5": "1234/...5",
        "N5": "1./23/.4/.5",
        "O4": "12/34",
        "P5": "135/24.",
        "T4": "123/.4.",
        "T5": "123/.4./.5.",
        "U5": "125/3.4",
        "V3": "1./23",
        "V5": "1../2../345",
        "W5": "1../23./.45",
        "X5": ".2./135/.4.",
        "Y5": "1./2./35/4.",
        "Z4": "12./.34",
        "Z5": "12./.3./.45",
    }
)


@dataclass(frozen=True, slots=True)
class PieceRecord:
    """A piece as it is sent: by its name, which need not be one that a player has."""

    name: str


@dataclass(frozen=True, slots=True)
class Piece(PieceRecord):
    """A piece in a player's inventory, or on the board once it has a `placed_position`."""

    cells: tuple[Position, ...]
    placed_position: Position | None = None

    @property
    def size(self) -> int:
        return len(self.cells)

    @property
    def is_placed(self) -> bool:
        return self.placed_position is not None

    def flip(self) -> Piece:
        """Mirrored left to right, and not placed."""
        return Piece(self.name, tuple((row, -col) for row, col in self.cells))

    def rotate(self, degrees: int = 90) -> Piece:
        """Turned counter-clockwise as one sees it, by quarter turns, and not placed."""
        cells = self.cells
        for _ in range(degrees // 90 % 4):
            cells = tuple((-col, row) for row, col in cells)
        return Piece(self.name, cells)

    def place(self, position: Position) -> Piece:
        return replace(self, placed_position=position)


def _read(name: str, drawing: str) -> Piece:
    drawn = [
        (digit, (row, col))
        for row, line in enumerate(drawing.split("/"))
        for col, digit in enumerate(line)
        if digit != "."
    ]
    return Piece(name, tuple(cell for _, cell in sorted(drawn)))


PIECES: Final = tuple(_read(name, drawing) for name, drawing in DRAWINGS.items())
NAMED: Final = MappingProxyType({piece.name: piece for piece in PIECES})
NUMBERS: Final = MappingProxyType({piece.name: number for number, piece in enumerate(PIECES)})
SQUARES_OF_ALL: Final = sum(piece.size for piece in PIECES)
FULL_HAND: Final = (1 << len(PIECES)) - 1  # a hand is a set of piece numbers: bit n is piece n


def number_of(piece: Piece) -> int | None:
    """The number of a piece in the inventory; None if it was turned, mirrored or made up."""
    try:
        number = NUMBERS[piece.name]
    except KeyError:
        return None
    own = PIECES[number]
    return number if piece is own or piece.cells == own.cells else None


def pieces_in(hand: int) -> tuple[Piece, ...]:
    return tuple(piece for number, piece in enumerate(PIECES) if hand >> number & 1)


def hand_of(pieces: tuple[Piece, ...]) -> int:
    hand = 0
    for piece in pieces:
        hand |= 1 << NUMBERS[piece.name]
    return hand
