"""Mage Duel under random and legal calls: its invariants hold, and would not if a rule were wrong."""

from __future__ import annotations

import pytest

from contracts.mage_duel import contract
from contracts.mage_duel.fuzz import MageDuelFuzz


def test_invariants_hold() -> None:
    report = MageDuelFuzz.run(20)
    played = {"Game.join_game", "Game.make_move", "Game.skip_move", "Game.cancel_game"}
    assert played.isdisjoint(report.unreached)


def test_game_paid_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "pay", lambda balance, games, total: (balance + 2 * total, games))
    with pytest.raises(AssertionError, match="invariant only_an_end_pays does not hold"):
        MageDuelFuzz.run(60)
