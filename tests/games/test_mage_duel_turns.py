"""Turns: the clock, jokers, skips, and how a game ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from chain.errors import Revert
from contracts.mage_duel import rules
from contracts.mage_duel.board import cell_at
from contracts.mage_duel.session import Refusal
from contracts.mage_duel.state import Ending, Move, PlayerSide, State
from contracts.mage_duel.union_find import Components, no_components

BLUE, RED = PlayerSide
NOW: Final = 1000

# Blue may lay a city at the bottom left corner and Red a road at the top right one.
FRESH: Final = rules.from_text(
    "CMMMMMMM/MMMMMMMM/RMMMMMMM/MMMMMMMM "
    "......../......../......../......../......../......../......../........ "
    "a nck 3,3 0,0 0,0 - 0 1000 -"
)


def after_last(move: Move, state: State = FRESH) -> State:
    return replace(state, last_move=move, moves_done=1)


def play(state: State, move: Move, now: int = NOW, drawn: int = 0) -> rules.Played:
    return rules.play(state, no_components(), move, now, drawn)


@pytest.mark.parametrize("side", PlayerSide)
@pytest.mark.parametrize("waited", [0, 66, 10_000])
def test_either_side_may_open(side: PlayerSide, waited: int) -> None:
    assert rules.refusal(FRESH, side, NOW + waited) is None


@pytest.mark.parametrize(
    ("waited", "mover_may", "other_may"),
    [
        (0, False, True),
        (65, False, True),
        (66, True, False),
        (130, True, False),
        (131, False, False),
    ],
)
def test_clock_decides_the_turn(waited: int, mover_may: bool, other_may: bool) -> None:
    state = after_last(Move(BLUE))
    for side, may in ((BLUE, mover_may), (RED, other_may)):
        refused = rules.refusal(state, side, NOW + waited)
        assert refused == (None if may else Refusal.NOT_YOUR_TURN)


@pytest.mark.parametrize(("waited", "can"), [(130, False), (131, True)])
def test_silence_lets_anyone_finish(waited: int, can: bool) -> None:
    assert rules.can_finish(FRESH, NOW + waited) is can


def test_jokers_count_before_the_clock() -> None:
    state = after_last(Move(BLUE), replace(FRESH, jokers=(0, 3)))
    assert rules.refusal(state, BLUE, NOW, with_joker=True) == Refusal.NOT_ENOUGH_JOKERS
    assert rules.refusal(state, BLUE, NOW) == Refusal.NOT_YOUR_TURN


def test_top_tile_or_joker_is_laid() -> None:
    assert rules.placement(FRESH, RED, None, 1, 2, 3) == Move(RED, 0, 1, 2, 3)
    assert rules.placement(FRESH, RED, 7, 1, 2, 3) == Move(RED, 7, 1, 2, 3, is_joker=True)


def test_no_tile_left_reverts() -> None:
    with pytest.raises(Revert, match="No tiles in the deck"):
        rules.placement(replace(FRESH, top_tile=None), BLUE, None, 0, 0, 7)


def test_placement_draws_the_next_tile() -> None:
    state = play(FRESH, Move(BLUE, 0, 2, 0, 7), NOW + 5, drawn=1).state
    assert (state.top_tile, state.deck) == (2, (13, 10))
    assert state.cells[cell_at(0, 7)] == (0, 2, 0)
    assert (state.moves_done, state.updated_at) == (1, NOW + 5)


def test_placement_pays_at_once() -> None:
    state = play(FRESH, Move(RED, 0, 0, 0, 7)).state
    assert state.scores == ((0, 0), (8 + 2, 0))


def test_joker_leaves_the_top_tile() -> None:
    state = play(FRESH, Move(RED, 2, 0, 7, 0, is_joker=True)).state
    assert (state.top_tile, state.deck, state.jokers) == (0, (13, 2, 10), (3, 2))


def test_closed_component_is_contested() -> None:
    played = play(FRESH, Move(BLUE, 6, 2, 0, 7))
    (held,) = played.contests
    assert (held.root, held.winner, held.blue_points) == (cell_at(0, 7) * 4 + 2, BLUE, 4)


def test_skip_returns_the_top_tile() -> None:
    assert rules.tiles_to_draw(FRESH, Move(BLUE)) == (13, 2, 10, 0)
    state = play(FRESH, Move(BLUE), drawn=2).state
    assert (state.top_tile, state.deck) == (10, (13, 2, 0))
    assert (state.last_move, state.ending) == (Move(BLUE), None)


def test_skipped_tile_may_come_back() -> None:
    state = play(FRESH, Move(BLUE), drawn=3).state
    assert (state.top_tile, state.deck) == (0, (13, 2, 10))


def test_skip_without_tiles_draws_none() -> None:
    empty = replace(FRESH, top_tile=None, deck=())
    assert play(empty, Move(BLUE)).state.top_tile is None


def test_late_opponent_is_skipped() -> None:
    state = after_last(Move(BLUE, 0, 0, 0, 7))
    assert rules.skips_opponent(state, BLUE)
    played = play(state, Move(BLUE, 2, 0, 7, 0, is_joker=True), NOW + 66)
    assert played.state.moves_done == 3
    assert played.finish is None


def test_skipping_after_a_late_opponent_ends_it() -> None:
    state = after_last(Move(BLUE, 0, 0, 0, 7))
    played = play(state, Move(BLUE), NOW + 66)
    assert played.finish is not None
    assert (played.finish.state.moves_done, played.state.moves_done) == (2, 3)


def test_second_skip_ends_and_is_recorded() -> None:
    played = play(after_last(Move(BLUE)), Move(RED), NOW + 9, drawn=0)
    assert played.finish is not None
    assert (played.finish.state.top_tile, played.finish.state.last_move) == (0, Move(BLUE))
    assert played.state.ending == Ending.TWO_SKIPS
    assert (played.state.top_tile, played.state.last_move) == (13, Move(RED))


def test_last_tile_without_jokers_ends_it() -> None:
    bare = replace(FRESH, deck=(), jokers=(0, 0))
    played = play(bare, Move(BLUE, 0, 0, 0, 7))
    assert played.state.ending == Ending.NOTHING_LEFT
    assert played.finish is not None
    assert played.finish.state == played.state


def test_last_joker_without_tiles_ends_it() -> None:
    bare = replace(FRESH, top_tile=None, deck=(), jokers=(0, 1))
    move = Move(RED, 0, 0, 0, 7, is_joker=True)
    assert play(bare, move).state.ending == Ending.NOTHING_LEFT
    assert play(replace(bare, jokers=(1, 1)), move).state.ending is None


def open_city() -> tuple[State, Components]:
    """A city of Blue's in the corner that Red has built on, open at the top."""
    components = no_components()
    state = rules.play(FRESH, components, Move(BLUE, 3, 1, 0, 7), NOW).state
    return rules.play(state, components, Move(RED, 3, 2, 1, 7), NOW).state, components


def test_open_city_is_contested_at_the_end() -> None:
    state, components = open_city()
    assert state.scores == ((8, 0), (6, 0))
    end = rules.finish(state, components, Ending.TIME_RAN_OUT, NOW + 131)
    assert [(held.winner, held.prize) for held in end.contests] == [(BLUE, 6)]
    assert end.state.scores == ((14, 0), (0, 0))
    assert end.state.updated_at == NOW + 131


def test_outcome_waits_for_the_end() -> None:
    assert rules.outcome(FRESH) is None


@pytest.mark.parametrize(
    ("scores", "jokers", "winner", "totals"),
    [
        (((10, 4), (12, 1)), (0, 0), BLUE, (14, 13)),
        (((10, 4), (12, 1)), (0, 1), RED, (14, 18)),
        (((10, 4), (12, 2)), (2, 2), None, (24, 24)),
    ],
)
def test_higher_total_wins(
    scores: tuple[tuple[int, int], tuple[int, int]],
    jokers: tuple[int, int],
    winner: PlayerSide | None,
    totals: tuple[int, int],
) -> None:
    over = replace(FRESH, scores=scores, jokers=jokers, ending=Ending.TIME_RAN_OUT)
    assert rules.outcome(over) == rules.Outcome(Ending.TIME_RAN_OUT, winner, totals)


def test_joker_price_counts() -> None:
    over = replace(FRESH, jokers=(1, 0), ending=Ending.TWO_SKIPS)
    outcome = rules.outcome(over, joker_price=7)
    assert outcome is not None
    assert outcome.totals == (7, 0)


def test_canceled_game_pays_nobody() -> None:
    over = rules.cancel(replace(FRESH, scores=((9, 9), (0, 0))))
    assert rules.outcome(over) == rules.Outcome(Ending.CANCELED, None, (0, 0))


def test_fresh_board_offers_both_sides() -> None:
    sides = {move.side for move in rules.legal_moves(replace(FRESH, jokers=(0, 0)))}
    assert sides == {BLUE, RED}


def test_legal_moves_are_counted() -> None:
    state = after_last(Move(RED), replace(FRESH, jokers=(0, 0)))
    # A city on all sides goes into the corner in four ways; the other choice is to skip.
    assert rules.legal_moves(state) == (
        *(Move(BLUE, 0, rotation, 0, 7) for rotation in range(4)),
        Move(BLUE),
    )


def test_jokers_are_any_tile() -> None:
    state = after_last(Move(RED), replace(FRESH, top_tile=None, jokers=(1, 0)))
    moves = rules.legal_moves(state)
    assert {move.tile for move in moves if move.is_joker} == set(range(24)) - {1}


def test_finished_board_offers_nothing() -> None:
    over = replace(FRESH, ending=Ending.TWO_SKIPS)
    assert rules.legal_moves(over) == ()
    assert rules.refusal(over, BLUE, NOW) == Refusal.GAME_IS_ALREADY_FINISHED
