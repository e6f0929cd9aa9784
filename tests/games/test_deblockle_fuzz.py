"""Deblockle under random and legal calls: its invariants hold, and would not if a rule were wrong."""

from __future__ import annotations

import pytest

from contracts.deblockle import rules
from contracts.deblockle.fuzz import DeblockleFuzz


def test_invariants_hold() -> None:
    report = DeblockleFuzz.run(25)
    assert report.unreached == []


def test_lost_check_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "is_win_square", lambda square, _: (square.x, square.y) == (4, 2))
    with pytest.raises(
        AssertionError, match="invariant foreign_win_squares_stay_free does not hold"
    ):
        DeblockleFuzz.run(400)
