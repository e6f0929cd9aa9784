"""Campaigns on a Dask cluster: the same results as without one, whichever process is killed; and which schedulers are asked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import which

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


OURS = {"ca-file": "ours.pem", "client.cert": "ours.pem", "client.key": "ours.key"}


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with our certificate, an expired one with the same key, and one of somebody else."""
    if which("openssl") is None:
        pytest.skip("certificates are made with openssl")
    folder = tmp_path_factory.mktemp("certificates")
    new = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=games"
    for line in (
        f"{new} -keyout ours.key -out ours.pem",
        f"{new} -keyout theirs.key -out theirs.pem",
        "x509 -in ours.pem -signkey ours.key -days 0 -out expired.pem",
    ):
        subprocess.run(["openssl", *line.split()], cwd=folder, check=True, capture_output=True)
    return folder


@contextmanager
def certified(folder: Path, names: Mapping[str, str]) -> Iterator[None]:
    """Let Dask's settings name these files, and no others."""
    config = pytest.importorskip("dask").config
    files = {name: folder / names[name] if name in names else None for name in OURS}
    with config.set(
        {f"distributed.comm.tls.{name}": file and str(file) for name, file in files.items()}
    ):
        yield


@pytest.fixture(scope="module")
def scheduler(
    tmp_path_factory: pytest.TempPathFactory, certificates: Path
) -> Iterator[tuple[str, Path]]:
    """The address of a scheduler whose worker is a process of its own with two threads, each with a player; and its cache."""
    distributed = pytest.importorskip("distributed")
    cert, key = (str(certificates / name) for name in ("ours.pem", "ours.key"))
    files = {
        f"tls_{who}_{what}": file
        for who in ("scheduler", "worker", "client")
        for what, file in (("cert", cert), ("key", key))
    }
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        with closing(
            distributed.LocalCluster(
                n_workers=1, threads_per_worker=2, dashboard_address="localhost:0", silence_logs=50,
                protocol="tls", security=distributed.Security(tls_ca_file=cert, **files, require_encryption=True),
            )
        ) as cluster:  # fmt: skip
            yield cluster.scheduler_address, cache


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A game that no worker has."""
    name = f"deadly_{tmp_path.name}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / name / "play.py").write_text(GAME)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_cluster_plays_the_same_games(
    scheduler: tuple[str, Path], certificates: Path, game: str, tmp_path: Path
) -> None:
    """Whatever the chunks are, and although a worker is killed."""
    address, cache = scheduler
    plan, deadly = Plan.of(game, ["random"]), Plan.of(game, ["deadly", "random"])
    with certified(certificates, OURS):
        assert play(plan, GAMES, scheduler=address) == played_here(plan)
        there = play(deadly, GAMES, scheduler=address, chunk=1)
    assert [*cache.rglob("mark")]
    (tmp_path / game / "mark").touch()  # here nobody is to die
    assert played_here(deadly) == there


def test_missing_workers_are_told(
    scheduler: tuple[str, Path],
    certificates: Path,
    game: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("distributed.Client.nthreads", lambda self: {})
    with certified(certificates, OURS):
        play(Plan.of(game, ["random"]), 1, scheduler=scheduler[0])
    assert f"no worker has joined {scheduler[0]} yet: games wait for one" in caplog.messages


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ({}, "__CLIENT__KEY name: not all are set"),
        ({**OURS, "client.cert": "missing.pem"}, "No such file or directory"),
        ({**OURS, "client.cert": "theirs.pem"}, "they do not fit together"),
        ({**OURS, "ca-file": "theirs.pem"}, "of the same authority: self-signed certificate"),
        ({**OURS, "client.cert": "expired.pem"}, "authority: one of them is not accepted"),
        ({**OURS, "client.cert": "theirs.pem", "client.key": "theirs.key"}, "is not accepted"),
    ],
)
def test_wrong_certificates_are_refused(
    scheduler: tuple[str, Path], certificates: Path, names: Mapping[str, str], told: str
) -> None:
    plan = Plan.of("tests.chain.arena.nim", ["random"])
    with certified(certificates, names), pytest.raises(RuntimeError, match=told):
        play(plan, 1, scheduler=scheduler[0])


def test_plain_connection_to_scheduler_with_tls_is_refused(scheduler: tuple[str, Path]) -> None:
    plain = scheduler[0].replace("tls:", "tcp:")
    with pytest.raises(RuntimeError, match="if it uses TLS, write tls://"):
        play(Plan.of("tests.chain.arena.nim", ["random"]), 1, scheduler=plain)


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
