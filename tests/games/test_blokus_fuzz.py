"""Blokus under random and legal calls: its invariants hold, and would not if a rule were wrong."""

from __future__ import annotations

import pytest

from contracts.blokus import rules, state
from contracts.blokus.fuzz import BlokusFuzz


def test_invariants_hold() -> None:
    report = BlokusFuzz.run(20)
    played = {"Blokus.create_game", "Blokus.join", "Blokus.make_move", "Blokus.pass_turn"}
    assert played.isdisjoint(report.unreached)


def test_piece_kept_in_hand_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def place(before: state.State, placement: rules.Placement) -> state.State:
        seat = before.seat(before.turn)
        squares = seat.squares | placement.squares
        after: state.State = state.with_turn_played(
            before, state.Seat(squares, seat.hand, False, placement.piece)
        )
        return after

    monkeypatch.setattr(rules, "place", place)
    with pytest.raises(AssertionError, match="invariant squares_are_those_of_pieces_gone"):
        BlokusFuzz.run(20)
