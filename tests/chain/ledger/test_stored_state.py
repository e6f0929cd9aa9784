"""The state of a chain in a file: it stays there until it is asked for, and what is read of it is checked."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Chain, Contract, Map, call, view
from chain.ledger.file import state_rows
from chain.ledger.file.chain_file import TABLES, BadChainFile
from chain.ledger.file.checksum import Damaged, verify_checksum
from chain.ledger.file.state_rows import Cells, check_state, put_values, rows_of, stretch_at
from chain.machine.state import State
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
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The keys of the stretches that were read."""
    keys = list[bytes]()

    def noted(connection: sqlite3.Connection, stretch: Any) -> Any:
        keys.append(stretch.first)
        return rows_of(connection, stretch)

    monkeypatch.setattr("chain.ledger.file.stored_state.rows_of", noted)
    return keys


def shelf_on(chain: Chain) -> Any:
    return chain.handle(Shelf, chain.receipts[0].address)


@pytest.mark.parametrize("opened", [Chain.watch, Chain.open])
def test_view_reads_only_the_words_it_needs(
    opened: Callable[..., Chain], path: Path, asked: list[bytes]
) -> None:
    with opened(path, contracts=[Shelf]) as chain:
        assert shelf_on(chain).at(7) == 8
    assert len(asked) < 5


def test_call_reads_and_writes_only_the_words_it_needs(path: Path, asked: list[bytes]) -> None:
    with Chain.open(path, contracts=[Shelf]) as chain:
        shelf_on(chain).put(7, 1)
    assert len(asked) < 9
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


def test_fork_keeps_what_it_has_not_read_yet(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chain.ledger.file.stored_state._KEPT", 0)  # stretches in memory
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


def spoil(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "update \"chain:cells\" set row = cast(substr(row, 1, 4) || x'00' as blob) where length(place) = 53",
        'delete from "chain:cells" where length(place) = 53',
        'update "chain:stretches" set row = zeroblob(20)',
        "delete from \"chain:stretches\" where place > x'61'",
    ],
)
def test_damaged_word_ends_the_call_and_leaves_no_receipt(path: Path, statement: str) -> None:
    spoil(path, statement)
    with Chain.open(path, contracts=[Shelf]) as chain:
        count = len(chain.receipts)
        acts: list[Callable[[], object]] = [
            lambda: shelf_on(chain).put(7, 1),
            lambda: shelf_on(chain).at(7),
        ]
        for act in acts:
            with pytest.raises(BadChainFile, match=r'^shelf\.chain is damaged .*"chain:'):
                act()
        assert len(chain.receipts) == count


# Stretches


KEYS = st.integers(0, 40).map(lambda n: b"a" + n.to_bytes(2))
VALUES = st.dictionaries(KEYS, st.none() | st.integers(1, 9))


def empty() -> tuple[sqlite3.Connection, Cells]:
    connection = sqlite3.connect(":memory:")
    for name in ("chain:cells", "chain:stretches"):
        connection.execute(TABLES[name])
    return connection, state_rows.write_state(connection, State())


@settings(max_examples=60)
@given(st.lists(VALUES, max_size=6))
def test_stretches_hold_what_was_put(puts: list[dict[bytes, int | None]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_rows, "_SIZE", 2)
        patch.setattr(state_rows, "_LONGEST", 4)
        connection, cells = empty()
        with closing(connection):
            expected: dict[bytes, int | None] = {}
            for values in puts:
                cells = put_values(connection, cells, values)
                expected |= values
            check_state(connection, cells)
            assert cells.rows == sum(value is not None for value in expected.values())
            for key, value in expected.items():
                rows = rows_of(connection, stretch_at(connection, key))
                row = rows.get(key)
                assert (None if row is None else verify_checksum("cells", key, row)) == value


def test_row_at_another_key_is_refused() -> None:
    connection, cells = empty()
    with closing(connection):
        put_values(connection, cells, {b"a" + bytes(20): 1})
        connection.execute('update "chain:cells" set place = ?', (b"a" + bytes(19) + b"x",))
        with pytest.raises(Damaged, match='"chain:cells" is not as it was written'):
            rows_of(connection, stretch_at(connection, b"a"))


def test_row_out_of_date_is_refused() -> None:
    connection, cells = empty()
    with closing(connection):
        key = b"a" + bytes(20)
        cells = put_values(connection, cells, {key: 1})
        ((former,),) = connection.execute('select row from "chain:cells"')
        put_values(connection, cells, {key: 2})
        connection.execute('update "chain:cells" set row = ?', (former,))
        with pytest.raises(Damaged, match='"chain:cells" is not as it was written'):
            rows_of(connection, stretch_at(connection, key))
