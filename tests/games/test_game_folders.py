"""The files of every game: modules that tools look for, recorded games, mutants, and a play with golden output."""

from __future__ import annotations

import pytest

from tests.chain.game_folders import GAMES, ROOT

FILES = (
    "contracts/{}/rules.py",
    "contracts/{}/contract.py",
    "contracts/{}/events.py",
    "contracts/{}/models.py",
    "contracts/{}/fuzz.py",
    "contracts/{}/notation.py",
    "contracts/{}/picture.py",
    "contracts/{}/play.py",
    "scripts/play_{}.py",
    "tests/games/mutants/{}.txt",
    "tests/vectors/{}",
)


@pytest.mark.parametrize("game", GAMES)
def test_game_is_complete(game: str) -> None:
    missing = [path for path in (file.format(game) for file in FILES) if not (ROOT / path).exists()]
    assert missing == []


@pytest.mark.parametrize("game", GAMES)
def test_game_has_ten_mutants(game: str) -> None:
    text = (ROOT / "tests" / "games" / "mutants" / f"{game}.txt").read_text("utf-8")
    assert len(text.strip().split("\n\n")) >= 10
