"""Records for storage and calldata hold the complete values of the rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain.errors import Revert
from contracts.blokus.board import BOARD
from contracts.blokus.models import SeatRecord, StateRecord
from contracts.blokus.move import Move, MoveRecord, pass_of
from contracts.blokus.pieces import FULL_HAND, Piece, PieceRecord
from contracts.blokus.playouts import midgame
from contracts.blokus.state import Seat
from tests.games.blokus_moves import moves

seats = st.builds(
    Seat,
    squares=st.integers(0, 2**420 - 1).map(lambda bits: bits & BOARD),
    hand=st.integers(0, FULL_HAND),
    passed=st.booleans(),
    last_piece=st.none() | st.integers(0, 20),
)


@given(moves)
def test_move_survives_its_record(move: Move) -> None:
    assert recorded(move).read() == move.read() == move


def recorded(move: Move) -> MoveRecord:
    piece = PieceRecord(move.piece.name) if move.piece else None
    return MoveRecord(piece, move.position, move.rotation, move.player_id, move.is_pass, move.flip)


def test_pass_has_neither_piece_nor_position() -> None:
    assert MoveRecord(None, None, 0, 2, is_pass=True).read() == pass_of(2)


def test_ill_formed_move_is_a_refusal() -> None:
    with pytest.raises(Revert, match=r"^Invalid rotation: 45$"):
        MoveRecord(PieceRecord("I1"), (0, 0), 45, 1).read()


def test_unknown_piece_is_a_piece_nobody_owns() -> None:
    assert MoveRecord(PieceRecord("V4"), (0, 0), 0, 1).read().piece == Piece("V4", ())


@given(seats)
def test_seat_survives_its_record(seat: Seat) -> None:
    assert SeatRecord.of(seat).read() == seat


def test_untouched_seat_is_all_zeros() -> None:
    assert SeatRecord.of(Seat()) == SeatRecord(0, 0, 0, 0, False, None)


def test_state_is_read_from_its_seats() -> None:
    state = midgame()
    seats = tuple(SeatRecord.of(seat) for seat in state.seats)
    record = StateRecord(seats, state.turn, state.scoring)
    assert record.read() == state
    assert StateRecord.of(state) == record
