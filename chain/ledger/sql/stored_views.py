"""The tables of a chain's file, in queries of a database in memory that has tables of the same names.

The file is attached for one query at a time. Each table that the query names gets a temporary view of its name. It shows the
rows in the file, with the digits of numbers beyond 64 bits, and then those in memory, which the file lacks: what another
process has not yet published, or what the running step has changed. A table whose rows in the file may differ from what is
known here is not taken from the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final, NamedTuple, Protocol

from chain.ledger.decoded.worlds import worlds_of
from chain.ledger.ledger import Ledger
from chain.ledger.sql.big_integers import EXACT, LargeNumbers
from chain.ledger.sql.json_values import address_text
from chain.ledger.sql.table import AppendOnlyTable, SqlTable, quoted
from chain.ledger.sql.table_names import model_key
from chain.ledger.sql.tables import Events, Logs, Models, Receipts

_FILE: Final = "file"  # its name in the database
# Functions for the views. A query cannot name them by accident.
_NUMBER, _SPACE = '"chain:number"', '"chain:space"'


class Reach(NamedTuple):
    """How far the tables of a file agree with the ledger."""

    receipts: int = 0
    logs: int = 0
    is_whole: bool = True  # the tables have no rows after these
    is_present: bool = False  # the models are those of the present


class StoredTables(Protocol):
    """The tables of a chain's file."""

    @property
    def uri(self) -> str:
        """The URI under which SQLite reads the file. Refused if the file is closed."""

    def publish(self) -> None:
        """Write the rows that the tables lack, if this process writes the file."""

    def reach(self, connection: sqlite3.Connection, schema: str) -> Reach:
        """Return how far the tables agree with the ledger, in the transaction of a connection to the file."""

    def refusing_damage(self) -> AbstractContextManager[None]:
        """Report an error of reading as a damaged file."""


class StoredViews:
    """The views of one connection on the tables in a file; without a file there are none."""

    def __init__(
        self, connection: sqlite3.Connection, ledger: Ledger, numbers: LargeNumbers, stored: StoredTables | None
    ) -> None:  # fmt: skip
        self._connection, self._ledger, self._numbers = connection, ledger, numbers
        self._stored = stored
        self._reach, self._names = Reach(), set[str]()
        self._shown: set[str] = set()
        # For each table up to which row its rounded numbers are known, and the columns that have some.
        self._rounded: dict[str, tuple[int, set[str]]] = {}
        self._spaces: dict[str, dict[tuple[str, str], int]] = {}
        connection.create_function(_NUMBER[1:-1], 1, self._number, deterministic=True)
        connection.create_function(_SPACE[1:-1], 3, self._space, deterministic=True)

    @contextmanager
    def attached(self) -> Iterator[None]:
        """Begin a transaction, in which the file stays as it is. If it is interrupted, the connection must be closed."""
        if self._stored is not None:
            self._stored.publish()
            uri = self._stored.uri
            with self._stored.refusing_damage():
                self._connection.execute(f"attach ? as {_FILE}", (uri,))
        self._connection.execute("begin")
        try:
            if self._stored is not None:
                self._look(self._stored)
            yield
        except ValueError:
            self._end()
            raise
        self._end()

    def _look(self, stored: StoredTables) -> None:
        """Learn which tables the file has, and how far they go."""
        with stored.refusing_damage():
            names = self._connection.execute(f"select name from {_FILE}.sqlite_master where type = 'table'")  # fmt: skip
            self._names = {name.casefold() for (name,) in names}
            self._reach = stored.reach(self._connection, _FILE)
        if not self._reach.is_whole:
            logs = self._ledger.events.end_of(self._reach.receipts)
            self._reach = self._reach._replace(logs=min(self._reach.logs, logs))

    def _end(self) -> None:
        for name in self._shown:
            self._connection.execute(f"drop view temp.{quoted(name)}")
        self._connection.execute("commit")
        if self._stored is not None:
            self._connection.execute(f"detach {_FILE}")
        self._shown.clear()

    def forget(self) -> None:
        """Forget which numbers are known: rows were undone."""
        self._rounded.clear()

    def stored_part(self, table: SqlTable) -> int:
        """Return the key up to which the rows of a table are in the file; of models, 1 if all are there."""
        if table.name.casefold() not in self._names or not self._is_final(table):
            return 0
        if isinstance(table, Models):
            return int(self._reach.is_present)
        return self._reach.receipts if isinstance(table, Receipts) else self._reach.logs

    def _is_final(self, table: SqlTable) -> bool:
        """True if the rows of a table mean the same in every process, whatever classes and ABIs it has."""
        if isinstance(table, Receipts):
            return not self._ledger.foreign
        if isinstance(table, Logs):
            found = map(self._ledger.event_types.of_source, self._ledger.events.sources)
            return all(meaning is None or meaning.type.is_there for meaning in found)
        return isinstance(table, Events | Models) and table.type.is_there

    # Views

    def shows(self, name: str | None) -> bool:
        """Return True if a table is a view now."""
        return name in self._shown

    def show(self, table: SqlTable) -> None:
        """Put a view before a table that is in the file."""
        name, end = table.name, self.stored_part(table)
        if name in self._shown:
            self._connection.execute(f"drop view temp.{quoted(name)}")
            self._shown.remove(name)
        if end and self._stored is not None:
            with self._stored.refusing_damage():
                rounded = self._rounded_in(table, end)
            self._connection.execute(f"create temp view {quoted(name)} as {self._rows(table, end, rounded)}")  # fmt: skip
            self._shown.add(name)

    def _rows(self, table: SqlTable, end: int, rounded: set[str]) -> str:
        """Return the query for all rows of a table, in the order that they have in memory."""
        cells = ", ".join(_cell(table.name, column, column in rounded) for column in table.names)
        rows = f"select {cells} from {_FILE}.{quoted(table.name)} t"
        if not isinstance(table, AppendOnlyTable):
            return rows + self._order(table)
        if not self._reach.is_whole:
            rows += f" where t.{quoted(table.key)} < {end}"
        is_complete = end == table.end()
        return rows if is_complete else f"{rows} union all select * from main.{quoted(table.name)}"

    def _order(self, table: SqlTable) -> str:
        """Return the condition and the order of models that are in several worlds or namespaces, or not declared in each."""
        worlds = [*worlds_of(self._ledger)]
        spaces = self._spaces[table.name] = {
            (address_text(world.address), world.namespace): number
            for number, world in enumerate(worlds)
            if isinstance(table, Models) and table.type.key in map(model_key, world.models.values())
        }
        if len(spaces) == len(worlds) < 2:
            return ""
        space = f"{_SPACE}({_literal(table.name)}, t.world, t.namespace)"
        return f" where {space} is not null order by {space}, t.rowid"

    def _space(self, table: str, world: str, namespace: str) -> int | None:
        return self._spaces[table].get((world, namespace))

    # Numbers beyond 64 bits

    def _rounded_in(self, table: SqlTable, end: int) -> set[str]:
        """Return the columns with rounded numbers in the first rows of a table, and take note of these numbers."""
        if EXACT not in self._names or not table.roomy:
            return set()
        done, columns = self._rounded.pop(table.name, (0, set[str]()))
        new = f"from {_FILE}.{EXACT} where name = ? and row >= ?", (table.name, done)
        columns |= {column for (column,) in self._connection.execute(f"select distinct column {new[0]}", new[1])}  # fmt: skip
        digits = self._connection.execute(f"select distinct digits {new[0]}", new[1])
        for number in sorted({abs(int(each)) for (each,) in digits}):
            self._numbers.real(number)
        self._rounded[table.name] = (end if isinstance(table, AppendOnlyTable) else 0), columns
        return columns

    def _number(self, digits: str) -> int | float:
        return self._numbers.real(int(digits))


def _cell(table: str, column: str, is_rounded: bool) -> str:
    """Return the expression for a column, with the exact numbers where it has rounded ones."""
    cell = f"t.{quoted(column)}"
    if not is_rounded:
        return cell
    where = f"name = {_literal(table)} and row = t.rowid and column = {_literal(column)}"
    exact = f"select {_NUMBER}(digits) from {_FILE}.{EXACT} where {where}"
    # Not `coalesce`, whose result would be compared with texts as a text.
    return f"({exact} union all select {cell} limit 1) as {quoted(column)}"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
