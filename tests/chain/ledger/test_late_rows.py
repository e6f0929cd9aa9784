"""The derived rows of a chain's file are written later: when, and what a kill leaves of them."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from chain import Chain
from chain.foundation.atomic_steps import in_one_step
from chain.ledger.file import store
from chain.ledger.file.load_ledger import Now
from chain.ledger.file.store import ChainStore
from chain.ledger.store import Store
from tests.chain.game_folders import ROOT
from tests.chain.interrupts import derived_errors, state_digest
from tests.chain.ledger.test_blobs import send
from tests.chain.plays import Added, Counter


class Clock:
    """A timer that runs out when a test says so."""

    waiting: list[Callable[[], object]]
    daemon = False

    def __init__(self, _: float, act: Callable[[], object]) -> None:
        self._act = act

    def start(self) -> None:
        Clock.waiting.append(self._act)

    def is_alive(self) -> bool:
        return self._act in Clock.waiting

    def cancel(self) -> None:
        Clock.waiting.remove(self._act)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Clock]]:
    Clock.waiting = []
    monkeypatch.setattr(store, "Timer", Clock)
    yield Clock
    assert not Clock.waiting


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "duel.chain"


@pytest.fixture
def chain(path: Path) -> Iterator[Chain]:
    with Chain.open(path, contracts=[Counter]) as chain:
        yield chain


def kept(chain: Chain) -> ChainStore:
    assert isinstance(chain.driver.observer, ChainStore)
    return chain.driver.observer


def count_in(path: Path, table: str = "receipts") -> int:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute(f'select count(*) from "{table}"').fetchone()[0])


def copied(path: Path, number: int = 0) -> Path:
    """Return a copy of the file as a kill would leave it."""
    for end in ("", "-wal"):
        copyfile(f"{path}{end}", f"{path}{number}{end}")
    return path.with_name(f"{path.name}{number}")


def test_a_process_that_ends_leaves_a_whole_file(path: Path) -> None:
    script = (
        "from chain import Chain\nfrom tests.chain.plays import Counter\n"
        f"held = [Chain.open({str(path)!r})]\nheld.append(held)\nheld[0].deploy(Counter)"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert count_in(path) == 1


def test_tables_wait_for_the_timer(chain: Chain, path: Path) -> None:
    counter = chain.deploy(Counter)
    for n in range(3):
        counter.add(n)
    assert (count_in(path), count_in(path, "chain:receipts"), len(Clock.waiting)) == (0, 4, 1)
    Clock.waiting.pop()()
    assert count_in(path) == 4
    counter.add(5)
    assert len(Clock.waiting) == 1


def test_many_receipts_do_not_wait(chain: Chain, path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(store, "MANY", 4)
    counter = chain.deploy(Counter)
    for n in range(5):
        counter.add(n)
    assert count_in(path) == 4


def test_revert_of_what_is_in_the_tables_does_not_wait(chain: Chain, path: Path) -> None:
    counter, snapshot = chain.deploy(Counter), chain.snapshot()
    counter.add(1)
    kept(chain).publish()
    counter.add(2)
    chain.revert(snapshot)
    assert count_in(path) == 1


def test_step_that_has_not_ended_is_left_alone(chain: Chain, path: Path) -> None:
    counter = chain.deploy(Counter)
    counter.add(1)
    chain.driver.begun = (0,)
    Clock.waiting.pop()()
    chain.driver.begun = None
    assert count_in(path) == 0


def test_opening_after_a_kill_brings_the_tables_up_to_date(chain: Chain, path: Path) -> None:
    counter = chain.deploy(Counter)
    counter.add(1)
    copy = copied(path)
    with Chain.open(copy, contracts=[Counter]) as again:
        assert count_in(copy) == 2 and again.events(Added).count() == 1


STEPS: dict[str, Callable[[Chain, Any], object]] = {
    "calls": lambda chain, counter: [counter.add(n) for n in range(3)],
    "in a block": lambda chain, counter: in_block(chain, counter),
    "a note between": lambda chain, counter: (
        counter.add(1), chain.set_balance(chain.accounts[3], 5), counter.add(2),
    ),
    "a failure": lambda chain, counter: counter.add(1, value=1, check=False),
    "an account": lambda chain, counter: counter.add(1, sender=chain.account("zoe")),
    "a deployment": lambda chain, counter: chain.deploy(Counter).add(3),
    "an empty block": lambda chain, counter: (counter.add(1), chain.mine(2), counter.add(2)),
    "a later block": lambda chain, counter: (chain.advance(60), counter.add(1)),
    "a rollback": lambda chain, counter: rolled_back(chain, counter),
    "without automine": lambda chain, counter: (setattr(chain, "automine", False), counter.add(1), counter.add(2)),
    "a call and a later time": lambda chain, counter: in_one_step(chain, with_later_time, chain, counter),
    "these in a block": lambda chain, counter: in_later_block(chain, counter),
    "blobs in a block": lambda chain, counter: with_blobs(chain),
}  # fmt: skip


def in_block(chain: Chain, counter: Any) -> None:
    counter.add(1)
    with chain.block():
        counter.add(2)
        counter.add(3, sender=chain.accounts[2])


def with_later_time(chain: Chain, counter: Any) -> None:
    counter.add(1)
    chain.advance(60)


def in_later_block(chain: Chain, counter: Any) -> None:
    with chain.block():
        counter.add(1)
        in_one_step(chain, with_later_time, chain, counter)


def with_blobs(chain: Chain) -> None:
    with chain.block():
        send(chain, blobs=1)
        send(chain, blobs=2)


def rolled_back(chain: Chain, counter: Any) -> None:
    with chain.block(), chain.anchor():
        for n in range(3):
            counter.add(n)
    with chain.block():
        counter.add(5)
        counter.add(6)


@pytest.mark.parametrize("act", STEPS.values(), ids=STEPS)
def test_a_kill_after_any_step_keeps_all_of_it(
    act: Callable[[Chain, Any], object], chain: Chain, path: Path
) -> None:
    """A call writes its receipt, and the summary of the file follows from the receipts after it."""
    states = list[tuple[Path, Now, str]]()

    class Copying(ChainStore):
        def save(self) -> None:
            super().save()
            states.append((copied(path, len(states)), self._written, state_digest(chain)))

    counter = chain.deploy(Counter)
    kept(chain).publish()
    kept(chain).__class__ = Copying
    act(chain, counter)
    kept(chain).__class__ = ChainStore
    assert len(states) > 1 or len(chain.receipts) == 2
    for copy, written, state in states:
        with Chain.watch(copy, contracts=[Counter]) as watching:
            assert state_digest(watching) == state
            assert watching.driver._now == written  # type: ignore[attr-defined]
        for check in (False, True):
            with Chain.open(copy, contracts=[Counter], check=check) as again:
                assert state_digest(again) == state and not derived_errors(again)
        with Chain.open(copy, contracts=[Counter]) as again:
            again.mine()
        with Chain.open(copy, contracts=[Counter], check=True) as again:
            assert len(again.receipts) == written.lengths.receipts


def test_another_program_may_write_between_two_calls(chain: Chain, path: Path) -> None:
    counter = chain.deploy(Counter)
    with chain.block(), closing(sqlite3.connect(path, isolation_level=None)) as other:
        counter.add(1)
        counter.add(1)
        other.execute("create table notes (text)")
        counter.add(1)
        other.execute("pragma wal_checkpoint(restart)")
        counter.add(1)
        other.execute("insert into notes values ('mine')")
        counter.add(1)
        kept(chain).publish()
        counter.add(1)
    copy = copied(path)
    with Chain.open(copy, contracts=[Counter], check=True) as again:
        assert [event.count for event in again.events(Added)] == [1, 2, 3, 4, 5, 6]
        assert count_in(copy, "notes") == 1


def test_full_disk_leaves_the_tables_for_later(chain: Chain, path: Path, monkeypatch: Any) -> None:
    counter = chain.deploy(Counter)
    counter.add(1)

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(Store, "_derive_logs", full)
        kept(chain).publish()
    assert count_in(path) == 0 and counter.add(2).ok
    kept(chain).publish()
    assert count_in(path) == 3


def test_only_requested_hashes_are_written(chain: Chain, path: Path) -> None:
    counter = chain.deploy(Counter)
    counter.add(1)
    tx_hash, block_hash = chain.receipts[0].tx_hash, chain.block_hash(1)
    counter.add(2)
    kept(chain).publish()
    assert (count_in(path, "derived:headers"), count_in(path, "derived:hashes")) == (2, 1)
    chain.close()
    with Chain.open(path, contracts=[Counter]) as again:
        assert (again.receipts[0].tx_hash, again.block_hash(1)) == (tx_hash, block_hash)
