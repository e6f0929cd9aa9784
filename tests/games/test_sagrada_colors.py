"""The script of Sagrada prints in colour on a terminal, and nowhere else."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from contracts.sagrada.dice import Die

SCRIPT = Path(__file__).parents[2] / "scripts" / "play_sagrada.py"


@pytest.fixture(scope="module")
def play() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


@pytest.mark.parametrize(
    ("terminal", "no_color", "painted"),
    [
        (True, None, "\033[30;41mR1\033[0m"),
        (True, "", "\033[30;41mR1\033[0m"),
        (True, "1", "R1"),
        (False, None, "R1"),
    ],
)
def test_dice_are_painted_on_terminals(
    play: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    terminal: bool,
    no_color: str | None,
    painted: str,
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color is not None:
        monkeypatch.setenv("NO_COLOR", no_color)
    assert play["paint"](Die(0, 1)) == painted


def test_each_color_has_its_own(play: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert len({play["paint"](Die(number, 1))[:8] for number in range(5)}) == 5
