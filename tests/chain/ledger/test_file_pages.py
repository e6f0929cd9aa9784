"""A chain whose past is in its file answers as one that has it in memory, and reads only what is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Address, Chain, Contract, Key, System, call, event, model, require
from chain.ledger.file import pages
from chain.ledger.file.pages import PAGE, Pages
from chain.machine.state import State
from chain.types import u64

ACTS = ("add", "fail", "block", "anchor", "note", "mine", "score", "look", "reopen")


@event
class Added:
    by: Key[Address]
    count: u64


@model
class Score:
    player: Key[Address]
    points: u64


class Counter(Contract):
    count: u64
    names: list[str]

    @call
    def add(self, n: u64) -> u64:
        require(n < 1000, "too much")
        self.count += n
        self.names += [f"number {n}"]
        self.emit(Added(self.caller, self.count))
        return self.count

    @call
    def tick(self) -> None:
        self.emit(Added(self.caller, self.count))

    @call
    def make(self) -> Address:
        made = self.deploy(Counter)
        self.at(Counter, made).add(7)
        return made


class Game(System):
    @call
    def play(self, points: u64) -> None:
        old = self.world.read(Score, self.caller)
        self.world.write(Score(self.caller, old.points + points))


KNOWN = (Counter, Game)


# The chain


@contextmanager
def small_pages() -> Iterator[None]:
    """Make pages so small that a few receipts fill several, and write the state now and then."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "PAGE", 3)
        patch.setattr(pages, "KEPT", 2)
        patch.setattr("chain.ledger.file.store.MANY", 5)
        yield


class Twins:
    """A chain in a file and one in memory that do the same."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "duel.chain"
        self.chains = [Chain.open(self._path, contracts=KNOWN), Chain()]
        self.both(begin)

    def both(self, act: Any, *values: Any) -> None:
        one, other = (act(chain, *values) for chain in self.chains)
        assert one == other, act.__name__

    def reopen(self) -> None:
        self.chains[0].close()
        self.chains[0] = Chain.open(self._path, contracts=KNOWN)


def begin(chain: Chain) -> None:
    chain.deploy(Counter)
    chain.deploy_world("duel", systems=[Game], writers={"duel": [Game]})


def do(chain: Chain, what: str, n: int) -> None:
    counter = chain.handle(Counter, chain.receipts[0].address)
    who = chain.accounts[n % 3]
    if what == "add":
        counter.add(n, sender=who)
    elif what == "fail":
        counter.add(5000, sender=who, check=False)
    elif what == "block":
        with chain.block():
            counter.add(1)
            counter.make(sender=who)
    elif what == "anchor":
        with chain.anchor():
            for _ in range(n % 4):
                counter.add(n)
            chain.advance(9)
    elif what == "note":
        chain.set_balance(who, 10**20 + n)
    elif what == "mine":
        chain.mine(n % 4 + 1)
    elif what == "score":
        chain.handle(Game, chain.receipts[2].address).play(n, sender=who)


def answers_of(chain: Chain, n: int) -> Any:
    """Answers of a chain, in an order that lets each question come first."""
    ledger, count = chain.ledger, len(chain.receipts)
    place = n % count
    ways: list[Any] = [
        lambda: [(e.by, e.count) for e in chain.events(Added, by=chain.accounts[n % 3])],
        lambda: [r.position for r in chain.receipts.where(sender=chain.accounts[n % 3], ok=True)],
        lambda: [r.position for r in chain.receipts.where(entry="add").between(blocks=(3, 9))],
        lambda: ledger.find(chain.receipts[place].tx_hash) == chain.receipts[place],
        lambda: ledger.number_of(chain.block_hash(n % len(chain.blocks))),
        lambda: [str(write) for write in chain.receipts[place].writes],
        lambda: str(chain.receipts[place].trace),
        lambda: list(map(tuple, chain.sql("select * from Added"))),
        lambda: list(map(tuple, chain.sql("select * from Score order by player"))),
        lambda: [
            (v.block_number, v.value)
            for v in chain.world(chain.receipts[1].address).history(Score, chain.accounts[n % 3])
        ],
        lambda: past_of(chain, n % len(chain.blocks)),
        lambda: [tuple(changes) for changes in ledger.timeline[-place:]],
        lambda: [ledger.timeline_index(receipt) for receipt in chain.receipts],
        lambda: (chain.state_root(), chain.block_hash(), chain.activity(since=place)),
        lambda: chain.fork(at=n % len(chain.blocks)).block_hash(),
    ]  # fmt: skip
    return [ways[(n + i) % len(ways)]() for i in range(3)]


def past_of(chain: Chain, block: int) -> Any:
    """The state at the end of a block: the present one with all later changes undone one by one."""
    plain = chain.state.copy()
    for changes in reversed(chain.ledger.timeline[chain.blocks[block].end_timeline_index :]):
        plain.undo_changes(changes)
    past = chain.at(block).state
    for address, words in plain.storages.items():
        assert all(past.word(address, slot) == word for slot, word in words.items())
    assert content(past) == content(plain)
    return content(past)


def content(state: State) -> Any:
    words = {address: dict(storage) for address, storage in state.storages.items()}
    return dict(state.accounts), {address: held for address, held in words.items() if held}


@settings(max_examples=8, deadline=None)
@given(acts=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 40)), max_size=12))
def test_answers_are_those_of_a_chain_in_memory(acts: list[tuple[str, int]]) -> None:
    with small_pages(), TemporaryDirectory() as folder:
        twins = Twins(Path(folder))
        try:
            for what, n in [*acts, ("reopen", 0)]:
                if what == "reopen":
                    twins.reopen()
                elif what == "look":
                    twins.both(answers_of, n)
                else:
                    twins.both(do, what, n)
            for n in range(0, 45, 7):
                twins.both(answers_of, n)
        finally:
            twins.chains[0].close()


@settings(max_examples=4, deadline=None)
@given(before=st.integers(1, 12), held=st.integers(1, 6), number=st.integers(0, 40))
def test_open_block_is_undone_beyond_what_is_in_memory(before: int, held: int, number: int) -> None:
    def goes_back(chain: Chain) -> Any:
        block = chain.ledger.open
        assert block is not None
        last = chain.ledger.last(len(chain.blocks), block.first_timeline_index)
        chain.revert(chain.snapshot()._replace(
            moments=block.first_timeline_index, receipts=block.first_receipt, open=None, last=last
        ))  # fmt: skip
        do(chain, "add", number)
        return chain.block_hash(), [chain.ledger.find(r.tx_hash) == r for r in chain.receipts]

    def hold(chain: Chain) -> None:
        chain.automine = False
        for n in range(held):
            do(chain, "add", n)

    with small_pages(), TemporaryDirectory() as folder:
        twins = Twins(Path(folder))
        try:
            for n in range(before):
                twins.both(do, "add", n)
            twins.both(hold)
            twins.reopen()
            twins.both(goes_back)
            twins.both(answers_of, number)
            twins.reopen()
            twins.both(answers_of, number)
        finally:
            twins.chains[0].close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "duel.chain"
    with Chain.open(path, contracts=KNOWN) as chain:
        begin(chain)
        counter = chain.handle(Counter, chain.receipts[0].address)
        with chain.block():
            for _ in range(5 * PAGE):
                counter.tick()
        for n in range(3):
            do(chain, "score", n)
    return path


def test_snapshot_of_an_opened_chain_survives_dropped_pages(path: Path) -> None:
    with small_pages(), Chain.open(path, contracts=KNOWN) as chain:
        receipt, before = chain.receipts[3], chain.block_hash()
        with chain.anchor():
            do(chain, "add", 1)
            assert chain.activity() and chain.receipts[3] == receipt
            assert chain.receipts[3].row is not receipt.row and chain.ledger.receipts.contains(
                receipt
            )
        assert chain.block_hash() == before


def test_opening_and_calling_read_only_the_end(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places: list[int] = []
    get = Pages.__getitem__

    def noted(pages: Any, place: Any) -> Any:
        places.append(place % len(pages))
        return get(pages, place)

    address = None
    with Chain.open(path, contracts=KNOWN) as chain:
        address, game = chain.receipts[0].address, chain.receipts[2].address
    monkeypatch.setattr(Pages, "__getitem__", noted)
    with Chain.open(path, contracts=KNOWN) as chain:
        chain.handle(Counter, address).add(1)
        chain.handle(Game, game).play(1)
        with chain.anchor():
            chain.handle(Counter, address).add(1)
        chain.snapshot()
    assert len(places) < 200


def test_far_past_reads_one_stretch(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Chain.open(path, contracts=KNOWN) as chain:
        counter = chain.handle(Counter, chain.receipts[0].address)
        receipts = [counter.add(1) for _ in range(60)]
        counts = [chain.after(receipt).fields_of(counter).count for receipt in receipts]
    read = list[int]()
    get = Pages.__getitem__
    with Chain.open(path, contracts=KNOWN) as chain:
        monkeypatch.setattr(Pages, "__getitem__", lambda self, i: read.append(i) or get(self, i))
        past = chain.after(chain.receipts[receipts[9].position])
        assert past.fields_of(counter).count == counts[9]
    assert len(read) < 30


def test_history_reads_what_changed_the_value(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(chain: Chain) -> Any:
        world = chain.world(chain.receipts[1].address)
        found = world.history(Score, chain.accounts[1])
        return [(version.block_number, version.value) for version in found], world.all(Score)

    with Chain.open(path, contracts=KNOWN) as chain:
        counter = chain.handle(Counter, chain.receipts[0].address)
        for n in range(90):
            counter.add(n)
            if n % 30 == 0:
                do(chain, "score", n + 1)
        expected = told(chain)
    read = list[int]()
    get = Pages.__getitem__
    with Chain.open(path, contracts=KNOWN) as chain:
        monkeypatch.setattr(Pages, "__getitem__", lambda self, i: read.append(i) or get(self, i))
        assert told(chain) == expected
    assert len(expected[0]) > 2 and len(read) < 60


def test_reading_leaves_no_trace(path: Path) -> None:
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    with Chain.open(path, contracts=KNOWN) as chain:
        assert chain.events(Added).count() == 5 * PAGE
        assert chain.ledger.find(chain.receipts[9].tx_hash) == chain.receipts[9]
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


def test_closed_chain_refuses_to_read(path: Path) -> None:
    with Chain.open(path, contracts=KNOWN) as chain:
        receipt = chain.receipts[4]
    assert receipt.position == 4
    with pytest.raises(ValueError, match=r"^duel\.chain is closed: reopen it to continue$"):
        chain.receipts[4 * PAGE]


def test_accounts_that_never_send_are_stored(tmp_path: Path) -> None:
    path, funded = tmp_path / "idle.chain", Address("0x" + "aa" * 20)
    with Chain.open(path) as chain:
        idle = chain.account("idle")
        for amount in range(5, 9):
            chain.set_balance(funded, amount)
            chain.driver.observer.publish()  # type: ignore[union-attr]
        chain.account("late")
        chain.mine(3)
    with Chain.open(path, check=True) as chain:
        assert (chain.balance(idle), chain.balance(funded)) == (10_000 * 10**18, 8)
