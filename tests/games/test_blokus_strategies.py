"""The choices of the strategies."""

from __future__ import annotations

import pytest

from contracts.blokus.legal import legal_moves
from contracts.blokus.move import pass_of
from contracts.blokus.playouts import midgame, random_game
from contracts.blokus.rules import outcome, play
from contracts.blokus.state import State, start
from contracts.blokus.strategies import BestScore, Easy, Hard, Medium, Original, Strategy

ALL = [Easy(), Medium(), Hard(), Original()]
BEST = [Medium(), Hard(), Original()]
by_name = pytest.mark.parametrize("strategy", ALL, ids=lambda each: each.difficulty_name)


@pytest.fixture
def stuck() -> State:
    return next(state for state in random_game(1) if state.turn and not legal_moves(state))


def played(strategies: list[Strategy]) -> State:
    state = start(len(strategies))
    while state.turn:
        state = play(state, strategies[state.turn - 1].calculate_move(state))
    return state


@by_name
@pytest.mark.parametrize("seed", range(5))
def test_chosen_move_is_legal(strategy: Strategy, seed: int) -> None:
    state = midgame(seed)
    assert strategy.calculate_move(state) in legal_moves(state)


@by_name
def test_stuck_player_passes(strategy: Strategy, stuck: State) -> None:
    assert strategy.calculate_move(stuck) == pass_of(stuck.turn)


@by_name
def test_choice_is_repeated(strategy: Strategy) -> None:
    assert strategy.calculate_move(midgame()) == strategy.calculate_move(midgame())


def test_timeouts_are_attributes() -> None:
    assert [each.timeout_seconds for each in (Easy, Medium, Hard, Original)] == [3, 5, 8, 5]
    assert [each.difficulty_name for each in ALL] == ["Easy", "Medium", "Hard", "Original"]


def test_seed_decides_easy() -> None:
    moves = {Easy(seed).calculate_move(start()) for seed in range(60)}
    assert len(moves) > 30
    assert Easy(7).calculate_move(start()) == Easy(7).calculate_move(start())


def test_easy_depends_on_the_position() -> None:
    openings = tuple(random_game(1))[:4]
    moves = [list(legal_moves(state).moves()) for state in openings]
    chosen = [
        each.index(Easy(1).calculate_move(s)) for each, s in zip(moves, openings, strict=True)
    ]
    assert len(set(chosen)) > 1


@pytest.mark.parametrize("strategy", BEST, ids=lambda each: each.difficulty_name)
def test_first_of_the_best_is_taken(strategy: BestScore) -> None:
    state = midgame()
    moves = list(legal_moves(state).moves())
    points = [strategy.score(state, move) for move in moves]
    assert strategy.calculate_move(state) == moves[points.index(max(points))]


@pytest.mark.parametrize("strategy", BEST, ids=lambda each: each.difficulty_name)
def test_pass_has_no_points(strategy: BestScore) -> None:
    with pytest.raises(ValueError, match=r"^a pass has no points$"):
        strategy.score(start(), pass_of(1))


def test_levels_choose_differently() -> None:
    states = [midgame(seed) for seed in range(5)]
    choices = {tuple(strategy.calculate_move(state) for state in states) for strategy in ALL}
    assert len(choices) == len(ALL)


def test_strategies_play_to_the_end() -> None:
    ended = outcome(played([Easy(1), Medium(), Hard(), Original()]))
    assert ended is not None
    assert 1 not in ended.winners
