"""A user's own `contracts` in their project, and a folder of that name without Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GAME = """
from chain import Contract, view
from chain.types import u8

class MyGame(Contract):
    @view
    def answer(self) -> u8:
        return 42
"""
PLAY = """
from chain import Chain

from contracts.my_game import MyGame

def main(chain):
    print(chain.deploy(MyGame).answer())


if __name__ == "__main__":
    main(Chain())
"""
TEST = "from contracts.my_game import MyGame\n\ndef test_answer(deploy):\n    assert deploy(MyGame).answer() == 42\n"
PLAN = (
    "from contracts.my_game import MyGame\n\ndef plan(deployment):\n    deployment.deploy(MyGame)\n"
)
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "chain.plugins.pytest_plugin")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with contracts of its own."""
    project = tmp_path / "mine"
    for name in ("contracts", "scripts", "tests", "notebooks"):
        (project / name).mkdir(parents=True)
    (project / "pyproject.toml").write_text("[project]\nname = 'mine'\n")
    (project / "contracts" / "my_game.py").write_text(GAME)
    (project / "scripts" / "play.py").write_text(PLAY)
    (project / "tests" / "test_my_game.py").write_text(TEST)
    (project / "contracts" / "__init__.py").touch()
    return project


def run(folder: Path, *words: str) -> str:
    """Run Python in a folder, with the chain and its games installed, and return what it prints."""
    environment = {**os.environ, "PYTHONSAFEPATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


WAYS = [
    (".", ("-m", "chain", "run", "scripts/play.py")),
    ("..", ("-m", "chain", "run", "mine/scripts/play.py")),
    (".", ("-m", "scripts.play")),
    (".", ("-c", PLAY)),
]


@pytest.mark.parametrize(("folder", "words"), WAYS)
def test_own_contracts_win_in_scripts(project: Path, folder: str, words: tuple[str, ...]) -> None:
    assert run(project / folder, *words) == "42\n"


def test_own_contracts_win_before_the_chain_is_imported(project: Path) -> None:
    chain, contracts, play = PLAY.strip().split("\n\n", 2)
    assert run(project, "-c", "\n".join((contracts, chain, play))) == "42\n"


@pytest.mark.parametrize("folder", [".", ".."])
def test_own_contracts_win_in_tests(project: Path, folder: str) -> None:
    assert "1 passed" in run(project / folder, *PYTEST, str(project / "tests"))


def test_own_contracts_win_in_commands(project: Path) -> None:
    assert "answer" in run(project, "-m", "chain", "inspect", "MyGame")


def test_own_contracts_win_in_plans(project: Path, tmp_path: Path) -> None:
    (project / "scripts" / "deploy.py").write_text(PLAN)
    told = run(tmp_path, "-m", "chain", "deploy", "mine/scripts/deploy.py", "--chain", "memory")
    assert "create MyGame at 0x" in told


@pytest.mark.parametrize("file", ["Token.sol", "build/Token.json"])
def test_foreign_contracts_do_not_hide_the_games(tmp_path: Path, file: str) -> None:
    path = tmp_path / "contracts" / file
    path.parent.mkdir(parents=True)
    path.touch()
    assert "cube_state" in run(tmp_path, "-m", "chain", "inspect", "Deblockle")


def test_type_checkers_find_an_editable_install() -> None:
    assert 'package-dir = { "" = "." }' in (ROOT / "pyproject.toml").read_text()
