"""A chain in a file: an SQLite database that at every moment holds all that the chain has acknowledged.

After each change (a block, a transaction in a block held open, a balance set, the clock moved, a step back) what is new
in the ledger goes into the file in one SQLite transaction, before the call returns. The file has a write-ahead log, so a
process that is killed, at whatever moment, loses nothing that was acknowledged. Loss of power is another matter: the file
stays sound but may lack the last blocks, unless `sync` has each change wait for the disk.

What the chain needs stands in tables with a colon in their names: exact rows in CBOR, each behind its CRC-32, and beside
them hashes that are dear to make. State is not kept: it is what the changes in the rows lead to, and the state root of the
last block, written when the block was closed, proves that they still do. Also kept are the keys with which the chain signs for
its accounts; they are for tests. What others read are the tables without a colon (`chain.ledger.published`).
"""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

from chain.accounts import Account, account
from chain.ledger.blocks import Block
from chain.ledger.cbor import BadCbor, decode, encode
from chain.ledger.headers import Header
from chain.ledger.ledger import Ledger
from chain.ledger.lock import Held, Lock
from chain.ledger.published import CREATE, Published
from chain.ledger.rows import pack, unpack, unpack_changes
from chain.machine.roots import beginning
from chain.machine.transaction import Call

MARK: Final = 0x626F6172  # "boar", where SQLite lets a format say its name
FORMAT: Final = 1
_HEAD: Final = b"SQLite format 3\0"
_TABLES: Final = (
    'create table "chain:now" (id integer primary key, row blob not null)',
    'create table "chain:blocks" (number integer primary key, hash blob not null, row blob not null)',
    'create table "chain:receipts" (position integer primary key, hash blob not null, row blob not null)',
    'create table "chain:notes" (moment integer primary key, row blob not null)',
    'create table "chain:codes" (place integer primary key, code blob not null)',
    'create table "chain:slots" (place integer primary key, parent blob not null, key blob)',
    'create table "chain:keys" (address blob primary key, key blob not null, name text not null)',
    CREATE,
)
_DAMAGED: Final = (sqlite3.DatabaseError, BadCbor, ValueError, TypeError, KeyError, IndexError)


class BadChainFile(ValueError):
    """This file is no chain that can be opened here; the text says why. It was left as it is."""


class Lengths(NamedTuple):
    """How much of everything that grows is in the file."""

    blocks: int = 0
    moments: int = 0
    receipts: int = 0
    codes: int = 0
    slots: int = 0
    keys: int = 0


class File:
    """The file of a chain, locked for this process and not yet opened for writing. `settings` are None if there is none yet."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
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
            return dict(_now(connection)[0])

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
                'insert into "chain:now" values (0, ?)', (_sealed(tuple(settings.items())),)
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


class Store:
    """Keeps the file of one ledger up to date."""

    def __init__(
        self, file: File, ledger: Ledger, keys: dict[bytes, Account], had: Lengths, sync: bool
    ) -> None:
        self._file, self._ledger, self._keys = file, ledger, keys
        self._had, self._clock = had, -1
        self._shortened = False
        self._connection: sqlite3.Connection | None = file.writing(sync)
        self._published = Published(self._connection, ledger)
        ledger.watchers.append(self._cut)

    def close(self) -> None:
        """Leave the file to others."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self._file.release()

    def save(self, clock: int) -> None:
        """Write what is new. If that fails nothing is written, and the next time it is tried again."""
        connection, have = self._connection, self._lengths()
        if connection is None:
            if (have, clock, self._shortened) == (self._had, self._clock, False):
                return
            raise ValueError(f"{self._file.path.name} is closed: open it again to go on")
        connection.execute("begin immediate")
        try:
            if self._shortened:
                self._shorten(connection)
            self._write(connection, have, clock)
            self._published.update(self._had.moments, self._had.receipts, self._shortened)
            connection.execute("commit")
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback")
            self._published.forget()
            raise
        self._had, self._clock, self._shortened = have, clock, False

    def _lengths(self) -> Lengths:
        ledger, state = self._ledger, self._ledger.state
        return Lengths(
            len(ledger.blocks), len(ledger.timeline), len(ledger.receipts),
            len(state.codes), len(state.slots.origins), len(self._keys),
        )  # fmt: skip

    def _write(self, connection: sqlite3.Connection, have: Lengths, clock: int) -> None:
        had, ledger, state = self._had, self._ledger, self._ledger.state

        def put(table: str, rows: Iterable[tuple[Any, ...]]) -> None:
            for row in rows:
                marks = ", ".join("?" * len(row))
                connection.execute(f'insert or replace into "chain:{table}" values ({marks})', row)

        put("receipts", (
            (receipt.position, ledger.hash_of(receipt), _sealed(pack(receipt.row)))
            for receipt in ledger.receipts[had.receipts :]
        ))  # fmt: skip
        put("notes", ((m, _sealed(ledger.timeline[m])) for m in ledger.notes_from(had.moments)))
        put("blocks", (
            (number, ledger.block_hash(number), _sealed((ledger.blocks.row(number), ledger.header(number))))
            for number in range(had.blocks, have.blocks)
        ))  # fmt: skip
        put("codes", ((i, code) for i, (_, code) in _newest(state.codes, had.codes)))
        put("slots", (
            (i, parent.to_bytes(32), key)
            for i, (_, (parent, key)) in _newest(state.slots.origins, had.slots)
        ))  # fmt: skip
        put("keys", (
            (bytes(address), made.key, made.name)
            for _, (address, made) in _newest(self._keys, had.keys)
        ))  # fmt: skip
        now = clock, None if ledger.open is None else ledger.open.row, have
        put("now", [(1, _sealed(now))])

    # Going back

    def _cut(self, blocks: int, receipts: int) -> None:
        had, moments = self._had, len(self._ledger.timeline)
        self._had = had._replace(
            blocks=min(had.blocks, blocks),
            receipts=min(had.receipts, receipts),
            moments=min(had.moments, moments),
        )
        self._shortened |= self._had != had

    def _shorten(self, connection: sqlite3.Connection) -> None:
        had = self._had
        for table, key, length in (
            ("blocks", "number", had.blocks),
            ("receipts", "position", had.receipts),
            ("notes", "moment", had.moments),
        ):
            connection.execute(f'delete from "chain:{table}" where {key} >= ?', (length,))


def _newest(grown: dict[Any, Any], length: int) -> Iterator[tuple[int, tuple[Any, Any]]]:
    """What came to a dict behind its first so many items, each with its place."""
    found = [*islice(reversed(grown.items()), len(grown) - length)]
    return enumerate(reversed(found), length)


def _sealed(row: Any) -> bytes:
    raw = encode(row)
    return crc32(raw).to_bytes(4) + raw


def _opened(sealed: bytes) -> Any:
    raw = sealed[4:]
    if crc32(raw).to_bytes(4) != sealed[:4]:
        raise BadCbor("a row is not as it was written")
    return decode(raw)


def _now(connection: sqlite3.Connection) -> list[Any]:
    return [
        _opened(row) for (row,) in connection.execute('select row from "chain:now" order by id')
    ]


# Opening


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


def attach(
    file: File, settings: dict[str, Any], ledger: Ledger, keys: dict[bytes, Account], sync: bool
) -> tuple[Store, int]:
    """Fill a fresh ledger from the file, or make the file; what keeps it from now on, and the chain's clock."""
    if file.settings is None:
        file.create(settings)
    had, clock = load(file, ledger, keys)
    return Store(file, ledger, keys, had, sync), clock


class Memory(NamedTuple):
    """What a file says that is not in the ledger."""

    had: Lengths
    clock: int


def load(file: File, ledger: Ledger, keys: dict[bytes, Account]) -> Memory:
    """Fill the ledger of a fresh chain, and its state, from the file; the state root must come out as it was."""
    with file.reading() as connection, _uninterrupted():
        _, *now = _now(connection)
        if not now:  # it was made, and then nothing more came of it
            return Memory(Lengths(), ledger.blocks.head.timestamp)
        ((clock, held, expected),) = now
        for raw, key, name in connection.execute('select * from "chain:keys" order by rowid'):
            keys.setdefault(raw, account(raw, key, name))
        _load_words(connection, ledger)
        had = _load_rows(connection, ledger)._replace(keys=len(keys))
        if had != expected:
            raise BadCbor("not all that was written is there")
        if held is not None:
            ledger.open = Block(ledger.blocks.rules, *held)
    return Memory(had, clock)


def _load_words(connection: sqlite3.Connection, ledger: Ledger) -> None:
    """Codes under their hashes, and slots with what they were made from: both are hashed anew."""
    state = ledger.state
    for (code,) in connection.execute('select code from "chain:codes" order by place'):
        state.learn_code(code)
    slots = state.slots
    for parent, key in connection.execute('select parent, key from "chain:slots" order by place'):
        slot = int.from_bytes(parent)
        if key is None:
            slots.data(slot)
        else:
            slots.mapped(slot, key)


def _load_rows(connection: sqlite3.Connection, ledger: Ledger) -> Lengths:
    state = ledger.state
    notes = {
        moment: unpack_changes(_opened(row))
        for moment, row in connection.execute('select moment, row from "chain:notes"')
    }
    rows, hashes = [], []

    def link(call: Call, digest: bytes) -> None:
        ledger.strangers.setdefault(digest, []).append(call)

    for tx_hash, row in connection.execute(
        'select hash, row from "chain:receipts" order by position'
    ):
        rows.append(unpack(_opened(row), link))
        hashes.append(tx_hash)
    blocks, headers, block_hashes = [], [], []
    for block_hash, row in connection.execute(
        'select hash, row from "chain:blocks" order by number'
    ):
        block, header = _opened(row)
        blocks.append(block)
        headers.append(header)
        block_hashes.append(block_hash)
    ledger.restore(blocks, rows, notes)
    ledger.envelopes.restore(hashes)

    end = ledger.blocks.head.end_moment
    for changes in ledger.timeline[:end]:
        state.put_back(changes)
    world = beginning(state, ())
    if world.root != Header._make(headers[-1]).state_root:
        raise BadCbor("its changes do not lead to the state root of its last block")
    for changes in ledger.timeline[end:]:
        state.put_back(changes)
    ledger.headers.restore(headers, block_hashes, world)
    return Lengths(
        len(blocks), len(ledger.timeline), len(rows), len(state.codes), len(state.slots.origins)
    )


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Python's garbage collector walks millions of new tuples in vain."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
