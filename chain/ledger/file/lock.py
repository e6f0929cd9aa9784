"""Who may write to a file: one process at a time, told by a small database beside it that is locked for as long.

The lock goes with the process that holds it, however it ends, and stays with it when that forks: the child does not have it.
A second opener reads from the small database who has it.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path

_TRIES = 10


class LockHeld(Exception):
    """Another has the lock; the text says who."""


class Lock:
    """The right to write to the file at `path`, from when it is taken until it is released."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}-lock")
        self._me = f"process {os.getpid()} ({Path(sys.argv[0]).name or 'python'})"
        self._connection: sqlite3.Connection | None = None
        self._place: tuple[int, int] | None = None  # of the small database, once it is ours

    def release(self) -> None:
        """Let others have it. The small database goes first, while nobody else can hold it; that of another one stays."""
        if self._place is not None and self._place == self._lies():
            with suppress(OSError):  # Windows removes no open file; it stays, and does no harm
                self._path.unlink(missing_ok=True)
        if self._connection is not None:
            self._connection.close()
        self._place = self._connection = None

    def _lies(self) -> tuple[int, int] | None:
        """Where the small database lies that has its name now."""
        with suppress(OSError):
            found = self._path.stat()
            return found.st_dev, found.st_ino
        return None

    def take(self) -> None:
        """Take it, or raise `Held`, or SQLite's problem where it is none of others."""
        for tries_left in reversed(range(_TRIES)):
            connection = self._connection = sqlite3.connect(
                self._path, timeout=0, isolation_level=None, check_same_thread=False
            )
            try:
                self._write_owner(connection)
            except sqlite3.OperationalError as problem:
                connection.close()
                if "locked" in str(problem):
                    raise LockHeld(self._holder() or "another process") from None
                if not tries_left:
                    raise
                continue
            self._place = self._lies()
            if self._holder() == self._me:
                return
            connection.close()  # whoever had it before took the file away
            self._place = None
        raise LockHeld("another process")

    def _write_owner(self, connection: sqlite3.Connection) -> None:
        """Lock it, write down who has it, and lock it again."""
        connection.execute("pragma synchronous = off")
        connection.execute("begin immediate")
        connection.execute("create table if not exists holder (name text)")
        connection.execute("delete from holder")
        connection.execute("insert into holder values (?)", (self._me,))
        connection.execute("commit")
        connection.execute("begin immediate")

    def _holder(self) -> str | None:
        """Who the file says has it; None where there is no such file."""
        place = f"{self._path.absolute().as_uri()}?mode=ro"
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(place, uri=True, timeout=0)) as reader,
        ):
            row = reader.execute("select name from holder").fetchone()
            return None if row is None else str(row[0])
        return None
