"""The rows of models in the public tables of a chain's file: the models as they are now.

Each row has a number of its own, so that it can be written again. The models of one namespace of a world are numbered in the
order in which they were first written, which is their order in a query.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterable, Iterator

from chain.ledger.decoded.world_namespace import is_world
from chain.ledger.decoded.worlds import StoredWorld, worlds_of
from chain.ledger.file.exact_numbers import write_exactly
from chain.ledger.file.table_sums import Sums
from chain.ledger.ledger import Ledger
from chain.ledger.sql.table import quoted
from chain.ledger.sql.table_names import model_key
from chain.ledger.sql.tables import Models
from chain.machine.state import ACCOUNT, iter_changes
from chain.spec.models import MODELS
from chain.storage.slots import Slots


class _OutOfOrder(Exception):
    """A model whose row was deleted before the file was opened is there again: its number is not known."""


class ModelRows:
    """The rows of all models."""

    def __init__(
        self, connection: sqlite3.Connection, sums: Sums, ledger: Ledger, tables: list[Models]
    ) -> None:
        self._connection, self._sums = connection, sums
        self._ledger, self._tables = ledger, tables
        # The numbers of the rows: by world and slot, and of those in the file that were not met yet, by table and cells.
        self._rows: dict[tuple[bytes, int], int] = {}
        self._stored: dict[tuple[object, ...], int] = {}
        self._count = 0  # a number that no row has, and none after it
        self._taken_over = 0  # the timeline index of the rows that were taken over from the file
        # world -> parent slot of its models -> its namespace, and the table
        self._parents: dict[bytes, dict[int, tuple[str, Models]]] = {}
        self._models: dict[int, int | None] = {}  # word slot -> the slot of its model
        self._filled = False

    def update(self, moment: int, anew: bool) -> None:
        """Write the models that changed since the timeline index `moment`, or all of them if `anew`."""
        if not self._tables:
            return
        if anew or not self._filled:
            self._write_all()
            return
        try:
            for address in self._changed(moment):
                self._write(address, moment)
        except _OutOfOrder:
            self._write_all()

    def _write_all(self) -> None:
        self._rows.clear()
        self._stored.clear()
        self._parents.clear()
        self._count = self._taken_over = 0
        for table in self._tables:
            self._connection.execute(f"delete from {quoted(table.name)}")
            self._sums.cleared(table.name)
            self._sums.take_exact("name = ?", (table.name,))
        for address in self._worlds():
            self._write(address, None)
        self._filled = True

    def take_over(self, moment: int) -> None:
        """Continue with the rows in the file, which hold the models at the timeline index `moment`."""
        found, count = dict[tuple[object, ...], int](), 0
        for table in self._tables:
            names = ", ".join(["rowid", *map(quoted, table.key_columns)])
            for number, *cells in self._connection.execute(
                f"select {names} from {quoted(table.name)}"
            ):
                found[table.name, *cells] = number
                count += 1
        if len(found) == count:  # keys beyond 64 bits may be rounded to the same number
            self._stored, self._count = found, 1 + max(found.values(), default=-1)
            self._taken_over, self._filled = moment, True
            self._parents = {address: {} for address in self._worlds()}

    def _worlds(self) -> Iterable[bytes]:
        return dict.fromkeys(world.address for world in worlds_of(self._ledger))

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

    def _number(self, world: StoredWorld, table: Models, slot: int, key: bytes) -> int:
        """Return the number of a model's row."""
        place = world.address, slot
        number = self._rows.get(place)
        if number is None:
            number = self._stored.pop((table.name, *table.key_cells(world, key)), None)
            if number is None:
                if self._taken_over and world.first_write(slot) < (self._taken_over,):
                    raise _OutOfOrder
                number, self._count = self._count, self._count + 1
            self._rows[place] = number
        return number

    def _put(self, world: StoredWorld, table: Models, slot: int, key: bytes) -> None:
        """Write the row of one model, or delete it if the model is gone."""
        model = world.at(table.spec, slot, key)
        number = self._number(world, table, slot, key)
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
