from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chain import Address, Contract, Key, Map, Revert, Set, Vector, call, error, event, init, require, view
from chain.types import u8, u64

if TYPE_CHECKING:
    from datetime import date

GOAL: Final = 20


@event
class Moved:
    player: Key[Address]
    square: u8


@error
class NotYours(Revert):
    player: Address


class Race(Contract):
    squares: Map[Address, u8]
    order: Vector[Address]
    seen: Set[u64]
    winner: Address | None

    @init
    def new(self) -> None: ...

    @call
    def roll(self) -> u8:
        require(self.winner is None, "The race is over")
        if self.caller not in self.order:
            raise NotYours(self.caller)
        square = min(GOAL, self.squares[self.caller] + self.random.below(6, tag="die") + 1)
        self.squares[self.caller] = square
        self.winner = self.caller if square == GOAL else None
        self.seen.add(self.block.timestamp)
        self.order.append(self.caller)
        self.emit(Moved(self.caller, square))
        self.log(f"{self.caller_id} is on {square}")
        return square

    @view
    def squares_of(self, players: list[Address]) -> list[u8]:
        return [self.squares[player] for player in players]

    @view
    def times(self) -> list[u64]:
        return [time for time in self.seen]

    def _since(self, day: date) -> int:
        return self.block.timestamp
