"""A step of a chain is done completely or not at all, and reading changes nothing, however it ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, Contract, LimitExceeded, call, view
from chain.foundation.atomic_steps import in_one_step
from chain.ledger.decoded.build_trace import TraceBuilder
from chain.ledger.file import store
from chain.ledger.file.store import ChainStore
from chain.ledger.store import Store
from chain.types import u64
from tests.chain.toys import Counter


class Hungry(Contract):
    count: u64

    @call
    def eat(self) -> None:
        self.count += 1
        raise MemoryError

    @view
    def look(self) -> u64:
        raise MemoryError


def path_of(chain: Chain) -> Path:
    store = chain.driver.observer
    assert isinstance(store, ChainStore)
    return store._file.path


def stop(*_: Any) -> Any:
    raise KeyboardInterrupt


class AfterCommit(sqlite3.Connection):
    """Is interrupted when a transaction of the file has ended."""

    is_armed, count = False, 0

    def execute(self, *told: Any) -> sqlite3.Cursor:
        done = super().execute(*told)
        AfterCommit.count += told[0] == "commit"
        if told[0] == "commit" and AfterCommit.is_armed:
            AfterCommit.is_armed = False
            raise KeyboardInterrupt
        return done


@pytest.fixture
def chain(tmp_path: Path) -> Chain:
    return Chain.open(tmp_path / "x.chain", contracts=[Counter])


def interrupted(act: Callable[[], object]) -> None:
    with pytest.raises(KeyboardInterrupt):
        act()


@pytest.fixture
def interrupts_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*given: Any, **named: Any) -> sqlite3.Connection:
        return (
            sqlite3.Connection(*given, **named)
            if named.get("uri")
            else AfterCommit(*given, **named)
        )

    AfterCommit.is_armed = False
    monkeypatch.setattr("chain.ledger.file.chain_file.sqlite3.connect", connect)


def test_step_in_the_file_is_done(interrupts_commits: None, tmp_path: Path) -> None:
    with Chain.open(tmp_path / "x.chain", contracts=[Counter]) as chain:
        counter = chain.deploy(Counter)
        with chain.anchor():
            AfterCommit.is_armed = True
            interrupted(lambda: counter.add(2))
            assert counter.total() == 2
        assert counter.add(5).return_value == 5
    with Chain.open(tmp_path / "x.chain", contracts=[Counter]) as again:
        assert again.handle(counter).total() == 5


@pytest.mark.parametrize("again", [False, True], ids=["once", "while it clears up too"])
def test_what_was_saved_is_done(again: bool, chain: Chain, monkeypatch: Any) -> None:
    """An interrupt between the store's last act and the end of the step."""
    counter, save, holds = chain.deploy(Counter), ChainStore.save, ChainStore.is_ahead_of

    def after(act: Any) -> Any:
        def made(*args: Any) -> None:
            act(*args)
            raise KeyboardInterrupt

        return made

    with monkeypatch.context() as patched:
        patched.setattr(ChainStore, "save", after(save))
        if again:
            patched.setattr(ChainStore, "is_ahead_of", after(holds))
        interrupted(lambda: counter.add(2))
    assert counter.total() == 2
    chain.close()
    with Chain.open(path_of(chain), contracts=[Counter]) as opened:
        assert (opened.handle(counter).total(), len(opened.receipts)) == (2, 2)


def test_slots_that_are_met_while_the_tables_are_written_count(
    chain: Chain, monkeypatch: Any
) -> None:
    counter, catch_up = chain.deploy(Counter), Store.catch_up

    def meets(tables: Store, *told: Any, **named: Any) -> bool:
        chain.state.slots.map_slot(2**200 + len(chain.receipts), b"met")
        return catch_up(tables, *told, **named)

    monkeypatch.setattr(Store, "catch_up", meets)
    monkeypatch.setattr(store, "MANY", 1)
    counter.add(2)
    chain.close()
    with Chain.open(path_of(chain), contracts=[Counter]) as again:
        assert again.handle(counter).add(1).return_value == 3


def test_open_block_begins_again_in_one_transaction_of_the_file(
    interrupts_commits: None, tmp_path: Path
) -> None:
    with Chain.open(tmp_path / "x.chain", contracts=[Counter]) as chain:
        counter = chain.deploy(Counter)
        chain.automine = False
        for n in range(1, 5):
            counter.add(n)
        AfterCommit.count = 0
        chain.node.request("evm_setNextBlockTimestamp", [hex(chain.now + 60)])
        assert (AfterCommit.count, counter.total()) == (1, 10)


@pytest.mark.parametrize("where", ["_write_rows", "_is_one_call"])
def test_step_that_is_not_in_the_file_is_undone(chain: Chain, where: str, monkeypatch: Any) -> None:
    counter = chain.deploy(Counter)
    with monkeypatch.context() as patched:
        patched.setattr(ChainStore, where, stop)
        interrupted(lambda: counter.add(2))
        assert (counter.total(), len(chain.receipts), chain.head.number) == (0, 1, 1)
    assert counter.add(3).return_value == 3
    chain.close()


def test_interrupted_rollback_is_undone(chain: Chain, monkeypatch: Any) -> None:
    counter, snapshot = chain.deploy(Counter), chain.snapshot()
    monkeypatch.setattr(store, "MANY", 1)  # each step writes the tables too
    receipt = counter.add(1)
    with monkeypatch.context() as patched:
        patched.setattr(ChainStore, "_write_rows", stop)
        interrupted(lambda: chain.revert(snapshot))
    assert (counter.total(), chain.receipts[-1]) == (1, receipt)
    assert chain.ledger.find(receipt.tx_hash) == receipt
    chain.revert(snapshot)
    assert counter.total() == 0
    chain.close()


@pytest.mark.parametrize("is_in_file", [False, True], ids=["memory", "file"])
@pytest.mark.parametrize("later", [0, 3])
def test_failed_step_that_added_and_reverted_is_undone(
    is_in_file: bool, later: int, tmp_path: Path
) -> None:
    chain = Chain.open(tmp_path / "x.chain") if is_in_file else Chain()
    counter, snapshot = chain.deploy(Counter), chain.snapshot()
    receipt, root = counter.add(1), chain.state_root()

    def act() -> None:
        counter.add(2)
        chain.set_balance(chain.accounts[1], 5)
        chain.revert(snapshot)
        for _ in range(later):
            counter.add(4)
        raise LookupError

    with pytest.raises(LookupError):
        in_one_step(chain, act)
    assert (counter.total(), chain.receipts[-1], chain.head.number) == (1, receipt, 2)
    assert chain.state_root() == root
    assert chain.balance(chain.accounts[1]) > 5
    assert counter.add(6).block_number == 3
    chain.close()


def test_interrupted_trace_changes_nothing(monkeypatch: Any) -> None:
    chain = Chain()
    counter = chain.deploy(Counter)
    receipts = [counter.add(1), counter.add(2)]
    monkeypatch.setattr(TraceBuilder, "_tree", stop)
    seen: list[int] = []
    monkeypatch.setattr(TraceBuilder, "__init__", lambda *_: seen.append(chain.storage(counter, 0)))
    interrupted(lambda: receipts[0].trace)
    interrupted(lambda: counter.add.trace(7))
    assert seen == [3, 3]  # also while they look


def test_memory_error_leaves_no_receipt() -> None:
    chain = Chain(guard=False)
    hungry = chain.deploy(Hungry)
    before = chain.state_root(), len(chain.receipts), chain.now
    for act in (hungry.eat, hungry.look):
        with pytest.raises(LimitExceeded):
            act()
    assert (chain.state_root(), len(chain.receipts), chain.now) == before


def test_interrupted_draw_is_drawn_again(monkeypatch: Any) -> None:
    class Dice(Contract):
        last: u64

        @call
        def roll(self) -> u64:
            self.last = self.random.below(6, tag="die") + 1
            return self.last

    chain = Chain()
    dice = chain.deploy(Dice)
    with chain.loaded(die=[5, 3]):
        with monkeypatch.context() as patched:
            patched.setattr("chain.ledger.ledger.Receipt", stop)
            interrupted(dice.roll)
        assert [dice.roll().return_value, dice.roll().return_value] == [6, 4]


def test_refused_replacement_leaves_what_waited() -> None:
    chain = Chain(base_fee=1)
    counter, ask = chain.deploy(Counter), chain.node.request
    chain.automine = False
    waiting = [counter.add(n) for n in (1, 2)]
    fee = {
        "from": str(chain.accounts[0]),
        "maxFeePerGas": hex(10**30),
        "maxPriorityFeePerGas": hex(10**6),
    }
    with pytest.raises(Exception, match="insufficient funds"):
        ask("eth_sendTransaction", [{**fee, "nonce": hex(waiting[0].nonce), "gas": "0x186a0"}])
    assert list(chain.receipts[-2:]) == waiting


def test_refused_change_of_the_open_block_leaves_it() -> None:
    chain = Chain()
    counter = chain.deploy(Counter)
    chain.automine = False
    waiting = [counter.add(n) for n in (1, 2)]
    with pytest.raises(Exception, match="time"):
        chain.node.request("evm_setNextBlockTimestamp", ["0x1"])
    assert list(chain.receipts[-2:]) == waiting


def test_block_that_was_never_entered_is_not_held() -> None:
    chain = Chain()
    counter = chain.deploy(Counter)
    chain.block().__enter__()  # and its `with` is interrupted
    counter.add(1)
    with chain.block():
        counter.add(2)
    assert chain.ledger.open is None
