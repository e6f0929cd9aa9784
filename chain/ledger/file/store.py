"""A chain in a file: an SQLite database that at any time holds everything that the chain has acknowledged.

A step is a block, a transaction in a block held open, a balance set, the clock moved, or a revert. After each step, the new
rows of the ledger are written to the file in one SQLite transaction, before the call returns. That transaction decides: a
step that cannot be written is undone in memory too, and an interrupted step is done if it is in the file. The file has a
write-ahead log, so a process that is killed at any time loses nothing that was acknowledged. After a loss of power the file
is sound but may lack the last blocks, unless `sync` makes each change wait for the disk.

The data that the chain needs is in tables with a colon in their names: exact rows in MessagePack, each with a checksum. The
keys with which the chain signs for its accounts are stored too; they are for tests. What follows from these is written at most
a second later, for many steps together: the tables in which queries look (`chain.ledger.store`), the state among them.
"""

from __future__ import annotations

import atexit
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Any, Final, Protocol
from weakref import WeakMethod

from chain.crypto.accounts import Account
from chain.foundation.thread_lock import ThreadLock
from chain.foundation.watchdog import uninterrupted
from chain.ledger.blocks import BlockRow, Mining
from chain.ledger.file.chain_file import NOW, ChainFile
from chain.ledger.file.checksum import add_checksum
from chain.ledger.file.growth import LedgerLengths, growth_since, lengths_of
from chain.ledger.file.load_ledger import (
    CUTS,
    Cut,
    Now,
    check_root,
    counts_of,
    last_step,
    load_ledger,
    load_tables,
)
from chain.ledger.kept_programs import kept_rows
from chain.ledger.ledger import Ledger
from chain.ledger.store import Lengths, Store, connected
from chain.storage.slots import hashed

# The tables are brought up to date after this many receipts or seconds.
MANY: Final = 2048
SOON: Final = 1.0


class NotWritten(OSError):
    """A step could not be written to the chain's file and was undone; the message says why."""


class Content(Protocol):
    """The content of a chain's file."""

    mining: Mining

    @property
    def ledger(self) -> Ledger: ...
    @property
    def lock(self) -> ThreadLock: ...
    @property
    def begun(self) -> tuple[object, ...] | None: ...
    @property
    def keys(self) -> dict[bytes, Account]: ...


class ChainStore:
    """Keeps the file of one chain up to date: the observer of its steps."""

    def __init__(self, file: ChainFile, content: Content, now: Now, sync: bool) -> None:
        self._file, self._content, self._ledger = file, content, content.ledger
        self._written = now
        # The numbers of blocks, changes and receipts in the file that are still valid, if the ledger was truncated since.
        self._standing: Lengths | None = None
        # Opened by the first change: reading alone does not alter a byte of the file.
        self._connection: sqlite3.Connection | None = None
        self._sync = sync
        # A process may have been killed within a step, whose rows are in the tables.
        self._opened: Lengths | None = Lengths(*now.lengths[:3])
        self._published = 0  # receipts in the tables for queries, at most
        self._ledger.use_tables(Store(self._ledger, self))
        self._timer: Timer | None = None  # runs `publish`
        self._ledger.on_truncated.append(self._truncate)
        self._late = partial(_call, WeakMethod(self._publish_late))
        self._at_exit = partial(_call, WeakMethod(self._end))
        atexit.register(self._at_exit)

    def close(self) -> None:
        """Write the derived rows, close the file and release its lock."""
        self.publish()
        self._stop_timer()
        atexit.unregister(self._at_exit)
        self._ledger.store.close()
        self._file.release()

    @property
    def is_missed(self) -> bool:
        """True in a fork of the process that has the file, if the fork tried to use it."""
        return self._file.is_missed

    def save(self) -> None:
        """Write the new rows, or raise `NotWritten` and leave the file as it was."""
        written, have, block = self._written, self._lengths(), self._ledger.open
        mining, held = self._content.mining, None if block is None else block.row
        # A read-only call may have registered new slots: only the history counts.
        if (
            mining == written.mining and held == written.open and have[:3] == written.lengths[:3]
            and written.number and not self._standing
        ):  # fmt: skip
            return
        self._file.check_use()
        try:
            self._write(written.number + 1, mining, held, have)
        except (sqlite3.Error, OSError) as problem:
            if not self.is_ahead_of(written.number):
                name = self._file.name
                raise NotWritten(
                    f"{name} cannot be written, so nothing was done: {problem}"
                ) from problem
        if self._ledger.store.has_undone or have.receipts - self._published >= MANY:
            self._catch_up()

    def _catch_up(self) -> None:
        """Bring the tables for queries up to date; later, if it fails."""
        self._published = len(self._ledger.receipts)
        with suppress(sqlite3.Error, OSError):
            self._ledger.store.catch_up()

    def _write(
        self, number: int, mining: Mining, held: BlockRow | None, have: LedgerLengths
    ) -> None:
        had, standing, cuts = self._written.lengths, self._standing, self._written.cuts
        is_one_call = self._is_one_call(mining, held, have)
        connection = self._opened_connection()
        if not is_one_call or have.blocks > had.blocks or have[3:] != had[3:]:
            connection.execute("begin immediate")
        if standing is not None:
            had = had.after(standing)
            _shorten(connection, had)
            cuts = (*cuts, Cut(number, *standing))[-CUTS:]
        now = Now(mining, held, have, number, cuts)
        self._write_rows(connection, had, held)
        if not is_one_call:
            put(connection, "now", ((NOW, now),))
        if connection.in_transaction:
            connection.execute("commit")
        self._written, self._standing = now, None
        if self._timer is None:
            self._start_timer()

    def _is_one_call(self, mining: Mining, held: BlockRow | None, have: LedgerLengths) -> bool:
        """True if the step has added one receipt in a way that `last_step` understands, and no other rows are due."""
        former, open_block, had, _, _ = self._written
        receipts, connection = have.receipts, self._connection
        if (
            receipts - had.receipts != 1 or have.timeline - had.timeline != 1
            or connection is None or connection.in_transaction or self._standing is not None
        ):  # fmt: skip
            return False
        if open_block is None or held is None:
            alone = open_block is held and have.blocks - had.blocks == 1
            return alone and mining == (self._ledger.blocks.head.timestamp, *former[1:])
        return (
            have.blocks == had.blocks and mining == former
            and held._replace(gas_used=0) == open_block._replace(gas_used=0)
        )  # fmt: skip

    def _opened_connection(self) -> sqlite3.Connection:
        """Return the connection that writes. A transaction that was interrupted is rolled back first."""
        connection = self._connection
        if connection is None:
            self._ledger.store.close()  # it may read the file as one that does not change
            connection = self._file.writing(self._sync)
            self._file.read_by(connection)
            self._connection = connection
        elif connection.in_transaction:
            connection.execute("rollback")
        return connection

    def publish(self) -> None:
        """Bring the tables up to date; later, if it fails or a step has changed more."""
        if not self._file.is_held:
            return
        with self._content.lock, suppress(sqlite3.Error, OSError):
            if self._connection is not None and self.step >= 0:
                self._catch_up()

    def _publish_late(self) -> None:
        """Call `publish` between two steps, in any thread. A forked child leaves it to the process that opened the file."""
        if self._file.is_held:
            with self._content.lock:
                try:
                    if self._content.begun is None:
                        self.publish()
                finally:
                    self._timer = None

    def _end(self) -> None:
        """Close the file at the end of the process, so that SQLite leaves no log beside it."""
        if self._file.is_held:
            with self._content.lock:
                if self._content.begun is None:
                    self.close()

    def _start_timer(self) -> None:
        timer = Timer(SOON, self._late)
        timer.daemon = True
        uninterrupted(timer.start)  # Python may take a thread that begins for the one that began it
        self._timer = timer

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # The tables for queries

    is_shared = True

    @property
    def location(self) -> Path:
        """The path of the file, whatever the working directory is."""
        return self._file.location

    @property
    def step(self) -> int:
        """The number of the last step that was written; -1 while the ledger has more."""
        is_saved = self._standing is None and self._lengths()[:3] == self._written.lengths[:3]
        return self._written.number if is_saved else -1

    def check_use(self) -> None:
        """Refuse to use a file that was closed, or that is open in the process from which this one was forked."""
        self._file.check_use()

    def connect(self, *, writing: bool) -> sqlite3.Connection:
        """Open the file for the tables."""
        with self._file.refusing_damage():
            if not writing:
                return connected(self._file.uri)
            connection = connected(self._file.location.as_uri())
            try:
                connection.execute("pragma journal_mode = wal")
                connection.execute("pragma synchronous = normal")
            except BaseException:
                connection.close()  # so that it leaves no log beside the file
                raise
            return connection

    def explaining(self) -> AbstractContextManager[None]:
        """Scope in which an error of SQLite is explained."""
        return self._file.explaining()

    def kept_since(self, step: int) -> Lengths:
        """Return how much there was at least since a step."""
        kept = self._written.kept_since(step)
        if self._opened is not None:
            kept, self._opened = kept.least(self._opened), None
        return kept

    @property
    def number(self) -> int:
        """The number of the last step that was written."""
        return self._written.number

    def is_ahead_of(self, number: int) -> bool:
        """True if the file holds a step after this number, which was interrupted.

        The content of the file is read here, and is known from then on.
        """
        connection, last_written = self._connection, self._written
        if connection is not None and self._file.is_held:
            if connection.in_transaction:
                connection.execute("rollback")
            last_written = last_step(self._file) or last_written
        self._written, self._standing = last_written, None
        return last_written.number > number

    def _lengths(self) -> LedgerLengths:
        return lengths_of(self._ledger, self._content.keys)

    def _write_rows(
        self, connection: sqlite3.Connection, had: LedgerLengths, held: BlockRow | None
    ) -> None:
        """Write what is new since some lengths."""
        ledger = self._ledger
        new = growth_since(had, ledger, self._content.keys)
        gas_used = 0 if held is None else held.gas_used
        receipts = [(*row, gas_used) for row in new.receipts]
        for table, first, rows in (
            ("receipts", had.receipts, receipts), ("blocks", had.blocks, new.blocks),
            ("codes", had.codes, new.codes), ("keys", had.keys, new.keys),
            ("artifacts", had.artifacts, new.artifacts),
        ):  # fmt: skip
            if rows:
                put(connection, table, enumerate(rows, first))
        if new.notes:
            put(connection, "notes", new.notes)
        if new.artifacts:
            digests = [digest for digest, _ in new.artifacts]
            put(connection, "programs", kept_rows(ledger.programs, digests))
        for place, (parent, key) in enumerate(new.slots, had.slots):
            row = place, hashed(parent, key).to_bytes(32), parent.to_bytes(32), key
            connection.execute('insert or ignore into "chain:slots" values (?, ?, ?, ?)', row)

    # Truncation

    def _truncate(self, blocks: int, receipts: int) -> None:
        """Record how much of the file is still valid after the ledger was truncated."""
        written = Lengths(*self._written.lengths[:3])
        valid = Lengths(blocks, len(self._ledger.timeline), receipts)
        remaining = valid.least(self._standing or written)
        if remaining != written:
            self._standing = remaining


def _call(method: WeakMethod[Callable[[], None]]) -> None:
    """Call a method, if its object still exists."""
    bound = method()
    if bound is not None:
        bound()


def put(
    connection: sqlite3.Connection, table: str, rows: Iterable[tuple[int | bytes, Any]]
) -> None:
    """Write rows under their keys, each with its checksum."""
    # an update in place takes less time than to replace a row
    statement = (
        f'insert into "chain:{table}" values (?, ?) on conflict do update set row = excluded.row'
    )
    for key, row in rows:
        connection.execute(statement, (key, add_checksum(table, key, row)))


def _shorten(connection: sqlite3.Connection, had: LedgerLengths) -> None:
    """Delete the rows after the lengths `had`."""
    for table, key, length in (
        ("blocks", "number", had.blocks),
        ("receipts", "position", had.receipts),
        ("notes", "moment", had.timeline),
    ):
        connection.execute(f'delete from "chain:{table}" where {key} >= ?', (length,))


def open_store(
    file: ChainFile, settings: dict[str, object], content: Content, sync: bool
) -> ChainStore:
    """Load a new chain from the file, or create the file. Return the store that keeps the chain there."""
    if file.settings is None:
        file.create(settings)
    now = load_ledger(file, content.ledger, content.keys)
    content.mining = now.mining
    store = ChainStore(file, content, now, sync)
    if file.is_thorough and now.number:
        file.check_rows(counts_of(now), now.lengths.slots)
    if now.number:
        load_tables(file, content.ledger)
    if file.is_thorough and now.number:
        check_root(file, content.ledger)
        content.ledger.store.drop()
    return store
