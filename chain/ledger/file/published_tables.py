"""The public tables of a chain's file: the tables of `chain.sql`, updated from time to time, many rows together.

There is one for every event and model of the contracts on the chain, whether or not their classes are declared in this run:
the artifacts describe the undeclared ones. Rows are appended to a table where it ends. Of the models, only those whose
storage words changed are rewritten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import chain, islice
from typing import Final

from chain.ledger.file.chain_file import ChainFile
from chain.ledger.file.exact_numbers import CREATE, write_exactly
from chain.ledger.file.load_ledger import Derived
from chain.ledger.file.model_rows import ModelRows
from chain.ledger.file.table_sums import Sums
from chain.ledger.ledger import Ledger
from chain.ledger.sql.big_integers import EXACT
from chain.ledger.sql.table import AppendOnlyTable
from chain.ledger.sql.tables import Events, Models, Receipts, Tables, all_tables

_BATCH: Final = 1024  # rows
_CELLS: Final = 256  # of the rows that one statement inserts


class PublishedTables:
    """The public tables of one ledger in a database."""

    def __init__(self, connection: sqlite3.Connection, ledger: Ledger, file: ChainFile) -> None:
        self._connection, self._ledger, self._file = connection, ledger, file
        self._sums = Sums(connection, file.sums or {})
        self._is_sure = True  # no write was rolled back
        # The number of artifacts, and whether there were upgrades, when the tables were made.
        self._known: tuple[int, bool] | None = None
        self._growing: list[AppendOnlyTable] = []
        self._models: ModelRows | None = None

    def reset(self) -> None:
        """Forget what is known of the database: the last write may have been rolled back."""
        self._known, self._models, self._is_sure = None, None, False

    def update(self, done: Derived, is_shortened: bool) -> int:
        """Write what is new since `done`, and return the total of the pending changes to the sums.

        `is_shortened` is True if some rows that were written before are gone.
        """
        if not self._is_sure:
            self._sums = Sums(self._connection, self._file.check_sums() or {})
            self._is_sure = True
        new_tables: set[str] = set()
        known = len(self._ledger.artifacts), self._ledger.event_types.has_upgrades()
        if self._known != known:
            self._known, new_tables = known, self._begin(done.timeline)
        for table in self._growing:
            end = done.receipts if table.name == Receipts.name else done.logs
            start = 0 if table.name in new_tables else end
            if is_shortened:
                self._shorten(table, start)
            if start < table.end():
                self._write(table, start)
            if isinstance(table, Events) and table.name in new_tables:
                self._name_logs(table, done.logs)
        if self._models is not None:
            self._models.update(done.timeline, anew=is_shortened)
        self._sums.save()
        return self._sums.pending

    def _shorten(self, table: AppendOnlyTable, end: int) -> None:
        """Delete the rows from `end` on, which were undone."""
        self._sums.truncate(table.name, table.key, end)
        self._connection.execute(table.delete_from(), (end,))
        self._sums.take_exact("name = ? and row >= ?", (table.name, end))

    def _write(self, table: AppendOnlyTable, start: int) -> None:
        key, rows = table.names.index(table.key), table.rows(start)
        while batch := list(islice(rows, _BATCH)):
            columns = table.kept_columns(batch)
            keys = columns[key]
            self._sums.add_all(table.name, [*zip(keys, *columns, strict=True)])
            self._insert(table, columns)
            for place in _rounded([columns[i] for i in table.roomy]):
                write_exactly(self._connection, self._sums, table, keys[place], batch[place])

    def _insert(self, table: AppendOnlyTable, columns: Sequence[Sequence[object]]) -> None:
        """Insert rows, some with each statement, and without the columns that are null: those take longer than others."""
        empty = (None,) * len(columns[0])
        filled = [i for i, column in enumerate(columns) if column != empty]
        rows = [*zip(*[columns[i] for i in filled], strict=True)]
        together = max(1, _CELLS // len(filled))
        cells = [chain.from_iterable(rows)] * len(filled) * together
        insert = self._connection.executemany
        insert(table.insert_into(filled, together), zip(*cells, strict=False))
        insert(table.insert_into(filled), rows[len(rows) // together * together :])

    def _begin(self, moment: int) -> set[str]:
        """Create the tables that are missing, and return their names. The models in the file are as of `moment`."""
        tables = all_tables(self._ledger, settled=True)
        names = self._connection.execute("select name from sqlite_master where type = 'table'")
        existing = {name.casefold() for (name,) in names}
        missing = [table for table in tables if table.name.casefold() not in existing]
        if EXACT not in existing:
            self._connection.execute(CREATE)
            self._sums.rebuild(EXACT)
        for table in missing:
            self._connection.execute(table.create())
            self._sums.rebuild(table.name)
        (catalogue,) = (table for table in tables if isinstance(table, Tables))
        is_same = self._connection.execute(f"select * from {catalogue.name}").fetchall() == [
            *catalogue.rows()
        ]
        self._connection.execute(f"delete from {catalogue.name}")
        self._sums.cleared(catalogue.name)
        for number, row in enumerate(catalogue.rows(), 1):
            self._connection.execute(catalogue.insert(), row)
            self._sums.add(catalogue.name, number, row)
        self._growing = [table for table in tables if isinstance(table, AppendOnlyTable)]
        models = [table for table in tables if isinstance(table, Models)]
        self._models = ModelRows(self._connection, self._sums, self._ledger, models)
        if is_same and not self._ledger.event_types.has_upgrades():
            self._models.take_over(moment)
        return {table.name for table in missing}

    def _name_logs(self, table: Events, end: int) -> None:
        """Set the event name of logs that were written before their event was declared."""
        for row in table.rows():
            if row[-1] < end:
                self._name_log(row[-1], table.spec.name)

    def _name_log(self, place: int, name: str) -> None:
        self._sums.take_row("logs", place)
        self._connection.execute("update logs set event = ? where position = ?", (name, place))
        self._sums.add_row("logs", place)


def _rounded(columns: Sequence[Sequence[object]]) -> list[int]:
    """Return the places in these columns where a number was rounded."""
    found = [column for column in columns if float in map(type, column)]
    rows = enumerate(zip(*found, strict=True))
    return [place for place, cells in rows if float in map(type, cells)]
