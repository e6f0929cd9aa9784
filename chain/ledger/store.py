"""The derived tables of a ledger in SQLite: what can be asked of receipts, logs and models. Every query is SQL on them.

A chain in a file has them there, so other programs can read them; for any other chain they are in memory, made when somebody
asks. They follow from the ledger alone: `catch_up` appends what is new, and first deletes what was undone. Each part has its
own counter in "derived:done", which changes in the same transaction as its rows. So an interrupt leaves a part as it was or as
it is to be. What writes a table names it `"own:…"`; a process that only reads a file has its own rows beside those of the file
(`chain.ledger.reading_store`).

An event's fields, and those of a model, are one JSON object. A log is decoded once; those that might be decoded otherwise when
more classes are known, because the code that wrote them is not, are decoded again then.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from math import inf
from time import perf_counter
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from chain.abi import abi_name
from chain.crypto.messagepack import encode
from chain.ledger.comparisons import ORDER, order_key
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.world_namespace import WorldNamespace, is_world
from chain.ledger.decoded.writes import Reading, StorageDiff
from chain.ledger.event_types import Meaning, Source, decoded_members
from chain.ledger.file.pages import Pages
from chain.ledger.ledger import Ledger
from chain.ledger.logs import text_of
from chain.ledger.past_states import stored_value
from chain.ledger.receipts import Receipt, ReceiptRow
from chain.ledger.sql import json_values as form
from chain.ledger.sql import tables
from chain.ledger.sql.sql_view import SqlView
from chain.ledger.sql.table_names import ModelType, declared_on, model_key
from chain.ledger.sql.tables import Table, quoted
from chain.ledger.timeline import each_change
from chain.machine.state import ACCOUNT, EMPTY_CODE_HASH, NO_ACCOUNT, STORAGE, LogRow, iter_changes
from chain.spec.models import MODELS, ModelSpec
from chain.storage.read_only import ReadOnlyStorage

T = TypeVar("T")

_BATCH: Final = 512  # receipts that are written in one transaction
RECEIPT_CELLS: Final = ", ".join(f"{name} {kind}" for name, kind in tables.RECEIPT_COLUMNS)
SCHEMA: Final = f"""
create table "derived:done" (part text primary key, count integer, step integer) without rowid;
create table "derived:receipts" ({RECEIPT_CELLS}, digest blob, primary key (position));
create table "derived:logs" (
 position integer primary key, receipt integer, idx integer, address text collate nocase, topic0 text collate nocase,
 topic1 text collate nocase, topic2 text collate nocase, topic3 text collate nocase, data text collate nocase, text text,
 event text, fields text, block integer, timestamp integer, view text, contract text, digest blob, is_certain integer);
create index "logs by receipt" on "derived:logs" (receipt);
create index "logs by view" on "derived:logs" (view);
create index "uncertain logs" on "derived:logs" (position) where not is_certain;
create table "derived:models" (
 id integer primary key, world text collate nocase, slot blob, first integer, last integer, space integer, namespace text,
 model text, view text, fields text);
create unique index "models by slot" on "derived:models" (world, slot);
create table "derived:words" (
 address blob, slot blob, moment integer, value blob, primary key (address, slot, moment)) without rowid;
create table "derived:writes" (
 receipt integer, block integer, timestamp integer, address text collate nocase, contract text, model text, field text,
 keys text, member text, old, new);
create index "writes by receipt" on "derived:writes" (receipt);
create table "derived:fields" (
 address text collate nocase, contract text, model text, field text, keys text, member text, value);
create index "fields by address" on "derived:fields" (address);
create table "derived:creations" (place integer primary key, position integer, address blob, digest blob, is_upgrade integer);
create table "derived:headers" (number integer primary key, hash blob, row blob);
create table "derived:hashes" (position integer primary key, hash blob);
create table "derived:tables" (name text, kind text, contract text, declaration text, columns text);
insert into "derived:done" values ('receipts', 0, 0), ('logs', 0, 0), ('models', 0, 0), ('words', 0, 0),
 ('writes', 0, 0), ('fields', 0, 0), ('creations', 0, 0), ('headers', 0, 0), ('hashes', 0, 0);
"""
PARTS: Final = ("receipts", "logs", "models", "words")
_ON_DEMAND: Final = ("writes", "fields")
_IN_FILES: Final = ("creations", "headers", "hashes")  # a chain in memory has them as objects
ALL_PARTS: Final = (*PARTS, *_ON_DEMAND, *_IN_FILES)
_MARKS: Final = ", ".join("?" * (len(tables.RECEIPT_COLUMNS) + 1))
_ADD_RECEIPT: Final = f'insert or replace into "own:receipts" values ({_MARKS})'
_ADD_LOG: Final = f'insert into "own:logs" values ({", ".join("?" * 18)})'
_TELL_LOG: Final = (
    'update "own:logs" set event = ?, fields = ?, view = ?, contract = ?, is_certain = ?'
    " where position = ?"
)
_PUT_MODEL: Final = (
    'insert into "own:models" (world, slot, first, last, space, namespace, model, view, fields)'
    " values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do update set last = excluded.last, space = excluded.space,"
    " namespace = excluded.namespace, model = excluded.model, view = excluded.view, fields = excluded.fields"
)
_ADD_WRITE: Final = f'insert into "own:writes" values ({", ".join("?" * 11)})'
_ADD_FIELD: Final = f'insert into "own:fields" values ({", ".join("?" * 7)})'
_ITEM: Final = re.compile(r"(.*)\[(\d+)\][^\[]*")
_UNCERTAIN: Final = 'select position, receipt, idx from "derived:logs" where not is_certain'
_UNKNOWN: Final = (
    'select position from "derived:receipts" where contract is null or error is not null'
)
_topic_text: Final = lru_cache(maxsize=1 << 12)(lambda topic: f"0x{topic:064x}")


class Lengths(NamedTuple):
    """The numbers of blocks, timeline entries and receipts."""

    blocks: int
    moments: int
    receipts: int

    def of(self, part: str) -> int:
        """Return how many of those there are that a part covers."""
        if part in ("models", "words", "fields"):
            return self.moments
        return self.blocks if part == "headers" else self.receipts

    def least(self, other: Lengths) -> Lengths:
        """Return the smaller ones of these and others."""
        return Lengths._make(map(min, self, other))


ENDLESS: Final = Lengths(1 << 62, 1 << 62, 1 << 62)


class Place(Protocol):
    """The place of the tables of a chain."""

    @property
    def step(self) -> int:
        """The number of the last step of the chain; -1 within a step that is not saved yet."""

    @property
    def is_shared(self) -> bool:
        """True if other programs read the tables."""

    def check_use(self) -> None:
        """Refuse to use a file that was closed, or that is open in the process from which this one was forked."""

    def connect(self, *, writing: bool) -> sqlite3.Connection:
        """Open the database."""

    def explaining(self) -> AbstractContextManager[None]:
        """Scope in which an error of SQLite is explained."""

    def kept_since(self, step: int) -> Lengths:
        """Return how much there was at least since a step."""


class InMemory:
    """The place of the tables of a chain that is not in a file of this process."""

    step, is_shared = 0, False

    def check_use(self) -> None:
        """Do nothing: there is no file."""

    def connect(self, *, writing: bool) -> sqlite3.Connection:
        return connected(":memory:")

    def explaining(self) -> AbstractContextManager[None]:
        return nullcontext()

    def kept_since(self, step: int) -> Lengths:
        return ENDLESS


def connected(place: object) -> sqlite3.Connection:
    """Return a connection for queries, which may be used by any thread, one at a time."""
    connection = sqlite3.connect(
        str(place), isolation_level=None, check_same_thread=False, cached_statements=256, uri=True
    )
    connection.execute("pragma temp_store = memory")
    return connection


class _Told(NamedTuple):
    """What the table of logs says of all logs with one meaning."""

    meaning: Meaning
    view: str
    names: tuple[str, ...]  # of the fields, as JSON


class _WorldModels(NamedTuple):
    """The models of one world: by the slot below which those of a kind are stored, how they are told."""

    space: int
    namespace: str
    spec: ModelSpec
    view: str


class Store:
    """The derived tables of one ledger."""

    def __init__(self, ledger: Ledger, place: Place | None = None) -> None:
        self.ledger, self.place, self.lock = ledger, place or InMemory(), ledger.lock
        self._connection: sqlite3.Connection | None = None
        self._is_writing = False
        self._done: dict[str, int] | None = None  # how far each part goes, if that is known
        self._progress: dict[str, int] = {}  # the same in the running transaction
        self._kept: Lengths | None = None  # what was not undone since
        self._version: object = None  # of the types that the rows were made with
        self._tables: list[Table] | None = None
        self._views: dict[tuple[str, object], str] = {}  # the names of the tables, by type
        self._told: dict[Source, _Told | None] = {}
        self._worlds: dict[bytes, dict[int, _WorldModels]] = {}
        self._models: dict[int, int | None] = {}  # the slot of its model, by word
        self._indexed: set[str] = set()
        self._is_unsure = False  # a change of the tables was interrupted
        self._is_ahead = False  # the tables have rows of a step that was not saved then
        self._view: SqlView | None = None

    # Connection

    def connection(self, *, writing: bool = False) -> sqlite3.Connection:
        """Return the connection. One that writes takes the place of one that only reads."""
        self.place.check_use()
        if self._connection is None or (writing and not self._is_writing):
            self.close()
            self._connection = self.place.connect(writing=writing)
            self._connection.create_function(ORDER[1:-1], 1, order_key, deterministic=True)
            self._is_writing = writing or not self.place.is_shared
            self._done = None
        return self._connection

    def close(self) -> None:
        """Close the connection; the next query opens it again."""
        if self._connection is not None:
            self._connection.close()
        self._connection, self._done = None, None
        self._indexed.clear()

    def keep(self, blocks: int, moments: int, receipts: int) -> None:
        """Take note that the ledger was cut. May be repeated."""
        self._kept = Lengths(blocks, moments, receipts).least(self._kept or ENDLESS)

    # Asking

    @property
    def view(self) -> SqlView:
        """The tables as `chain.sql` sees them."""
        if self._view is None:
            self._view = SqlView(self.ledger)
        return self._view

    def ask(
        self, part: str, question: str, values: Sequence[object] = (), until: float = inf
    ) -> list[Any]:
        """Return the rows of a query on a part of the tables, up to date, or at least up to a receipt or moment."""
        with self.reading():
            if self.covered(part) < until:
                self.catch_up((part,))
            return self.connection().execute(question, values).fetchall()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Scope in which the tables stay as they are, unless they are brought up to date."""
        with self.lock, self.place.explaining():
            yield

    def index(self, name: str, text: str) -> None:
        """Make an index for a query that is asked for the first time, if this process writes the tables."""
        if name not in self._indexed and (self._is_writing or self._done is not None):
            if self._is_writing:
                self.connection(writing=True).execute(f"create index if not exists {quoted(name)} on {text}")  # fmt: skip
            self._indexed.add(name)

    # Catching up

    def _reach(self, part: str) -> int:
        """Return how many receipts or moments a part covers now."""
        if self._done is None:
            return -1
        return min(self._done[part], (self._kept or ENDLESS).of(part))

    def is_done(self, part: str) -> bool:
        """True if a part is up to date, as far as is known."""
        done, length = self._done, self._length(part)
        is_settled = self._kept is None and not (self._is_ahead and self.place.step >= 0)
        return done is not None and is_settled and done[part] >= length

    def _length(self, part: str) -> int:
        """Return how far a part can go now."""
        ledger = self.ledger
        if part in ("headers", "hashes"):
            count = ledger.headers.count
            return count if part == "headers" or not count else ledger.blocks[count - 1].end_receipt
        return Lengths(0, len(ledger.timeline), len(ledger.receipts)).of(part)

    @property
    def has_undone(self) -> bool:
        """True if the tables may have rows of what was undone."""
        kept, done = self._kept, self._done
        if kept is None or done is None:
            return kept is not None
        return any(count > kept.of(part) for part, count in done.items())

    def covered(self, part: str) -> int:
        """Return how many blocks, moments or receipts a part covers, as far as it is valid."""
        with self.reading():
            if self._done is None:
                self._done = self._read_done()
            return self._reach(part)

    def pages(self, part: str, column: str, decoded: Callable[[Any], T]) -> Pages[T]:
        """Return the rows of a part that a file has now, as a sequence that is read on demand."""
        key = "number" if part == "headers" else "position"
        question = (
            f'select {column} from "derived:{part}" where {key} >= ? and {key} < ? order by {key}'
        )

        def read(first: int, end: int) -> list[T]:
            with self.reading():
                rows = self.connection().execute(question, (first, end)).fetchall()
                if len(rows) < end - first:
                    raise sqlite3.DatabaseError(f'rows of "derived:{part}" are missing')
            return [decoded(cell) for (cell,) in rows]

        return Pages(read, self.covered(part))

    def is_behind(self) -> bool:
        """Return True if the tables are not there yet, or lack rows of the ledger."""
        with self.reading():
            self._done = self._read_done()
            is_listed = self.connection().execute('select 1 from "derived:tables"').fetchone()
        return not is_listed or not all(map(self.is_done, self._parts))

    def drop(self) -> None:
        """Drop all tables, so that they are made again."""
        kinds = "type in ('view', 'table') and (name like 'derived:%' or sql like '%\"derived:%')"
        try:
            with self.place.explaining():
                run = self.connection(writing=True).execute
                found = run(f"select type, name from sqlite_master where {kinds}").fetchall()
                run("begin immediate")
                for kind, name in found:
                    run(f"drop {kind} {quoted(name)}")
                run("commit")
        finally:  # also after an error, so that no log is left beside the file
            self._begin_again()

    @property
    def _parts(self) -> tuple[str, ...]:
        """The parts that are kept up to date."""
        return (*PARTS, *_IN_FILES) if self.place.is_shared else PARTS

    def catch_up(self, parts: Iterable[str] | None = None, seconds: float = inf) -> bool:
        """Bring parts of the tables up to date, for about so many seconds; return True if they are."""
        end, parts = perf_counter() + seconds, self._parts if parts is None else (*parts,)
        with self.reading():
            if self._is_unsure:
                self._begin_again()
            self._learn_types()
            if "writes" in parts:  # they are decoded with the words as they were
                self.catch_up(("words",))
            while not all(map(self.is_done, parts)):
                with self._writing():
                    self._delete_undone()
                    for part in parts:
                        _DERIVE[part](self)
                self._kept = None
                if perf_counter() > end:
                    return all(map(self.is_done, parts))
        return True

    def _begin_again(self) -> None:
        """Open the database again after an interrupt; what is known of it is read anew."""
        self.close()
        self._version = None
        self._worlds.clear()
        self._is_unsure = False

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Scope of a transaction, in which the counters change with the rows."""
        connection = self.connection(writing=True)
        if self._done is None:
            self._done = self._read_done()
        self._progress = dict(self._done)
        self._is_unsure = True  # until it is done
        connection.execute("begin immediate")
        try:
            yield
            self._write_progress(self.place.step)
            connection.execute("commit")
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback")
            raise
        self._done, self._is_unsure = self._progress, False

    def _write_progress(self, step: int) -> None:
        rows = [(count, step, part) for part, count in self._progress.items()]
        self._put_all('update "own:done" set count = ?, step = ? where part = ?', rows)
        self._is_ahead = step < 0

    def _own(self, text: str) -> str:
        """Return a statement that writes to the tables of this process."""
        return text.replace('"own:', '"derived:')

    def _put(self, text: str, values: Sequence[object] = ()) -> None:
        self.connection().execute(self._own(text), values)

    def _put_all(self, text: str, rows: Iterable[Sequence[object]]) -> None:
        self.connection().executemany(self._own(text), rows)

    def _read_done(self) -> dict[str, int]:
        """Return how far the parts go. What was undone while they were not open is noted."""
        connection = self.connection()
        if not connection.execute("select 1 from sqlite_master where name = 'derived:done'").fetchone():  # fmt: skip
            connection = self.connection(writing=True)
            connection.executescript(f"begin; {SCHEMA} commit;")
        rows = connection.execute('select part, count, step from "derived:done"').fetchall()
        if {part for part, *_ in rows} != {*ALL_PARTS}:
            raise sqlite3.DatabaseError("a part of them is missing")
        kept = self.place.kept_since(min(step for *_, step in rows))
        if any(count > kept.of(part) for part, count, _ in rows):
            self.keep(*kept)
        return {part: count for part, count, _ in rows}

    def _delete_undone(self) -> None:
        """Delete the rows of what was undone."""
        if self._kept is None:
            return
        blocks, moments, receipts = self._kept
        done, put = self._progress, self._put
        if done["receipts"] > receipts:
            put('delete from "own:receipts" where position >= ?', (receipts,))
        if done["logs"] > receipts:
            put('delete from "own:logs" where receipt >= ?', (receipts,))
        if done["models"] > moments:
            put('delete from "own:models" where first >= ?', (moments,))
            self._read_worlds_again({*self._known_worlds(), *self._worlds})
            question = self._own('select world, slot from "own:models" where last >= ?')
            for world, slot in self.connection().execute(question, (moments,)).fetchall():
                address = bytes.fromhex(world[2:])
                self._write_model(address, int.from_bytes(slot), moments, moments)
        if done["words"] > moments:
            put('delete from "own:words" where moment >= ?', (moments,))
        if done["writes"] > receipts:
            put('delete from "own:writes" where receipt >= ?', (receipts,))
        for part, end in (("creations", receipts), ("hashes", receipts)):
            put(f'delete from "own:{part}" where position >= ?', (end,))
        put('delete from "own:headers" where number >= ?', (blocks,))
        if done["fields"] > moments:
            put('delete from "own:fields"')
            done["fields"] = 0
        self._progress = {part: min(n, self._kept.of(part)) for part, n in done.items()}

    # Types

    @property
    def tables(self) -> list[Table]:
        """All tables that can be asked for now."""
        with self.reading():
            self._learn_types()
        if self._tables is None:
            self._tables = tables.all_tables(self.ledger)
        return self._tables

    def view_of(self, kind: str, key: object) -> str:
        """Return the name of the table of a type of event or model."""
        with self.reading():
            self._learn_types()
        return self._views[kind, key]

    def _learn_types(self) -> None:
        """Name the tables, and decode again what may mean more now, if more types are known than before."""
        types = self.ledger.event_types
        types.contracts()
        version = types.version, types.has_upgrades()
        if version == self._version:
            return
        is_new = self._version is None
        self._version, self._tables = None, None
        self._views = {
            ("model" if isinstance(each.type, ModelType) else "event", each.type.key): each.table
            for each in declared_on(self.ledger)
        }
        self._told.clear()
        if self._done is None:
            self._done = self._read_done()
        self._announce(is_new)
        self._version = version

    def _announce(self, is_new: bool) -> None:
        """Decode again what this process knows now, and list the tables that other programs read."""
        settled = tables.all_tables(self.ledger, settled=True)
        knows_more = bool(self.ledger.foreign) or len(tables.all_tables(self.ledger)) > len(settled)
        is_stale = (knows_more or not is_new) and self._is_stale()
        is_listed = not self.place.is_shared or self._lists(settled)
        if is_stale or not is_listed:
            with self._writing():
                if is_stale:
                    self._decode_again()
                if not is_listed:
                    self._list_tables(settled)

    def _is_stale(self) -> bool:
        """True if rows may be decoded otherwise now."""
        run, done = self.connection().execute, self._done or {}
        return bool(
            done["writes"]
            or done["fields"]
            or (done["logs"] and run(f"{_UNCERTAIN} limit 1").fetchone())
            or (done["receipts"] and run(f"{_UNKNOWN} limit 1").fetchone())
            or any(self._worlds.values())
        )

    def _decode_again(self) -> None:
        run, receipts = self.connection().execute, self.ledger.receipts
        for position, receipt, index in run(_UNCERTAIN).fetchall():
            if receipt < len(receipts):
                self._take("logs", "position = ?", position)
                self._put(_TELL_LOG, (*self._tell(receipts[receipt].log_rows[index]), position))
        unknown = [n for (n,) in run(_UNKNOWN).fetchall() if n < len(receipts)]
        self._put_receipts([receipts[n].row for n in unknown])
        for part in _ON_DEMAND:  # in the terms of the contracts that are known now
            self._put(f'delete from "own:{part}"')
            self._progress[part] = 0
        self._read_worlds_again([*self._worlds])

    def _take(self, part: str, condition: str, *values: object) -> None:
        """Make a row that is about to change one of the tables of this process."""

    def _lists(self, listed: Sequence[Table]) -> bool:
        rows = self.connection().execute('select * from "derived:tables"').fetchall()
        return rows == [*tables.catalogue(listed)]

    def _list_tables(self, listed: Sequence[Table]) -> None:
        """List the tables that other programs read, and make views of them."""
        run = self.connection().execute
        run('delete from "derived:tables"')
        for row in tables.catalogue(listed):
            run('insert into "derived:tables" values (?, ?, ?, ?, ?)', row)
        for table in listed:
            run(f"drop view if exists {quoted(table.name)}")
            run(f"create view {quoted(table.name)} as {table.query()}")

    # Receipts and logs

    def _derive_receipts(self) -> None:
        first = self._progress["receipts"]
        rows = self.ledger.receipts._rows[first : first + _BATCH]
        self._put_receipts(rows)
        self._progress["receipts"] = first + len(rows)

    def _put_receipts(self, rows: Sequence[ReceiptRow]) -> None:
        ledger, name = self.ledger, lru_cache(None)(AddressBook(self.ledger).account)
        told = [tables.receipt_cells(Receipt(ledger, row), name, ledger.time_of) for row in rows]
        if told:
            columns: list[Sequence[Any]] = [*zip(*told, strict=True)]
            for i in tables.VARIED:
                columns[i] = form.kept_column(columns[i])
            digests = [row.digest for row in rows]
            self._put_all(_ADD_RECEIPT, zip(*columns, digests, strict=True))

    def _derive_logs(self) -> None:
        ledger, first = self.ledger, self._progress["logs"]
        self._put('delete from "own:logs" where receipt >= ?', (first,))
        last = 'select position from "derived:logs" order by position desc limit 1'
        place = next((place + 1 for (place,) in self.connection().execute(last)), 0)
        rows, new = ledger.receipts._rows[first : first + _BATCH], list[tuple[Any, ...]]()
        time_of, address_text, tell = lru_cache(2)(ledger.time_of), form.address_text, self._tell
        for row in rows:
            if not row.logs:
                continue
            position, block = row.position, row.block
            time = time_of(block)
            for index, log in enumerate(row.logs):
                address, topics, data, _, digest = log
                texts = [*map(_topic_text, topics), None, None, None, None][:4]
                event, fields, view, contract, is_certain = tell(log)
                new.append((
                    place, position, index, address_text(address), *texts, f"0x{data.hex()}",
                    None if len(topics) > 1 else text_of(log), event, fields, block, time, view, contract, digest, is_certain,
                ))  # fmt: skip
                place += 1
        self._put_all(_ADD_LOG, new)
        self._progress["logs"] = first + len(rows)

    def _tell(self, log: LogRow) -> tuple[str | None, str | None, str | None, str | None, bool]:
        """Return the event in a log, its fields, its table, the contract that declares it, and whether that will stay so."""
        topics, digest = log[1], log[4]
        if not topics:
            return None, None, None, None, True
        source = digest, topics[0], len(topics)
        told = self._told[source] if source in self._told else self._meaning(source)
        if told is None:
            return None, None, None, None, digest is not None and self.ledger.program(digest) is not None  # fmt: skip
        meaning, view, names = told
        members = decoded_members(log, meaning.spec)
        is_certain = self.ledger.event_types.is_certain(source)
        if members is None:
            return None, None, None, None, is_certain
        return meaning.spec.name, _json_object(names, members), view, meaning.contract, is_certain

    def _meaning(self, source: Source) -> _Told | None:
        meaning, told = self.ledger.event_types.of_source(source), None
        if meaning is not None:
            view = self._views["event", meaning.type.key]
            told = _Told(meaning, view, _json_names(meaning.spec))
        self._told[source] = told
        return told

    # Words

    def _derive_words(self) -> None:
        """Write the values that accounts and words got."""
        first, timeline = self._progress["words"], self.ledger.timeline
        end = min(first + _BATCH, len(timeline))
        rows = [
            (
                bytes(address),
                b"" if slot is ACCOUNT else slot.to_bytes(32),
                moment,
                stored_value(slot, after),
            )
            for moment, changes in enumerate(timeline[first:end], first)
            for address, slot, _, after in each_change(changes)
        ]
        self._put_all('insert or replace into "own:words" values (?, ?, ?, ?)', rows)
        self._progress["words"] = end

    # What else a file has, so that it is not made again

    def _derive_creations(self) -> None:
        """Write the contracts that transactions created and upgraded."""
        creations = self.ledger.creations
        first = self._progress["creations"]
        self._put('delete from "own:creations" where position >= ?', (first,))
        rows, first = creations.rows, creations.before(first)
        self._put_all(
            'insert into "own:creations" values (?, ?, ?, ?, ?)',
            [(place, *row) for place, row in enumerate(rows[first:], first)],
        )
        self._progress["creations"] = self._length("creations")

    def _derive_headers(self) -> None:
        """Write the headers that were asked for."""
        ledger, first, end = self.ledger, self._progress["headers"], self._length("headers")
        self._put_all(
            'insert or replace into "own:headers" values (?, ?, ?)',
            [(n, ledger.block_hash(n), encode(ledger.header(n))) for n in range(first, end)],
        )
        self._progress["headers"] = max(first, end)

    def _derive_hashes(self) -> None:
        """Write the hashes of the transactions in these blocks."""
        ledger, first, end = self.ledger, self._progress["hashes"], self._length("hashes")
        self._put_all(
            'insert or replace into "own:hashes" values (?, ?)',
            [(each.position, ledger.hash_of(each)) for each in ledger.receipts[first:end]],
        )
        self._progress["hashes"] = max(first, end)

    # Fields

    def _derive_writes(self) -> None:
        """Write the values that transactions changed. They are decoded when somebody first asks."""
        ledger, first, rows = self.ledger, self._progress["writes"], list[tuple[Any, ...]]()
        receipts = ledger.receipts[first : first + _BATCH]
        for receipt in receipts:
            when = receipt.position, receipt.block_number, receipt.timestamp
            for write in receipt.writes:
                rows.append((*when, *tables.place_row(write), *map(_cell, (write.old, write.new))))
        self._put_all(_ADD_WRITE, rows)
        self._progress["writes"] = first + len(receipts)

    def _derive_fields(self) -> None:
        """Write all values of the contracts that changed, as they are now."""
        ledger, first = self.ledger, self._progress["fields"]
        state, timeline = ledger.state, ledger.timeline
        changed = {address for changes in timeline[first:] for address in changes[::4]}
        for address in changed if first else sorted(state.storages):
            words = {slot: (word, word) for slot, word in sorted(state.storages[address].items())}
            diff = StorageDiff(ledger, address, ledger.program_at(address), words, lambda slot: 0)
            self._put('delete from "own:fields" where address = ?', (form.address_text(address),))
            found = _within_lists(diff.readings())
            rows = [(*tables.place_row(each), _cell(each.value)) for each in found]
            self._put_all(_ADD_FIELD, rows)
        self._progress["fields"] = len(timeline)

    # Models

    def _derive_models(self) -> None:
        """Write the models that changed. New ones follow in the order in which they were first written."""
        first, timeline = self._progress["models"], self.ledger.timeline
        end = min(first + _BATCH, len(timeline))
        # The first and the last change of each model; first those of which the word was written that every model has.
        written, changed = (
            dict[tuple[bytes, int], int](),
            dict[tuple[bytes, int], tuple[int, int]](),
        )
        stale = set[bytes]()  # worlds that may have other models now
        for moment in range(first, end):
            for address, slot, before, after in iter_changes(timeline[moment]):
                if slot is ACCOUNT:
                    if (
                        before is not None
                        and EMPTY_CODE_HASH != before[2] != (after or NO_ACCOUNT)[2]
                    ):
                        stale.update(self._known_worlds())
                    continue
                for word in dict(before) if slot is STORAGE else (slot,):
                    model = self._model_of(word)
                    if model is None:
                        stale.add(address)
                        continue
                    first_change, _ = changed.get((address, model), (moment, moment))
                    changed[address, model] = first_change, moment
                    if model == word:
                        written[address, model] = moment
        self._read_worlds_again(stale)
        for address, slot in {**written, **changed}:
            if self._world(address):
                self._write_model(address, slot, *changed[address, slot])
        self._progress["models"] = end

    def _model_of(self, word: int) -> int | None:
        """Return the slot of the model that a word belongs to, or None: this climbs from content to what contains it."""
        if word in self._models:
            return self._models[word]
        slots, model, above = self.ledger.state.slots, None, word
        while (hashed := slots.nearest_hashed(above)) is not None:
            parent, _ = slots.preimage(hashed[0])
            if parent == MODELS:
                break
            model, above = hashed[0], parent
        else:
            model = None
        self._models[word] = model
        return model

    def _world(self, address: bytes) -> dict[int, _WorldModels]:
        """Return the models of a world by the slot below which they are stored; nothing if it is no world."""
        models = self._worlds.get(address)
        if models is None:
            models, ledger = {}, self.ledger
            if is_world(ledger.program_at(address)):
                world = WorldNamespace(ledger, ledger.state, address)
                for number, space in enumerate(world.spaces()):
                    for spec in space.models.values():
                        view = self._views["model", model_key(spec)]
                        parent = spec.parent(self._words(address), space.namespace)
                        models[parent] = _WorldModels(number, space.namespace, spec, view)
            self._worlds[address] = models
        return models

    def _words(self, address: bytes) -> ReadOnlyStorage:
        state = self.ledger.state
        return ReadOnlyStorage(state.slots, state.storages[address])

    def _read_worlds_again(self, stale: Iterable[bytes] = ()) -> None:
        """Read anew which models some worlds have, and write their models again if others are known now."""
        run = self.connection().execute
        for address in stale:
            before = self._worlds.pop(address, {})
            now = self._world(address)
            if now != before:
                question = 'select slot, last from "derived:models" where world = ?'
                rows = run(question, (form.address_text(address),)).fetchall()
                for slot, last in rows:
                    self._write_model(address, int.from_bytes(slot), last, last)

    def _known_worlds(self) -> list[bytes]:
        found = self.connection().execute('select distinct world from "derived:models"').fetchall()
        return [bytes.fromhex(world[2:]) for (world,) in found]

    def _write_model(self, address: bytes, slot: int, first: int, last: int) -> None:
        """Write a model as it is now, which changed first and last at these moments."""
        parent, key = self.ledger.state.slots.preimage(slot)
        found = self._world(address).get(parent)
        told: tuple[Any, ...] = 0, None, None, None, None
        if found is not None and key is not None:
            space, namespace, spec, view = found
            told = space, namespace, spec.name, view, self._fields(address, spec, slot, key)
        row = form.address_text(address), slot.to_bytes(32), first, last, *told
        self._take("models", "world = ? and slot = ?", *row[:2])
        self._put(_PUT_MODEL, row)

    def _fields(self, address: bytes, spec: ModelSpec, slot: int, key: bytes) -> str | None:
        """Return the fields of a model as JSON; None if it was erased."""
        words = self._words(address)
        if not spec.exists(words, slot):
            return None
        model = spec.load(words, slot, spec.decode_keys(key))
        names = [member.name for member in spec.record.members]
        return _json_object(_json_names(spec), [getattr(model, name) for name in names])


def _within_lists(readings: Iterable[Reading]) -> Iterator[Reading]:
    """Yield the values but for those in the last word of a list that are beyond its end."""
    values = [*readings]
    lengths = {
        (each.name, each.keys, each.member.removesuffix("length").removesuffix(".")): each.value
        for each in values
        if each.member.endswith("length")
    }
    for each in values:
        found = _ITEM.fullmatch(each.member)
        if found:
            place, index = (each.name, each.keys, found[1]), int(found[2])
        else:
            last = each.keys[-1] if each.keys else None
            place, index = (each.name, each.keys[:-1], ""), last if type(last) is int else -1
        end: Any = lengths.get(place)
        if end is None or index < end:
            yield each


def _cell(value: object) -> object:
    """Return a value as a cell."""
    return form.kept_cell(form.top_level(value))


@lru_cache(maxsize=1 << 10)
def _json_names(spec: Any) -> tuple[str, ...]:
    """Return the names of the fields of an event or a model as JSON."""
    members = spec.record.members if isinstance(spec, ModelSpec) else spec.members
    return tuple(form.to_json(abi_name(member.name)) for member in members)


def _json_object(names: Sequence[str], values: Iterable[Any]) -> str:
    """Return the JSON of an object; most values are plain numbers, which take no encoder."""
    lowest, highest, to_json, portable = -form.HALF, form.HALF, form.to_json, form.portable
    cells = [
        f"{name}:{value if value.__class__ is int and lowest <= value < highest else to_json(portable(value))}"
        for name, value in zip(names, values, strict=True)
    ]
    return f"{{{','.join(cells)}}}"


_DERIVE: Final[dict[str, Callable[[Store], None]]] = {
    "receipts": lambda store: store._derive_receipts(),
    "logs": lambda store: store._derive_logs(),
    "models": lambda store: store._derive_models(),
    "words": lambda store: store._derive_words(),
    "writes": lambda store: store._derive_writes(),
    "fields": lambda store: store._derive_fields(),
    "creations": lambda store: store._derive_creations(),
    "headers": lambda store: store._derive_headers(),
    "hashes": lambda store: store._derive_hashes(),
}
