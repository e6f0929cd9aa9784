"""SQL queries on the tables of a chain, in an SQLite database in memory.

A query adds the new rows to the tables that it names. The rows of a chain in a file stay in the file, which has the same tables
(`chain.ledger.sql.stored_views`); only those that it lacks are added here. The rows of a chain in memory are built from the
ledger. On a long chain the first query takes long then, so tables can be filled in pieces before it.
When the chain is reverted, the rows that were undone are deleted. The tables are read-only: they are a record of what happened.
"""

from __future__ import annotations

import math
import re
import sqlite3
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import islice
from time import perf_counter
from typing import Any, Final, NamedTuple

from chain.foundation.atomic_steps import locked
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.ledger import Ledger
from chain.ledger.sql import json_values as form
from chain.ledger.sql.big_integers import LargeNumbers
from chain.ledger.sql.result import QueryResult
from chain.ledger.sql.stored_views import StoredTables, StoredViews
from chain.ledger.sql.table import AppendOnlyTable, SqlTable, TableRow, quoted
from chain.ledger.sql.tables import all_tables
from chain.schema.inputs import text
from chain.types import Address

_READING: Final = {
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
}  # fmt: skip
_HARMLESS: Final = {
    (sqlite3.SQLITE_PRAGMA, "table_info"),
    (sqlite3.SQLITE_PRAGMA, "table_list"),
    # json_each asks for this permission. SQLite itself refuses a real update of this table.
    (sqlite3.SQLITE_UPDATE, "sqlite_master"),
}
# What asks for the columns of a table, not for its rows. Of a view, SQLite tells other types, and no key.
_DESCRIPTION: Final = re.compile(r"table_info\s*\(\s*['\"]?[\w-]*['\"]?\s*\)")
_STRIDE: Final = 100_000  # steps of SQLite between two checks whether to stop


class QueryLimits(NamedTuple):
    """The limits of a query: rows, bytes of one value and of all, steps of SQLite's virtual machine."""

    rows: float = math.inf
    bytes: int = 2**31 - 1
    steps: float = math.inf

    @contextmanager
    def applied(self, connection: sqlite3.Connection) -> Iterator[Callable[[], bool]]:
        """Apply the limits to a connection within the scope. The result tells whether all steps are used up.

        Python handles signals when SQLite calls it, so even a query without limits can be interrupted.
        """
        longest = connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self.bytes)
        left, stride = self.steps, int(min(self.steps, _STRIDE))

        def is_spent() -> bool:
            return left <= 0

        def stops() -> bool:
            nonlocal left
            left -= stride
            return is_spent()

        connection.set_progress_handler(stops, stride)
        try:
            yield is_spent
        finally:
            connection.set_progress_handler(None, 0)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)

    def fetch(self, cursor: sqlite3.Cursor) -> list[tuple[object, ...]]:
        """Return all rows of a cursor, or refuse if they exceed the limits."""
        if self.rows == math.inf:
            return cursor.fetchall()
        rows, size = [], 0
        for row in cursor:
            rows.append(row)
            size += sum(len(value) for value in row if isinstance(value, str | bytes))
            if len(rows) > self.rows or size > self.bytes:
                raise ValueError(
                    f"the answer is too long: at most {self.rows} rows and {self.bytes} bytes; use 'limit'"
                )
        return rows


_NO_LIMITS: Final = QueryLimits()
_BATCH: Final = 128  # rows between two looks at the clock


class TooLong(ValueError):
    """A query has taken all the steps that its limits allow."""


class SqlView:
    """The tables of one chain, and the queries on them. `stored` are those in its file, if it has one."""

    def __init__(self, ledger: Ledger, stored: StoredTables | None = None) -> None:
        self._ledger, self._stored, self.lock = ledger, stored, ledger.lock
        self._cuts = 0
        self._reconnect()
        self._is_unsettled = False  # a query was interrupted
        ledger.on_truncated.append(self._truncate)

    def _reconnect(self) -> None:
        """Open a new, empty database."""
        self._version = -1
        self._tables: list[SqlTable] = []
        self._filled: dict[str, Any] = {}  # how far each table is filled
        self._refused = False
        self._missing = ""  # an error for what a table has and its view lacks
        self._stop: BaseException | None = None  # an exception raised in the authorizer
        self._who = AddressBook(self._ledger)
        self._numbers = LargeNumbers()
        connection = self._connection = _connect()
        weakref.finalize(self, connection.close)
        connection.create_function("name", 1, self._name)
        self._numbers.register_functions(connection)
        self._views = StoredViews(connection, self._ledger, self._numbers, self._stored)

    @locked
    def query(
        self,
        question: str,
        values: Sequence[object],
        named: Mapping[str, object],
        bounds: QueryLimits = _NO_LIMITS,
    ) -> QueryResult:
        """Return the result of one statement, in which `values` and `named` replace `?` and `:name`."""
        text(question, "the question")
        if values and named:
            raise TypeError("pass values for '?' or for ':name', not for both")
        names, arguments = [*named], [*map(form.parameter, (*values, *named.values()))]
        with self._in_use():
            self._update_declared()
            if self._stored is not None:
                # Compiled without the file first, so that it is refused as in memory, and finds no other tables there.
                with self._asking(question, bounds):
                    self._connection(question)
            with self._views.attached():
                return self._ask(question, names, arguments, bounds)

    @locked
    def fill(self, question: str, seconds: float) -> bool:
        """Fill the tables that a query names, for about `seconds`; return True if they are up to date."""
        end = perf_counter() + seconds
        while not self._ledger.events.enter_new(_BATCH):
            if perf_counter() > end:
                return False
        with self._in_use():
            self._update_declared()
            with self._views.attached():
                self._fill_named(question, end)
                return all(self._is_filled(table) for table in self._named_in(question))

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        """Record that the connection is in use. After an interrupted use its state is unknown, down to SQLite's own limits."""
        if self._is_unsettled:
            former = self._connection
            self._reconnect()
            former.close()
        self._is_unsettled = True
        try:
            yield
        except ValueError:  # the query was refused: nothing is incomplete
            self._is_unsettled = False
            raise
        except BaseException:
            self._connection.close()  # it may read the file
            raise
        self._is_unsettled = False

    def _ask(
        self, question: str, names: list[str], given: list[Any], bounds: QueryLimits
    ) -> QueryResult:
        self._fill_named(question)
        with self._numbers.parameters_scope():
            answer = self._answer(question, names, given, bounds)
            if self._numbers.is_crowded:
                self._numbers.spread()
                self._begin()
                self._fill_named(question)
                answer = self._answer(question, names, given, bounds)
        return answer

    def _answer(
        self, question: str, names: list[str], given: list[object], bounds: QueryLimits
    ) -> QueryResult:
        reals = [*map(self._numbers.parameter, given)]
        parameters: Any = dict(zip(names, reals, strict=True)) if names else reals
        self._who = AddressBook(self._ledger)
        with (
            self._asking(question, bounds),
            closing(
                self._connection.execute(self._numbers.rewritten(question), parameters)
            ) as cursor,
        ):
            rows = bounds.fetch(cursor)
            description = cursor.description
        if description is None:
            raise ValueError(f"{question!r} is not a query: begin with 'select'")
        columns = [column[0] for column in description]
        return QueryResult(columns, (map(self._numbers.number, row) for row in rows))

    @contextmanager
    def _asking(self, question: str, bounds: QueryLimits) -> Iterator[None]:
        """Allow only to read within the scope, which compiles or runs the caller's statement, and explain why it fails."""
        self._refused, self._missing, self._stop = False, "", None
        self._connection.set_authorizer(self._authorize)
        try:
            with bounds.applied(self._connection) as is_spent:
                yield
        except (sqlite3.Error, sqlite3.Warning) as problem:
            is_stopped = str(problem) == "interrupted" and not is_spent()
            if is_stopped or (not self._refused and _is_interrupt(question, str(problem))):
                raise (self._stop or KeyboardInterrupt) from None
            problem_type = TooLong if is_spent() else ValueError
            raise problem_type(self._explain(question, str(problem))) from None
        finally:
            self._connection.set_authorizer(None)

    # Updating the tables

    def _update_declared(self) -> None:
        """Create the tables again if more types are declared than before."""
        types = self._ledger.event_types
        types.contracts()
        if types.version != self._version:
            self._version = -1
            self._begin()
            self._version = types.version

    def _begin(self) -> None:
        """Create all tables, empty. Their names depend on the declared types, so a new type means starting again."""
        existing = self._connection.execute("select name from sqlite_master where type = 'table'")
        for (name,) in existing.fetchall():
            self._connection.execute(f"drop table main.{quoted(name)}")
        self._tables, self._filled = all_tables(self._ledger), {}
        for table in self._tables:
            self._connection.execute(table.create())

    def _named_in(self, question: str) -> list[SqlTable]:
        text = _DESCRIPTION.sub("", question.casefold())
        return [table for table in self._tables if table.name.casefold() in text]

    def _fill_named(self, question: str, until: float = math.inf) -> None:
        for table in self._named_in(question):
            self._fill(table, until)
            self._views.show(table)

    def _fill(self, table: SqlTable, until: float) -> None:
        """Update a table. One that is not recorded as filled, or whose filling was interrupted, is filled again."""
        start, filled = self._views.stored_part(table), self._filled.pop(table.name, None)
        if isinstance(table, AppendOnlyTable) and filled is not None and filled[0] == start:
            filled = start, self._continue(table, filled[1], until)
        elif filled != (end := self._end_of(table)):
            self._connection.execute(f"delete from main.{quoted(table.name)}")
            if isinstance(table, AppendOnlyTable):
                end = start, self._continue(table, start, until)
            elif not start:
                self._insert(table, table.rows())
            filled = end
        self._filled[table.name] = filled

    def _continue(self, table: AppendOnlyTable, filled: int, until: float) -> int:
        """Append rows until there are no more, or the time is over; return how far the table is filled."""
        end, key = table.end(), table.names.index(table.key)
        rows = table.rows(filled) if filled < end else iter(())
        while batch := list(islice(rows, _BATCH)):
            self._insert(table, iter(batch))
            if perf_counter() > until:
                return int(batch[-1][key]) + 1
        return end

    def _is_filled(self, table: SqlTable) -> bool:
        return bool(self._filled.get(table.name) == self._end_of(table))

    def _end_of(self, table: SqlTable) -> Any:
        """Return how far a table is filled once it is up to date: from where on it holds rows, and up to where."""
        start = self._views.stored_part(table)
        if isinstance(table, AppendOnlyTable):
            return start, table.end()
        return start, self._cuts, len(self._ledger.timeline)

    def _insert(self, table: SqlTable, rows: Iterator[TableRow]) -> None:
        self._run(table.insert(), (self._cells(row, table.roomy) for row in rows))

    def _cells(self, row: TableRow, roomy: Sequence[int]) -> list[Any]:
        cells: list[Any] = [*map(form.sql_cell, row)]
        for i in roomy:
            if isinstance(cells[i], int):
                cells[i] = self._numbers.real(cells[i])
        return cells

    def _run(self, statement: str, rows: Any) -> None:
        self._connection.executemany(statement, rows)

    def _truncate(self, blocks: int, receipts: int) -> None:
        """Delete the rows that a revert of the chain has undone."""
        self._cuts += 1
        self._views.forget()
        for table in () if self._is_unsettled else self._tables:
            filled = self._filled.get(table.name)
            if isinstance(table, AppendOnlyTable) and filled and filled[1] > table.end():
                del self._filled[table.name]
                self._run(table.delete_from(), [(table.end(),)])
                self._filled[table.name] = min(filled[0], table.end()), table.end()

    # Callbacks of SQLite

    def _authorize(self, action: int, what: str | None, *more: str | None) -> int:
        try:
            column, database, reader = more
            is_ours = reader is None and self._views.shows(what)  # and not what a view reads
            if action == sqlite3.SQLITE_READ and is_ours and database == "main":
                self._missing = f"no such table: main.{what}"  # the one in memory, which is empty
            elif action == sqlite3.SQLITE_READ and is_ours and column == "ROWID":
                self._missing = "no such column: rowid"
            elif action in _READING or (action, what) in _HARMLESS:
                return sqlite3.SQLITE_OK
            self._refused = True
        except BaseException as stop:  # SQLite would treat it as a refusal
            self._stop = stop
            raise
        return sqlite3.SQLITE_DENY

    def _name(self, address: Any) -> str | None:
        """Return the name of an address, for `name(address)` in a query."""
        with suppress(TypeError, ValueError):
            return self._who.name(Address(address))
        return None

    # Error messages

    def _explain(self, question: str, wrong: str) -> str:
        if self._missing:
            wrong = self._missing
        elif self._refused or wrong.startswith("cannot VACUUM"):
            return f"the tables are a record of what happened, and read-only: {question!r} would do more than read"
        if wrong == "interrupted":
            return f"the query takes too long: narrow {question!r}"
        if "one statement" in wrong:
            return f"one query at a time: {question!r} holds several statements"
        if wrong.startswith("no such table"):
            return f"{wrong}; there are {', '.join(table.name for table in self._tables)}"
        if wrong.startswith("no such column"):
            known = [
                f"{table.name} has {', '.join(table.names)}" for table in self._named_in(question)
            ]
            return "; ".join([wrong, *known])
        return f"{wrong.rstrip('.')}, in {question!r}"


def _connect() -> sqlite3.Connection:
    """Open a database without a statement cache: a statement of ours, allowed to write, must not be reused for a caller's."""
    return sqlite3.connect(
        ":memory:", isolation_level=None, check_same_thread=False, cached_statements=0, uri=True
    )


def _is_interrupt(question: str, wrong: str) -> bool:
    """True if SQLite was interrupted while it asked us for permission.

    By itself it uses these words only to refuse extensions.
    """
    stopped = "not authorized" in wrong or "prohibited" in wrong
    return stopped and "load_extension" not in question.casefold()
