"""Whose turn it is: a round runs along the seats and back, the next starts a seat further on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from chain.errors import require
from chain.types import u8
from contracts.sagrada.messages import OUT_OF_BOUNDS


@dataclass(frozen=True, slots=True)
class TurnOrder:
    """The seats of this round in the order of their turns, and how far it has come."""

    index: u8
    first: u8
    seats: tuple[u8, ...]

    @property
    def current(self) -> int:
        return self.seats[self.index]

    @property
    def is_round_starting(self) -> bool:
        return self.index == 0

    @property
    def is_round_ending(self) -> bool:
        return self.index == len(self.seats) - 1

    @property
    def is_second_turn(self) -> bool:
        return self.current in self.seats[: self.index]


def round_from(first: int, players: int) -> TurnOrder:
    there = tuple((first + step) % players for step in range(players))
    return TurnOrder(0, first, there + there[::-1])


def next_turn(order: TurnOrder) -> TurnOrder:
    if not order.is_round_ending:
        return replace(order, index=order.index + 1)
    players = len(order.seats) // 2
    return round_from((order.first + 1) % players, players)


def take_two_turns(order: TurnOrder) -> TurnOrder:
    """Swap the current player's second turn with the very next one, whoever had that."""
    following = order.index + 1
    seats = list(order.seats)
    require(order.current in seats[following:], OUT_OF_BOUNDS)
    second = seats.index(order.current, following)
    seats[following], seats[second] = seats[second], seats[following]
    return replace(order, seats=tuple(seats))
