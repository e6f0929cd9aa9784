"""The file of a chain that another process may be writing: it is read as of some step, without a lock, and never changed."""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import lt
from pathlib import Path
from typing import Any

from chain.foundation.thread_lock import ThreadLock
from chain.ledger.file.chain_file import (
    DERIVED,
    SETTINGS,
    TABLES,
    BadChainFile,
    ChainFile,
    check_schema,
)
from chain.ledger.file.load_ledger import (
    Cut,
    Derived,
    LedgerLengths,
    Now,
    last_step,
    stored_timeline,
)
from chain.ledger.file.replication import Growth
from chain.ledger.file.store import CUTS
from chain.ledger.store import connected
from chain.ledger.timeline import Former, Place, note_first_values


class WatchedFile(ChainFile):
    """The file of a chain, for reading only."""

    settings: dict[str, Any]

    def __init__(self, path: str | Path, check: bool = False) -> None:
        self._seen: object = None  # identifies what the connection reads
        self._turn = ThreadLock()  # held by the thread that reads
        self._closing: Callable[[], object] = lambda: None  # closes the connection
        # As of which step the chain is read; None until it is loaded.
        self._followed: Now | None = None
        self._stored: tuple[int, ...] = ()  # the lengths that it had when it was loaded
        self._checked: object = None  # identifies what was checked for a rollback
        super().__init__(path, check)

    def _take(self) -> None:
        """Take no lock: nothing is written."""

    def _inspect(self) -> dict[str, Any]:
        if not self.path.exists():
            raise BadChainFile(f"{self.path}: there is no such file")
        self._check_head()
        with self.snapshot() as connection:
            check_schema(connection, TABLES)
            return dict(self.row("now", SETTINGS))

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Read the file as it is now, even if another process writes to it meanwhile."""
        with self._turn:
            self._end()
            with super().reading() as connection:
                connection.execute("begin")
                try:
                    yield connection
                finally:
                    self._end()

    def _end(self) -> None:
        """End the snapshot, which may be one that was interrupted."""
        if self._connection is not None and self._connection.in_transaction:
            self._connection.execute("rollback")

    @property
    def _is_within(self) -> bool:
        """True within a snapshot: the connection stays."""
        return self._connection is not None and self._connection.in_transaction

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read rows that the chain had when it was loaded. They are refused if another process has replaced them since."""
        with self._turn:
            if self._is_within:
                with super().reading() as connection:
                    yield connection
                return
            with self.snapshot() as connection:
                ((version,),) = connection.execute("pragma data_version")
                if self._followed is not None and self._checked != (connection, version):
                    self.former = self._former_values(self._followed)
                    self._checked = connection, version
                yield connection

    def follow(self, now: Now) -> None:
        """Take note as of which step the chain is read."""
        self._followed, self._checked = now, None
        self._stored = self._stored or now.lengths[:3]

    def _reader(self) -> sqlite3.Connection:
        """Return a connection. The file is immutable only as long as no process has it open, so this is looked up each time."""
        if not self._is_within:
            now = self.identity
            if now != self._seen and self._connection is not None:
                self._closing()
                self._connection = None
            self._seen = now
        is_new = self._connection is None
        connection = super()._reader()
        if is_new:
            # For a watcher that nobody closes.
            self._closing = weakref.finalize(self, connection.close)
        return connection

    @property
    def identity(self) -> object:
        """What a connection to the file reads; another value if a new one must be opened."""
        has_log = self.location.with_name(f"{self.location.name}-wal").exists()
        found = self._stat()
        return found.st_ino, has_log or (found.st_size, found.st_mtime_ns)

    def _stat(self) -> os.stat_result:
        try:
            return self.location.stat()
        except OSError as problem:
            raise BadChainFile(f"{self.name} is gone: {problem}") from None

    def now(self) -> Now:
        """Return the present as the last step left it."""
        return last_step(self) or Now()

    def _former_values(self, had: Now) -> Former:
        """Return what was at places at the time of a step, if the rows of the state include later changes of them."""
        now, former = self.now(), dict[Place, Any]()
        if now.number == had.number:
            return former
        kept = self.remaining(had, now)
        first = min([had.lengths.timeline, *([kept.timeline] if kept else [])])
        end = Derived.of(self.row("now", DERIVED)).timeline
        if first < end:
            timeline = stored_timeline(self, now.lengths.receipts, self.keys("notes"))
            note_first_values(former, timeline[first:end])
        return former

    # The tables for queries

    is_shared = False

    @property
    def step(self) -> int:
        """The number of the step as of which the chain is read."""
        return 0 if self._followed is None else self._followed.number

    def connect(self, *, writing: bool) -> sqlite3.Connection:
        """Open the file for the tables, read-only."""
        with self.refusing_damage():
            return connected(self.uri)

    def kept_since(self, step: int) -> tuple[int, int]:
        """Return how many receipts and moments there were at least since a step, and since the one that is read."""
        with self.reading():
            now, step = self.now(), min(step, self.step)
        kept = [(cut.receipts, cut.timeline) for cut in now.cuts if cut.number > step]
        if _may_lack(now, step):
            kept.append((0, 0))
        receipts, moments = zip(*kept, strict=True) if kept else ((1 << 62,), (1 << 62,))
        return min(receipts), min(moments)

    def remaining(self, had: Now, now: Now) -> Cut | None:
        """Return the lengths that remain from the time of a step; None if the chain was not rolled back since.

        Refuse a chain that was rolled back to before it was loaded.
        """
        cuts = [cut for cut in now.cuts if cut.number > had.number]
        if not cuts:
            return None
        kept = Cut._make(map(min, zip(*cuts, strict=True)))
        if any(map(lt, kept[1:], self._stored)) or _may_lack(now, had.number):
            raise BadChainFile(
                f"{self.name} was rolled back to before it was opened here: watch it again"
            )
        return kept

    def growth(self, had: LedgerLengths, now: LedgerLengths) -> Growth:
        """Return the rows that were added since some lengths, in the form of a node's page."""
        notes = self.rows_from("notes", had.timeline)
        return (
            self.rows("codes", had.codes, now.codes),
            self.rows("slots", had.slots, now.slots),
            self.rows("keys", had.keys, now.keys),
            self.rows("artifacts", had.artifacts, now.artifacts),
            notes,
            self.rows("receipts", had.receipts, now.receipts),
            self.rows("blocks", max(had.blocks, 1), now.blocks),  # each chain begins with the first
        )


def _may_lack(now: Now, number: int) -> bool:
    """True if the file may no longer list all rollbacks of the chain after a step."""
    return len(now.cuts) == CUTS and now.cuts[0].number > number
