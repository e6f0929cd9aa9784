"""Legal moves, against an oracle that tries every piece in every pose on every square."""

from __future__ import annotations

import timeit
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.blokus.legal import LegalMoves, Placement, legal_moves, placement_of
from contracts.blokus.move import Move, pass_of, piece_named
from contracts.blokus.oracle import try_everything
from contracts.blokus.pieces import NUMBERS, PIECES, Piece
from contracts.blokus.playouts import count_all_moves, midgame, random_game
from contracts.blokus.rules import refusal
from contracts.blokus.state import State, start

positions = st.builds(
    lambda seed, players, ply: tuple(random_game(seed, players))[: ply + 1][-1],
    seed=st.integers(0, 2**32),
    players=st.integers(2, 4),
    ply=st.integers(0, 40),
)


@settings(max_examples=6, deadline=None)
@given(positions)
def test_moves_are_those_found_by_trying(state: State) -> None:
    player = state.turn or 1
    assert list(legal_moves(state, player).moves()) == try_everything(state, player)


@settings(max_examples=20, deadline=None)
@given(positions)
def test_counts_agree_with_listing(state: State) -> None:
    legal = legal_moves(state)
    assert legal.count_moves() == len(list(legal.moves()))
    assert len(legal) == len(list(legal)) == len(set(legal.placements()))
    assert {placement_of(move) for move in legal.moves()} == set(legal.placements())
    assert bool(legal) == (len(legal) > 0)


@settings(max_examples=20, deadline=None)
@given(positions)
def test_each_placement_is_listed_once(state: State) -> None:
    legal = legal_moves(state)
    placements = [placement_of(move) for move in legal]
    first_moves: dict[Placement | None, Move] = {}
    for move in legal.moves():
        first_moves.setdefault(placement_of(move), move)
    assert [first_moves[placement] for placement in placements] == list(legal)


@settings(max_examples=100, deadline=None)
@given(
    positions,
    st.sampled_from(PIECES),
    st.tuples(st.integers(0, 19), st.integers(0, 19)),
    st.sampled_from([0, 90, 180, 270]),
    st.booleans(),
)
def test_refusal_and_membership_agree(
    state: State, piece: Piece, position: tuple[int, int], rotation: int, flip: bool
) -> None:
    move = Move(piece, position, rotation, state.turn or 1, flip=flip)
    assert (move in legal_moves(state, move.player_id)) == (refusal(state, move) is None)


@settings(max_examples=20, deadline=None)
@given(positions)
def test_reach_is_all_that_can_be_covered(state: State) -> None:
    legal, covered = legal_moves(state), 0
    for placement in legal.placements():
        covered |= placement.squares
    assert legal.reach() == covered


@pytest.mark.parametrize("player", [1, 2, 3, 4])
def test_game_opens_with_58_placements(player: int) -> None:
    legal = legal_moves(start(), player)
    assert (len(legal), legal.count_moves()) == (58, 116)
    assert {move.player_id for move in legal} == {player}


def test_cross_cannot_open() -> None:
    assert all(move.piece != piece_named("X5") for move in legal_moves(start()))


def test_moves_come_in_order() -> None:
    moves = list(legal_moves(midgame()).moves())
    order = [(NUMBERS[m.piece.name], m.flip, m.rotation, m.position) for m in moves if m.piece]
    assert order == sorted(order)


@pytest.mark.parametrize(
    "stranger",
    [
        "a move",
        pass_of(1),
        Move(piece_named("I1"), (0, 0), 0, 2),
        Move(piece_named("I1"), (0, 1), 0, 1),
        Move(piece_named("I2"), (0, 0), 180, 1),
        Move(Piece("V4", ((0, 0),)), (0, 0), 0, 1),
    ],
)
def test_move_of_a_stranger_is_not_legal(stranger: object) -> None:
    assert stranger not in legal_moves(start())


def test_any_encoding_is_a_legal_move() -> None:
    single = [Move(piece_named("I1"), (0, 0), turn, 1, flip=True) for turn in (0, 90, 180, 270)]
    assert all(move in legal_moves(start()) for move in single)


def test_finished_game_has_no_moves() -> None:
    *_, last = random_game(5)
    assert legal_moves(last) == LegalMoves(0, (0,) * 91)
    assert not legal_moves(last)


def test_counting_is_100_times_faster_than_trying() -> None:
    state = midgame()
    slow = timeit.timeit(lambda: try_everything(state, state.turn), timer=process_time, number=1)
    fast = (
        timeit.timeit(lambda: legal_moves(state).count_moves(), timer=process_time, number=100)
        / 100
    )
    assert slow / fast > 100


def test_whole_game_is_listed_in_time() -> None:
    states = tuple(random_game(7))
    assert timeit.timeit(lambda: count_all_moves(states), timer=process_time, number=1) < 0.25
