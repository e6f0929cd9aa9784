"""A file that cannot be written: what is refused is not done, in memory or later, and what is done is acknowledged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile
from typing import Any

import plays
import pytest
from interrupts import made_up, places, standing
from plays import Counter, More, Scoring, begin, counter_on

from chain import Chain
from chain.ledger.file import File
from chain.ledger.store import NotWritten
from chain.rpc.errors import RpcError

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
    """Room for so many statements; the first for which there is none fails, before it is done or after."""

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
            if told[0].startswith(("rollback", "select", "pragma")):
                return super().execute(*told)
            return disk.run(super().execute, *told)

        def executemany(self, *told: Any) -> Any:
            return disk.run(super().executemany, *told)

    def writing(file: File, sync: bool) -> sqlite3.Connection:
        made = sqlite3.connect(file.path, isolation_level=None, factory=Connection)
        made.execute("pragma journal_mode = wal")
        return made

    monkeypatch.setattr(File, "writing", writing)
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
            assert standing(chain) in may_stand and not made_up(chain), room
            disk.room, stands = ENDLESS, standing(chain)
        with again(base) as chain:
            assert standing(chain) == stands, room
            play(chain)


def test_what_is_written_is_done_though_the_disk_complains(base: Path, disk: Disk) -> None:
    with fresh(base) as chain:
        counter = counter_on(chain)
        disk.used = 0
        counter.add(1)
        disk.room, disk.used, disk.is_late = disk.used - 1, 0, True
        assert counter.add(1).ok  # the last statement is the commit


@pytest.mark.parametrize("automine", [True, False])
def test_node_does_nothing_of_what_it_refuses(automine: bool, base: Path, disk: Disk) -> None:
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
            before, disk.used, disk.room = standing(chain), 0, 3
            with pytest.raises(RpcError, match="so nothing was done"):
                ask(*request)
            disk.room = ENDLESS
            assert standing(chain) == before
        ask("evm_mine")
        assert chain.sql("select count(*) n from Added")[0]["n"] == 2
