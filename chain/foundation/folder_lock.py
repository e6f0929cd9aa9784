"""The lock on a folder of results, held while a process writes there. It ends with its process."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

_FILE: Final = "in_use.lock"  # a database without content, since SQLite locks files everywhere
_PATIENCE: Final = 2.0  # seconds, longer than any look at the lock takes


class FolderInUse(RuntimeError):
    """Another process writes into the same folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"another process writes into {folder}: wait for it, or name another folder")  # fmt: skip


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder. Raise `FolderInUse` if another process has it."""
    file = folder / _FILE
    with closing(sqlite3.connect(file, timeout=_PATIENCE, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as problem:
            if "locked" not in str(problem):
                raise
            raise FolderInUse(folder) from None
        yield
        file.unlink(missing_ok=True)


def is_locked(folder: Path) -> bool:
    """Return True if a process holds the lock of a folder."""
    file = folder / _FILE
    if not file.exists():
        return False
    place = f"{file.resolve().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(place, uri=True, timeout=0)) as connection:
            connection.execute("SELECT * FROM sqlite_master").fetchall()
    except sqlite3.OperationalError as problem:
        return "locked" in str(problem)
    return False
