"""Two versions of a game side by side: where they differ, and by how much."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from chain.arena import Plan, Store, Tally, play
from chain.arena.comparison import PairedDifference, compare
from chain.arena.find_game import digest_of
from chain.arena.match import Row, play_game
from chain.arena.player_process import PlayerSetting
from chain.arena.versions import NoVersion, code_of, unpacked, version_of
from contracts.deblockle import play as deblockle
from contracts.deblockle.play import RulesTable
from contracts.deblockle.rules import from_text, to_text

GAME = """
from chain.arena import Game, Uniform
from tests.chain.arena.nim import ChainTable, Nim, RulesTable

class Table(RulesTable):
    def __init__(self, seats, chance):
        super().__init__(seats, chance)
        self.state += MORE

MORE = 0
PLAY = Game((Nim,), (2,), {"random": Uniform, "other": Uniform}, ChainTable, Table)
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with its own game, whose heap has one more since the last commit."""
    name = f"heap_{tmp_path.name}".replace("-", "_")
    home = tmp_path / "home"
    package = home / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "play.py").write_text(GAME)
    git = ["git", "-C", str(home), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], check=True)
    (package / "play.py").write_text(GAME.replace("MORE = 0", "MORE = 1"))
    monkeypatch.syspath_prepend(str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return home


@pytest.fixture
def plan(home: Path) -> Plan:
    (package,) = home.glob("heap_*")
    return Plan.of(package.name, ["random", "other"], bare=True)


def test_revision_is_played_beside_the_present(home: Path, plan: Plan, tmp_path: Path) -> None:
    other = version_of(plan, "HEAD")
    assert other.plan == replace(plan, digest=other.plan.digest) != plan
    play(plan, 6, out=tmp_path / "here")
    play(other.plan, 6, out=tmp_path / "there", setting=PlayerSetting(root=other.root))
    with Store(tmp_path / "here") as here, Store(tmp_path / "there") as there:
        comparison = compare(other.name, here, there)
        assert here.row(0) == play_game(plan, 0)
    assert (comparison.games, comparison.changed, comparison.first_changed) == (6, 4, 0)
    assert [each.what for each in comparison.differences] == [
        "wins of random",
        "wins of other",
        "wins on seat 1",
        "wins on seat 2",
        "plies",
    ]


def test_folder_is_played_as_it_was(home: Path, plan: Plan, tmp_path: Path) -> None:
    """Later changes to the folder have no effect."""
    other = tmp_path / "other"
    (other / plan.target).mkdir(parents=True)
    (other / plan.target / "__init__.py").write_text("")
    (other / plan.target / "play.py").write_text(GAME.replace("MORE = 0", "MORE = 2"))
    version = version_of(plan, str(other))
    (other / plan.target / "play.py").write_text("broken")
    assert play(version.plan, 2, setting=PlayerSetting(root=version.root)).games == 2


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("HEAD~1", "HEAD~1 is neither a folder nor a revision of Git in "),
        (".", "there is no package heap_"),
        ("home", "the same code of heap_"),
    ],
)
def test_version_that_is_none_is_refused(
    home: Path, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoVersion, match=told):
        version_of(plan, where)


def test_version_that_cannot_be_played_says_why(home: Path, plan: Plan) -> None:
    (home / plan.target / "play.py").write_text("PLAY = None")
    with pytest.raises(NoVersion, match=r"cannot be played: .*offers no game to play"):
        version_of(plan, str(home))


def test_code_is_the_same_bytes_wherever_it_is(home: Path, plan: Plan) -> None:
    code = code_of(plan.target)
    folder = unpacked(code)
    assert code_of(plan.target, folder) == code
    assert unpacked(code) == folder
    for left_out in (".venv", "node_modules", "__pycache__"):
        (home / plan.target / left_out).mkdir()
        (home / plan.target / left_out / "large").touch()
    assert code_of(plan.target) == code
    assert digest_of(plan.target) == plan.digest


def test_equal_results_differ_in_nothing(tmp_path: Path) -> None:
    plan = Plan.of("tests.chain.arena.nim", ["random", "perfect"])
    play(plan, 10, out=tmp_path)
    with Store(tmp_path) as store:
        comparison = compare("itself", store, store)
    assert (comparison.games, comparison.changed) == (10, 0)
    assert [each.what for each in comparison.differences][-1] == "gas of a game"
    assert {each.value for each in comparison.differences} == {0}


def test_rounds_with_failures_are_left_out() -> None:
    plan = Plan("nowhere", ("a", "b"), "")
    won = Row(0, 0, '["a","b"]', "over", "[0]", "[1,2]", "[1,0]", 7, "")
    failed = won._replace(failure="no")
    rows = [row._replace(game=number) for number, row in enumerate([won, won, failed, won, won])]
    with Store() as store:
        store.follow(plan)
        store.add(rows, store.tally())
        assert compare("itself", store, store).games == 2


def test_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Of 400 comparisons 380; five standard deviations below are 358."""
    chance, held = Random(1), 0
    for _ in range(400):
        difference = PairedDifference("wins")
        for _ in range(60):
            luck = chance.random()
            difference.add(luck < 0.6, luck < 0.5 if chance.random() < 0.5 else chance.random() < 0.5)  # fmt: skip
        low, high = difference.interval
        held += low <= 0.1 <= high
    assert 358 <= held < 400


def test_no_difference_seems_certain() -> None:
    """Agresti and Min: of 100 pairs that agree, sqrt(1 / 102) / sqrt(102) is the error."""
    difference = PairedDifference("wins")
    for _ in range(100):
        difference.add(1, 1)
    low, high = difference.interval
    assert (low, high) == pytest.approx((-1.959964 / 102, 1.959964 / 102))


@pytest.mark.slow
def test_small_favour_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a quarter of the games a cube of the first player lies better: she wins 3 in 100 games more."""
    plan = Plan.of("contracts.deblockle", ["greedy"], bare=True)

    class Favour(RulesTable):
        def __init__(self, seats: int, chance: Random) -> None:
            super().__init__(seats, chance)
            if chance.random() < 0.25:
                self.state = from_text(to_text(self.state).replace("1e7:362", "1e7:213"))

    def played(rules: type[RulesTable]) -> Store:
        monkeypatch.setattr(deblockle, "PLAY", replace(deblockle.PLAY, by_rules=rules))
        store = Store()
        store.follow(plan)
        store.add([play_game(plan, number) for number in range(400)], Tally(plan))
        return store

    with played(Favour) as here, played(RulesTable) as there:
        (first, *_) = compare("fair", here, there).differences
    assert (first.what, first.rounds) == ("wins on seat 1", 400)
    assert first.interval[0] > 0
