"""Chains that are watched in their files: each question sees the last step, and nothing is changed."""

from __future__ import annotations

import gc
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Chain, Contract, Key, Map, call, event
from chain.ledger.file.chain_file import BadChainFile
from chain.ledger.file.store import NotWritten
from chain.types import u8, u64


@event
class Counted:
    key: Key[u8]
    count: u64


class Counter(Contract):
    counts: Map[u8, u64]

    @call
    def add(self, key: u8) -> None:
        self.counts[key] += 1
        self.emit(Counted(key, self.counts[key]))


def seen(chain: Chain) -> tuple[Any, ...]:
    """The visible content of a chain."""
    return (
        chain.head.number, chain.now, [(r.position, r.entry, r.args, r.block_number) for r in chain.receipts],
        list(chain.events()), [each.name for each in chain.contracts], chain.ledger.state.accounts,
        {address: dict(words) for address, words in chain.state.storages.items() if words},
    )  # fmt: skip


ACTS = [
    "add",
    "fail",
    "mine",
    "fund",
    "account",
    "deploy",
    "block",
    "save",
    "back",
    "close",
    "look",
]


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 3)), max_size=16))
def test_watcher_sees_each_step(acts: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "count.chain"
        with Chain.open(path) as chain:
            chain.deploy(Counter)
            chain.mine()
        with Chain.watch(path, contracts=[Counter]) as watching:
            play(path, watching, acts)


def play(path: Path, watching: Chain, acts: list[tuple[str, int]]) -> None:
    """Continue the chain in several sessions, and compare what a watcher sees."""
    with Chain.open(path, contracts=[Counter]) as chain:
        counter, saved = chain.handle(Counter, chain.contracts[0].address), [chain.snapshot()]
        for place, (act, number) in enumerate(acts):
            if act == "add":
                counter.add(number)
            elif act == "fail":
                counter.add(number, gas=30_000, check=False)
            elif act == "mine":
                chain.mine(number + 1)
            elif act == "fund":
                chain.set_balance(chain.accounts[number + 1], number)
            elif act == "account":
                chain.account(f"player{number}")
            elif act == "deploy":
                chain.deploy(Counter)
            elif act == "block":
                with chain.block():
                    counter.add(1)
                    assert seen(watching) == seen(chain)
                    counter.add(2)
            elif act == "save":
                saved.append(chain.snapshot())
            elif act == "back":
                del saved[number + 1 :]
                chain.revert(saved[-1])
            elif act == "look":
                assert seen(watching) == seen(chain)
            else:
                chain.close()
                play(path, watching, acts[place + 1 :])
                return
        assert seen(watching) == seen(chain)
        assert watching.state_root() == chain.state_root()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed file with 4 receipts."""
    path = tmp_path / "count.chain"
    with Chain.open(path) as chain:
        counter = chain.deploy(Counter)
        for key in (1, 2, 1):
            counter.add(key)
    return path


def files(path: Path) -> dict[str, tuple[bytes, int]]:
    return {
        each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in path.parent.iterdir()
    }


CHANGES: list[Callable[[Chain], object]] = [
    lambda chain: chain.handle(Counter, chain.contracts[0].address).add(3),
    lambda chain: chain.mine(),
    lambda chain: chain.account("zoe"),
    lambda chain: chain.advance(5),
    lambda chain: chain.set_balance(chain.accounts[0], 5),
    lambda chain: chain.deploy(Counter),
]


@pytest.mark.parametrize("change", CHANGES)
def test_watched_chain_is_not_changed(path: Path, change: Callable[[Chain], object]) -> None:
    before = files(path)
    with Chain.watch(path, contracts=[Counter]) as watching:
        state = seen(watching)
        with pytest.raises(NotWritten, match=r"count.chain is only watched here"):
            change(watching)
        assert seen(watching) == state
        assert watching.receipts[2].trace is not None
        assert watching.sql("select count(*) n from Counted")[0]["n"] == 3
        counter = watching.handle(Counter, watching.contracts[0].address)
        assert counter.add.simulate(2).ok
        fork = watching.fork()
        fork.handle(counter).add(2)
        assert (len(fork.receipts), len(watching.receipts)) == (5, 4)
        assert watching.at(2).handle(counter).fields.counts[1] == 1
    assert files(path) == before


def test_other_process_is_watched(path: Path) -> None:
    with Chain.watch(path, contracts=[Counter]) as watching:
        assert len(watching.receipts) == 4
        code = (
            "import sys; from tests.chain.ledger.test_watched_files import Counter, Chain\n"
            "with Chain.open(sys.argv[1], contracts=[Counter]) as chain:\n"
            "    chain.handle(Counter, chain.contracts[0].address).add(7)\n"
        )
        root = Path(__file__).parents[3]
        run([sys.executable, "-c", code, str(path)], check=True, cwd=root, timeout=60)
        assert watching.events(Counted).last() == Counted(7, 1)


def test_rollback_is_seen(path: Path) -> None:
    with (
        Chain.open(path, contracts=[Counter]) as chain,
        Chain.watch(path, contracts=[Counter]) as watching,
    ):
        counter, saved = chain.handle(Counter, chain.contracts[0].address), chain.snapshot()
        counter.add(1)
        assert len(watching.receipts) == 5
        chain.revert(saved)
        assert seen(watching) == seen(chain)
        counter.add(2)
        assert seen(watching) == seen(chain)


def test_rollback_beyond_the_seen_part_is_reported(path: Path) -> None:
    with Chain.open(path, contracts=[Counter]) as chain:
        counter = chain.handle(Counter, chain.contracts[0].address)
        saved = chain.snapshot()
        counter.add(1)
        with Chain.watch(path, contracts=[Counter]) as watching:
            assert len(watching.receipts) == 5
            chain.revert(saved)
            with pytest.raises(BadChainFile, match="watch it again"):
                len(watching.receipts)
        with Chain.watch(path) as again:
            assert len(again.receipts) == 4


def test_watcher_that_nobody_closes_closes_its_file(path: Path) -> None:
    watching = Chain.watch(path)
    file = watching.driver._file  # type: ignore[attr-defined]
    with file.snapshot() as connection:
        pass
    del watching, file
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("select 1")


def test_missing_file_is_not_watched(tmp_path: Path) -> None:
    with pytest.raises(BadChainFile, match="there is no such file"):
        Chain.watch(tmp_path / "none.chain")
    assert list(tmp_path.iterdir()) == []


def test_rows_that_were_replaced_are_refused_in_the_middle_of_a_question(tmp_path: Path) -> None:
    path = tmp_path / "count.chain"
    with Chain.open(path) as chain:
        counter = chain.deploy(Counter)
        for _ in range(20):
            counter.add(1)
    with Chain.watch(path) as watching, Chain.open(path, contracts=[Counter]) as writing:
        past, receipts = watching.ledger.past.state(9), watching.ledger.receipts
        (slot,) = watching.state.storages[counter.address]
        writing.handle(Counter, counter.address).add(2)
        assert past.word(counter.address, slot) == 8
        writing.driver.run(writing.ledger.truncate, 3, 2, 2)
        for _ in range(30):
            writing.handle(Counter, counter.address).add(3)
        with pytest.raises(BadChainFile, match="rolled back to before it was opened here"):
            receipts[15]
