"""Undo, redo, and the pass that a timer forces."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.errors import Revert
from contracts.sagrada.history import History, can_redo, can_undo, force_pass, play, redo, undo
from contracts.sagrada.messages import GAME_FINISHED
from contracts.sagrada.playouts import Seeded, opening, random_game
from contracts.sagrada.rules import legal_moves
from contracts.sagrada.state import Turn, current_player, is_finished

START = History(opening(seed=5, players=3))
CHANCE = Seeded(1)


def after(history: History, *texts: str) -> History:
    for text in texts:
        history = play(history, current_player(history.state).username, text, CHANCE)
    return history


def test_undo_returns_to_state_before() -> None:
    picked = after(START, "pick 1")
    assert undo(picked).state == START.state
    assert redo(undo(picked)) == picked


def test_empty_stacks_change_nothing() -> None:
    assert undo(START) is START
    assert redo(START) is START


def test_command_clears_the_redo_stack() -> None:
    again = after(undo(after(START, "pick 1")), "pick 2")
    assert can_redo(undo(after(START, "pick 1")))
    assert not can_redo(again)


def test_refused_command_keeps_the_redo_stack() -> None:
    undone = undo(after(START, "pick 1"))
    with pytest.raises(Revert):
        after(undone, "pick 9")
    assert can_redo(undone)


def test_pass_closes_undo_to_players() -> None:
    assert can_undo(after(START, "pick 1"))
    assert not can_undo(after(START, "pass"))
    assert not can_undo(START)


def test_undo_reaches_across_turns() -> None:
    assert undo(undo(after(START, "pass", "pass"))).state == START.state


def test_forced_pass_gives_picked_die_back() -> None:
    forced = force_pass(after(START, "pick 1"), CHANCE)
    assert forced.state == after(START, "pass").state
    assert forced.redos == ()


def test_forced_pass_undoes_no_more_than_needed() -> None:
    picked = after(START, "pick 1")
    placed = after(picked, legal_moves(picked.state)[0])
    assert force_pass(placed, CHANCE) == after(placed, "pass")


def test_forced_pass_breaks_off_what_cannot_be_undone() -> None:
    picked = after(START, "pick 1").state
    forced = force_pass(History(picked), CHANCE)
    assert forced.state.order == after(START, "pass").state.order
    assert forced.state.pool == (*START.state.pool[1:], START.state.pool[0])


@given(st.integers(0, 2**32), st.integers(2, 4))
@settings(max_examples=5)
def test_no_state_is_stuck_without_its_past(seed: int, players: int) -> None:
    for history in random_game(seed, players):
        if not is_finished(history.state):
            forced = force_pass(History(history.state), CHANCE).state
            assert forced.turn == Turn()
            assert forced.order is not history.state.order


def test_forced_passes_end_the_game() -> None:
    history = START
    while not is_finished(history.state):
        history = force_pass(history, CHANCE)
    assert len(history.undos) == 60
    with pytest.raises(Revert, match=GAME_FINISHED):
        force_pass(history, CHANCE)


def test_whole_game_can_be_undone() -> None:
    *_, last = random_game(seed=3, players=2)
    history = last
    while history.undos:
        history = undo(history)
    assert history.state == opening(seed=3, players=2)
    while history.redos:
        history = redo(history)
    assert history == last
