"""Campaigns on a Dask cluster: the same results as without one, whichever process is killed; and which schedulers are asked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from chain.arena import Plan, Tally, play
from chain.arena.match import play_game
from chain.arena.scheduler import NoDask, UnsafeScheduler, check_address
from chain.replays.subprocess_runs import subprocess_env

GAMES = 8

GAME = """
import os
from pathlib import Path
from signal import SIGKILL

from chain.arena import Game, Uniform
from tests.chain.arena.nim import ChainTable, Nim, RulesTable

MARK = Path(__file__).with_name("mark")

class Deadly(Uniform):
    '''Kills the worker of Dask, once.'''
    def choose(self, state, moves, chance):
        if not MARK.exists():
            MARK.touch()
            os.kill(os.getppid(), SIGKILL)
        return super().choose(state, moves, chance)

PLAY = Game((Nim,), (2,), {"random": Uniform, "deadly": Deadly}, ChainTable, RulesTable)
"""


@pytest.fixture
def scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a scheduler whose worker is a process of its own with two threads, each with a player."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with closing(
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, dashboard_address="localhost:0", silence_logs=50
        )
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A game that no worker has."""
    name = f"deadly_{tmp_path.name}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / name / "play.py").write_text(GAME)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_cluster_plays_the_same_games(scheduler: str, game: str, tmp_path: Path) -> None:
    """Whatever the chunks are, and although a worker is killed."""
    plan = Plan.of(game, ["random"])
    assert play(plan, GAMES, scheduler=scheduler) == played_here(plan)
    deadly = Plan.of(game, ["deadly", "random"])
    there = play(deadly, GAMES, scheduler=scheduler, chunk=1)
    assert [*(tmp_path / "cache").rglob("mark")]
    (tmp_path / game / "mark").touch()  # here nobody is to die
    assert played_here(deadly) == there


def played_here(plan: Plan) -> Tally:
    tally = Tally(plan)
    for number in range(GAMES):
        tally.add(play_game(plan, number))
    return tally


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:8786", "tcp://localhost:1", "tcp://[::1]:8786", "tls://far:8786"]
)
def test_safe_scheduler_is_asked(address: str) -> None:
    check_address(address)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (
            "tcp://10.0.0.7:8786",
            "anyone who reaches a scheduler can run code on its workers: use tls://",
        ),
        ("tcp://0.0.0.0:8786", "anyone who reaches a scheduler"),
        ("tcp://127.0.0.1.evil.org:8786", "anyone who reaches a scheduler"),
        ("ws://127.0.0.1:8786", "is not a scheduler: write tcp://127.0.0.1:8786"),
        ("127.0.0.1:8786", "is not a scheduler"),
    ],
)
def test_other_scheduler_is_refused(address: str, told: str) -> None:
    with pytest.raises(UnsafeScheduler, match=told):
        check_address(address)


def test_dask_is_imported_only_for_a_scheduler() -> None:
    code = "import sys, chain.arena, chain.cli.commands.play; sys.exit('distributed' in sys.modules)"  # fmt: skip
    assert not subprocess.run([sys.executable, "-c", code], env=subprocess_env(0), check=False).returncode  # fmt: skip


def test_cluster_without_dask_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "chain.arena.cluster", raising=False)
    with pytest.raises(NoDask, match=r"pip install 'boardchain\[cluster\]'"):
        play(Plan.of("tests.chain.arena.nim", ["random"]), 1, scheduler="tcp://127.0.0.1:1")
