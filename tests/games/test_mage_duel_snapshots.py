"""Going back some moves."""

from __future__ import annotations

from typing import Final

import pytest

from chain.errors import Revert
from contracts.mage_duel import rules
from contracts.mage_duel.state import Ending, Move, PlayerSide, State

BLUE, RED = PlayerSide

# A city in the corner is all there is to begin with: one tile, no deck, a joker for Red.
FRESH: Final = rules.from_text(
    "CMMMMMMM/MMMMMMMM/MMMMMMMM/MMMMMMMM "
    "......../......../......../......../......../......../......../........ "
    "a - 0,1 0,0 0,0 - 0 1000 -"
)
MOVES: Final = (Move(BLUE, 0, 0, 0, 7), Move(RED, 3, 2, 1, 7, is_joker=True))


def played(*moves: Move) -> State:
    state, components = FRESH, rules.no_components()
    for move in moves:
        state = rules.play(state, components, move, 1000).state
    return state


def test_last_tile_comes_back_to_the_top() -> None:
    state, _ = rules.rewind(played(MOVES[0]), MOVES[:1], 0)
    assert (state.top_tile, state.deck) == (0, ())


def test_joker_comes_back_to_its_owner() -> None:
    over = played(*MOVES)
    assert (over.ending, over.jokers) == (Ending.NOTHING_LEFT, (0, 0))
    state, _ = rules.rewind(over, MOVES[::-1], 1)
    assert (state.ending, state.jokers, state.last_move) == (None, (0, 1), MOVES[0])
    assert state.scores == ((10, 0), (0, 0))


def test_no_move_back_undoes_the_closing() -> None:
    over = played(*MOVES)
    assert over.scores == ((16, 0), (0, 0))
    state, rebuilt = rules.rewind(over, MOVES[::-1], 2)
    assert state.scores == rebuilt.scores == ((10, 0), (6, 0))


def test_lost_moves_end_the_walk() -> None:
    over = played(*MOVES)
    state, _ = rules.rewind(over, MOVES[:0:-1], 0)
    assert state.cells == played(MOVES[0]).cells
    assert (state.moves_done, state.last_move) == (0, None)


def test_future_moves_are_refused() -> None:
    with pytest.raises(Revert, match="fewer moves"):
        rules.rewind(played(*MOVES), MOVES[::-1], 3)
