"""`boardchain init`: a new game that passes its tests at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from chain.cli.main import cli

ROOT = Path(__file__).parents[3]


def invoke(*words: Any) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


def test_new_game_passes_at_once(tmp_path: Path) -> None:
    made = invoke("init", tmp_path / "snakes-and-ladders")
    assert "SnakesAndLadders is in " in made.stdout
    game = tmp_path / "snakes-and-ladders"
    for words in (
        ("pytest", "-q", "-p", "no:cacheprovider", "-p", "chain.pytest_plugin"),
        ("chain", "run", "scripts/play.py"),
        ("chain", "run", "scripts/play.py", "--chain", "game.chain"),
        ("chain", "deploy", "scripts/deploy.py", "--chain", "game.chain"),
        ("chain", "call", "SnakesAndLadders#2", "roll", "--chain", "game.chain"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=game,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert (game / "deployments" / "game" / "SnakesAndLadders.json").exists()


@pytest.mark.parametrize("name", ["class", "map", "chain", "test-game", "True"])
def test_taken_name_is_refused(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    refused = invoke("init", name)
    assert refused.exit_code == 2 and "means something else in the project" in refused.stderr


@pytest.mark.parametrize("name", ["7", "a b", "", "ümläut", "."])
def test_name_of_a_game_is_checked(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    refused = invoke("init", name)
    assert refused.exit_code == 2 and "cannot name a game" in refused.stderr


def test_folder_that_is_there_is_left(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    refused = invoke("init", tmp_path)
    assert refused.exit_code == 2
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]
