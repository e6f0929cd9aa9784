"""Files that are not a valid chain are refused with a reason, and stay unchanged."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chain import Chain
from chain.crypto.messagepack import decode
from chain.ledger.file.chain_file import FORMAT, BadChainFile
from chain.ledger.file.checksum import add_checksum, opened
from tests.chain.toys import Counter

ROOT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "duel.chain"


@pytest.fixture
def chain(path: Path) -> Iterator[Chain]:
    """A chain in the file, on which something happened."""
    with Chain.open(path) as chain:
        first = chain.account("first.testnet")
        counter = chain.deploy(Counter)
        for by in (3, 4):
            counter.add(by, sender=first)
        assert chain.block_hash()  # so that the file has hashes too
        chain.mine()
        yield chain


def bytes_beside(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.parent.iterdir()}


def spoil_middle(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2 : len(raw) // 2 + 3000] = bytes(3000)
    path.write_bytes(raw)


def foreign_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table duel (a)")


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"pragma user_version = {FORMAT + 1}")


def change_sealed(statement: str, *values: Any) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(statement, values)

    return change


def forge(path: Path) -> None:
    """Write a well-formed receipt with a word that was never written."""
    with closing(sqlite3.connect(path)) as connection, connection:
        ((row,),) = connection.execute('select row from "chain:receipts" where position = 1')
        told = list(decode(opened("receipts", 1, row)))
        told[20] = (*told[20], told[14], 98, None, 7)  # at the address it reached
        forged = add_checksum("receipts", 1, told)
        connection.execute('update "chain:receipts" set row = ? where position = 1', (forged,))


SPOILED = [
    (forge, "its changes do not lead to the state root of block 3"),
    (lambda path: path.write_bytes(path.read_bytes()[: len(path.read_bytes()) // 2]), "damaged"),
    (lambda path: path.write_bytes(path.read_bytes()[:50]), "not an SQLite database"),
    (lambda path: path.write_bytes(b""), "not an SQLite database"),
    (lambda path: path.write_text("a diary, not a chain\n" * 20), "not an SQLite database"),
    (spoil_middle, "damaged"),
    (foreign_database, "SQLite database of another application"),
    (newer, f"it has format {FORMAT + 1}, this one reads up to {FORMAT}"),
    (
        change_sealed('update "chain:receipts" set row = zeroblob(40) where position = 1'),
        "not as it was written",
    ),
    (change_sealed('delete from "chain:notes"'), "damaged"),
    (change_sealed('delete from "chain:receipts" where position = 1'), "damaged"),
    (change_sealed('delete from "chain:blocks" where number = 2'), "damaged"),
    (change_sealed('drop table "chain:slots"'), "damaged"),
]


@pytest.mark.parametrize(("spoil", "reason"), SPOILED)
def test_damaged_file_is_not_changed(
    chain: Chain, path: Path, spoil: Callable[[Path], object], reason: str
) -> None:
    chain.close()
    spoil(path)
    before = bytes_beside(path)
    with pytest.raises(BadChainFile, match=f"^duel.chain .*{reason}"):
        Chain.open(path, check=True)
    assert bytes_beside(path) == before


def test_damaged_log_is_not_changed(chain: Chain, path: Path) -> None:
    killed = path.with_name("killed.chain")  # as a kill would leave it
    for end in ("", "-wal"):
        raw = path.with_name(path.name + end).read_bytes()
        killed.with_name(killed.name + end).write_bytes(raw[:4096] if not end else raw)
    killed.write_bytes(killed.read_bytes() + bytes(10**6))
    killed.with_name("killed.chain-wal").write_bytes(b"")
    before = {name: raw for name, raw in bytes_beside(path).items() if name.startswith("killed")}
    with pytest.raises(BadChainFile, match=r"^killed\.chain is damaged"):
        Chain.open(killed)
    after = bytes_beside(path)
    assert {name: after[name] for name in before} == before


def test_second_opener_is_refused(chain: Chain, path: Path) -> None:
    program = f"from chain import Chain; Chain.open({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert f"duel.chain is open for writing in process {os.getpid()} (" in done.stderr
    with pytest.raises(BadChainFile, match=f"in process {os.getpid()} "):
        Chain.open(path)
    chain.deploy(Counter)
    chain.close()
    with Chain.open(path, contracts=[Counter]) as again:
        assert len(again.receipts) == len(chain.receipts)


def test_closed_chain_takes_nothing(chain: Chain, path: Path) -> None:
    chain.close()
    with pytest.raises(ValueError, match=r"duel\.chain is closed: reopen it"):
        chain.mine()
    assert [file.name for file in path.parent.iterdir()] == ["duel.chain"]
