"""The invariants of every reachable state."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.deblockle import rules
from contracts.deblockle.board import SQUARES, WIN_SQUARES
from contracts.deblockle.cubes import DIRECTIONS, LEFT, RIGHT, STEPS, Face, Step, roll
from contracts.deblockle.models import Direction, Move, Phase, Position, State, opponent

directions = st.sampled_from(list(DIRECTIONS.values()))
with_time = settings(deadline=None)


def play_on(state: State, choice: int) -> State:
    """Roll home if possible, else move towards home; pass one turn in ten."""
    home = WIN_SQUARES[state.game.active_player]
    moves = sorted(rules.legal_moves(state), key=lambda move: distance(move.target, home))
    if not moves or choice % 10 == 9:
        return rules.pass_turn(state)[0]
    scores = state.game.phase is Phase.ROLL and moves[0].target == home
    return rules.make_move(state, moves[0 if scores else choice % min(5, len(moves))])[0]


def distance(one: Position, other: Position) -> int:
    return abs(one.x - other.x) + abs(one.y - other.y)


@st.composite
def plays(draw: st.DrawFn) -> list[State]:
    """The states of one game from its set-up on."""
    states = [rules.set_up(draw(st.integers(1, 4)))[0]]
    for choice in draw(st.binary(min_size=40, max_size=80)):
        states.append(play_on(states[-1], choice))
    return states


reached = plays().flatmap(st.sampled_from)


@given(reached)
@with_time
def test_no_square_holds_two(state: State) -> None:
    taken = [cube.position for cube in state.game.board]
    assert len(set(taken)) == len(taken)
    assert set(taken) <= set(SQUARES)


@given(reached)
@with_time
def test_foreign_win_square_stays_free(state: State) -> None:
    for cube in state.game.board:
        assert cube.position != WIN_SQUARES[opponent(cube.player)]


@given(reached)
@with_time
def test_only_rolled_cube_hops(state: State) -> None:
    assert (state.rolled is not None) == (state.game.phase is Phase.HOP)
    if state.rolled is not None:
        assert {move.origin for move in rules.legal_moves(state)} <= {state.rolled}


@given(reached)
@with_time
def test_text_keeps_whole_state(state: State) -> None:
    assert rules.from_text(rules.to_text(state)) == state


@given(reached)
@with_time
def test_legal_moves_are_those_that_change(state: State) -> None:
    tried = [Move(cube.position, target) for cube in state.game.board for target in SQUARES]
    changing = [move for move in tried if rules.make_move(state, move)[0] is not state]
    assert set(rules.legal_moves(state)) == set(changing)
    assert len(rules.legal_moves(state)) == len(changing)


@given(plays())
@with_time
def test_one_cube_changes_at_most(states: list[State]) -> None:
    for before, after in pairwise(states):
        untouched = [cube for cube in after.game.board if cube in before.game.board]
        assert len(untouched) >= len(before.game.board) - 1
        assert [cube for cube in before.game.board if cube in untouched] == untouched


@given(plays())
@with_time
def test_stars_come_up_only_at_home(states: list[State]) -> None:
    at_start = {cube for cube in states[0].game.board if cube.direction.up == Face.STAR}
    stars = {cube for cube in states[-1].game.board if cube.direction.up == Face.STAR}
    assert stars <= at_start


@given(plays())
@with_time
def test_game_ends_without_own_cubes(states: list[State]) -> None:
    for state in states:
        end = rules.outcome(state)
        without = {1, 2} - {cube.player for cube in state.game.board}
        assert without == ({end.winner} if end else set())


@given(directions, st.sampled_from(STEPS))
def test_four_rolls_return(direction: Direction, step: Step) -> None:
    turned = direction
    for _ in range(4):
        turned = roll(turned, step)
    assert turned == direction


@given(directions)
def test_rolling_back_returns(direction: Direction) -> None:
    assert roll(roll(direction, RIGHT), LEFT) == direction
