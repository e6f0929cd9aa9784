"""The state of a chain in a file: it stays there until it is asked for, and what is read of it is checked."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, Contract, Map, call, view
from chain.ledger.past_states import PastState
from chain.types import u64

MANY = 600


class Shelf(Contract):
    items: Map[u64, u64]

    @call
    def fill(self, first: u64, end: u64) -> None:
        for i in range(first, end):
            self.items[i] = i + 1

    @call
    def put(self, i: u64, n: u64) -> None:
        try:
            self.items[i] = self.items[i] + n
        except (ValueError, KeyError):
            self.items[i] = 0

    @view
    def at(self, i: u64) -> u64:
        return self.items[i]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "shelf.chain"
    with Chain.open(path, contracts=[Shelf]) as chain:
        shelf = chain.deploy(Shelf)
        for first in range(0, MANY, 100):
            shelf.fill(first, first + 100)
    return path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The words and accounts that were read from the file."""
    found, read = list[object](), PastState._value

    def noted(state: PastState, *place: Any) -> object:
        found.append(place)
        return read(state, *place)

    monkeypatch.setattr(PastState, "_value", noted)
    return found


def shelf_on(chain: Chain) -> Any:
    return chain.handle(Shelf, chain.receipts[0].address)


@pytest.mark.parametrize("opened", [Chain.watch, Chain.open])
def test_view_reads_only_the_words_it_needs(
    opened: Callable[..., Chain], path: Path, asked: list[object]
) -> None:
    with opened(path, contracts=[Shelf]) as chain:
        assert shelf_on(chain).at(7) == 8
    assert len(asked) < 12


def test_call_reads_and_writes_only_the_words_it_needs(path: Path, asked: list[object]) -> None:
    with Chain.open(path, contracts=[Shelf]) as chain:
        shelf_on(chain).put(7, 1)
    assert len(asked) < 12
    with Chain.open(path, contracts=[Shelf], check=True) as chain:
        assert (shelf_on(chain).at(7), shelf_on(chain).at(8)) == (9, 9)


def test_slot_that_the_file_has_is_not_written_again(path: Path) -> None:
    def slots() -> int:
        with closing(sqlite3.connect(path)) as connection:
            ((count,),) = connection.execute('select count(*) from "chain:slots"')
        return int(count)

    before = slots()
    for i in (7, MANY, MANY):
        with Chain.open(path, contracts=[Shelf]) as chain:
            receipt = shelf_on(chain).put(i, 1)
            assert str(receipt.writes[0]).startswith(f"Shelf.items[{i}]: ")
    assert slots() == before + 1
    with Chain.open(path, contracts=[Shelf]) as chain:
        assert len(chain.state.slots.preimages) == chain.state.slots.count == before + 1


def test_word_read_late_is_that_of_the_step_that_is_watched(path: Path) -> None:
    with (
        Chain.open(path, contracts=[Shelf]) as chain,
        Chain.watch(path, contracts=[Shelf]) as watching,
    ):
        shelf, seen = shelf_on(chain), shelf_on(watching)
        slots = {i: watching.state.slots.map_slot(0, i.to_bytes(32)) for i in (1, 2, MANY)}
        with watching.lock:  # as within one of its steps
            for i in slots:
                shelf.put(i, 100)
            chain.driver.observer.publish()  # type: ignore[union-attr]
            words = [watching.state.word(seen.address, slot) for slot in slots.values()]
            assert words == [2, 3, 0]
        assert [seen.at(i) for i in slots] == [102, 103, 100]


def test_fork_keeps_what_it_has_not_read_yet(path: Path) -> None:
    with Chain.open(path, contracts=[Shelf]) as chain:
        fork = chain.fork()
        shelf_on(chain).put(7, 1)
        again = fork.fork()
        chain.driver.observer.publish()  # type: ignore[union-attr]
        assert [shelf_on(each).at(7) for each in (chain, fork, again)] == [9, 8, 8]


def test_rollback_restores_the_rows_of_the_state(path: Path) -> None:
    with Chain.open(path, contracts=[Shelf]) as chain:
        before, shelf = chain.snapshot(), shelf_on(chain)
        chain.set_balance(chain.accounts[3], 5)
        shelf.fill(0, 300)
        shelf.put(MANY, 1)
        chain.driver.observer.publish()  # type: ignore[union-attr]
        chain.revert(before)
        shelf.put(3, 1)
    with Chain.open(path, contracts=[Shelf], check=True) as chain:
        assert [shelf_on(chain).at(i) for i in (2, 3, MANY)] == [3, 5, 0]
        assert chain.balance(chain.accounts[3]) == 10_000 * 10**18


def test_a_check_reads_the_state_from_the_receipts(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute('update "derived:words" set value = 7 where value = 8')
    with Chain.open(path, contracts=[Shelf], check=True) as chain:
        assert shelf_on(chain).at(7) == 8
    with Chain.open(path, contracts=[Shelf]) as chain:
        assert shelf_on(chain).at(7) == 8


def test_watcher_reads_words_while_another_process_makes_their_table(path: Path) -> None:
    with Chain.watch(path, contracts=[Shelf]) as watching:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("""update "derived:done" set count = 3 where part = 'words'""")
            connection.execute('delete from "derived:words" where moment >= 3')
        assert shelf_on(watching).at(7) == 8
        assert shelf_on(watching).at(MANY - 1) == MANY
