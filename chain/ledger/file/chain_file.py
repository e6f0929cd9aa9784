"""The file of a chain: its identity, its format, its lock, and how it is opened and read.

Nothing is written to a file before it is certain that it is a chain of ours in a known format. A new file is made under
another name until it is complete. The data that the chain needs is in the tables with a colon in their names. Each row there
has a checksum that is bound to its key (`chain.ledger.file.checksum`), and rows are read page by page. A row that is missing
or was altered is refused when it is read.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import Any, Final, TypeVar

from chain.crypto.messagepack import BadRow, decode
from chain.ledger.file.checksum import Damaged, add_checksum, opened
from chain.ledger.file.lock import Lock, LockHeld
from chain.ledger.file.pages import Pages
from chain.storage.slots import hashed
from chain.values.inputs import file_path

T = TypeVar("T")

# "boar", in the header field that SQLite reserves for the id of a format.
APPLICATION_ID: Final = 0x626F6172
FORMAT: Final = 12
_HEAD: Final = b"SQLite format 3\0"
_NUMBERED: Final = (
    ("now", "id"), ("blocks", "number"), ("receipts", "position"), ("notes", "moment"),
    ("codes", "place"), ("artifacts", "place"), ("keys", "place"),
)  # fmt: skip
TABLES: Final = {
    **{
        f"chain:{name}": f'create table "chain:{name}" ({key} integer primary key, row blob not null)'
        for name, key in _NUMBERED
    },
    "chain:slots": 'create table "chain:slots" (place integer primary key, slot blob unique, parent blob, key blob)',
    "chain:programs": 'create table "chain:programs" (place blob primary key, row blob not null) without rowid',
}
SETTINGS, NOW = range(2)  # the rows of "chain:now"
_KEY: Final = {**dict(_NUMBERED), "slots": "place"}
# Opening a file may be interrupted at any line. The traceback may live on, and with it the lock. So each file is recorded here,
# by thread, until it is open: the next attempt in that thread finds the leftover and releases it.
_started: Final[dict[tuple[int, int, Path], ChainFile]] = {}
_DAMAGED: Final = (sqlite3.DatabaseError, BadRow, ValueError, TypeError, KeyError, IndexError)


class BadChainFile(OSError):
    """The file is not a chain that can be opened; the message says why. The file was left as it was."""


class ChainFile:
    """The file of a chain, locked for this process and not yet opened for writing. `settings` is None for a new file."""

    def __init__(self, path: str | Path, check: bool = False) -> None:
        self.is_thorough = check
        self.path = file_path(path, "path")
        self.name = self.path.name
        if self.path.is_dir():
            raise BadChainFile(f"{self.path} is a folder: give the name of a chain's file")
        # SQLite puts its log beside the file itself, not beside a link to it.
        self.location = self.path.resolve()
        for location in (self.path, self.location):
            if not location.parent.is_dir():
                raise BadChainFile(f"{self.path}: there is no folder {location.parent}")
        self._lock = Lock(self.location)
        self._process = os.getpid()
        self._connection: sqlite3.Connection | None = None
        self._is_closed = False
        self.is_missed = False  # a forked child process tried to use it
        self._note = self._process, get_ident(), self.location
        left_over = _started.get(self._note)
        if left_over is not None:
            left_over.release()
        _started[self._note] = self
        try:
            self._take()
            self.settings = self._inspect()
        except BaseException:
            self.release()
            raise

    def _take(self) -> None:
        """Take the lock, so that only this process writes to the file."""
        try:
            self._lock.take()
        except LockHeld as held:
            raise BadChainFile(
                f"{self.name} is open for writing in {held}: close it there first, because only one process at a time can write"
            ) from None
        except sqlite3.DatabaseError as problem:
            why = f"its lock {self._lock.path.name}: {problem}"
            raise BadChainFile(f"{self.path} cannot be opened for writing: {why}") from None

    def kept(self, opened: T) -> T:
        """Record that the file is open, and return `opened`, the object that was opened with it."""
        _started.pop(self._note, None)
        return opened

    def release(self) -> None:
        """Close the file and release the lock. A forked child leaves both to the process that opened them."""
        if not self.is_ours:
            return
        self._is_closed = True
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._lock.release()
        if _started.get(self._note) is self:
            del _started[self._note]

    @property
    def is_ours(self) -> bool:
        """True in the process that opened the file, False in a fork of it."""
        return os.getpid() == self._process

    @property
    def is_held(self) -> bool:
        """True if the file can be read and written here."""
        return self.is_ours and not self._is_closed

    def check_use(self) -> None:
        """Refuse to use a file that was closed, or that was opened by the process from which this one was forked."""
        if self._is_closed:
            raise ValueError(f"{self.name} is closed: reopen it to continue")
        if os.getpid() != self._process:  # `is_ours`, without a call more
            self.is_missed = True
            raise RuntimeError(
                f"{self.name} is open in process {self._process}, of which this one is a fork: use "
                "the chain there, or close it there before you open it here"
            )

    def _inspect(self) -> dict[str, Any] | None:
        """Return the settings of the chain, or None if there is no file yet.

        Write nothing: it is not yet certain that the file is one of ours.
        """
        if not self.path.exists():
            return None
        self._check_head()
        with self.refusing_damage():
            connection = self._reader()
            check_schema(connection, TABLES)
            return dict(self.row("now", SETTINGS))

    def _check_head(self) -> None:
        """Check the header of the file: an SQLite database, with our application id and our format."""
        name = self.name
        if not self.path.is_file():
            raise BadChainFile(f"{name} is not a file")
        if self.path.stat().st_nlink > 1:
            raise BadChainFile(
                f"{name} has other names (hard links), and the log of a database has only one: remove them, or open a copy"
            )
        with self.path.open("rb") as file:
            head = file.read(100)
        if len(head) < 100 or not head.startswith(_HEAD):
            raise BadChainFile(f"{name} is not a chain: it is not an SQLite database")
        if int.from_bytes(head[68:72]) != APPLICATION_ID:
            raise BadChainFile(
                f"{name} is not a chain: it is an SQLite database of another application"
            )
        version = int.from_bytes(head[60:64])
        if version > FORMAT:
            raise BadChainFile(
                f"{name} was written by a newer Boardchain: it has format {version}, this one reads up to {FORMAT}"
            )
        if version < FORMAT:
            raise BadChainFile(
                f"{name} was written by an older Boardchain: it has format {version}, this one reads {FORMAT};"
                f" record a transcript with that version, and replay it with this one"
            )

    @contextmanager
    def refusing_damage(self) -> Iterator[None]:
        """Report an error of reading as a damaged file."""
        try:
            yield
        except BadChainFile:
            raise
        except _DAMAGED as problem:
            raise self.damage(str(problem)) from None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection for reading; an error of reading is reported as a damaged file."""
        self.check_use()
        with self.refusing_damage():
            yield self._reader()

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Scope in which an error of SQLite in the derived tables is explained."""
        try:
            yield
        except sqlite3.OperationalError as problem:
            raise BadChainFile(f"{self.name}: its tables cannot be used: {problem}") from None
        except sqlite3.DatabaseError as problem:
            raise BadChainFile(
                f"{self.name} is damaged: its tables cannot be read: {problem}; check=True makes them again"
            ) from None

    def _reader(self) -> sqlite3.Connection:
        """Return the open connection. Before the first change it is read-only."""
        if self._connection is None:
            self._connection = sqlite3.connect(self.uri, uri=True, check_same_thread=False)
        return self._connection

    @property
    def uri(self) -> str:
        """The URI under which SQLite reads the file.

        A file that was closed properly is opened as immutable, so that SQLite does not even create helper files next to it.
        """
        self.check_use()
        has_log = self.location.with_name(f"{self.location.name}-wal").exists()
        return f"{self.location.as_uri()}?mode=ro{'' if has_log else '&immutable=1'}"

    def writing(self, sync: bool) -> sqlite3.Connection:
        """Open a connection for writing; if `sync`, each commit waits for the disk."""
        connection = sqlite3.connect(self.location, isolation_level=None, check_same_thread=False)
        connection.execute("pragma journal_mode = wal")
        connection.execute(f"pragma synchronous = {'full' if sync else 'normal'}")
        return connection

    def read_by(self, connection: sqlite3.Connection) -> None:
        """Read by this connection, which also writes, from now on: another one would not see its open transaction."""
        former, self._connection = self._connection, connection
        if former is not None:
            former.close()

    # Rows

    def row(self, table: str, key: int) -> Any:
        """Return the row at a key."""
        (row,) = self.rows(table, key, key + 1)
        return row

    def rows(self, table: str, first: int, end: int) -> list[Any]:
        """Return the rows with keys from `first` up to `end`. Each must exist and match its checksum."""
        selected = self._select(table, first, end)
        missing = {*range(first, end)} - {key for key, _ in selected}
        if missing:
            raise Damaged(f'row {min(missing)} of "chain:{table}" is missing')
        return [decode(opened(table, key, row)) for key, row in selected]

    def rows_from(self, table: str, first: int) -> list[tuple[int, Any]]:
        """Return the rows with keys from `first` on, each with its key. Some keys may be unused."""
        selected = self._select(table, first, sys.maxsize)
        return [(key, decode(opened(table, key, row))) for key, row in selected]

    def pages(self, table: str, count: int, made: Callable[[bytes], T]) -> Pages[T]:
        """Return the first `count` rows of a table as a lazy sequence; `made` builds an item from the bytes of a row."""

        def read(first: int, end: int) -> list[T]:
            with self.reading():
                selected = self._select(table, first, end)
                present = [row for i, (key, row) in enumerate(selected) if key == first + i]
                if not present:
                    raise Damaged(f'row {first} of "chain:{table}" is missing')
                return [made(opened(table, key, row)) for key, row in enumerate(present, first)]

        return Pages(read, count)

    def _select(self, table: str, first: int, end: int) -> list[tuple[int, bytes]]:
        key = _KEY[table]
        return (
            self._reader()
            .execute(
                f'select {key}, row from "chain:{table}" where {key} >= ? and {key} < ? order by {key}',
                (first, end),
            )
            .fetchall()
        )

    def kept_program(self, digest: bytes) -> bytes | None:
        """Return the row that keeps the program with that digest; None if there is none."""
        query = 'select row from "chain:programs" where place = ?'
        with self.reading() as connection:
            found = connection.execute(query, (digest,)).fetchone()
            return None if found is None else bytes(decode(opened("programs", digest, found[0])))

    def keys(self, table: str) -> list[int]:
        """Return the keys of all rows of a table, in order."""
        key = _KEY[table]
        query = f'select {key} from "chain:{table}" order by {key}'
        return [value for (value,) in self._reader().execute(query)]

    def end(self, table: str) -> int:
        """Return one more than the highest key of a table."""
        ((highest,),) = self._reader().execute(f'select max({_KEY[table]}) from "chain:{table}"')
        return 0 if highest is None else int(highest) + 1

    # Creating and checking

    def create(self, settings: dict[str, object]) -> None:
        """Create the file of a new chain. As SQLite does, drop the log of a file of that name that was deleted."""
        row = add_checksum("now", SETTINGS, tuple(settings.items()))
        # It has another name until it is complete.
        new_path = self.location.with_name(f"{self.location.name}-new")
        try:
            for end in ("-new", "-wal", "-shm"):
                self.location.with_name(f"{self.location.name}{end}").unlink(missing_ok=True)
            with closing(sqlite3.connect(new_path, isolation_level=None)) as connection:
                connection.execute("pragma journal_mode = memory")
                connection.execute("begin")
                for statement in TABLES.values():
                    connection.execute(statement)
                connection.execute('insert into "chain:now" values (?, ?)', (SETTINGS, row))
                connection.execute("commit")
                connection.execute(f"pragma application_id = {APPLICATION_ID}")
                connection.execute(f"pragma user_version = {FORMAT}")
                connection.execute("pragma journal_mode = wal")
            new_path.replace(self.location)
        except BaseException as problem:
            with suppress(OSError):
                new_path.unlink(missing_ok=True)
            if isinstance(problem, sqlite3.OperationalError | OSError):
                raise BadChainFile(f"{self.path} cannot be written: {problem}") from None
            raise

    def damage(self, problem: str) -> BadChainFile:
        """Return the error that refuses the file because it is damaged."""
        return BadChainFile(f"{self.name} is damaged and cannot be opened: {problem}")

    def check_rows(self, counts: Mapping[str, int], slots: int) -> None:
        """Read every row that the chain needs, to find damage. `counts` says how many rows each table has."""
        with self.refusing_damage():
            for check in ("quick_check", 'integrity_check("chain:slots")'):  # it has an index
                ((problem,), *_) = self._reader().execute(f"pragma {check}")
                if problem != "ok":
                    raise Damaged(problem)
            for table, expected in {**counts, "programs": None}.items():
                count = 0
                for *key, stored in self._reader().execute(f'select * from "chain:{table}"'):
                    opened(table, key[0] if len(key) == 1 else tuple(key), stored)
                    count += 1
                if expected not in (None, count):
                    raise Damaged(
                        f'"chain:{table}" has {count} rows that can be read, and had {expected}'
                    )
            question, places = 'select slot, place, parent, key from "chain:slots"', set[int]()
            for slot, place, parent, key in self._reader().execute(question):
                if hashed(int.from_bytes(parent), key) != int.from_bytes(slot):
                    raise Damaged(f'row 0x{slot.hex()} of "chain:slots" is not as it was written')  # fmt: skip
                places.add(place)
            if places != {*range(slots)}:
                raise Damaged(f'"chain:slots" has {len(places)} rows that can be read, and had {slots}')  # fmt: skip


def check_schema(connection: sqlite3.Connection, tables: dict[str, str]) -> None:
    """Check that the tables that the chain needs exist, with the schema that is written here."""
    existing = dict(connection.execute("select name, sql from sqlite_master where type = 'table'"))
    for name, statement in tables.items():
        if existing.get(name) != statement.replace("create table", "CREATE TABLE", 1):
            raise Damaged(f'table "{name}" is missing, or was altered')


def merged_settings(
    file: ChainFile, known: dict[str, object], given: dict[str, object]
) -> dict[str, Any]:
    """Return the settings of the chain: those of the file, or for a new file `known` updated with `given`.

    `known` holds the stored settings or the defaults, `given` those that the caller passed.
    """
    if file.settings is None:
        return {**known, **given}
    for name, value in given.items():
        if known.get(name) != value:
            raise ValueError(
                f"{file.path.name} was made with {name}={known.get(name)!r} and keeps it: omit {name}={value!r}"
            )
    return known
