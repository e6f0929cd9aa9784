"""The file of a chain that another process may be writing: it is read as of some step, without a lock, and never changed."""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chain.ledger.file.chain_file import (
    NOW,
    SETTINGS,
    TABLES,
    BadChainFile,
    ChainFile,
)
from chain.ledger.file.integrity import check_schema
from chain.ledger.file.load_ledger import Cut, LedgerLengths, Now
from chain.ledger.file.replication import Growth


class WatchedFile(ChainFile):
    """The file of a chain, for reading only."""

    settings: dict[str, Any]

    def __init__(self, path: str | Path) -> None:
        self._seen: object = None  # identifies what the connection reads
        self._is_within = False  # a snapshot: the connection stays
        self._closing: Callable[[], object] = int  # closes the connection
        super().__init__(path)

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
        with self.reading() as connection:
            connection.execute("begin")
            self._is_within = True
            try:
                yield connection
            finally:
                self._is_within = False
                connection.execute("rollback")

    def _reader(self) -> sqlite3.Connection:
        """Return a connection. The file is immutable only as long as no process has it open, so this is looked up each time."""
        if not self._is_within:
            has_log = self._real.with_name(f"{self._real.name}-wal").exists()
            found = self._stat()
            now = (found.st_ino, has_log or (found.st_size, found.st_mtime_ns))
            if now != self._seen and self._connection is not None:
                self._closing()
                self._connection = None
            self._seen = now
        is_new = self._connection is None
        connection = super()._reader()
        if is_new:
            self._closing = weakref.finalize(
                self, connection.close
            )  # for a watcher that nobody closes
        return connection

    def _stat(self) -> os.stat_result:
        try:
            return self._real.stat()
        except OSError as problem:
            raise BadChainFile(f"{self.name} is gone: {problem}") from None

    def now(self) -> Now:
        """Return the row about the present state."""
        row = self.rows_from("now", NOW)
        return Now.of(row[0][1]) if row and row[0][0] == NOW else Now()

    def kept_since(self, number: int, now: Now) -> Cut | None:
        """Return the lengths that remain from the time of a step; None if the chain was not rolled back since."""
        cuts = [cut for cut in now.cuts if cut.number > number]
        return Cut._make(map(min, zip(*cuts, strict=True))) if cuts else None

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
