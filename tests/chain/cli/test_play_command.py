"""`boardchain play`: games between strategies, of our games and of a user's."""

from __future__ import annotations

import json
from pathlib import Path
from sqlite3 import OperationalError

import pytest
from click.testing import CliRunner, Result

from chain import Chain
from chain.arena import Store
from chain.cli.main import cli
from tests.chain.arena.nim import Nim

NIM = "tests.chain.arena.nim"

OWN = """
from chain.arena import Game, Uniform
from tests.chain.arena.nim import ChainTable, Nim, RulesTable

class Modest:
    def choose(self, state, moves, chance):
        return 1

PLAY = Game((Nim,), (2,), {"modest": Modest, "random": Uniform}, ChainTable, RulesTable)
"""


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "runs"


def played(out: Path, *words: object, target: str = NIM) -> Result:
    return CliRunner().invoke(cli, ["play", target, "--out", str(out), *map(str, words)])


def test_shares_are_shown(out: Path) -> None:
    done = played(out, "--games", 20, "--strategies", "random,perfect", "--bare", "--json")
    assert done.exit_code == 0
    best, *_ = shares = json.loads(done.stdout)
    assert (best["strategy"], best["seat"], best["games"]) == ("perfect", "all", 20)
    assert [(each["strategy"], each["seat"]) for each in shares[2:]].count(("random", 2)) == 1
    with Store(out) as store:
        assert done.stderr.startswith("20 games, ")
        assert done.stderr.endswith(f"report: {out / 'report.html'}\n")
        assert store.digest()[:16] in done.stderr


def test_results_of_other_plan_are_kept(out: Path) -> None:
    played(out, "--games", 2)
    done = played(out, "--games", 2, "--bare")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "follow another plan: bare is False there and True here" in done.stderr
    assert "give these games another folder (out)" in done.stderr


def test_failed_game_is_named(out: Path) -> None:
    done = played(out, "--games", 20, "--strategies", "wrong,random")
    assert done.exit_code == 1
    with Store(out) as store:
        first, *others = store.failures()
    told = f"{1 + len(others)} games failed, the first is {first.game}: {first.failure}"
    assert done.stderr.splitlines()[-1] == told


def test_game_is_played_again_into_file(out: Path) -> None:
    played(out, "--games", 4)
    done = played(out, "--replay", 3)
    assert (done.exit_code, done.stderr) == (0, "")
    with Chain.open(out / "game-3.chain", contracts=[Nim]) as chain, Store(out) as store:
        row = store.row(3)
        assert row is not None
        assert sum(receipt.gas_used for receipt in chain.receipts) == row.gas
    assert played(out, "--replay", 3).exit_code == 1


def test_test_of_strength_is_reported(out: Path) -> None:
    done = played(out, "--games", 1000, "--strategies", "perfect,random", "--bare", "--sprt", 0, 10)
    assert "perfect is 10 Elo stronger, not 0" in done.stderr.splitlines()


def test_report_is_written_where_one_says(out: Path, tmp_path: Path) -> None:
    played(out, "--games", 2)
    page = tmp_path / "page.html"
    done = CliRunner().invoke(cli, ["play-report", str(out), "-o", str(page)])
    assert (done.exit_code, done.stdout) == (0, f"{page}\n")
    assert page.read_text("utf-8") == (out / "report.html").read_text("utf-8")
    refused = CliRunner().invoke(cli, ["play-report", str(tmp_path)])
    assert refused.exit_code == 2 and "there are no results in" in refused.stderr


def test_other_rules_are_compared(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"two_{tmp_path.name}"
    for home, strategy in ((tmp_path, "return 1"), (tmp_path / "other", "return moves[-1]")):
        (home / name).mkdir(parents=True)
        (home / name / "__init__.py").write_text("")
        (home / name / "play.py").write_text(OWN.replace("return 1", strategy))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words = ("--games", 8, "--strategies", "modest,random", "--bare", "--against", "other")
    done = played(out, *words, target=name)
    assert done.exit_code == 0, done.stderr
    assert "wins of modest" in done.stdout
    assert "8 of 8 games differ from other-" in done.stderr
    assert "Against <bdi>other-" in (out / "report.html").read_text("utf-8")
    both = json.loads(played(out, *words, "--json", target=name).stdout)
    assert [len(both["shares"]), both["differences"][0]["average"]] == [6, "wins of modest"]
    assert "compare complete campaigns" in played(out, *words, "--sprt", 0, 10, target=name).stderr


def test_game_of_ones_own_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"own_{tmp_path.name}"
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "play.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["play", name, "--games", "4", "--strategies", "modest,random"])
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "runs" / name / "results.sqlite").exists()


def test_replay_names_the_game_of_the_results(out: Path) -> None:
    played(out, "--games", 1, "--bare")
    done = played(out, "--replay", 0, target="tests.chain.arena.cheat")
    assert done.exit_code == 2
    assert "are not of tests.chain.arena.cheat" in done.stderr


def test_folder_of_something_else_is_left_alone(out: Path) -> None:
    out.mkdir()
    (out / "results.sqlite").write_text("something else")
    done = played(out, "--games", 1)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "is something else: name another folder" in done.stderr
    assert (out / "results.sqlite").read_text() == "something else"


def test_full_disk_is_told(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(Store, "add", full)
    done = played(out, "--games", 1, "--bare")
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"{out}: database or disk is full; once that is mended, repeat" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--strategies", "nobody"), "has no strategy 'nobody'"),
        (("--check", "many"), "'many' is not a share such as 1%"),
        (("--check", "101%"), "'101%' is not a share such as 1%"),
        (("--sprt", 0, 10), "a sequential test needs two strategies that swap seats"),
        (("--replay", 0), "there are no results in"),
        (("--check", "1%"), "only bare games are checked on a chain"),
        (("--strategies", "perfect,random", "--sprt", 5, 5), "such as 0 10, not 5 5"),
        (("--strategies", "perfect,random", "--sprt", "nan", 10), "such as 0 10, not nan 10"),
        (("--most-seconds", "nan"), "a game may take a number of seconds above 0, not nan"),
        (("--against", "no~such"), "no~such is neither a folder nor a revision of Git in"),
        (("--scheduler", "tcp://127.0.0.1:x"), "is not a scheduler"),
    ],
)
def test_wrong_words_are_refused(out: Path, words: tuple[object, ...], told: str) -> None:
    done = played(out, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert told in done.stderr
