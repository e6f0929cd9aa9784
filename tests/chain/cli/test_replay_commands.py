"""The commands that record a play and play it again."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from chain import Chain, Contract, call
from chain.cli.main import cli

RACE = """
from chain import Contract, call
from chain.types import u8

class Race(Contract):
    square: u8

    @call
    def roll(self) -> u8:
        self.square += self.random.below(6, tag="die") + 1
        return self.square
"""


PLAY = """
import sys
from chain import Chain
from race{} import Race

for rolls in sys.argv[1:]:
    race = Chain().deploy(Race)
    for _ in range(int(rolls)):
        race.roll()
print("played")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a game of its own name, and a script that plays it."""
    name = f"race_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(RACE, "utf-8")
    (tmp_path / "play.py").write_text(PLAY.format(name.removeprefix("race")), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("BOARDCHAIN_CONTRACTS", name)
    return tmp_path


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, words)])


def test_script_is_recorded_and_replayed(folder: Path) -> None:
    done = run("record", "play.py", 2, "-o", "race.jsonl")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "2 +2s alice: Race.roll() -> " in (folder / "race.txt").read_text("utf-8")
    again = run("replay", "race.jsonl")
    assert (again.exit_code, again.stderr) == (0, "3 transactions have the recorded outcome\n")


def test_changed_transcript_fails_until_updated(folder: Path) -> None:
    path = folder / "race.jsonl"
    path.write_bytes(
        run("record", "play.py", 2).stdout.replace('"result":2', '"result":3').encode()
    )
    changed = run("replay", path)
    assert changed.exit_code == 1
    assert f"{path}, line 4: Race.roll has a different outcome (race" in changed.stdout
    assert run("replay", path, "--update").stderr == f"{path} is rewritten\n"
    assert "2 +2s alice: Race.roll() -> 2" in path.with_suffix(".txt").read_text("utf-8")
    assert run("replay", path).exit_code == 0
    assert run("replay", path, "--update").stderr == f"{path} is unchanged\n"
    path.write_bytes(path.read_bytes().replace(b'"hash":"0x', b'"hash":"0xff'))
    assert run("replay", path).exit_code == 1
    assert run("replay", path, "--moves-only").exit_code == 0


def test_one_of_several_chains_is_chosen(folder: Path) -> None:
    assert "it played on 2 chains: choose one with --nth" in run("record", "play.py", 1, 2).stderr
    assert run("record", "--nth", 2, "play.py", 1, 2).stdout.count('"entry":"roll"') == 2


def test_file_of_a_chain_is_recorded(folder: Path) -> None:
    script = "import sys\nfrom chain import Chain\n" + PLAY.partition("for")[0].format(
        next(folder.glob("race*.py")).stem.removeprefix("race")
    )
    (folder / "keep.py").write_text(
        f"{script}\nwith Chain.open('x.chain') as c: c.deploy(Race).roll()"
    )
    from_script = run("record", "keep.py").stdout
    assert run("record", "x.chain").stdout == from_script
    assert run("replay", "x.chain").exit_code == 0
    assert run("replay", "x.chain", "--update").exit_code == 2


class Unknown(Contract):
    @call
    def play(self) -> None: ...


def test_file_with_unknown_contract_is_recorded(folder: Path) -> None:
    with Chain.open(folder / "board.chain") as chain:
        chain.deploy(Unknown)
    recorded = run("record", "board.chain")
    assert (recorded.exit_code, '"create":"Unknown"' in recorded.stdout) == (0, True)
    for command in ("replay", "verify"):
        refused = run(command, "board.chain")
        assert "Unknown is not among the available contracts" in refused.stderr
        assert (refused.exit_code == 0, "hash seed" in refused.stderr) == (False, False)


def test_contract_in_the_script_is_refused(folder: Path) -> None:
    (folder / "all.py").write_text(
        f"from chain import Chain\n{RACE}\nChain().deploy(Race)", "utf-8"
    )
    refused = run("record", "all.py")
    assert refused.exit_code == 1
    assert (
        "Race is defined in the script itself, from which a replay cannot import it"
        in refused.stderr
    )


def test_main_on_a_chain_is_recorded(folder: Path) -> None:
    (module,) = folder.glob("race*.py")
    script = f"from {module.stem} import Race\ndef main(chain): chain.deploy(Race).roll()"
    (folder / "main.py").write_text(script, "utf-8")
    assert '"to":"Race","entry":"roll"' in run("record", "main.py").stdout


def test_missing_transcript_cannot_be_verified(folder: Path) -> None:
    (folder / "notes.jsonl").write_text("notes", "utf-8")
    refused = run("verify", "notes.jsonl")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("boardchain: notes.jsonl: line 1: this is not a transcript")
