"""Fuzzing: planted bugs are found and shortened, the printed test fails by itself, a run is reported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner, Result

from chain import Chain
from chain.cli.main import cli
from chain.fuzz.fuzz_targets import descriptions

pytestmark = pytest.mark.usefixtures("kept_code")

ROOT = Path(__file__).parents[3]

LOCK = """
from chain import Contract, Map, call, require, view
from chain.fuzz import Fuzz, invariant
from chain.types import u8


class Lock(Contract):
    turned: u8
    is_oiled: bool
    is_pulled: bool
    notes: Map[u8, u8]
    is_open: bool

    @call
    def oil(self, drops: u8) -> None:
        require(drops == 3, "that will not do")
        self.is_oiled = True

    @call
    def turn(self, dial: u8) -> None:
        require(self.is_oiled and dial < 10, "it is stuck")
        self.turned = dial

    @call
    def pull(self, strength: u8) -> None:
        require(self.turned == 7, "it does not move")
        self.is_pulled = strength == 2

    @call
    def push(self) -> None:
        require(self.is_pulled, "it is shut")
        self.is_open = True

    @call
    def note(self, page: u8, text: u8) -> None:
        self.notes[page] = text

    @call
    def wipe(self) -> None:
        self.is_oiled = False

    @view
    def read(self, page: u8) -> u8:
        return self.notes[page]


class LockFuzz(Fuzz):
    contracts = (Lock,)

    @invariant
    def it_stays_shut(self):
        assert not self.handle.fields.is_open, "it is open"
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Writes a module, which can then be imported; it is forgotten after the test."""
    known = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> str:
        (tmp_path / f"{name}.py").write_text(text)
        return name

    yield write
    for name in set(sys.modules) - known:
        if getattr(sys.modules[name], "__file__", "") == str(tmp_path / f"{name}.py"):
            del sys.modules[name]


def fuzz(*words: str) -> Result:
    return CliRunner().invoke(cli, ["fuzz", *words])


def run_alone(test: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test.name]
    paths = f"{ROOT}:{test.parent}"
    return subprocess.run(
        words, cwd=test.parent, env={"PYTHONPATH": paths}, capture_output=True, text=True
    )


# A planted bug


def test_bug_of_four_moves_is_found(module: Callable[..., str], tmp_path: Path) -> None:
    found = tmp_path / "test_found.py"
    result = fuzz(module("lock_four", LOCK), "--write", str(found))
    shown = result.output
    assert result.exit_code == 1
    assert "invariant it_stays_shut does not hold: it is open" in shown
    assert "It takes 4 steps" in shown
    assert found.read_text() in shown
    calls = [
        line.strip() for line in found.read_text().splitlines() if line.startswith("    lock.")
    ]
    assert calls == [
        "lock.oil(3, sender=alice)",
        "lock.turn(7, sender=alice)",
        "lock.pull(2, sender=alice)",
        "lock.push(sender=alice)",
    ]
    alone = run_alone(found)
    assert "test_it_stays_shut - AssertionError: it is open" in alone.stdout
    assert "1 failed" in alone.stdout
    module("lock_four", LOCK.replace("self.is_open = True", "pass"))
    assert "1 passed" in run_alone(found).stdout


STILL = """
from chain.fuzz import invariant
from contracts.deblockle import rules
from contracts.deblockle.fuzz import DeblockleFuzz

class Still(DeblockleFuzz):
    @invariant
    def cubes_lie_still(self):
        assert self.handle.fields.games[0].game.board == rules.set_up(1)[0].game.board
"""


def test_finding_is_drawn_beside_its_test(module: Callable[..., str], tmp_path: Path) -> None:
    name = module("still", STILL)
    assert fuzz(f"{name}:Still", "--write", str(tmp_path / "test_found.py")).exit_code == 1
    before, after = (
        (tmp_path / f"test_found-{when}.svg").read_text() for when in ("before", "after")
    )
    assert before.count('aria-label="Deblockle: Player 1 to roll"') == 1
    body = [svg.partition("</style>")[2] for svg in (before, after)]
    assert ["s-accent" in svg for svg in body] == [False, True]


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_run_is_same_in_every_process(
    hash_seed: str, module: Callable[..., str], tmp_path: Path
) -> None:
    name = module("lock_again", LOCK.replace("self.is_open = True", "pass"))
    code = f"import {name}; print({name}.LockFuzz.run(30))"
    shown = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == f"{imported(name).LockFuzz.run(30)}\n"


def imported(name: str) -> ModuleType:
    __import__(name)
    return sys.modules[name]


# Imports and commands


@pytest.mark.parametrize("name", ["chain", "contracts.deblockle"])
def test_import_does_not_load_fuzzing(name: str) -> None:
    code = f"import {name}, sys; print('chain.fuzz' in sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert shown.stdout.split() == ["False"]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("no.such.game", "there is no package 'no.such.game' here"),
        ("contracts.deblockle:Chess", "no description 'Chess'"),
        ("chain.types", "neither a contract nor a description"),
    ],
)
def test_wrong_target_is_reported(target: str, said: str) -> None:
    told = fuzz(target)
    assert told.exit_code == 2
    assert said in told.stderr


def test_contracts_without_description(module: Callable[..., str], tmp_path: Path) -> None:
    plain = LOCK.replace("class LockFuzz(Fuzz)", "class LockFuzz")
    plain = plain.replace('require(drops == 3, "that will not do")', "drops = 9 // drops")
    found = tmp_path / "test_plain.py"
    assert fuzz(module("lock_plain", plain), "--write", str(found)).exit_code == 1
    assert "lock = chain.deploy(Lock)" in found.read_text()
    assert "ZeroDivisionError" in run_alone(found).stdout


ARCADE = """
from chain import System, call
from chain.types import u8


class Coins(System):
    inserted: bool

    @call
    def insert(self) -> None:
        self.inserted = True


class Play(System):
    @call
    def begin(self, lives: u8) -> u8:
        return 3 // lives


def deploy(chain):
    return chain.deploy_world("arcade", systems=[Coins, Play], writers={})
"""


def test_world_without_description(module: Callable[..., str], tmp_path: Path) -> None:
    name, found = module("arcade", ARCADE), tmp_path / "test_arcade.py"
    assert {*descriptions(name)[0](Chain()).handles} == {"coins", "play"}
    assert "Play.begin fails" in fuzz(name, "--write", str(found)).output
    assert 'play = descriptions("arcade")[0](chain)' in found.read_text()
    assert "ZeroDivisionError" in run_alone(found).stdout
