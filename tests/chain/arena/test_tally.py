"""The count of a campaign: the same in whatever order games arrive, until a test is decided."""

from __future__ import annotations

from random import Random

import pytest

from chain.arena import Plan, Store
from chain.arena.estimates import Sprt
from chain.arena.match import Row
from chain.arena.tally import Tally

PLAN = Plan("nowhere", ("a", "b"), "")
LOST = Row(0, 0, "", "over", "[1]", "[2,1]", "[0,1]", 7, "")  # by who sits first
WON = LOST._replace(winners="[0]", places="[1,2]", scores="[1,0]")
DRAWN = LOST._replace(winners="[0,1]", places="[1,1]", scores="[1,1]")
FAILED = LOST._replace(ending=None, winners="[]", places="[]", scores="[]", failure="no")


def counted(*rows: Row, order: Random | None = None, sprt: Sprt | None = None) -> Tally:
    """Return the count of games that come in one by one."""
    tally, numbers = Tally(PLAN, sprt), [*range(len(rows))]
    if order is not None:
        order.shuffle(numbers)
    with Store() as store:
        for number in numbers:
            store.add([rows[number]._replace(game=number)], tally)
    return tally


@pytest.mark.parametrize(
    ("rows", "pairs"),
    [
        ((WON, LOST), (0, 0, 0, 0, 1)),  # seats are swapped: the same one won both
        ((LOST, WON), (1, 0, 0, 0, 0)),
        ((WON, WON), (0, 0, 1, 0, 0)),
        ((DRAWN, LOST, DRAWN, WON), (0, 1, 0, 1, 0)),
        ((WON, FAILED, FAILED, LOST, WON, LOST), (0, 0, 0, 0, 1)),
        ((WON, LOST, WON), (0, 0, 0, 0, 1)),
    ],
)
def test_pairs_are_those_of_first_strategy(rows: tuple[Row, ...], pairs: tuple[int, ...]) -> None:
    assert counted(*rows).pairs.counts == pairs


def test_shares_are_by_strategy_and_by_seat() -> None:
    shares = counted(WON, LOST, DRAWN, FAILED).shares()
    assert [(each.strategy, each.seat, each.games, each.wins) for each in shares] == [
        ("a", None, 3, 2.5),
        ("b", None, 3, 0.5),
        ("a", 1, 1, 1),
        ("a", 0, 2, 1.5),
        ("b", 1, 2, 0.5),
        ("b", 0, 1, 0),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_order_does_not_matter(seed: int) -> None:
    chance, test = Random(seed), Sprt(0, 50)
    rows = chance.choices([WON, LOST, DRAWN, FAILED], [5, 3, 2, 1], k=1000)
    rows = [row if number % 2 else WON for number, row in enumerate(rows)]
    there, back = counted(*rows, sprt=test), counted(*rows, sprt=test, order=chance)
    assert there.games < 1000
    assert (there.games, there.accepted, there.pairs) == (back.games, back.accepted, back.pairs)
    assert there.shares() == back.shares()
    assert (there.failures, there.plies) == (back.failures, back.plies)


def test_games_after_gap_wait() -> None:
    tally = Tally(PLAN)
    with Store() as store:
        store.add([WON._replace(game=1)], tally)
        assert tally.games == 0
        store.add([WON], tally)
    assert tally.games == 2
    with pytest.raises(ValueError, match="game 2 comes next, not 5"):
        tally.add(WON._replace(game=5))
