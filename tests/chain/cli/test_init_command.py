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


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a new game."""
    folder = tmp_path_factory.mktemp("new") / "snakes-and-ladders"
    assert "Created SnakesAndLadders in " in invoke("init", folder).stdout
    return folder


COMMANDS = (
    "pytest -q -p no:cacheprovider -p chain.plugins.pytest_plugin",
    "ruff check --no-cache .",
    "ruff format --check --no-cache .",
    "mypy --follow-imports silent --cache-dir {caches}",  # silent about the chain, as if it was installed
    "chain lint .",
    "chain run scripts/play.py",
    "chain fuzz contracts.snakes_and_ladders --examples 5",
    "chain play contracts.snakes_and_ladders --games 4 --strategies shrewd,random",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_new_game_passes_at_once(game: Path, command: str, tmp_path: Path) -> None:
    run(game, command.format(caches=tmp_path))


def test_new_game_is_deployed_and_played(game: Path) -> None:
    for command in (
        "run scripts/play.py --chain game.chain",
        "deploy scripts/deploy.py --chain game.chain",
        'call SnakesAndLadders#2 create_race ["alice","bob"] --chain game.chain',
        "call SnakesAndLadders#2 roll 0 --chain game.chain",
    ):
        run(game, f"chain {command}")
    assert (game / "deployments" / "game" / "addresses.json").exists()


def test_new_game_keeps_what_tools_leave_out_of_git(game: Path) -> None:
    ignored = (game / ".gitignore").read_text("utf-8").splitlines()
    assert {".venv/", "__pycache__/", ".hypothesis/", "*.chain"} <= set(ignored)


def run(folder: Path, command: str) -> None:
    """Run a Python module in a folder; it must succeed."""
    paths = {"MYPYPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **paths, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["class", "vector", "chain", "test-game", "True"])
def test_taken_name_is_refused(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    refused = invoke("init", name)
    assert refused.exit_code == 2 and "has another meaning in the project" in refused.stderr


@pytest.mark.parametrize("name", ["7", "a b", "", "ümläut", "."])
def test_name_of_a_game_is_checked(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    refused = invoke("init", name)
    assert refused.exit_code == 2 and "cannot name a game" in refused.stderr


def test_existing_folder_is_kept(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    refused = invoke("init", tmp_path)
    assert refused.exit_code == 2
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]
