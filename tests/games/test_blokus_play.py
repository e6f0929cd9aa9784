"""Playing, passing, ending and counting."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.errors import Revert
from contracts.blokus.board import (
    BOARD,
    DIAGONAL_STEPS,
    EDGE_STEPS,
    count_pairs,
    diagonals,
    edges,
    indices,
    square,
)
from contracts.blokus.legal import legal_moves
from contracts.blokus.models import SeatRecord
from contracts.blokus.move import Move, pass_of, piece_named
from contracts.blokus.pieces import FULL_HAND, NUMBERS, PIECES, Piece, hand_of, pieces_in
from contracts.blokus.playouts import midgame, random_game
from contracts.blokus.rules import Ending, outcome, pass_turn, play, refusal
from contracts.blokus.scoring import ranks, score, scores
from contracts.blokus.state import Scoring, Seat, State, start

seeds = st.integers(0, 2**32)
some_squares = st.integers(0, 2**420).map(lambda bits: bits & BOARD)


def put(name: str, row: int, col: int, player: int, rotation: int = 0) -> Move:
    return Move(piece_named(name), (row, col), rotation, player)


def holding(*names: str, squares: int = 0, passed: bool = False, last: str = "O4") -> Seat:
    hand = hand_of(tuple(piece_named(name) for name in names))
    return Seat(squares, hand, passed, NUMBERS[last])


def left_with(squares_left: int, last: str = "O4") -> Seat:
    names = {0: (), 1: ("I1",), 4: ("T4",)}[squares_left]
    return holding(*names, squares=(1 << 89 - squares_left) - 1, last=last)


def opened() -> State:
    state = start()
    for move in (put("L4", 0, 0, 1), put("I2", 0, 19, 2), put("I1", 19, 19, 3)):
        state = play(state, move)
    return play(state, put("I3", 17, 0, 4))


@pytest.fixture
def stuck() -> State:
    return next(state for state in random_game(1) if state.turn and not legal_moves(state))


def test_turn_goes_round() -> None:
    assert [state.turn for state in random_game(1)][:9] == [1, 2, 3, 4, 1, 2, 3, 4, 1]
    assert [state.turn for state in random_game(1, players=3)][:5] == [1, 2, 3, 1, 2]


def test_placement_takes_piece_from_hand() -> None:
    seat = opened().seat(1)
    assert seat.hand == FULL_HAND ^ 1 << NUMBERS["L4"]
    assert seat.squares == sum(square(*at) for at in [(0, 0), (0, 1), (0, 2), (1, 2)])
    assert seat.last_piece == NUMBERS["L4"]


def test_others_are_left_alone() -> None:
    before, after = opened(), play(opened(), put("I1", 2, 3, 1))
    assert after.seats[1:] == before.seats[1:]
    assert after.scoring == before.scoring


def test_turn_skips_finished_players() -> None:
    seats = (holding("I1"), holding("I2", passed=True), holding(), holding("I3"))
    state = play(State(seats), put("I1", 0, 0, 1))
    assert state.turn == 4


def test_last_player_continues_alone() -> None:
    seats = (holding("I1", "I2"), holding("I2", passed=True))
    state = play(State(seats), put("I1", 0, 0, 1))
    assert state.turn == 1
    assert play(state, put("I2", 1, 1, 1)).turn == 0


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (put("I1", 2, 3, 1), None),
        (Move(Piece("V4", ((0, 0),)), (2, 3), 0, 1), "Player does not own this piece"),
        (Move(Piece("I5", ((0, 0),)), (2, 3), 0, 1), "Player does not own this piece"),
        (Move(piece_named("I5").rotate(90), (2, 3), 0, 1), "Player does not own this piece"),
        (put("L4", 2, 3, 1), "Piece is already placed"),
        (put("I3", 18, 3, 1), "Position (20, 3) is outside board bounds"),
        (put("I3", 0, 1, 1, 180), "Position (-1, 1) is outside board bounds"),
        (put("I2", 0, 2, 1), "Position (0, 2) is already occupied"),
        (put("I2", 0, 19, 1), "Position (0, 19) is already occupied"),
        (
            put("I2", 2, 2, 1),
            "Piece would have edge-to-edge contact with own piece at (1, 2)",
        ),
        (
            put("V3", 0, 3, 1),
            "Piece would have edge-to-edge contact with own piece at (0, 2)",
        ),
        (
            put("I1", 9, 9, 1),
            "Piece must touch at least one of your own pieces corner-to-corner (diagonally)",
        ),
        (pass_of(1), "A player with a legal placement cannot pass"),
    ],
)
def test_refusal_is_explained(move: Move, reason: str | None) -> None:
    assert refusal(opened(), move) == reason


@pytest.mark.parametrize(("player", "corner"), [(1, "(0, 0)"), (3, "(19, 19)"), (4, "(19, 0)")])
def test_first_piece_covers_the_corner(player: int, corner: str) -> None:
    reason = refusal(start(), put("I1", 9, 9, player))
    assert reason == f"First move must occupy the starting corner {corner}"


@pytest.mark.parametrize(("player", "row", "col"), [(1, 0, 0), (2, 0, 19), (3, 19, 19), (4, 19, 0)])
def test_own_corner_takes_first_piece(player: int, row: int, col: int) -> None:
    taken = [each for each in (1, 2, 3, 4) if not refusal(start(), put("I1", row, col, each))]
    assert taken == [player]


def test_absent_player_is_refused() -> None:
    assert refusal(start(2), put("I1", 0, 0, 3)) == "Player not found"
    with pytest.raises(Revert, match=r"^Player not found$"):
        play(start(2), put("I1", 0, 0, 3))
    with pytest.raises(Revert, match=r"^Player not found$"):
        legal_moves(start(2), 3)


def test_other_colours_may_be_touched() -> None:
    beside_2 = State((Seat(), Seat(squares=square(0, 1), hand=1)))
    assert refusal(beside_2, put("I2", 0, 0, 1)) is None


@pytest.mark.parametrize("players", [0, 1, 5])
def test_game_has_two_to_four_players(players: int) -> None:
    with pytest.raises(Revert, match=r"^Blokus is played by 2, 3 or 4 players$"):
        start(players)


def test_player_waits_for_the_turn() -> None:
    with pytest.raises(Revert, match=r"^Not your turn$"):
        play(start(), put("I1", 0, 19, 2))


def test_refused_move_is_not_played() -> None:
    with pytest.raises(Revert, match=r"^First move must occupy the starting corner \(0, 0\)$"):
        play(start(), put("I1", 3, 3, 1))


def test_pass_needs_to_be_stuck() -> None:
    with pytest.raises(Revert, match=r"^A player with a legal placement cannot pass$"):
        pass_turn(start())
    with pytest.raises(Revert, match=r"^A player with a legal placement cannot pass$"):
        play(start(), pass_of(1))


def test_pass_is_final(stuck: State) -> None:
    after = pass_turn(stuck)
    assert after == play(stuck, pass_of(stuck.turn))
    assert after.seat(stuck.turn).is_out
    assert after.seat(stuck.turn).squares == stuck.seat(stuck.turn).squares


def test_finished_game_takes_no_move() -> None:
    *_, last = random_game(1)
    for move in (put("I1", 0, 0, 1), pass_of(2)):
        with pytest.raises(Revert, match=r"^Game is over$"):
            play(last, move)
    with pytest.raises(Revert, match=r"^Game is over$"):
        pass_turn(last)


def test_running_game_has_no_outcome() -> None:
    *running, last = random_game(4)
    assert not any(map(outcome, running))
    assert outcome(last) is not None


def test_game_ends_when_all_are_stuck() -> None:
    *_, last = random_game(4)
    ended = outcome(last)
    assert ended is not None
    assert ended.ending is Ending.ALL_STUCK
    assert ended.scores == scores(last)
    assert ended.winners == tuple(p for p in (1, 2, 3, 4) if ended.ranks[p - 1] == 1)


def test_game_ends_when_all_is_placed() -> None:
    state = play(State((holding("I1"), holding())), put("I1", 0, 0, 1))
    ended = outcome(state)
    assert ended is not None
    assert ended.ending is Ending.ALL_PLACED


def test_outcome_counts_as_the_game_does() -> None:
    state = State((left_with(4), left_with(0, last="I1")), turn=0, scoring=Scoring.ADVANCED)
    ended = outcome(state)
    assert ended is not None
    assert (ended.scores, ended.winners, ended.ranks) == ((-4, 20), (2,), (2, 1))


@pytest.mark.parametrize(
    ("scoring", "points"),
    [
        (Scoring.ORIGINAL, [104, 104, 87, 81]),
        (Scoring.BASIC, [0, 0, -1, -4]),
        (Scoring.ADVANCED, [15, 20, -1, -4]),
    ],
)
def test_seat_is_scored(scoring: Scoring, points: list[int]) -> None:
    seats = [left_with(0), left_with(0, last="I1"), left_with(1, last="I1"), left_with(4)]
    assert [score(seat, scoring) for seat in seats] == points


def test_nothing_placed_scores_least() -> None:
    assert [score(Seat(), scoring) for scoring in Scoring] == [-89, -89, -89]


@pytest.mark.parametrize(
    ("points", "places"),
    [((5, 9, 5, 1), (2, 1, 2, 4)), ((3, 3), (1, 1)), ((-1, -2, 0), (2, 3, 1))],
)
def test_equal_points_share_a_rank(points: tuple[int, ...], places: tuple[int, ...]) -> None:
    assert ranks(points) == places


@settings(max_examples=15, deadline=None)
@given(seeds, st.integers(2, 4))
def test_own_squares_never_share_an_edge_with_another_piece(seed: int, players: int) -> None:
    *_, last = random_game(seed, players)
    for seat in last.seats:
        placed = [piece for piece in PIECES if piece not in pieces_in(seat.hand)]
        assert sorted(len(part) for part in islands(seat.squares)) == sorted(
            piece.size for piece in placed
        )


def islands(squares: int) -> list[list[int]]:
    parts = []
    while squares:
        part = squares & -squares
        while part != (grown := (part | edges(part)) & squares):
            part = grown
        parts.append(list(indices(part)))
        squares ^= part
    return parts


@settings(max_examples=15, deadline=None)
@given(seeds, st.integers(2, 4))
def test_no_square_is_taken_twice(seed: int, players: int) -> None:
    for state in random_game(seed, players):
        taken = sum(seat.squares.bit_count() for seat in state.seats)
        assert state.occupied.bit_count() == taken
        assert state.occupied & ~BOARD == 0


@settings(max_examples=15, deadline=None)
@given(seeds, st.integers(2, 4))
def test_stuck_player_stays_stuck(seed: int, players: int) -> None:
    for state in random_game(seed, players):
        out = [player for player, seat in enumerate(state.seats, 1) if seat.is_out]
        assert not any(legal_moves(state, player) for player in out)


@settings(max_examples=15, deadline=None)
@given(seeds)
def test_played_moves_are_those_listed(seed: int) -> None:
    state = midgame(seed, ply=20)
    for move in legal_moves(state):
        after = play(state, move)
        assert after.occupied.bit_count() == state.occupied.bit_count() + (
            move.piece.size if move.piece else 0
        )


@given(some_squares)
def test_neighbours_are_on_the_board(squares: int) -> None:
    places = [divmod(index, 21) for index in indices(squares)]
    for steps, find in ((1, edges), (2, diagonals)):
        around = [
            (row + r, col + c)
            for row, col in places
            for r in (-1, 0, 1)
            for c in (-1, 0, 1)
            if abs(r) + abs(c) == steps
        ]
        wanted = {(row, col) for row, col in around if 0 <= row < 20 and 0 <= col < 20}
        assert {divmod(index, 21) for index in indices(find(squares))} == wanted


@given(some_squares, some_squares)
def test_pairs_are_counted_both_ways(some: int, others: int) -> None:
    for steps, find in ((EDGE_STEPS, edges), (DIAGONAL_STEPS, diagonals)):
        single = sum((find(1 << index) & others).bit_count() for index in indices(some))
        assert count_pairs(some, others, steps) == single
        assert count_pairs(others, some, steps) == single


@given(some_squares)
def test_board_fits_its_parts(squares: int) -> None:
    record = SeatRecord.of(Seat(squares))
    parts = (record.low, record.middle, record.high)
    assert all(0 <= part < 2**bits for part, bits in zip(parts, (256, 128, 64), strict=True))
    assert record.read().squares == squares
