"""SQL on a chain in a file: the file's own tables answer as those of the same chain in memory."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chain import Address, Chain, Contract, Key, System, call, event, model, require
from chain.arena.find_game import find_game
from chain.foundation.atomic_steps import in_one_step
from chain.ledger.file.model_rows import ModelRows
from chain.ledger.file.store import ChainStore
from chain.ledger.sql import sql_view
from chain.ledger.sql.sql_view import QueryLimits, SqlView, TooLong
from chain.types import i256, u8, u256
from tests.chain.game_folders import GAMES, ROOT

MOVES = 20
Answer = tuple[list[str], list[tuple[object, ...]]] | str


@event
class Paid:
    player: Key[Address]
    pot: u256
    lost: i256


@model
class Score:
    player: Key[Address]
    points: u256


class Bank(Contract):
    @call(payable=True)
    def pay(self, pot: u256, lost: i256) -> u256:
        self.emit(Paid(self.caller, pot, lost))
        self.log(f"paid {pot}")
        require(pot % 10 != 9, "no nines")
        return pot


class Scoring(System):
    @call
    def win(self, points: u256) -> None:
        self.world.write(Score(self.caller, points))

    @call
    def overtake(self, other: Address) -> None:
        self.world.write(Score(self.caller, self.world.read(Score, other).points + 1))

    @call
    def lose(self) -> None:
        self.world.erase(self.world.read(Score, self.caller))


@event
class Tables:  # called as a table of ours
    exact_numbers: u8


class Odd(Contract):
    @call
    def say(self) -> None:
        self.emit(Tables(7))


def pay(chain: Chain, numbers: tuple[int, ...] = (7, 2**63, 2**255 + 1, 2**255, 19)) -> None:
    """Play on a chain: events with numbers of any size, failures, models in two worlds, names that are taken."""
    bank = chain.deploy(Bank)
    for number in numbers:
        bank.pay(number, -number // 2, value=10**19, sender=chain.accounts[number % 3], check=False)
    chain.deploy(Odd).say()
    for name in ("arcade", "bar"):
        scoring = chain.deploy_world(name, systems=[Scoring], writers={name: [Scoring]}).system(
            Scoring
        )
        for place, number in enumerate(numbers):
            scoring.win(number, sender=chain.accounts[-place])
        scoring.lose(sender=chain.accounts[-1])
    with chain.block():
        bank.pay(3, 4)


def played(name: str) -> Callable[[Chain], None]:
    def play(chain: Chain) -> None:
        table, chance = find_game(f"contracts.{name}").on_chain(chain, 2, Random(1)), Random(2)
        for _ in range(MOVES):
            if table.result() is None:
                table.make(chance.choice(list(table.moves())))

    return play


PLAYS: dict[str, Callable[[Chain], None]] = {"bank": pay, **{name: played(name) for name in GAMES}}
QUESTIONS = (
    "select count(*), sum(gas_used), max(value), avg(value), total(value) from receipts",
    "select entry, ok, count(*) from receipts group by entry, ok order by 1, 2",
    "select name(sender), name(address), error, error_kind from receipts order by position desc",
    "select r.entry, l.event, count(*) from logs l join receipts r on r.position = l.receipt group by 1, 2 order by 1, 2",
    "select position from receipts r where exists (select 1 from logs where receipt = r.position) order by value desc",
    "select * from receipts where sender = upper('0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266') collate nocase limit 3",
    "with late as (select * from receipts order by position desc limit 2) select entry from late",
    "select typeof(value), typeof(nonce), typeof(args), typeof(ok) from receipts",
    "select name, kind, contract, declaration, columns from tables",
    "select name, sql from sqlite_master where type = 'table' order by name",
    "select name, type from pragma_table_info('receipts')", "pragma table_info(Receipts)",
    "select name, pk, (select count(*) from logs) from pragma_table_info( 'receipts' )",
    # of `bank`
    "select pot, lost from Paid order by pot",
    "select pot from Paid where pot > 57896044618658097711785492504343953926634992332820282019728792003956564819968",
    "select sum(pot), min(lost), count(distinct pot), -max(pot) from Paid",
    "select p.pot, r.value from Paid p left join receipts r on r.position = p.receipt and r.ok order by p.log desc",
    "select world, namespace, count(*), max(points) from Score group by 1, 2",
    "select pot, pot > cast(lost as text) from Paid where pot <> cast(pot as text) order by pot",
    "select event_exact_numbers from Odd_Tables",
    # refused
    "delete from receipts", "update logs set idx = 1", "insert into receipts (position) values (1)", "drop table logs",
    "replace into receipts (position) values (1)", "alter table receipts add column x", "create index i on logs (idx)",
    "create temp table mine (x)", "create view mine as select 1", "attach 'file' as other", "detach file", "begin", "commit",
    "vacuum", "vacuum into 'file'", "pragma writable_schema = 1", "pragma file.journal_mode = delete", "reindex receipts",
    'select * from "chain:receipts"', 'select * from file."chain:now"', "select * from exact_numbers", "select * from other",
    "select * from file.receipts", "select * from temp.receipts", "select 1; select 2", "", "-- hm", "selec 1", "select ?",
    "select colour from receipts", "select * from nothing", "select load_extension('x')", "select zeroblob(99)",
    "drop view receipts", "explain select 1; select 2",
)  # fmt: skip


@pytest.mark.parametrize("name", ["rowid", "oid", "_rowid_"])
def test_a_table_in_a_file_has_no_row_numbers(name: str, tmp_path: Path) -> None:
    with Chain.open(tmp_path / "x.chain") as chain:
        pay(chain)
        for question in (f"select {name} from receipts", f"select * from Paid where {name} = 1"):
            with pytest.raises(ValueError, match=r"no such column: rowid; \w+ has "):
                chain.sql(question)
        assert len([*chain.sql("select value from json_each('[1, 2]')")]) == 2


def answer(chain: Chain, question: str) -> Answer:
    """The columns and rows, or why the question is refused."""
    try:
        found = chain.sql(question)
    except ValueError as refusal:
        return str(refusal)
    return [*found.columns], [tuple(row) for row in found]


def answers(chain: Chain) -> dict[str, Answer]:
    names = [str(name) for (name,) in chain.sql("select name from tables")]
    tables = [f'select * from "{name}"' for name in names]
    return {question: answer(chain, question) for question in (*tables, *QUESTIONS)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.chain"


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables that get rows in memory."""
    names = list[str]()
    insert = SqlView._insert

    def noting(view: SqlView, table: Any, rows: Iterator[Any]) -> None:
        names.append(table.name)
        insert(view, table, rows)

    monkeypatch.setattr(SqlView, "_insert", noting)
    return names


def other_table(path: Path) -> None:
    """Another program writes a table of its own to the file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table other (x)")


@pytest.mark.parametrize("name", PLAYS)
def test_a_file_answers_as_memory(name: str, path: Path) -> None:
    memory = Chain()
    PLAYS[name](memory)
    right = answers(memory)
    with Chain.open(path) as chain:
        PLAYS[name](chain)
        other_table(path)
        assert answers(chain) == right
        with Chain.watch(path) as watching:
            assert answers(watching) == right
        assert answers(chain.fork()) == right
    for opened in (Chain.open, Chain.watch):
        with opened(path) as chain:
            assert answers(chain) == right
    with Chain.open(path) as chain:
        for each in (memory, chain):
            each.mine()
            each.send(each.accounts[1], value=2**64)
        assert answers(chain) == answers(memory)


def test_rows_of_the_file_are_not_read_into_memory(path: Path, filled: list[str]) -> None:
    with Chain.open(path) as chain:
        pay(chain)
        answers(chain)
    for opened in (Chain.open, Chain.watch):
        with opened(path) as chain:
            answers(chain)
    assert {*filled} == {"tables"}


ACTS = (
    "pay",
    "many",
    "win",
    "overtake",
    "lose",
    "mine",
    "save",
    "back",
    "block",
    "publish",
    "ask",
    "reopen",
)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 3)), max_size=14))
@example([("win", 0), ("publish", 0), ("back", 0)])
@example([("pay", 0), ("ask", 0), ("back", 0), ("pay", 0), ("publish", 0), ("pay", 0)])
@example([("overtake", 0), ("win", 1), ("reopen", 0), ("lose", 0), ("reopen", 0), ("win", 0)])
def test_any_play_is_answered_alike(acts: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.chain"
        memory = Chain()
        with Chain.open(path) as chain:
            for each in (memory, chain):
                each.deploy(Bank)
                for name in ("arcade", "bar"):
                    each.deploy_world(name, systems=[Scoring], writers={name: [Scoring]})
        with Chain.watch(path) as watching:
            play_alike(path, memory, watching, acts)


TABLES = ("receipts", "logs", "Paid", "Score")


def play_alike(path: Path, memory: Chain, watching: Chain, acts: list[tuple[str, int]]) -> None:
    """Act on the chain in the file and on that in memory, and compare what they and a watcher answer."""
    with Chain.open(path, contracts=[Bank, Scoring], check=True) as chain:
        both = (memory, chain)
        saved = [[each.snapshot()] for each in both]
        for place, (act, number) in enumerate(acts):
            if act == "ask":
                compare(chain, watching, memory, TABLES[number])
            elif act == "publish":
                stored(chain).publish()
            elif act == "reopen":
                chain.close()
                play_alike(path, memory, watching, acts[place + 1 :])
                return
            elif act == "back":
                for each, snapshots in zip(both, saved, strict=True):
                    del snapshots[number + 1 :]
                    each.revert(snapshots[-1])
            else:
                for each, snapshots in zip(both, saved, strict=True):
                    do(each, act, number, snapshots)
        for table in TABLES:
            compare(chain, watching, memory, table)


def do(chain: Chain, act: str, number: int, snapshots: list[Any]) -> None:
    bank = chain.handle(Bank, chain.contracts[0].address)
    if act == "pay":
        bank.pay(2**63 + 10 * number, -(2**64), sender=chain.accounts[number])
    elif act == "many":
        with chain.block():
            for n in range(5):
                bank.pay(n, number)
    elif act == "block":
        chain.automine = not chain.automine
    elif act in ("win", "overtake", "lose"):
        scoring = chain.handle(Scoring, chain.contracts[-1 - 2 * (number // 2)].address)
        values = {"win": (2**70 + number,), "overtake": (chain.accounts[number ^ 1],), "lose": ()}
        getattr(scoring, act)(*values[act], sender=chain.accounts[number], check=False)
    elif act == "mine":
        chain.mine()
    else:
        snapshots.append(chain.snapshot())


def compare(chain: Chain, watching: Chain, memory: Chain, table: str) -> None:
    question = f"select * from {table}"
    right = memory.sql(question)
    assert watching.sql(question) == right
    assert chain.sql(question) == right
    assert watching.sql(question) == right


def stored(chain: Chain) -> ChainStore:
    assert isinstance(chain.driver.observer, ChainStore)
    return chain.driver.observer


# Rows that are not in the file


def counted(chain: Chain) -> list[object]:
    question = "select count(*) r, (select count(*) from Paid) p, (select sum(pot) from Paid) s from receipts"
    return [*chain.sql(question)[0]]


def test_anchors_and_open_blocks_are_asked(path: Path) -> None:
    with Chain.open(path) as chain:
        bank = chain.deploy(Bank)
        bank.pay(2**64, 0)
        with chain.anchor():
            bank.pay(2**65, 0)
            assert counted(chain) == [3, 2, 2**64 + 2**65]
            with chain.block() as block:
                bank.pay(5, 0)
                assert counted(chain) == [4, 3, 2**64 + 2**65 + 5]
                (last,) = chain.sql(
                    "select block, timestamp from receipts order by position desc limit 1"
                )
                assert last == (block.number, block.timestamp)
        assert counted(chain) == [2, 1, 2**64]
        bank.pay(2**66, 0)
        assert counted(chain) == [3, 2, 2**64 + 2**66]


@pytest.mark.parametrize("is_published", [False, True])
def test_a_running_step_is_asked(path: Path, is_published: bool, filled: list[str]) -> None:
    """Its rows are not in the file until it ends, and may never be."""
    with Chain.open(path, contracts=[Bank]) as chain:
        bank, snapshot = chain.deploy(Bank), chain.snapshot()
        bank.pay(1, 0)
        if is_published:
            assert counted(chain) == [2, 1, 1]

        def act(fails: bool) -> None:
            chain.revert(snapshot)
            assert counted(chain) == [1, 0, None]
            bank.pay(2**65, 0)
            bank.pay(9, 0, check=False)
            assert counted(chain) == [3, 1, 2**65]
            require(not fails, "stopped")

        def grow() -> None:
            bank.pay(2**64, 0)
            assert counted(chain) == [3, 2, 2**64 + 1]
            require(False, "stopped")

        with pytest.raises(Exception, match="stopped"):
            in_one_step(chain, grow)
        assert counted(chain) == [2, 1, 1]
        with pytest.raises(Exception, match="stopped"):
            in_one_step(chain, act, True)
        assert counted(chain) == [2, 1, 1]
        assert "receipts" in filled
        in_one_step(chain, act, False)
        assert counted(chain) == [3, 1, 2**65]
    with Chain.open(path) as chain:
        assert counted(chain) == [3, 1, 2**65]


def test_models_of_a_running_step_are_asked(path: Path) -> None:
    def points() -> list[object]:
        return [value for (value,) in chain.sql("select points from Score")]

    def act() -> None:
        scoring.win(2**100)
        assert points() == [2**100]

    with Chain.open(path) as chain:
        world = chain.deploy_world("arcade", systems=[Scoring], writers={"arcade": [Scoring]})
        scoring = world.system(Scoring)
        scoring.win(5)
        assert points() == [5]
        in_one_step(chain, act)
        assert points() == [2**100]


@model
class Count:
    number: Key[u256]
    name: Key[str]
    count: u8


class Counting(System):
    @call
    def count(self, number: u256) -> None:
        count = self.world.read(Count, number, "a name").count
        self.world.write(Count(number, "a name", count + 1))


def counting(chain: Chain) -> Any:
    world = chain.deploy_world("arcade", systems=[Counting], writers={"arcade": [Counting]})
    return world.system(Counting)


@pytest.mark.parametrize("numbers", [(5, 7, 2**64), (5, 2**70, 2**70 + 1)])  # rounded to one
def test_models_of_an_opened_file_keep_their_rows(
    path: Path, numbers: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Chain()
    in_memory = counting(memory)
    with Chain.open(path) as chain:
        for each in (in_memory, counting(chain)):
            for number in numbers:
                each.count(number)
    written = list[object]()
    write_all = ModelRows._write_all
    monkeypatch.setattr(
        ModelRows, "_write_all", lambda rows: (written.append(rows), write_all(rows))
    )
    for number in (*numbers[1:], 11):
        with Chain.open(path, contracts=[Counting], check=True) as chain:
            for each in (in_memory, chain.handle(Counting, chain.contracts[-1].address)):
                each.count(number)
            assert chain.sql("select * from Count") == memory.sql("select * from Count")
    assert bool(written) == (numbers[-1] == 2**70 + 1)


def test_a_watcher_sees_what_is_not_published(path: Path, filled: list[str]) -> None:
    with Chain.open(path) as chain, Chain.watch(path) as watching:
        pay(chain)
        stored(chain).publish()
        right = answers(chain)
        assert answers(watching) == right and {*filled} == {"tables"}
        bank = chain.handle(Bank, chain.contracts[0].address)
        bank.pay(2**200, -1)
        before = len(filled)
        watched = answers(watching)
        assert {*filled[before:]} >= {"receipts", "Paid"}
        assert watched == answers(chain) != right


def test_a_watcher_writes_nothing(path: Path) -> None:
    with Chain.open(path) as chain:
        pay(chain)
    files = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    for opened in (Chain.watch, Chain.open):
        with opened(path) as chain:
            answers(chain)
        assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == files
    assert [*files] == [path.name]


KILLED = """
import os, signal, sys
from chain import Chain
from tests.chain.ledger.test_sql_in_files import pay
chain = Chain.open(sys.argv[1])
pay(chain)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_with_rows_to_publish(path: Path) -> None:
    memory = Chain()
    pay(memory)
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        tables = {name for (name,) in connection.execute("select name from sqlite_master")}
    for opened in (Chain.watch, Chain.open):
        with opened(path) as chain:
            assert answers(chain) == answers(memory)
    assert "chain:receipts" in tables


def test_altered_tables_are_not_believed(path: Path) -> None:
    with Chain.open(path) as chain:
        pay(chain)
        right = answers(chain)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update receipts set gas_used = 1")
        connection.execute("drop table Paid")
    for opened in (Chain.watch, Chain.open):
        with opened(path) as chain:
            assert answers(chain) == right


def test_what_only_this_process_knows(path: Path) -> None:
    """An event of a class that is not deployed has a table, which no file has."""
    with Chain.open(path, contracts=[Odd]) as chain:
        chain.deploy(Bank).pay(1, 2)
        assert [
            name for (name,) in chain.sql("select name from tables where contract = 'Odd'")
        ] == ["Odd_Tables"]
        assert chain.sql("select count(*) from Odd_Tables") == [(0,)]
        assert chain.sql("select pot from Paid") == [(1,)]


# Limits


def test_limits_are_the_same(path: Path) -> None:
    with Chain.open(path) as chain:
        pay(chain)
        memory = chain.fork()
        endless = (
            "with recursive n (i) as (select 1 union all select i + 1 from n) select max(i) from n"
        )
        for question, limits, kind in (
            ("select * from receipts", QueryLimits(rows=2), ValueError),
            ("select args from receipts", QueryLimits(rows=99, bytes=20), ValueError),
            (endless, QueryLimits(steps=10_000), TooLong),
        ):
            refusals = []
            for each in (chain, memory):
                with pytest.raises(kind) as refused:
                    each.database.query(question, (), {}, limits)
                refusals.append(str(refused.value))
                assert each.sql("select count(*) from Paid") == [(4,)]
            assert refusals[0] == refusals[1]


def test_a_closed_file_is_not_asked(path: Path) -> None:
    with Chain.open(path) as chain:
        pay(chain)
        chain.sql("select * from receipts")
    with pytest.raises(ValueError, match="is closed: reopen it"):
        chain.sql("select * from receipts")
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of fork, where there are threads
def test_a_fork_of_the_process_is_refused(path: Path) -> None:
    with Chain.open(path) as chain:
        pay(chain)
        chain.sql("select * from receipts")
        child = os.fork()
        if not child:
            try:
                chain.sql("select * from receipts")
            except RuntimeError:
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert counted(chain) == counted(chain.fork())


def test_an_interrupted_query_leaves_the_file_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Chain.open(path) as chain:
        pay(chain)
        right = counted(chain)
        with monkeypatch.context() as patched:
            patched.setattr(sql_view, "_STRIDE", 1)

            def stopped(*_: object) -> str:
                raise KeyboardInterrupt

            patched.setattr(SqlView, "_authorize", stopped)
            with pytest.raises(KeyboardInterrupt):
                chain.sql("select * from receipts")
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    with Chain.open(path) as chain:
        assert counted(chain) == right
