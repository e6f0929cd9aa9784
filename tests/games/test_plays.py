"""Every strategy of every game, at a table on a chain and at one by the rules: the same game to the last word."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from chain.arena import Plan
from chain.arena.find_game import find_game
from chain.arena.match import play_game
from chain.arena.tally import Tally
from chain.pictures import picture_of
from tests.chain.game_folders import GAMES

DUELS = [
    (name, pair)
    for name in GAMES
    for strategies in [[*find_game(f"contracts.{name}").strategies]]
    for pair in pairwise([*strategies, strategies[0]])
]


@pytest.mark.parametrize(("name", "strategies"), DUELS)
def test_bare_game_equals_game_on_chain(name: str, strategies: tuple[str, ...]) -> None:
    plan = Plan.of(f"contracts.{name}", strategies)
    for number in (0, 1):
        on_chain, bare = play_game(plan, number), play_game(replace(plan, bare=True), number)
        assert on_chain.failure is None
        assert bare.outcome == on_chain.outcome
        assert bare.gas is None and on_chain.gas


@pytest.mark.parametrize(
    ("name", "seats"), [(name, seats) for name in GAMES for seats in find_game(f"contracts.{name}").seats]
)  # fmt: skip
def test_every_number_of_seats_can_play(name: str, seats: int) -> None:
    plan = Plan.of(f"contracts.{name}", ["random"] * seats, bare=True, check=1)
    row = play_game(plan, 5)
    assert row.failure is None
    assert row.scores.count(",") == seats - 1


@pytest.mark.parametrize("name", GAMES)
def test_moves_are_seen_on_picture(name: str) -> None:
    """Every part that a move is about is one of the picture of the start."""
    plan = Plan.of(f"contracts.{name}", ["random"], bare=True)
    tally = Tally(plan)
    tally.add(play_game(plan, 0))
    board = picture_of(find_game(plan.target).by_rules(2, Random(0)).state)
    assert board is not None and tally.heat
    assert board.heat(tally.heat) != board


@pytest.mark.parametrize("name", GAMES)
def test_greed_beats_chance(name: str) -> None:
    plan = Plan.of(f"contracts.{name}", ["greedy", "random"], bare=True)
    tally = Tally(plan)
    for number in range(20):
        tally.add(play_game(plan, number))
    best = tally.shares()[0]
    assert best.strategy == "greedy"
    assert best.share > 0.6
