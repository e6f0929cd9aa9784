"""The public tables of a chain's file: the tables of `chain.sql`, updated from time to time, many rows together.

There is one for every event and model of the contracts on the chain, whether or not their classes are declared in this run:
the artifacts describe the undeclared ones. Rows are appended to a table where it ends. Of the models, only those whose
storage words changed are rewritten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterator
from itertools import islice
from typing import Final

from chain.ledger.decoded.world_namespace import is_world
from chain.ledger.decoded.worlds import StoredWorld, worlds_of
from chain.ledger.file.chain_file import ChainFile
from chain.ledger.file.load_ledger import Derived
from chain.ledger.file.table_sums import Sums
from chain.ledger.ledger import Ledger
from chain.ledger.sql.big_integers import EXACT, is_large
from chain.ledger.sql.table import AppendOnlyTable, SqlTable, TableRow, quoted
from chain.ledger.sql.table_names import model_key
from chain.ledger.sql.tables import Events, Models, Receipts, Tables, all_tables
from chain.machine.state import ACCOUNT, iter_changes
from chain.spec.models import MODELS
from chain.storage.slots import Slots

_BATCH: Final = 1024  # rows
# The digits of numbers beyond 64 bits, which are rounded in their own column.
CREATE = (
    f"create table {EXACT} (name text collate nocase, row integer, column text, digits text not null,"
    " primary key (name, row, column)) without rowid"
)


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
            self._known, new_tables = known, self._begin()
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
            keys = [row[key] for row in batch]
            cells = [*map(table.kept, batch)] if table.varied else batch
            self._sums.add_all(table.name, keys, cells)
            self._connection.executemany(table.insert(), cells)
            rounded = {
                place
                for i in table.roomy
                for place, kept in enumerate(cells)
                if type(kept[i]) is float
            }
            for place in sorted(rounded):
                write_exactly(self._connection, self._sums, table, keys[place], batch[place])

    def _begin(self) -> set[str]:
        """Create the tables that are missing, and return their names."""
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
        self._connection.execute(f"delete from {catalogue.name}")
        self._sums.cleared(catalogue.name)
        for number, row in enumerate(catalogue.rows(), 1):
            self._connection.execute(catalogue.insert(), row)
            self._sums.add(catalogue.name, number, row)
        self._growing = [table for table in tables if isinstance(table, AppendOnlyTable)]
        models = [table for table in tables if isinstance(table, Models)]
        self._models = ModelRows(self._connection, self._sums, self._ledger, models)
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


def write_exactly(
    connection: sqlite3.Connection, sums: Sums, table: SqlTable, number: int, row: TableRow
) -> None:
    """Store the digits of the rounded numbers of a row."""
    for i in table.roomy:
        value = row[i]
        if isinstance(value, int) and is_large(value):
            exact = table.name, number, table.columns[i].name, str(value)
            connection.execute(f"insert into {EXACT} values (?, ?, ?, ?)", exact)
            sums.add(EXACT, 0, exact)


class ModelRows:
    """The rows of all models. Each has a number of its own, so that it can be written again: the models of one namespace of a
    world are numbered in the order in which they were first written.
    """

    def __init__(
        self, connection: sqlite3.Connection, sums: Sums, ledger: Ledger, tables: list[Models]
    ) -> None:
        self._connection, self._sums = connection, sums
        self._ledger, self._tables = ledger, tables
        self._rows: dict[tuple[bytes, int], int] = {}
        # world -> parent slot of its models -> its namespace, and the table
        self._parents: dict[bytes, dict[int, tuple[str, Models]]] = {}
        self._models: dict[int, int | None] = {}  # word slot -> the slot of its model
        self._filled = False

    def update(self, moment: int, anew: bool) -> None:
        """Write the models that changed since the timeline index `moment`, or all of them if `anew`."""
        if not self._tables:
            return
        if anew or not self._filled:
            self._rows.clear()
            self._parents.clear()
            for table in self._tables:
                self._connection.execute(f"delete from {quoted(table.name)}")
                self._sums.cleared(table.name)
                self._sums.take_exact("name = ?", (table.name,))
            for address in dict.fromkeys(world.address for world in worlds_of(self._ledger)):
                self._write(address, None)
            self._filled = True
            return
        for address in self._changed(moment):
            self._write(address, moment)

    def _changed(self, moment: int) -> Iterator[bytes]:
        """Yield the worlds that changed since the timeline index `moment`."""
        touched: dict[bytes, bool] = {}
        for changes in self._ledger.timeline[moment:]:
            for address, slot, _, _ in iter_changes(changes):
                touched[address] = touched.get(address, False) or slot is ACCOUNT
        for address, is_account in touched.items():
            is_new = is_account and is_world(self._ledger.program_at(address))
            if address in self._parents or is_new:
                yield address

    def _write(self, address: bytes, moment: int | None) -> None:
        """Write the models of a world that changed since the timeline index `moment`, or all of them if it is None."""
        ledger = self._ledger
        world = StoredWorld(ledger, ledger.state, address, len(ledger.timeline))
        spaces = {space.namespace: space for space in world.spaces()}
        parents = self._parents.get(address, {})
        if {namespace for namespace, _ in parents.values()} != spaces.keys():
            parents = self._parents[address] = {
                slot: (namespace, table)
                for namespace, space in spaces.items()
                for slot, table in self._tables_in(space).items()
            }
        known = ledger.state.slots
        new = (
            self._all_models(world, parents)
            if moment is None
            else self._changed_models(address, moment)
        )
        for slot in new:
            parent, key = known.preimage(slot)
            if parent in parents and key is not None:
                namespace, table = parents[parent]
                self._put(spaces[namespace], table, slot, key)

    def _all_models(self, world: StoredWorld, parents: Container[int]) -> list[int]:
        """Return the slots of the models that a world has or had, in the order in which they were first written."""
        known, end = self._ledger.state.slots.preimages, (len(self._ledger.timeline),)
        slots = (
            slot for slot, (parent, key) in known.items() if parent in parents and key is not None
        )
        written = sorted((world.first_write(slot), slot) for slot in slots)
        return [slot for place, slot in written if place < end]

    def _changed_models(self, world: bytes, moment: int) -> list[int]:
        """Return the slots of the models that changed from a timeline index on: new ones in the order of their first write."""
        models, slots, changed_slots = self._models, self._ledger.state.slots, dict[int, None]()
        written = dict[int, None]()  # those of which the word changed that every model has
        for changes in self._ledger.timeline[moment:]:
            for address, word, _, _ in iter_changes(changes):
                if address != world or not isinstance(word, int):
                    continue
                if word not in models:
                    models[word] = _model_of(word, slots)
                slot = models[word]
                if slot is not None:
                    changed_slots[slot] = None
                    if slot == word:
                        written[slot] = None
        return list(written | changed_slots)

    def _tables_in(self, world: StoredWorld) -> dict[int, Models]:
        """Return the tables by the parent slot of their models in one namespace.

        Of several tables of one name it is the one for the type that the systems declare now.
        """
        tables = {world.parent(table.spec): table for table in self._tables}
        current = {model_key(spec) for spec in world.models.values()}
        declared = [table for table in self._tables if table.type.key in current]
        return tables | {world.parent(table.spec): table for table in declared}

    def _put(self, world: StoredWorld, table: Models, slot: int, key: bytes) -> None:
        """Write the row of one model, or delete it if the model is gone."""
        model = world.at(table.spec, slot, key)
        number = self._rows.setdefault((world.address, slot), len(self._rows))
        name = quoted(table.name)
        if table.roomy:
            self._sums.take_exact("name = ? and row = ?", (table.name, number))
        self._sums.take_row(table.name, number)
        if model is None:
            self._connection.execute(f"delete from {name} where rowid = ?", (number,))
            return
        row = table.row(world, model)
        cells = table.kept(row)
        columns = ", ".join(["rowid", *map(quoted, table.names)])
        marks = ", ".join("?" * (len(cells) + 1))
        self._connection.execute(
            f"insert or replace into {name} ({columns}) values ({marks})", (number, *cells)
        )
        self._sums.add(table.name, number, cells)
        write_exactly(self._connection, self._sums, table, number, row)


def _model_of(word: int, slots: Slots) -> int | None:
    """Return the slot of the model that a word belongs to, or None; this climbs from content to what contains it."""
    model = None
    while (hashed := slots.nearest_hashed(word)) is not None:
        parent, _ = slots.preimage(hashed[0])
        if parent == MODELS:
            return model
        model, word = hashed[0], parent
    return None
