"""SQL queries on the tables of a chain: the views of `chain.ledger.sql.tables` on the derived tables of its store.

A query brings up to date what it names. The tables are read-only: they are a record of what happened. In a query a number
beyond 64 bits is a number (`chain.ledger.sql.big_integers`), although SQLite has none of that size.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, Final, NamedTuple

from chain.foundation.atomic_steps import locked
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.ledger import Ledger
from chain.ledger.sql import json_values as form
from chain.ledger.sql.big_integers import LargeNumbers
from chain.ledger.sql.result import QueryResult
from chain.ledger.sql.spellings import Spellings
from chain.ledger.sql.tables import LOGS, TABLES, Table, catalogue, quoted
from chain.types import Address
from chain.values.inputs import text

_READING: Final = {
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
}  # fmt: skip
_HARMLESS: Final = {
    (sqlite3.SQLITE_PRAGMA, "table_info"),
    (sqlite3.SQLITE_PRAGMA, "table_list"),
    # json_each asks for this permission. SQLite itself refuses a real update of this table.
    (sqlite3.SQLITE_UPDATE, "sqlite_master"),
}
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


class TooLong(ValueError):
    """A query has taken all the steps that its limits allow."""


_NUMBER: Final = '"chain:number"'  # a function for the views, which a query cannot name by accident


class SqlView:
    """The tables of one chain, and the queries on them."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self.lock = ledger, ledger.lock
        self._connection: sqlite3.Connection | None = (
            None  # the one that has the functions and views
        )
        self._shown: dict[str, str] = {}  # the views on it, by name
        self._numbers = LargeNumbers()
        self._who = AddressBook(ledger)
        self._spellings = Spellings(ledger, (), "", {})
        self._refused = (
            ""  # what the statement would do more than read, or a table that is not there
        )
        self._is_naming = False  # the state is read, which may be in the same database
        self._stop: BaseException | None = None  # an exception raised in a callback of SQLite

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
        names, given = [*named], [*map(form.parameter, (*values, *named.values()))]
        try:
            numbers = map(str, range(1, len(given) + 1))
            told = dict(zip(names or numbers, given, strict=True))
            with self._ledger.store.reading():
                tables = self._named_in(question)
                self._spellings = Spellings(self._ledger, tables, question, told)
                self._prepare(tables, question)
                self._who = AddressBook(self._ledger)
                answer = self._answer(question, names, given, bounds)
                if self._numbers.is_crowded:
                    self._numbers.spread()
                    answer = self._answer(question, names, given, bounds)
        except ValueError:  # it was refused
            raise
        except BaseException:  # the state of the connection is unknown, down to SQLite's own limits
            self._ledger.store.close()
            raise
        return answer

    @locked
    def fill(self, question: str, seconds: float) -> bool:
        """Fill the tables that a query names, for about `seconds`; return True if they are up to date."""
        parts = {table.part for table in self._named_in(question)} - {TABLES.part}
        return self._ledger.store.catch_up(sorted(parts), seconds)

    @locked
    def rows(self, table: Table) -> list[tuple[Any, ...]]:
        """Return all rows of a table."""
        return [tuple(row) for row in self.query(f"select * from {quoted(table.name)}", (), {})]

    def _named_in(self, question: str) -> list[Table]:
        text = question.casefold()
        return [table for table in self._ledger.store.tables if table.name.casefold() in text]

    def _prepare(self, named: Iterable[Table], question: str) -> None:
        """Bring the tables that a query names up to date, with views on them."""
        store = self._ledger.store
        parts = {table.part for table in named}
        store.catch_up(sorted(parts - {TABLES.part}))
        connection = store.connection()
        if connection is not self._connection:
            connection.create_function("name", 1, self._name)
            connection.create_function(_NUMBER[1:-1], 1, self._numbers.parameter, deterministic=True)  # fmt: skip
            self._connection, self._shown = connection, {}
        for table in named:
            if table is TABLES:
                self._list(connection)
                continue
            text = table.query(_NUMBER, self._spellings.collations(table, connection))
            if self._shown.get(table.name) != text:
                connection.execute(f"drop view if exists temp.{quoted(table.name)}")
                connection.execute(f"create temp view {quoted(table.name)} as {text}")
                self._shown[table.name] = text
            if table.derived == LOGS.derived:
                self._index(table, question)

    def _list(self, connection: sqlite3.Connection) -> None:
        """Make the table of all tables, those among them that only this process knows."""
        names = ", ".join(TABLES.names)
        connection.execute(f"drop table if exists temp.{TABLES.name}")
        connection.execute(f"create temp table {TABLES.name} ({names})")
        rows = catalogue(self._ledger.store.tables)
        connection.executemany(f"insert into temp.{TABLES.name} values (?, ?, ?, ?, ?)", rows)
        self._shown[TABLES.name] = ""

    def _index(self, table: Table, question: str) -> None:
        """Have an index made on each field of an event that the query compares."""
        for column in table.columns if table.type is not None else ():
            if re.search(
                rf"\b{re.escape(column.name)}\b[\"\]`]?\s*(=|in\b|is\b)", question, re.IGNORECASE
            ):
                self._ledger.store.index(column.text, f"{quoted(table.derived)} ({column.text})")

    def _answer(
        self, question: str, names: list[str], given: Sequence[object], bounds: QueryLimits
    ) -> QueryResult:
        reals = [*map(self._numbers.parameter, given)]
        parameters: Any = dict(zip(names, reals, strict=True)) if names else reals
        assert self._connection is not None
        run = partial(self._connection.execute, self._numbers.rewritten(question), parameters)
        with self._asking(question, bounds), closing(run()) as cursor:
            rows = bounds.fetch(cursor)
            description = cursor.description
        if self._spellings.wrong is not None:
            raise self._spellings.wrong
        if description is None:
            raise ValueError(f"{question!r} is not a query: begin with 'select'")
        columns = [column[0] for column in description]
        return QueryResult(columns, (map(self._numbers.number, row) for row in rows))

    @contextmanager
    def _asking(self, question: str, bounds: QueryLimits) -> Iterator[None]:
        """Allow only to read within the scope, which compiles and runs the caller's statement, and explain why it fails."""
        self._refused, self._stop, connection = "", None, self._connection
        assert connection is not None
        connection.set_authorizer(self._authorize)
        try:
            with bounds.applied(connection) as is_spent:
                yield
        except (sqlite3.Error, sqlite3.Warning) as problem:
            is_stopped = str(problem) == "interrupted" and not is_spent()
            if is_stopped or (not self._refused and _is_interrupt(question, str(problem))):
                raise (self._spellings.wrong or self._stop or KeyboardInterrupt) from None
            problem_type = TooLong if is_spent() else ValueError
            raise problem_type(self._explain(question, str(problem))) from None
        finally:
            connection.set_authorizer(None)

    # Callbacks of SQLite

    def _authorize(self, action: int, what: str | None, *more: str | None) -> int:
        try:
            column, _, view = more
            if self._is_naming:
                return sqlite3.SQLITE_OK
            if action == sqlite3.SQLITE_READ and column == "ROWID" and what in self._shown:
                self._refused = "no such column: rowid"
            elif (
                action == sqlite3.SQLITE_READ
                and column
                and not view
                and not self._is_open(what or "")
            ):
                self._refused = f"no such table: {what}"
            elif action in _READING or (action, what) in _HARMLESS:
                return sqlite3.SQLITE_OK
            else:
                self._refused = "more than read"
        except BaseException as stop:  # SQLite would treat it as a refusal
            self._stop = stop
            raise
        return sqlite3.SQLITE_DENY

    def _is_open(self, name: str) -> bool:
        """True if a query may read a table itself. What else is there is for the views, or belongs to another program."""
        return name in self._shown or name.startswith(("sqlite_", "json_", "pragma_")) or not name

    def _name(self, address: Any) -> str | None:
        """Return the name of an address, for `name(address)` in a query."""
        self._is_naming = True
        try:
            return self._who.name(Address(address))
        except (TypeError, ValueError):
            return None
        finally:
            self._is_naming = False

    # Error messages

    def _explain(self, question: str, wrong: str) -> str:
        if self._refused.startswith("no such"):
            wrong = self._refused
        elif self._refused or wrong.startswith(("cannot VACUUM", "cannot modify")):
            return f"the tables are a record of what happened, and read-only: {question!r} would do more than read"
        if wrong == "interrupted":
            return f"the query takes too long: narrow {question!r}"
        if "one statement" in wrong:
            return f"one query at a time: {question!r} holds several statements"
        if wrong.startswith("no such table"):
            return (
                f"{wrong}; there are {', '.join(table.name for table in self._ledger.store.tables)}"
            )
        if wrong.startswith("no such column"):
            known = [
                f"{table.name} has {', '.join(table.names)}" for table in self._named_in(question)
            ]
            return "; ".join([wrong, *known])
        return f"{wrong.rstrip('.')}, in {question!r}"


def _is_interrupt(question: str, wrong: str) -> bool:
    """True if SQLite was interrupted while it asked us for permission.

    By itself it uses these words only to refuse extensions.
    """
    stopped = "not authorized" in wrong or "prohibited" in wrong
    return stopped and "load_extension" not in question.casefold()
