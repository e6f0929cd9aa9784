"""Sagrada under random and legal calls: its invariants hold, and would not if a rule were wrong."""

from __future__ import annotations

import pytest

from chain import Chain
from contracts.sagrada.contract import Sagrada
from contracts.sagrada.fuzz import SagradaFuzz


def test_invariants_hold() -> None:
    report = SagradaFuzz.run(24)
    played = {"Sagrada.create_game", "Sagrada.execute_command", "Sagrada.undo", "Sagrada.load_game"}
    assert played.isdisjoint(report.unreached)


def test_name_may_begin_like_an_address(chain: Chain) -> None:
    """Found by fuzzing."""
    game = chain.deploy(Sagrada)
    game.create_game(["0x", "0xada"])
    assert len(game.window_frames(0, "0x")) == 4


def test_turn_forced_too_early_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sagrada, "_require_time_over", lambda self, began: None)
    with pytest.raises(AssertionError, match="forced before its time"):
        SagradaFuzz.run(60)
