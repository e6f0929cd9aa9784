"""A chain in a file: an SQLite database that at every moment holds all that the chain has acknowledged.

After each step (a block, a transaction in a block held open, a balance set, the clock moved, a way back) what is new
in the ledger goes into the file in one SQLite transaction, before the call returns. That transaction is the moment of truth: a
step that cannot be written is undone in memory too, and one that was left in the middle is done if it stands in the file. The
file has a write-ahead log, so a process that is killed, at whatever moment, loses nothing that was acknowledged. Loss of power
is another matter: the file stays sound but may lack the last blocks, unless `sync` has each change wait for the disk.

What the chain needs stands in tables with a colon in their names: exact rows in CBOR, each behind a seal, with hashes that are
dear to make. The state is kept as of some block (`chain.ledger.file.state_rows`); with the changes that came since it leads to
the state root of the last block. Also kept are the keys with which the chain signs for its accounts; they are for tests. What
others read are the tables without a colon (`chain.ledger.file.published_tables`), which follow from the others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from chain.accounts import Account
from chain.ledger.blocks import Block, Mining
from chain.ledger.file.chain_file import (
    NOW,
    SOURCES,
    ChainFile,
)
from chain.ledger.file.checksum import (
    sealed,
    unsealed,
)
from chain.ledger.file.load_ledger import (
    LedgerLengths,
    LoadedState,
    Now,
    load_ledger,
)
from chain.ledger.file.published_tables import PublishedTables
from chain.ledger.file.rows import serialize_row
from chain.ledger.file.state_rows import (
    EVERY,
    change_cells,
    write_cells,
)
from chain.ledger.ledger import Ledger


class NotWritten(OSError):
    """A step could not be written to the chain's file, and was undone; the text says why."""


class Written(NamedTuple):
    """What the file holds. Each step that is written has the next number."""

    number: int
    lengths: LedgerLengths
    mining: Mining
    open: tuple[Any, ...] | None
    settled: int | None  # how many of the changes the rows of the state hold
    sources: int  # of logs


class ChainStore:
    """Keeps the file of one ledger up to date."""

    def __init__(
        self,
        file: ChainFile,
        ledger: Ledger,
        keys: dict[bytes, Account],
        memory: LoadedState,
        sync: bool,
    ) -> None:
        self._file, self._ledger, self._keys = file, ledger, keys
        self._written = Written(
            memory.number, memory.had, memory.mining, _row_of(ledger.open), memory.settled, len(ledger.events.sources)
        )  # fmt: skip
        # How many blocks, moments and receipts of it still stand, where the ledger was cut since.
        self._standing: tuple[int, int, int] | None = None
        # Opened by the first change: whoever only reads leaves the file as it is, to the byte.
        self._connection: sqlite3.Connection | None = None
        self._sync = sync
        self._is_bare = file.sums is None  # the tables for others are still to be made
        ledger.on_truncated.append(self._cut)

    def close(self) -> None:
        """Leave the file to others."""
        self._file.release()

    @property
    def is_missed(self) -> bool:
        """Whether this is a fork of the process that has the file, and wanted to go on with it."""
        return self._file.is_missed

    def save(self, mining: Mining) -> None:
        """Write what is new, or raise `NotWritten` with the file as it was."""
        have, held = self._lengths(), _row_of(self._ledger.open)
        acts = slice(0, 3)  # who only looks may have met new slots
        number, had, *was = self._written[:4]
        is_same = (have[acts], [mining, held]) == (had[acts], was)
        if is_same and number and not self._standing and not self._is_bare:
            return
        self._file.check_use()
        try:
            self._write(number + 1, mining, held)
        except (sqlite3.Error, OSError) as problem:
            if not self.holds_more_than(number):
                name = self._file.name
                raise NotWritten(
                    f"{name} cannot be written, so nothing was done: {problem}"
                ) from problem

    def _write(self, number: int, mining: Mining, held: Any) -> None:
        if self._connection is None:
            connection = self._file.writing(self._sync)
            self._file.read_by(connection)
            self._published = PublishedTables(connection, self._ledger, self._file)
            self._connection = connection
        connection, had = self._connection, self._written.lengths
        connection.execute("begin immediate")
        if self._standing is not None:
            blocks, moments, receipts = self._standing
            had = had._replace(blocks=blocks, moments=moments, receipts=receipts)
            _shorten(connection, had)
        pending = self._published.update(had.moments, had.receipts, self._standing is not None)
        settled, sources = self._settle(connection, had.moments), self._ledger.events.sources
        have = self._lengths()  # only now: who reads models for the tables may meet new slots
        now = Written(number, have, mining, held, settled, len(sources))
        self._write_rows(connection, had, now, sources, pending)
        connection.execute("commit")
        self._written, self._standing, self._is_bare = now, None, False

    @property
    def number(self) -> int:
        """Of the step that was written last."""
        return self._written.number

    def holds_more_than(self, number: int) -> bool:
        """Whether the file holds a step behind this one, which was left in the middle. From here on it is known."""
        connection, found = self._connection, self._written
        if connection is not None and self._file.is_held:
            if connection.in_transaction:
                connection.execute("rollback")
            found = _written_in(connection) or found
            self._published.reset()
        self._written, self._standing = found, None
        return found.number > number

    def _lengths(self) -> LedgerLengths:
        ledger, state = self._ledger, self._ledger.state
        return LedgerLengths(
            len(ledger.blocks), len(ledger.timeline), len(ledger.receipts),
            len(state.codes), len(state.slots.preimages), len(self._keys), len(ledger.artifacts),
        )  # fmt: skip

    def _write_rows(
        self, connection: sqlite3.Connection, had: LedgerLengths, now: Written, sources: list[Any], pending: int
    ) -> None:  # fmt: skip
        ledger, state, have = self._ledger, self._ledger.state, now.lengths

        def put(table: str, rows: Iterable[tuple[int, Any]]) -> None:
            statement = f'insert or replace into "chain:{table}" values (?, ?)'
            for key, row in rows:
                connection.execute(statement, (key, sealed(table, key, row)))

        put("receipts", (
            (receipt.position, (ledger.hash_of(receipt), serialize_row(receipt.row)))
            for receipt in ledger.receipts[had.receipts :]
        ))  # fmt: skip
        put("notes", ((m, ledger.timeline[m]) for m in ledger.notes_from(had.moments)))
        put("blocks", (
            (number, (ledger.block_hash(number), ledger.blocks.as_tuple(number), ledger.header(number)))
            for number in range(had.blocks, have.blocks)
        ))  # fmt: skip
        put("codes", ((i, code) for i, (_, code) in _new_items(state.codes, had.codes)))
        put("slots", (
            (i, (parent.to_bytes(32), key))
            for i, (_, (parent, key)) in _new_items(state.slots.preimages, had.slots)
        ))  # fmt: skip
        put("artifacts", (
            (i, (digest, artifact.row))
            for i, (digest, artifact) in enumerate(ledger.artifacts.newest(had.artifacts), had.artifacts)
        ))  # fmt: skip
        put("keys", (
            (i, (bytes(address), made.key, made.name))
            for i, (address, made) in _new_items(self._keys, had.keys)
        ))  # fmt: skip
        if now.sources != self._written.sources or not self._written.number:
            put("now", [(SOURCES, sources)])
        told = Now(now.mining, now.open, have, now.number, now.settled, len(ledger.events), pending)
        put("now", [(NOW, told)])

    def _settle(self, connection: sqlite3.Connection, moments: int) -> int:
        """Bring the rows of the state up to date, if it is time: how many changes they hold."""
        ledger, settled = self._ledger, self._written.settled
        end = ledger.blocks.head.end_moment
        if settled is None or settled > moments:
            write_cells(connection, ledger.state, ledger.timeline[end:])
            return end
        if end - settled < EVERY:
            return settled
        change_cells(connection, ledger.timeline[settled:end])
        return end

    # Going back

    def _cut(self, blocks: int, receipts: int) -> None:
        """The chain went back: so much of what the file holds still stands."""
        had, moments = self._written.lengths, len(self._ledger.timeline)
        stands = had[:3] if self._standing is None else self._standing
        least = min(stands[0], blocks), min(stands[1], moments), min(stands[2], receipts)
        if least != had[:3]:
            self._standing = least


def _shorten(connection: sqlite3.Connection, had: LedgerLengths) -> None:
    for table, key, length in (
        ("blocks", "number", had.blocks),
        ("receipts", "position", had.receipts),
        ("notes", "moment", had.moments),
    ):
        connection.execute(f'delete from "chain:{table}" where {key} >= ?', (length,))


def _written_in(connection: sqlite3.Connection) -> Written | None:
    """What the file says that it holds."""
    found = connection.execute('select id, row from "chain:now" where id > 0').fetchall()
    rows = {key: unsealed("now", key, row) for key, row in found}
    if NOW not in rows:
        return None
    now = Now._make(rows[NOW])
    lengths, mining = LedgerLengths._make(now.lengths), Mining._make(now.mining)
    return Written(now.number, lengths, mining, now.open, now.settled, len(rows[SOURCES]))


def _new_items(grown: dict[Any, Any], length: int) -> Iterator[tuple[int, tuple[Any, Any]]]:
    """What came to a dict behind its first so many items, each with its place."""
    found = [*islice(reversed(grown.items()), len(grown) - length)]
    return enumerate(reversed(found), length)


def _row_of(block: Block | None) -> tuple[Any, ...] | None:
    return None if block is None else block.as_tuple


def open_store(
    file: ChainFile,
    settings: dict[str, Any],
    ledger: Ledger,
    keys: dict[bytes, Account],
    sync: bool,
) -> tuple[ChainStore, Mining]:
    """Fill a fresh ledger from the file, or make the file; what keeps it from now on, and how the chain mines."""
    if file.settings is None:
        file.create(settings)
    memory = load_ledger(file, ledger, keys)
    file.mend(memory.counts)
    return ChainStore(file, ledger, keys, memory, sync), memory.mining
