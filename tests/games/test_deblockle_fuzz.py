"""Deblockle under random and legal calls: its invariants hold, and would not if a rule were wrong."""

from __future__ import annotations

import pytest

from chain import Chain
from chain.testing import instrumented
from contracts import mage_duel
from contracts.deblockle import Deblockle, rules
from contracts.deblockle.fuzz import DeblockleFuzz


def test_invariants_hold() -> None:
    report = DeblockleFuzz.run(25)
    assert report.unreached == []


def test_lost_check_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (rules, instrumented(rules)):  # where moves are chosen, and where they are judged
        monkeypatch.setattr(
            module, "is_win_square", lambda square, _: (square.x, square.y) == (4, 2)
        )
    with pytest.raises(
        AssertionError, match="invariant foreign_win_squares_stay_free does not hold"
    ):
        DeblockleFuzz.run(400)


def test_games_share_one_copy_of_their_rules(chain: Chain) -> None:
    chain.deploy(Deblockle)
    before = instrumented(rules)
    mage_duel.deploy(chain)  # more of what both use is made, annotations of constants included
    assert instrumented(rules) is before
