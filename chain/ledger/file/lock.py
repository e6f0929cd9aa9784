"""The right to write to a file. One process at a time has it, by locking a small database next to the file.

The lock is released when its process ends, in whatever way. It is not inherited on a fork: the child does not have it.
A second opener reads from the small database which process has the lock.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path

_TRIES = 10


class LockHeld(Exception):
    """Another process has the lock; the message says which."""


class Lock:
    """The right to write to the file at `path`, from `take` until `release`."""

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(f"{path.name}-lock")
        self._me = f"process {os.getpid()} ({Path(sys.argv[0]).name or 'python'})"
        self._connection: sqlite3.Connection | None = None
        # Device and inode of the small database, once it is ours.
        self._place: tuple[int, int] | None = None

    def release(self) -> None:
        """Release the lock.

        The small database is removed first, while no other process can hold it. A database of another process is left alone.
        """
        if self._place is not None and self._place == self._lies():
            with suppress(OSError):  # Windows does not remove an open file; it stays, harmlessly
                self.path.unlink(missing_ok=True)
        if self._connection is not None:
            self._connection.close()
        self._place = self._connection = None

    def _lies(self) -> tuple[int, int] | None:
        """Return the device and inode of the file that has the small database's name now."""
        with suppress(OSError):
            status = self.path.stat()
            return status.st_dev, status.st_ino
        return None

    def take(self) -> None:
        """Take the lock. Raise `LockHeld` if another process has it, and SQLite's error if it fails for another reason."""
        for tries_left in reversed(range(_TRIES)):
            connection = self._connection = sqlite3.connect(
                self.path, timeout=0, isolation_level=None, check_same_thread=False
            )
            try:
                self._write_owner(connection)
            except sqlite3.DatabaseError as problem:
                connection.close()
                if "locked" in str(problem):
                    raise LockHeld(self._holder() or "another process") from None
                if not tries_left:
                    raise
                continue
            self._place = self._lies()
            if self._holder() == self._me:
                return
            connection.close()  # the previous holder has removed the file
            self._place = None
        raise LockHeld("another process")

    def _write_owner(self, connection: sqlite3.Connection) -> None:
        """Lock the small database, write down which process has it, and lock it again."""
        connection.execute("pragma synchronous = off")
        connection.execute("begin immediate")
        connection.execute("create table if not exists holder (name text)")
        connection.execute("delete from holder")
        connection.execute("insert into holder values (?)", (self._me,))
        connection.execute("commit")
        connection.execute("begin immediate")

    def _holder(self) -> str | None:
        """Return the process that the small database names as the holder; None if there is no such file."""
        uri = f"{self.path.absolute().as_uri()}?mode=ro"
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(uri, uri=True, timeout=0)) as reader,
        ):
            row = reader.execute("select name from holder").fetchone()
            return None if row is None else str(row[0])
        return None
