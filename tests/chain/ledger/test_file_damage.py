"""Damage to a chain's file: what the chain needs is refused with its place, what others read is made again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from shutil import copyfile
from typing import Any

import pytest

from chain import Address, Chain, Contract, Key, Map, System, call, event, model
from chain.ledger.decoded.activity import activity_of
from chain.ledger.file.chain_file import BadChainFile
from chain.types import u64, u256

MANY = 5000  # flips of the slow campaign


@event
class Added:
    by: Key[Address]
    count: u64
    large: u256


@model
class Score:
    player: Key[Address]
    points: u256


class Counter(Contract):
    count: u64
    by: Map[str, u64]

    @call
    def add(self, n: u64) -> u64:
        self.count += n
        self.by[self.caller_id] += n
        self.emit(Added(self.caller, self.count, 2**200 + n))
        return self.count


class Game(System):
    @call
    def play(self, points: u64) -> None:
        self.world.write(Score(self.caller, 2**100 + points))


KNOWN = (Counter, Game)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a bit of everything in it."""
    path = tmp_path_factory.mktemp("damage") / "sound.chain"
    with Chain.open(path, contracts=KNOWN) as chain:
        counter = chain.deploy(Counter)
        for n in range(12):
            counter.add(n, sender=chain.accounts[n % 3])
        chain.set_balance(chain.account("first.testnet"), 10**20)
        game = chain.deploy_world("duel", systems=[Game], writers={"duel": [Game]}).system(Game)
        for n in range(3):
            game.play(n, sender=chain.accounts[n])
        assert chain.block_hash()  # so that the file has hashes too
        chain.mine()
    return path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    copyfile(sound, tmp_path / "duel.chain")
    return tmp_path / "duel.chain"


def contents(chain: Chain) -> Any:
    """Return the content of a chain."""
    numbers = range(len(chain.blocks))
    return (
        activity_of(chain.ledger), [chain.block_hash(n) for n in numbers], [chain.blocks.row(n) for n in numbers],
        [chain.ledger.header(n) for n in numbers], [r.tx_hash for r in chain.receipts],
        [list(r.events) for r in chain.receipts], [[str(w) for w in r.writes] for r in chain.receipts],
        list(map(tuple, chain.ledger.timeline)), chain.now,
        dict(chain.state.accounts), {a: dict(w) for a, w in chain.state.storages.items() if w}, chain.state.slots.preimages,
        {address: made.key for address, made in chain.keys.items()}, list(chain.ledger.artifacts),
    )  # fmt: skip


def readable(path: Path) -> dict[str, Any]:
    """Return the tables that other programs read in the file."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        names = connection.execute("select name from sqlite_master where type = 'view'").fetchall()
        return {n: sorted(connection.execute(f'select * from "{n}"'), key=repr) for (n,) in names}


def outcome(path: Path, truth: Any) -> str:
    """Open a file with a check and return `refused`, `right`, or what is wrong in it."""
    raw = path.read_bytes()
    try:
        with Chain.open(path, contracts=KNOWN, check=True) as chain:
            found = contents(chain)
    except BadChainFile:
        return "refused" if path.read_bytes() == raw else "refused as its tables are made again"
    return "right" if found == truth else "wrong answers"


def cells(path: Path) -> list[tuple[str, str, int]]:
    """All cells of the tables that the chain needs: table, column, and which row."""
    with closing(sqlite3.connect(path)) as connection:
        names = [
            n
            for (n,) in connection.execute(
                "select name from sqlite_master where name like 'chain:%'"
            )
        ]
        return [
            (name, column, row)
            for name in names
            for _, column, *_ in connection.execute(f'pragma table_info("{name}")').fetchall()
            for row in range(connection.execute(f'select count(*) from "{name}"').fetchone()[0])
        ]


def spoil_cell(path: Path, cell: tuple[str, str, int], random: Random) -> None:
    name, column, row = cell
    with closing(sqlite3.connect(path)) as connection, connection:
        keys = [
            c for _, c, _, _, _, key in connection.execute(f'pragma table_info("{name}")') if key
        ]
        where = " and ".join(f'"{key}" = ?' for key in keys) or "rowid = ?"
        chosen = ", ".join(f'"{key}"' for key in keys) or "rowid"
        asked = f'select {chosen}, "{column}" from "{name}" limit 1 offset {row}'
        *key, value = connection.execute(asked).fetchone()
        connection.execute(
            f'update or replace "{name}" set "{column}" = ? where {where}',
            (other(value, random), *key),
        )


def other(value: Any, random: Random) -> Any:
    """Return a value of the same type that differs in one thing."""
    if isinstance(value, bytes) and value:
        place = random.randrange(len(value))
        return (
            value[:place] + bytes((value[place] ^ 1 << random.randrange(8),)) + value[place + 1 :]
        )
    if isinstance(value, str) and value:
        place = random.randrange(len(value))
        return value[:place] + chr(ord(value[place]) ^ 1) + value[place + 1 :]
    return value + 1 if isinstance(value, int | float) else 7


def flip(path: Path, place: int, bit: int) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        (found,) = file.read(1)
        file.seek(place)
        file.write(bytes((found ^ 1 << bit,)))


def campaign(sound: Path, path: Path, number: int, seed: int) -> dict[str, int]:
    """Flip bits, half of them in cells, half anywhere in the file; count the outcomes."""
    random, all_cells, count = Random(seed), cells(sound), dict[str, int]()
    with Chain.open(sound, contracts=KNOWN) as chain:
        truth = contents(chain)
    for n in range(number):
        copyfile(sound, path)
        if n % 2:
            what: Any = random.choice(all_cells)
            spoil_cell(path, what, random)
        else:
            what = random.randrange(sound.stat().st_size), random.randrange(8)
            flip(path, *what)
        came = outcome(path, truth)
        is_cell = isinstance(what[0], str)  # of a table that the chain needs
        assert came in ("refused", "right") or ("again" in came and not is_cell), (what, came)
        count[came] = count.get(came, 0) + 1
    return count


def test_flips_are_refused_or_mended(sound: Path, path: Path) -> None:
    assert set(campaign(sound, path, 40, seed=1)) == {"refused", "right"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 7))
def test_many_flips(sound: Path, path: Path, seed: int) -> None:
    print(campaign(sound, path, MANY // 5, seed))


# What is refused, and how


def change(statement: str, *values: Any) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(statement, values)

    return spoil


def swap(table: str, key: str) -> Callable[[Path], None]:
    """Two rows, each as it was written, in each other's place."""
    return change(
        f'update "chain:{table}" set row = (select row from "chain:{table}" other where other.{key} ='
        f' 5 - "chain:{table}".{key}) where {key} in (2, 3)'
    )  # fmt: skip


def flip_hash(table: str, key: str) -> Callable[[Path], None]:
    """Return a function that flips a bit in the hash at the start of a row."""
    place = "substr(row, 1, 20) || x'a5' || substr(row, 22)"
    return change(f'update "chain:{table}" set row = cast({place} as blob) where {key} = 4')


TRUTH = [
    (swap("receipts", "position"), 'row 2 of "chain:receipts" is not as it was written'),
    (swap("blocks", "number"), 'row 2 of "chain:blocks" is not as it was written'),
    (flip_hash("receipts", "position"), 'row 4 of "chain:receipts" is not as it was written'),
    (flip_hash("blocks", "number"), 'row 4 of "chain:blocks" is not as it was written'),
    (change("update \"chain:slots\" set key = x'00' where place = 2"), 'row 0x.* of "chain:slots" is not as it was written'),
    (change('update "chain:codes" set row = 7'), 'row 0 of "chain:codes" is not as it was written'),
    (change('delete from "chain:slots" where place = 2'), '"chain:slots" lacks rows'),
    (change('delete from "chain:receipts" where position = 3'), 'row 3 of "chain:receipts" is missing'),
    (change('delete from "chain:keys" where place = 10'), 'row 10 of "chain:keys" is missing'),
    (change('delete from "chain:notes" where moment = 13'), '"chain:notes" has 1 rows, and had 2'),
    (change('drop table "chain:artifacts"'), 'table "chain:artifacts" is missing'),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "reason"), TRUTH)
def test_damage_to_what_the_chain_needs_is_refused_with_its_place(
    path: Path, spoil: Callable[[Path], object], reason: str
) -> None:
    spoil(path)
    with (
        pytest.raises(
            BadChainFile, match=rf"^duel\.chain is damaged and cannot be opened: .*{reason}"
        ),
        Chain.open(path, contracts=KNOWN) as chain,
    ):
        contents(chain)


def test_damaged_tables_are_made_again_on_demand(sound: Path, path: Path) -> None:
    for statement in (
        'update "derived:receipts" set sender_name = \'mallory\'', 'delete from "derived:logs" where position = 3',
        'update "derived:done" set count = 3', 'drop table "derived:tables"', "drop view Added",
    ):  # fmt: skip
        change(statement)(path)
        with Chain.open(path, contracts=KNOWN, check=True) as chain:
            assert len(chain.receipts) == 20
        assert readable(path) == readable(sound)
    change('update "derived:done" set count = 3')(path)
    with Chain.open(path, contracts=KNOWN):
        assert readable(path) == readable(sound)
    change('drop table "derived:logs"')(path)
    with (
        Chain.open(path, contracts=KNOWN) as chain,
        pytest.raises(BadChainFile, match="cannot be used: no such table"),
    ):
        chain.events("Added").count()


def test_checksums_hold_after_every_operation(path: Path) -> None:
    for turn in range(2):
        with Chain.open(path, contracts=KNOWN) as chain:
            counter = chain.handle(Counter, chain.receipts[0].address)
            with chain.anchor():
                counter.add(5)
                chain.mine(3)
            counter.add(turn)
        raw = path.read_bytes()
        with Chain.open(path, contracts=KNOWN) as chain:  # nothing is mended, as nothing is wrong
            contents(chain)
        assert path.read_bytes() == raw


def test_watched_file_is_checked_in_full_on_demand(path: Path) -> None:
    flip_hash("receipts", "position")(path)
    Chain.watch(path).close()
    with pytest.raises(BadChainFile, match='row 4 of "chain:receipts" is not as it was written'):
        Chain.watch(path, check=True)


@pytest.mark.parametrize("left", [0, 50, 99, 4096, 20_000, 100_000])
def test_truncated_file_is_refused(path: Path, left: int) -> None:
    raw = path.read_bytes()[:left]
    path.write_bytes(raw)
    with pytest.raises(BadChainFile, match=r"^duel\.chain"):
        Chain.open(path)
    assert path.read_bytes() == raw and [file.name for file in path.parent.iterdir()] == [path.name]


def test_past_is_complete_after_every_rollback(tmp_path: Path) -> None:
    path, random = tmp_path / "duel.chain", Random(4)
    with Chain.open(path) as chain:
        counter, saved = chain.deploy(Counter), [chain.snapshot()]
        for n in range(60):
            if n % 7 == 6:
                place = random.randrange(len(saved))
                chain.revert(saved[place])
                del saved[place + 1 :]
            counter.add(n, sender=chain.accounts[random.randrange(3)])
            saved.append(chain.snapshot())
            chain.driver.observer.publish()  # type: ignore[union-attr]
        right = [dict(chain.at(block=n).state.accounts) for n in range(len(chain.blocks))]
    with Chain.open(path, check=True) as again:
        assert [dict(again.at(block=n).state.accounts) for n in range(len(again.blocks))] == right
