"""A board whose moves and names are events."""

from __future__ import annotations

from chain import Address, Contract, Key, call, event, require
from chain.types import u8
from tests.chain.toys import Side


@event
class Moved:
    player: Key[Address]
    piece: u8
    side: Side
    path: tuple[u8, ...]
    test: bool  # named as the predicate of `where` is


@event
class Named:
    name: Key[str]
    first: u8 | None


class Board(Contract):
    @call
    def move(self, piece: u8, side: Side = Side.RED) -> None:
        self.emit(Moved(self.caller, piece, side, (piece, piece), piece > 5))
        require(piece < 200, "there is no such piece")

    @call
    def name(self, name: str, first: u8 | None = None) -> None:
        self.emit(Named(name, first))
