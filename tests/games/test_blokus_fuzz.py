"""Blokus under random and legal calls: its invariants hold, and would not if a rule were wrong."""

from __future__ import annotations

import pytest

from contracts.blokus import rules
from contracts.blokus.fuzz import BlokusFuzz
from contracts.blokus.state import Seat, State, with_turn_played


def test_invariants_hold() -> None:
    report = BlokusFuzz.run(30)
    played = {"Blokus.create_game", "Blokus.join", "Blokus.make_move", "Blokus.pass_turn"}
    assert played.isdisjoint(report.unreached)


def test_piece_kept_in_hand_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def place(state: State, placement: rules.Placement) -> State:
        seat = state.seat(state.turn)
        squares = seat.squares | placement.squares
        return with_turn_played(state, Seat(squares, seat.hand, False, placement.piece))

    monkeypatch.setattr(rules, "place", place)
    with pytest.raises(AssertionError, match="invariant squares_are_those_of_pieces_gone"):
        BlokusFuzz.run(20)
