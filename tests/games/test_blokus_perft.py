"""The number of lines of play from the start, and from positions in which the players touch."""

from __future__ import annotations

import pytest

from contracts.blokus.legal import legal_moves
from contracts.blokus.move import pass_of
from contracts.blokus.perft import divide, perft
from contracts.blokus.playouts import random_game
from contracts.blokus.rules import play
from contracts.blokus.state import State, start


def walked(state: State, depth: int) -> int:
    """The same count, one line after the other."""
    if depth == 0 or not state.turn:
        return 1 if depth == 0 else 0
    replies = list(legal_moves(state)) or [pass_of(state.turn)]
    return sum(walked(play(state, move), depth - 1) for move in replies)


@pytest.mark.parametrize(
    ("depth", "lines"), [(0, 1), (1, 58), (2, 3_364), (3, 195_112), (4, 11_316_496)]
)
def test_lines_from_the_start(depth: int, lines: int) -> None:
    assert perft(start(), depth) == lines


@pytest.mark.slow
def test_five_plies_from_the_start() -> None:
    assert perft(start(), 5) == 1_898_244_648


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("from_end", [2, 3, 4, 6, 9])
def test_lines_near_the_end(players: int, from_end: int) -> None:
    state = tuple(random_game(11, players))[-from_end]
    assert [perft(state, depth) for depth in (1, 2, 3)] == [
        walked(state, depth) for depth in (1, 2, 3)
    ]


def test_contact_changes_the_replies() -> None:
    state = tuple(random_game(2, players=2))[14]
    far = len(legal_moves(state)) * len(legal_moves(state, 3 - state.turn))
    assert perft(state, 2) == walked(state, 2) != far


def test_divide_adds_up() -> None:
    parts = divide(start(), 3)
    assert len(parts) == 58
    assert sum(count for _, count in parts) == perft(start(), 3)


def test_finished_game_has_no_lines() -> None:
    *_, last = random_game(3)
    assert (perft(last, 0), perft(last, 1), perft(last, 3)) == (1, 0, 0)
