"""Plays on a chain, and the questions about them that a file must answer as memory does."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from chain import Address, Chain, Contract, Key, System, call, event, model, require
from chain.arena.find_game import find_game
from chain.ledger.file.store import ChainStore
from chain.types import i256, u8, u256
from tests.chain.game_folders import GAMES

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
    "select name, type from pragma_table_info('receipts')", "pragma table_info(Receipts)",
    "select name, pk, (select count(*) from logs) from pragma_table_info( 'receipts' )",
    # of `bank`
    "select pot, lost from Paid order by pot",
    "select pot from Paid where pot > 57896044618658097711785492504343953926634992332820282019728792003956564819968",
    "select sum(pot), min(lost), count(distinct pot), -max(pot) from Paid",
    "select p.pot, r.value from Paid p left join receipts r on r.position = p.receipt and r.ok order by p.log desc",
    "select world, namespace, count(*), max(points) from Score group by 1, 2",
    "select event_exact_numbers from Odd_Tables",
    # refused
    "delete from receipts", "update logs set idx = 1", "insert into receipts (position) values (1)", "drop table logs",
    "replace into receipts (position) values (1)", "alter table receipts add column x", "create index i on logs (idx)",
    "create temp table mine (x)", "create view mine as select 1", "attach 'file' as other", "detach file", "begin", "commit",
    "vacuum", "vacuum into 'file'", "pragma writable_schema = 1", "pragma file.journal_mode = delete",
    'select * from "chain:receipts"', 'select * from file."chain:now"', "select * from exact_numbers", "select * from other",
    "select * from file.receipts", "select * from temp.receipts", "select 1; select 2", "", "-- hm", "selec 1", "select ?",
    "select colour from receipts", "select * from nothing", "select load_extension('x')", "select zeroblob(99)",
    "drop view receipts", "explain select 1; select 2",
)  # fmt: skip


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


def counted(chain: Chain) -> list[object]:
    question = "select count(*) r, (select count(*) from Paid) p, (select max(pot) from Paid) s from receipts"
    return [*chain.sql(question)[0]]


def stored(chain: Chain) -> ChainStore:
    assert isinstance(chain.driver.observer, ChainStore)
    return chain.driver.observer
