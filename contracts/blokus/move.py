"""A Move: one player puts one piece somewhere, mirrored first and turned afterwards, or passes.

A Move that exists is well formed: whatever is wrong with it by itself, without looking at a board,
is refused when it is made. The checks run in the order of the fields. Whether the rules allow it in
a position is `rules.refusal`. What is sent to a chain is only the record of a move until it is read;
a Move is such a record that holds, so it can be sent as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chain.errors import Revert
from chain.types import i16
from contracts.blokus.board import Position, is_on_board
from contracts.blokus.pieces import NAMED, Piece, PieceRecord
from contracts.blokus.shapes import ROTATIONS


@dataclass(frozen=True, slots=True)
class MoveRecord:
    """A move as one ABI tuple. A pass has no piece and no position: both are options, `(bool, value)`.

    The numbers are signed and wide, so that a wrong one is refused by `Move` and in its words.
    """

    piece: PieceRecord | None
    position: tuple[i16, i16] | None
    rotation: i16
    player_id: i16
    is_pass: bool = False
    flip: bool = False

    def read(self) -> Move:
        piece = None if self.piece is None else _piece_called(self.piece.name)
        try:
            return Move(
                piece, self.position, self.rotation, self.player_id, self.is_pass, self.flip
            )
        except ValueError as fault:
            raise Revert(str(fault)) from None


@dataclass(frozen=True, slots=True, repr=False)
class Move(MoveRecord):
    """`position` is where square (0, 0) of the piece's own drawing lands."""

    piece: Piece | None
    position: Position | None
    rotation: int
    player_id: int
    is_pass: bool = False
    flip: bool = False

    def __post_init__(self) -> None:
        fault = self._fault()
        if fault:
            raise ValueError(fault)

    def _fault(self) -> str | None:
        piece, position = self.piece, self.position
        if piece is None and not self.is_pass:
            return "Move must specify piece unless passing"
        if piece is not None and piece.is_placed:
            return "Cannot place already-placed piece"
        if position is None and not self.is_pass:
            return "Move must specify position unless passing"
        if position is not None and not is_on_board(*position):
            return "Position out of board bounds"
        if self.rotation not in ROTATIONS:
            return f"Invalid rotation: {self.rotation}"
        if self.player_id not in (1, 2, 3, 4):
            return f"Invalid player_id: {self.player_id}"
        if self.is_pass and (piece is not None or position is not None):
            return "A pass carries neither piece nor position"
        return None

    def __repr__(self) -> str:
        if self.piece is None:
            return f"Move(player={self.player_id}, action=pass)"
        return (
            f"Move(player={self.player_id}, piece={self.piece.name}, position={self.position}, "
            f"rotation={self.rotation}°, flip={self.flip})"
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values that JSON can carry; the piece by its name."""
        return {
            "piece": self.piece.name if self.piece else None,
            "position": list(self.position) if self.position else None,
            "rotation": self.rotation,
            "player_id": self.player_id,
            "is_pass": self.is_pass,
            "flip": self.flip,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Move:
        """Reads old records too: they have no `flip` and mean False."""
        name, position = record["piece"], record["position"]
        return cls(
            piece=None if name is None else piece_named(name),
            position=None if position is None else (position[0], position[1]),
            rotation=record["rotation"],
            player_id=record["player_id"],
            is_pass=record.get("is_pass", False),
            flip=record.get("flip", False),
        )


def pass_of(player_id: int) -> Move:
    return Move(None, None, 0, player_id, is_pass=True)


def _piece_called(name: str) -> Piece:
    """A name that no inventory has makes a piece that nobody owns, which is for the rules to say."""
    try:
        return NAMED[name]
    except KeyError:
        return Piece(name, ())


def piece_named(name: str) -> Piece:
    try:
        return NAMED[name]
    except KeyError:
        raise ValueError(f"Unknown piece: {name}") from None
