"""What the chain has cached changes no ticks: a contract pays for its own code, however often it ran before."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from chain import Chain, Contract, Key, System, call, model, require
from chain.types import u8


class Suit(Enum):
    SUN = 1
    MOON = 2


@dataclass(frozen=True)
class Plain:
    points: u8
    suit: Suit


@dataclass(frozen=True)
class Checked:
    """A record whose own code runs each time that one is made."""

    points: u8
    suit: Suit

    def __post_init__(self) -> None:
        require(self.points > 0, "no points")


@dataclass(frozen=True)
class Equal:
    """A record whose own code runs each time that two are compared."""

    points: u8

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and self.points == other.points

    __hash__ = None  # type: ignore[assignment]


class Hands(Contract):
    plain: tuple[Plain, ...]
    checked: tuple[Checked, ...]
    listed: list[Checked]
    best: Checked
    equal: tuple[Equal, ...]

    @call
    def deal(self) -> None:
        self.plain = tuple(Plain(n, Suit.SUN) for n in range(20))
        self.listed = [Checked(n, Suit.MOON) for n in range(1, 4)]
        self.checked = tuple(self.listed)
        self.best = self.checked[0]
        self.equal = tuple(Equal(n) for n in range(40))

    @call
    def count(self) -> u8:
        suns = sum(1 for hand in self.plain if hand.suit is Suit.SUN)
        points = sum(hand.points for hand in (*self.checked, *self.listed, self.best))
        return suns + points + len(self.equal)

    @call
    def swap(self) -> None:
        self.checked = self.checked[::-1]
        self.equal = (*self.equal[:39], Equal(1))
        self.best = self.checked[0]


@model
class Table:
    id: Key[u8]
    hands: list[Checked]


class Play(System):
    @call
    def begin(self) -> None:
        self.world.write(Table(1, [Checked(n, Suit.MOON) for n in range(1, 4)]))

    @call
    def score(self) -> u8:
        with self.world.in_place(Table, 1) as table:
            table.hands[0] = Checked(table.hands[1].points, Suit.SUN)
            return table.hands[0].points


def test_first_and_later_chains_charge_same_ticks() -> None:
    plays = [ticks_of_play() for _ in range(3)]
    assert plays[0] == plays[1] == plays[2]


def ticks_of_play() -> list[int]:
    chain = Chain()
    hands, world = (
        chain.deploy(Hands),
        chain.deploy_world("cards", systems=[Play], writers={Table: [Play]}),
    )
    steps: list[Any] = [hands.deal, world.system(Play).begin]
    steps += [hands.count, hands.swap, hands.count, world.system(Play).score, hands.swap] * 2
    for step in steps:
        step()
    return [receipt.ticks for receipt in chain.receipts]


def test_each_call_pays_for_records_that_author_checks() -> None:
    hands = Chain().deploy(Hands)
    hands.deal()
    assert hands.count().ticks == hands.count().ticks


def test_records_beyond_end_of_list_are_not_made() -> None:
    """A word holds sixteen of these records. There are three: zeros would be refused."""
    chain = Chain()
    hands = chain.deploy(Hands)
    hands.deal()
    assert hands.count().return_value == 20 + 6 + 6 + 1 + 40
    play = chain.deploy_world("cards", systems=[Play], writers={Table: [Play]}).system(Play)
    play.begin()
    assert play.score().return_value == 2
