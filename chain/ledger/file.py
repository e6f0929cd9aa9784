"""The file of a chain before anything is read from it or written to it: whose it is, what it is, and who may have it.

Nothing is written to a file that is not certain to be a chain of ours, whole and of a format that is known here; a new one
is made under another name until it is complete. A row goes in as CBOR behind its CRC-32.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from chain.inputs import file_path
from chain.ledger.cbor import BadCbor, decode, encode
from chain.ledger.lock import Held, Lock
from chain.ledger.published import CREATE

MARK: Final = 0x626F6172  # "boar", where SQLite lets a format say its name
FORMAT: Final = 2
_HEAD: Final = b"SQLite format 3\0"
_TABLES: Final = (
    'create table "chain:now" (id integer primary key, row blob not null)',
    'create table "chain:blocks" (number integer primary key, hash blob not null, row blob not null)',
    'create table "chain:receipts" (position integer primary key, hash blob not null, row blob not null)',
    'create table "chain:notes" (moment integer primary key, row blob not null)',
    'create table "chain:codes" (place integer primary key, code blob not null)',
    'create table "chain:slots" (place integer primary key, parent blob not null, key blob)',
    'create table "chain:artifacts" (place integer primary key, digest blob not null, row blob not null)',
    'create table "chain:keys" (address blob primary key, key blob not null, name text not null)',
    CREATE,
)
_DAMAGED: Final = (sqlite3.DatabaseError, BadCbor, ValueError, TypeError, KeyError, IndexError)


class BadChainFile(ValueError):
    """This file is no chain that can be opened here; the text says why. It was left as it is."""


class File:
    """The file of a chain, locked for this process and not yet opened for writing. `settings` are None if there is none yet."""

    def __init__(self, path: str | Path) -> None:
        self.path = file_path(path, "path")
        if self.path.is_dir():
            raise BadChainFile(f"{self.path} is a folder: give the name of a chain's file")
        if not self.path.parent.is_dir():
            raise BadChainFile(f"{self.path}: there is no folder {self.path.parent}")
        try:
            self._lock = Lock(self.path)
        except Held as held:
            raise BadChainFile(
                f"{self.path.name} is open for writing in {held}: only one at a time can have it, so close it there first"
            ) from None
        except sqlite3.OperationalError as problem:
            raise BadChainFile(f"{self.path} cannot be opened for writing: {problem}") from None
        try:
            self.settings = self._look()
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        self._lock.release()

    def _look(self) -> dict[str, Any] | None:
        """What the chain was made with. Nothing is written while it is not certain that the file is one of ours."""
        if not self.path.exists():
            return None
        self._check_head()
        with self.reading() as connection:
            wrong = connection.execute("pragma quick_check(1)").fetchone()[0]
            if wrong != "ok":
                raise sqlite3.DatabaseError(wrong)
            return dict(now_in(connection)[0])

    def _check_head(self) -> None:
        name = self.path.name
        if not self.path.is_file():
            raise BadChainFile(f"{name} is no file")
        with self.path.open("rb") as file:
            head = file.read(100)
        if len(head) < 100 or not head.startswith(_HEAD):
            raise BadChainFile(f"{name} is no chain: it is not an SQLite database")
        if int.from_bytes(head[68:72]) != MARK:
            raise BadChainFile(f"{name} is no chain: it is an SQLite database of something else")
        version = int.from_bytes(head[60:64])
        if version > FORMAT:
            raise BadChainFile(
                f"{name} was written by a newer Boardchain: it has format {version}, this one reads up to {FORMAT}"
            )
        if version < FORMAT:
            raise BadChainFile(
                f"{name} was written by an older Boardchain: it has format {version}, this one reads {FORMAT};"
                f" record the play with that one, and replay it with this one"
            )

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that cannot write; what cannot be read there is a damaged file.

        A file that was closed well is read as it lies there, so that SQLite does not even put helpers of its own beside it.
        """
        has_log = self.path.with_name(f"{self.path.name}-wal").exists()
        place = f"{self.path.absolute().as_uri()}?mode=ro{'' if has_log else '&immutable=1'}"
        try:
            with closing(sqlite3.connect(place, uri=True)) as connection:
                yield connection
        except BadChainFile:
            raise
        except _DAMAGED as problem:
            raise BadChainFile(
                f"{self.path.name} is damaged and cannot be opened: {problem}"
            ) from None

    def create(self, settings: dict[str, Any]) -> None:
        """Make the file, whole or not at all: under another name until it is complete."""
        fresh = self.path.with_name(f"{self.path.name}-new")
        fresh.unlink(missing_ok=True)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            connection.execute("pragma journal_mode = memory")
            connection.execute("begin")
            for statement in _TABLES:
                connection.execute(statement)
            connection.execute(
                'insert into "chain:now" values (0, ?)', (sealed(tuple(settings.items())),)
            )
            connection.execute("commit")
            connection.execute(f"pragma application_id = {MARK}")
            connection.execute(f"pragma user_version = {FORMAT}")
            connection.execute("pragma journal_mode = wal")
        fresh.replace(self.path)

    def writing(self, sync: bool) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        connection.execute("pragma journal_mode = wal")
        connection.execute(f"pragma synchronous = {'full' if sync else 'normal'}")
        return connection


def agreed(file: File, known: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """The settings of the chain: those of the file, or for a new one those that are given."""
    if file.settings is None:
        return {**known, **given}
    for name, value in given.items():
        if known.get(name) != value:
            raise ValueError(
                f"{file.path.name} was made with {name}={known.get(name)!r} and keeps it: leave {name}={value!r} away"
            )
    return known


def sealed(row: Any) -> bytes:
    raw = encode(row)
    return crc32(raw).to_bytes(4) + raw


def unsealed(sealed: bytes) -> Any:
    raw = sealed[4:]
    if crc32(raw).to_bytes(4) != sealed[:4]:
        raise BadCbor("a row is not as it was written")
    return decode(raw)


def now_in(connection: sqlite3.Connection) -> list[Any]:
    return [
        unsealed(row) for (row,) in connection.execute('select row from "chain:now" order by id')
    ]
