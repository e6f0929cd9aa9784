"""A chain in a file: an SQLite database that at any time holds everything that the chain has acknowledged.

A step is a block, a transaction in a block held open, a balance set, the clock moved, or a revert. After each step, what is
new in the ledger is written to the file in one SQLite transaction, before the call returns. That transaction decides: a step
that cannot be written is undone in memory too, and an interrupted step is done if it is in the file. The file has a
write-ahead log, so a process that is killed at any time loses nothing that was acknowledged. After a loss of power the file
is sound but may lack the last blocks, unless `sync` makes each change wait for the disk.

The data that the chain needs is in tables with a colon in their names: exact rows in CBOR, each with a checksum, including
hashes that are expensive to compute. The state is stored as of some block (`chain.ledger.file.state_rows`); with the changes
since then it leads to the state root of the last block. The keys with which the chain signs for its accounts are stored too;
they are for tests. The tables without a colon (`chain.ledger.file.published_tables`) are public and derived from the others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, Protocol

from chain.accounts import Account
from chain.ledger.blocks import Block, Mining
from chain.ledger.file.chain_file import NOW, SOURCES, ChainFile
from chain.ledger.file.checksum import add_checksum, verify_checksum
from chain.ledger.file.load_ledger import LedgerLengths, LoadedState, Now, load_ledger
from chain.ledger.file.published_tables import PublishedTables
from chain.ledger.file.rows import serialize_row
from chain.ledger.file.state_rows import EVERY, change_cells, write_cells
from chain.ledger.ledger import Ledger


class NotWritten(OSError):
    """A step could not be written to the chain's file and was undone; the message says why."""


class Written(NamedTuple):
    """The contents of the file, in summary. Steps are numbered as they are written."""

    number: int
    lengths: LedgerLengths
    mining: Mining
    open: tuple[Any, ...] | None
    settled: int | None  # how many changes the stored state includes
    sources: int  # how many sources of logs


class Content(Protocol):
    """What the file of a chain holds."""

    mining: Mining

    @property
    def ledger(self) -> Ledger: ...
    @property
    def keys(self) -> dict[bytes, Account]: ...


class ChainStore:
    """Keeps the file of one chain up to date: the observer of its steps."""

    def __init__(self, file: ChainFile, content: Content, memory: LoadedState, sync: bool) -> None:
        ledger = content.ledger
        self._file, self._content, self._ledger = file, content, ledger
        self._written = Written(
            memory.number, memory.had, memory.mining, _row_of(ledger.open), memory.settled, len(ledger.events.sources)
        )  # fmt: skip
        # How many blocks, changes and receipts in the file are still valid, if the ledger was truncated since.
        self._standing: tuple[int, int, int] | None = None
        # Opened by the first change: reading alone does not alter a byte of the file.
        self._connection: sqlite3.Connection | None = None
        self._sync = sync
        self._is_bare = file.sums is None  # the public tables must still be created
        ledger.on_truncated.append(self._truncate)

    def close(self) -> None:
        """Close the file and release its lock."""
        self._file.release()

    @property
    def is_missed(self) -> bool:
        """True in a fork of the process that has the file, if the fork tried to use it."""
        return self._file.is_missed

    def save(self) -> None:
        """Write what is new, or raise `NotWritten` and leave the file as it was."""
        have, mining, held = self._lengths(), self._content.mining, _row_of(self._ledger.open)
        history = slice(0, 3)  # a read-only call may have registered new slots
        number, had, *saved = self._written[:4]
        is_same = (have[history], [mining, held]) == (had[history], saved)
        if is_same and number and not self._standing and not self._is_bare:
            return
        self._file.check_use()
        try:
            self._write(number + 1, mining, held)
        except (sqlite3.Error, OSError) as problem:
            if not self.is_ahead_of(number):
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
            had = had._replace(blocks=blocks, timeline=moments, receipts=receipts)
            _shorten(connection, had)
        pending = self._published.update(had.timeline, had.receipts, self._standing is not None)
        settled, sources = self._settle(connection, had.timeline), self._ledger.events.sources
        have = self._lengths()  # only now: reading models for the tables may register new slots
        now = Written(number, have, mining, held, settled, len(sources))
        self._write_rows(connection, had, now, sources, pending)
        connection.execute("commit")
        self._written, self._standing, self._is_bare = now, None, False

    @property
    def number(self) -> int:
        """The number of the last step that was written."""
        return self._written.number

    def is_ahead_of(self, number: int) -> bool:
        """True if the file holds a step after this number, which was interrupted.

        What the file holds is read from it here, and is known from then on.
        """
        connection, last_written = self._connection, self._written
        if connection is not None and self._file.is_held:
            if connection.in_transaction:
                connection.execute("rollback")
            last_written = _written_in(connection) or last_written
            self._published.reset()
        self._written, self._standing = last_written, None
        return last_written.number > number

    def _lengths(self) -> LedgerLengths:
        ledger, state = self._ledger, self._ledger.state
        return LedgerLengths(
            len(ledger.blocks), len(ledger.timeline), len(ledger.receipts),
            len(state.codes), len(state.slots.preimages), len(self._content.keys), len(ledger.artifacts),
        )  # fmt: skip

    def _write_rows(
        self, connection: sqlite3.Connection, had: LedgerLengths, now: Written, sources: list[Any], pending: int
    ) -> None:  # fmt: skip
        ledger, state, have = self._ledger, self._ledger.state, now.lengths

        def put(table: str, rows: Iterable[tuple[int, Any]]) -> None:
            statement = f'insert or replace into "chain:{table}" values (?, ?)'
            for key, row in rows:
                connection.execute(statement, (key, add_checksum(table, key, row)))

        put("receipts", (
            (receipt.position, (ledger.hash_of(receipt), serialize_row(receipt.row)))
            for receipt in ledger.receipts[had.receipts :]
        ))  # fmt: skip
        put(
            "notes",
            ((moment, ledger.timeline[moment]) for moment in ledger.notes_from(had.timeline)),
        )
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
            (i, (bytes(address), account.key, account.name))
            for i, (address, account) in _new_items(self._content.keys, had.keys)
        ))  # fmt: skip
        if now.sources != self._written.sources or not self._written.number:
            put("now", [(SOURCES, sources)])
        present = Now(
            now.mining, now.open, have, now.number, now.settled, len(ledger.events), pending
        )
        put("now", [(NOW, present)])

    def _settle(self, connection: sqlite3.Connection, moments: int) -> int:
        """Update the rows of the stored state if that is due, and return how many changes they include.

        `moments` is the number of changes in the file that are still valid.
        """
        ledger, settled = self._ledger, self._written.settled
        end = ledger.blocks.head.end_timeline_index
        if settled is None or settled > moments:
            write_cells(connection, ledger.state, ledger.timeline[end:])
            return end
        if end - settled < EVERY:
            return settled
        change_cells(connection, ledger.timeline[settled:end])
        return end

    # Truncation

    def _truncate(self, blocks: int, receipts: int) -> None:
        """Record how much of the file is still valid after the ledger was truncated."""
        had, moments = self._written.lengths, len(self._ledger.timeline)
        valid = had[:3] if self._standing is None else self._standing
        remaining = min(valid[0], blocks), min(valid[1], moments), min(valid[2], receipts)
        if remaining != had[:3]:
            self._standing = remaining


def _shorten(connection: sqlite3.Connection, had: LedgerLengths) -> None:
    """Delete the rows after the lengths `had`."""
    for table, key, length in (
        ("blocks", "number", had.blocks),
        ("receipts", "position", had.receipts),
        ("notes", "moment", had.timeline),
    ):
        connection.execute(f'delete from "chain:{table}" where {key} >= ?', (length,))


def _written_in(connection: sqlite3.Connection) -> Written | None:
    """Return the summary of what the file holds; None if no step was written."""
    selected = connection.execute('select id, row from "chain:now" where id > 0').fetchall()
    rows = {key: verify_checksum("now", key, row) for key, row in selected}
    if NOW not in rows:
        return None
    now = Now._make(rows[NOW])
    lengths, mining = LedgerLengths._make(now.lengths), Mining._make(now.mining)
    return Written(now.number, lengths, mining, now.open, now.settled, len(rows[SOURCES]))


def _new_items(grown: dict[Any, Any], length: int) -> Iterator[tuple[int, tuple[Any, Any]]]:
    """Return the items of a dict after its first `length`, each with its index."""
    items = [*islice(reversed(grown.items()), len(grown) - length)]
    return enumerate(reversed(items), length)


def _row_of(block: Block | None) -> tuple[object, ...] | None:
    return None if block is None else block.as_tuple


def open_store(
    file: ChainFile, settings: dict[str, object], content: Content, sync: bool
) -> ChainStore:
    """Load a new chain from the file, or create the file. Return the store that keeps the chain there."""
    if file.settings is None:
        file.create(settings)
    memory = load_ledger(file, content.ledger, content.keys)
    content.mining = memory.mining
    file.mend(memory.counts)
    return ChainStore(file, content, memory, sync)
