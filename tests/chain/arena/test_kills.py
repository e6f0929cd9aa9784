"""Campaigns with a process that is killed at random moments have the results of an undisturbed one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from logging import getLogger
from pathlib import Path
from random import Random
from signal import SIGKILL
from threading import Event
from typing import Any, Final

import pytest

from chain.arena import Plan, Store, Tally, play, supervisor
from chain.arena.match import play_game
from chain.arena.player_process import PlayerProcess, PlayerSetting
from chain.replays.subprocess_runs import subprocess_env

pytestmark = pytest.mark.slow

MOMENTS: Final = 10
GAMES, CHUNK = 60, 2
LAST: Final = GAMES // CHUNK - 4  # so many chunks are there at most when a process is killed

GAME = '''
from chain.arena import Game, Uniform
from tests.chain.arena.nim import ChainTable, Nim, RulesTable

class Slow(Uniform):
    """Is slow, so that a killed process is in the middle of something."""

    def choose(self, state, moves, chance):
        sum(range(100_000))
        return super().choose(state, moves, chance)


PLAY = Game((Nim,), (2,), {"slow": Slow}, ChainTable, RulesTable)
'''

# A driver that tells of each chunk.
DRIVER = f"""
import sys
from pathlib import Path
from chain.arena import Plan, play

plan = Plan.of(sys.argv[1], ["slow"])
play(plan, {GAMES}, chunk={CHUNK}, workers=2, out=Path(sys.argv[2]), watch=lambda *_: print(flush=True))
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plan]:
    """A game that no worker has, in a small package."""
    home = tmp_path_factory.mktemp("home")
    (home / "killed_nim").mkdir()
    (home / "killed_nim" / "__init__.py").write_text("")
    (home / "killed_nim" / "play.py").write_text(GAME)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(home / "cache"))
        patch.syspath_prepend(str(home))
        yield Plan.of("killed_nim", ["slow"])


@pytest.fixture(scope="module")
def expected(plan: Plan) -> str:
    tally = Tally(plan)
    for number in range(GAMES):
        tally.add(play_game(plan, number))
    return tally.digest


def moments(kind: str) -> Iterator[tuple[int, Random]]:
    """Yield the number of stored chunks at which a process of this kind is killed, and the randomness that chooses it."""
    chance = Random(kind)
    for _ in range(MOMENTS):
        yield chance.randrange(1, LAST), chance


def disturbed(plan: Plan, moment: int, kill: Callable[[], None], **options: Any) -> str:
    """Play a campaign in which something is killed. Return the digest of its results."""
    chunks, killed = count(), list[int]()

    def watch(done: int, tally: Tally) -> None:
        if next(chunks) == moment:
            kill()
            killed.append(moment)

    digest = play(plan, GAMES, chunk=CHUNK, watch=watch, **options).digest
    assert killed == [moment]
    return digest


def test_players(plan: Plan, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    players: list[PlayerProcess] = []

    def started(plan: Plan, setting: PlayerSetting) -> PlayerProcess:
        players.append(PlayerProcess(plan, setting))
        return players[-1]

    monkeypatch.setattr(supervisor, "PlayerProcess", started)
    for moment, chance in moments("player"):
        players.clear()
        digest = disturbed(plan, moment, partial(kill_one, players, chance), workers=2)
        assert digest == expected
        assert len(players) == 3


def kill_one(players: list[PlayerProcess], chance: Random) -> None:
    chance.choice(players).kill()


def test_drivers(plan: Plan, expected: str, tmp_path: Path) -> None:
    for number, (moment, _) in enumerate(moments("driver")):
        folder = tmp_path / str(number)
        words = [sys.executable, "-c", DRIVER, plan.target, str(folder)]
        with subprocess.Popen(words, env=subprocess_env(0), stdout=subprocess.PIPE) as driver:
            assert driver.stdout is not None
            for _ in range(moment + 1):
                assert driver.stdout.readline()
            driver.kill()
        with Store(folder) as store:
            assert CHUNK * moment <= len(store.games()) < GAMES
        assert play(plan, GAMES, out=folder).digest == expected


class Cluster:
    """A scheduler and its workers, each a process of Dask's own command line."""

    def __init__(self, folder: Path) -> None:
        self._file, self._processes = folder / "scheduler.json", list[subprocess.Popen[bytes]]()
        self.scheduler = self._begin("scheduler", "--host", "127.0.0.1", "--port", "0")
        while not self._file.exists():  # it is written whole, then given its name
            assert self.scheduler.poll() is None
            Event().wait(0.05)
        self.address: str = json.loads(self._file.read_text())["address"]

    def add_worker(self) -> None:
        self._begin("worker", "--nthreads", "1", "--no-dashboard")

    def _begin(self, command: str, *words: str) -> subprocess.Popen[bytes]:
        line = [sys.executable, "-m", f"distributed.cli.dask_{command}"]
        line += ["--scheduler-file", str(self._file), *words]
        process = subprocess.Popen(line, env=subprocess_env(0), stderr=subprocess.DEVNULL)
        self._processes.append(process)
        return process

    def close(self) -> None:
        """Kill all processes, with the processes that they started."""
        for process in self._processes:
            process.kill()
            process.wait()


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[Cluster, Any]]:
    """Yield a running cluster, and a client of it."""
    distributed = pytest.importorskip("distributed")
    folder.mkdir(exist_ok=True)
    with ExitStack() as scope:
        made = Cluster(folder)
        scope.callback(made.close)
        for _ in range(workers):
            made.add_worker()
        yield made, scope.enter_context(distributed.Client(made.address, set_as_default=False, timeout=60))  # fmt: skip


@pytest.mark.parametrize("is_nanny", [False, True], ids=["workers", "nannies"])
def test_workers(plan: Plan, expected: str, tmp_path: Path, is_nanny: bool) -> None:
    """A nanny restarts its worker; without a nanny the worker ends, and another one joins."""
    with cluster(tmp_path, workers=2) as (made, client):
        for moment, chance in moments("nanny" if is_nanny else "worker"):
            client.wait_for_workers(2, timeout=120)
            pids = sorted(client.run(os.getpid, nanny=is_nanny).values())
            kill = partial(os.kill, chance.choice(pids), SIGKILL)
            digest = disturbed(plan, moment, kill, scheduler=made.address)
            assert digest == expected
            if is_nanny:
                made.add_worker()


def test_schedulers(
    plan: Plan, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:  # fmt: skip
    """Without a scheduler the campaign ends in a sentence, and is resumed here."""
    monkeypatch.setattr(getLogger("distributed.client"), "propagate", True)
    module = pytest.importorskip("chain.arena.cluster")
    monkeypatch.setattr(module, "_CONNECTS", 10)
    for number, (moment, _) in enumerate(moments("scheduler")):
        folder = tmp_path / f"runs-{number}"
        with cluster(tmp_path / str(number), workers=1) as (made, client):
            client.wait_for_workers(1, timeout=120)
            client.close()
            with pytest.raises(module.ClusterLost):
                disturbed(plan, moment, made.scheduler.kill, scheduler=made.address, out=folder)
            assert not [each for each in caplog.records if each.name == "distributed.client"]
        with Store(folder) as store:
            assert CHUNK * moment <= len(store.games()) < GAMES
        assert play(plan, GAMES, out=folder).digest == expected
