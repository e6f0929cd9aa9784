"""`boardchain deploy` with a script: what it shows, asks and does, and how it continues after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from chain import Chain
from chain.cli import deployment_view
from chain.cli.main import cli
from tests.chain.kills import DYING
from tests.chain.versions import TALLY

ROOT = Path(__file__).parents[3]
GAME = f"""{TALLY}

def plan(deployment):
    deployment.deploy(Game).add(1)
"""
OTHER_RULES = GAME.replace("+= n", "+= 2 * n")
OTHER_TYPE = GAME.replace("Map[u64, str]", "Map[u64, u64]")


@pytest.fixture(autouse=True)
def nothing_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer an empty package, so that the games are not imported."""
    (tmp_path / "none_here.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("BOARDCHAIN_CONTRACTS", "none_here")


def deploy(script: Path, folder: Path, *words: str, answer: str = "") -> Result:
    given = [
        "deploy",
        script,
        "--chain",
        folder / "games.chain",
        "--deployments",
        folder / "kept",
        *words,
    ]
    return CliRunner().invoke(cli, [str(word) for word in given], input=answer)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "deploy_game.py"
    file.write_text(GAME)
    return file


def test_command_deploys_once(script: Path, tmp_path: Path) -> None:
    first = deploy(script, tmp_path)
    assert "create Game at 0x5FbDB2315678afecb367f032d93F642f64180aa3" in first.stdout, first.stderr
    journal = json.loads((tmp_path / "kept/games/plans/deploy_game.json").read_text())
    assert list(journal["steps"]) == ["Game", "Game.add(1)"]
    again = deploy(script, tmp_path)
    assert (again.exit_code, again.stderr) == (0, "nothing to do\n")
    with Chain.open(tmp_path / "games.chain") as chain:
        assert len(chain.receipts) == 2


def test_dry_run_makes_nothing(script: Path, tmp_path: Path) -> None:
    told = deploy(script, tmp_path, "--dry-run", "--json")
    assert [each["action"] for each in json.loads(told.stdout)["steps"]] == ["create", "call"]
    assert not (tmp_path / "games.chain").exists() and not (tmp_path / "kept").exists()


def test_changed_contract_needs_a_choice(script: Path, tmp_path: Path) -> None:
    deploy(script, tmp_path)
    script.write_text(OTHER_RULES)
    refused = deploy(script, tmp_path)
    assert refused.exit_code == 1
    assert "Game changed since it was deployed: use --upgrade" in refused.stderr
    assert "Game: the rules only" in refused.stdout
    assert deploy(script, tmp_path, "--upgrade").exit_code == 0
    assert "nothing to do" in deploy(script, tmp_path).stderr


def test_dry_run_counts_no_changed_call(script: Path, tmp_path: Path) -> None:
    deploy(script, tmp_path)
    script.write_text(GAME.replace("add(1)", "add(2)"))
    shown = deploy(script, tmp_path, "--dry-run")
    assert shown.stdout.splitlines()[-1] == "leave Game.add(2)"
    assert shown.stderr.startswith("nothing to do\nGame.add(2) changed since it was sent: use --")
    assert "it would be 1 step" in deploy(script, tmp_path, "--dry-run", "--resend").stderr


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the terminal interactive."""
    monkeypatch.setattr(deployment_view, "is_answered", lambda: True)


@pytest.mark.parametrize(("answer", "code", "files"), [("n", 1, 0), ("y", 0, 3), ("", 1, 0)])
def test_confirmation_is_asked_first(
    script: Path, tmp_path: Path, person: None, answer: str, code: int, files: int
) -> None:
    done = deploy(script, tmp_path, answer=answer)
    assert (done.exit_code, len([*tmp_path.glob("kept/games/*")])) == (code, files)
    assert "Traceback" not in done.stderr


def test_yes_option_asks_nothing(script: Path, tmp_path: Path, person: None) -> None:
    assert deploy(script, tmp_path, "--yes").exit_code == 0


def test_person_chooses_what_becomes_of_the_old(script: Path, tmp_path: Path, person: None) -> None:
    deploy(script, tmp_path, answer="y")
    script.write_text(OTHER_TYPE)
    done = deploy(script, tmp_path, answer="beside\ny\n")
    assert "cannot be upgraded: Game.names was Map[u64, str]" in done.stderr
    assert "beside Game at 0x" in done.stdout


@pytest.mark.parametrize(("text", "says"), [
    ("x = 1", "has no plan(deployment), which describes the deployment: write one"),
    ("x = (", "this is not valid Python"),
])  # fmt: skip
def test_wrong_script_is_reported(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "deploy_wrong.py").write_text(text)
    refused = deploy(tmp_path / "deploy_wrong.py", tmp_path)
    assert (refused.exit_code, says in refused.stderr) == (2, True), refused.stderr


@pytest.mark.parametrize("moment", [2, 3])
def test_killed_process_continues(moment: int, script: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    deploy(script, whole)
    words = [
        "deploy",
        str(script),
        "--chain",
        str(tmp_path / "games.chain"),
        "--deployments",
        str(tmp_path / "kept"),
    ]
    dead = subprocess.run(
        [sys.executable, "-c", DYING, *words, str(moment)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        capture_output=True,
    )
    assert dead.returncode == -signal.SIGKILL
    assert deploy(script, tmp_path).exit_code == 0
    with Chain.open(tmp_path / "games.chain") as one, Chain.open(whole / "games.chain") as other:
        assert one.block_hash() == other.block_hash()
    for file in ("addresses.json", "chain.json"):
        assert (whole / "kept/games" / file).read_bytes() == (
            tmp_path / "kept/games" / file
        ).read_bytes()
    journals = [
        json.loads((each / "kept/games/plans/deploy_game.json").read_text())
        for each in (whole, tmp_path)
    ]
    assert journals[0]["steps"] == journals[1]["steps"]
    assert [did["action"] for run in journals[1]["runs"] for did in run["did"]] == (
        ["resume", "call"] if moment == 2 else ["create", "call"]
    )
