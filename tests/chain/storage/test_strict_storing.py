"""Values of other classes than the declared ones: they may be arguments, but storage refuses them with the path."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from chain import Chain, Contract, Map, Reverted, Vector, call
from chain.types import u8


@dataclass(frozen=True)
class Card:
    suit: u8
    rank: u8


@dataclass(frozen=True)
class Trump(Card):
    pass


@dataclass(frozen=True)
class Hand:
    cards: tuple[Card, ...]
    seat: tuple[u8, u8]
    best: Card | None
    notes: list[str]


def hand(**changes: Any) -> Hand:
    return Hand(**{"cards": (Card(1, 2),), "seat": (1, 2), "best": None, "notes": ["a"]} | changes)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"cards": [Card(1, 2)]}, r"cards = \[Card\(suit=1, rank=2\)\] is not tuple of Card"),
    ({"cards": (Trump(1, 2),)}, r"cards\[0\] = Trump\(suit=1, rank=2\) is not Card"),
    ({"cards": ((1, 2),)}, r"cards\[0\] = \(1, 2\) is not Card"),
    ({"seat": [1, 2]}, r"seat = \[1, 2\] is not \(u8, u8\) \(a tuple of 2\)"),
    ({"best": SimpleNamespace(suit=1, rank=2)}, r"best = namespace\(suit=1, rank=2\) is not Card"),
    ({"notes": ("a",)}, r"notes = \('a',\) is not list of str"),
]


class Table(Contract):
    first: Hand
    hands: Vector[Hand]
    seats: Map[u8, Hand]

    @call
    def put(self, place: u8, case: u8) -> None:
        wrong = hand(**WRONG[case][0])
        match place:
            case 0:
                self.first = wrong
            case 1:
                self.hands.append(wrong)
            case 2:
                self.seats[3] = wrong
            case 3:
                _ = self.seats[3]
                self.seats[3] = wrong

    @call
    def take(self, hand: Hand) -> None:
        self.first = hand


@pytest.mark.parametrize("case", range(len(WRONG)))
@pytest.mark.parametrize(
    ("place", "path"),
    [*enumerate(["Table.first", r"Table.hands\[0\]", r"Table.seats\[3\]", r"Table.seats\[3\]"])],
)
def test_storage_refuses_another_class(place: int, path: str, case: int) -> None:
    table = Chain(guard=False).deploy(Table)
    with pytest.raises(Reverted, match=rf"{path}\.{WRONG[case][1]}"):
        table.put(place, case)


@pytest.mark.parametrize("changes", [changes for changes, _ in WRONG if "cards" not in changes])
def test_argument_of_another_class_is_converted(changes: dict[str, Any]) -> None:
    table = Chain().deploy(Table)
    table.take(hand(**changes))
    found = table.fields.first
    assert type(found.seat) is tuple
    assert isinstance(found.notes, list)
    assert found.best in (None, Card(1, 2))
