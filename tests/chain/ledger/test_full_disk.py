"""A file that cannot be written: a refused step has no effect, in memory or later, and a completed one is acknowledged."""

from __future__ import annotations

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from chain import Chain
from chain.deployment import Deployment
from chain.deployment.deployment import StepFailed
from chain.deployment.journal import Journal
from chain.ledger.file.chain_file import BadChainFile, ChainFile
from chain.ledger.file.store import NotWritten
from chain.rpc.errors import RpcError
from tests.chain import plays
from tests.chain.interrupts import derived_errors, places, state_digest
from tests.chain.plays import Counter, More, Scoring, begin, counter_on

KNOWN = (Counter, More, Scoring, plays.Inner)
ENDLESS = 10**9
WRITING = (
    plays.send,
    plays.deploy,
    plays.block,
    plays.anchor,
    plays.revert,
    plays.waiting,
    plays.name,
    plays.world,
)


class Disk:
    """Room for a number of statements; the first one beyond fails, before or after it is executed."""

    def __init__(self) -> None:
        self.room, self.used, self.is_late = ENDLESS, 0, False

    def run(self, statement: Any, *told: Any) -> Any:
        self.used += 1
        is_full = self.used > self.room
        if not is_full or self.is_late:
            done = statement(*told)
        if is_full:
            raise sqlite3.OperationalError("database or disk is full")
        return done


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()

    class Connection(sqlite3.Connection):
        def execute(self, *told: Any) -> Any:
            if told[0].startswith(("rollback", "select", "with", "pragma")):
                return super().execute(*told)
            return disk.run(super().execute, *told)

        def executemany(self, *told: Any) -> Any:
            return disk.run(super().executemany, *told)

    def writing(file: ChainFile, sync: bool) -> sqlite3.Connection:
        made = sqlite3.connect(file.path, isolation_level=None, factory=Connection)
        made.execute("pragma journal_mode = wal")
        return made

    monkeypatch.setattr(ChainFile, "writing", writing)
    return disk


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("disk") / "base.chain"
    with Chain.open(path) as chain:
        begin(chain)
    return path


def fresh(base: Path) -> Chain:
    copyfile(base, base.with_name("x.chain"))
    return again(base)


def again(base: Path) -> Chain:
    return Chain.open(base.with_name("x.chain"), contracts=KNOWN)


def rooms(used: int) -> Iterator[int]:
    """The first writes, the last ones, and some between."""
    yield from sorted({0, 1, 2, *range(0, used, max(1, used // 4)), used - 2, used - 1})


@pytest.mark.parametrize("play", WRITING, ids=lambda play: play.__name__)
def test_full_disk_undoes_the_step(play: plays.Play, base: Path, disk: Disk) -> None:
    with fresh(base) as chain:
        may_stand = places(play, chain.fork())
        disk.used = 0
        play(chain)
        used = disk.used
    for room in rooms(used):
        with fresh(base) as chain:
            disk.used, disk.room = 0, room
            with pytest.raises(NotWritten, match="so nothing was done: database or disk is full"):
                play(chain)
            assert state_digest(chain) in may_stand and not derived_errors(chain), room
            disk.room, stands = ENDLESS, state_digest(chain)
        with again(base) as chain:
            assert state_digest(chain) == stands, room
            play(chain)


def test_what_is_written_is_done_though_the_disk_complains(base: Path, disk: Disk) -> None:
    with fresh(base) as chain:
        counter = counter_on(chain)
        disk.used = 0
        counter.add(1)
        disk.room, disk.used, disk.is_late = disk.used - 1, 0, True
        assert counter.add(1).ok  # the last statement is the commit


@pytest.mark.parametrize("automine", [True, False])
def test_refused_requests_have_no_effect(automine: bool, base: Path, disk: Disk) -> None:
    with fresh(base) as chain:
        chain.automine = automine
        entry = Counter.__spec__.entries["add"]
        to, data = str(chain.receipts[0].address), f"0x{entry.encode_args((1,), {}).hex()}"
        ask, send = chain.node.request, ("eth_sendTransaction", [{"to": to, "data": data}])
        ask(*send)
        for request in (
            send,
            ("evm_setNextBlockTimestamp", [hex(chain.now + 999)]),
            ("evm_mine", []),
        ):
            before, disk.used, disk.room = state_digest(chain), 0, 0
            with pytest.raises(RpcError, match="so nothing was done"):
                ask(*request)
            disk.room = ENDLESS
            assert state_digest(chain) == before
        ask("evm_mine")
        assert chain.sql("select count(*) n from Added")[0]["n"] == 2


def plan(deployment: Deployment) -> None:
    counter = deployment.deploy(Counter)
    counter.add(3, value=2)
    deployment.deploy_world("arcade", systems=[Scoring], writers={"arcade": [Scoring]})


def deploy(chain: Chain, journal: Journal) -> None:
    deployment = Deployment(chain, journal)
    plan(deployment)
    deployment.finish()


def test_deployment_continues_where_the_disk_was_full(
    base: Path, disk: Disk, tmp_path: Path
) -> None:
    with fresh(base) as chain:
        disk.used = 0
        deploy(chain, Journal(tmp_path / "whole.json"))
        used, whole = disk.used, state_digest(chain)
    for room in rooms(used):
        journal = Journal(tmp_path / f"{room}.json")
        with fresh(base) as chain:
            disk.used, disk.room = 0, room
            with pytest.raises((NotWritten, StepFailed), match="so nothing was done"):
                deploy(chain, journal)
            disk.room = ENDLESS
        with again(base) as chain:
            deploy(chain, journal)
            assert state_digest(chain) == whole, room


@contextmanager
def largest(size: int) -> Iterator[None]:
    """No file grows beyond this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [0, 4_000, 12_000, 30_000])
def test_opening_on_a_full_disk_is_refused_and_leaves_nothing(size: int, tmp_path: Path) -> None:
    with (
        pytest.raises(
            BadChainFile,
            match=r"x\.chain cannot be (opened for writing|written): (its lock x\.chain-lock: )?disk I/O",
        ),
        largest(size),
    ):
        Chain.open(tmp_path / "x.chain")
    assert not (tmp_path / "x.chain").exists()
    with Chain.open(tmp_path / "x.chain") as chain:
        assert chain.mine().number == 1
