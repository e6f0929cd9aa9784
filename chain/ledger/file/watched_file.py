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
    SETTINGS,
    TABLES,
    BadChainFile,
    ChainFile,
    check_schema,
)
from chain.ledger.file.load_ledger import (
    Now,
    last_step,
)
from chain.ledger.store import Lengths, connected


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
                    self.remaining(self._followed, self.now())
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
        """The state that a connection to the file reads; another value if a new one must be opened."""
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

    def kept_since(self, step: int) -> Lengths:
        """Return how much there was at least since a step, and since the one that is read."""
        with self.reading():
            return self.now().kept_since(min(step, self.step))

    def remaining(self, had: Now, now: Now) -> Lengths:
        """Return what remains of the lengths at the time of a step; refuse a rollback to before the chain was loaded."""
        kept = now.kept_since(had.number)
        if any(map(lt, kept, self._stored)):
            raise BadChainFile(
                f"{self.name} was rolled back to before it was opened here: watch it again"
            )
        return kept.least(Lengths(*had.lengths[:3]))
