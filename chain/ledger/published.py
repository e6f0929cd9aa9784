"""The tables of a chain's file that are there for others: those of `chain.sql`, kept up to date in the same transaction.

A table goes on from where it ends. What needs a class that is not declared this time stays behind, and catches up when the
class is declared again; its rows that the chain takes back go at once all the same. Of the models only those are written
again whose words have changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

from chain.ledger import portable as form
from chain.ledger.ledger import Ledger
from chain.ledger.table import Growing, Table, quoted
from chain.ledger.tables import Events, Logs, Models, Receipts, declared_on, tables_of
from chain.ledger.worlds import StoredWorld, is_world, worlds_of
from chain.machine.state import ACCOUNT, entries

CREATE = (
    'create table "chain:tables" '
    "(name text primary key collate nocase, what text not null, key text, upto integer)"
)


class Ends(NamedTuple):
    """How far the ledger was written when the file was last brought up to date."""

    moments: int
    receipts: int
    logs: int

    def of(self, table: str) -> int:
        return self.receipts if table == Receipts.name else self.logs


class Published:
    """The readable tables of one ledger in a database."""

    def __init__(self, connection: sqlite3.Connection, ledger: Ledger) -> None:
        self._connection, self._ledger = connection, ledger
        self._declared: list[Any] | None = None
        self._growing: list[Growing] = []
        self._models: ModelRows | None = None

    def forget(self) -> None:
        """What was written last was taken back: believe the database."""
        self._declared = self._models = None

    def update(self, moments: int, receipts: int, shortened: bool) -> None:
        """Write what came behind the first so many moments and receipts. `shortened`: some that came before are gone."""
        ends = Ends(moments, receipts, self._ledger.events.end_of(receipts))
        behind: dict[str, int] = {}
        if shortened:
            self._shorten(ends)
        declared = declared_on(self._ledger)
        if declared != self._declared:
            behind = self._begin(ends)
            self._declared = declared
        for table in self._growing:
            start = behind.get(table.name, ends.of(table.name))
            if start < table.end():
                self._connection.executemany(table.insert(), table.cells(start))
        if self._models is not None:
            self._models.update(moments, anew=shortened)

    def _shorten(self, ends: Ends) -> None:
        """Take out rows that were taken back, also of tables that nobody has declared this time."""
        known = 'select name, key from "chain:tables" where key is not null'
        for name, key in self._connection.execute(known).fetchall():
            end = ends.of(name)
            self._connection.execute(f"delete from {quoted(name)} where {quoted(key)} >= ?", (end,))
            self._connection.execute(
                'update "chain:tables" set upto = min(upto, ?) where name = ?', (end, name)
            )

    def _begin(self, ends: Ends) -> dict[str, int]:
        """Make the tables that are missing; for each that is behind, how far it is."""
        tables = tables_of(self._ledger)
        known = {
            name.casefold(): (what, upto)
            for name, what, upto in self._connection.execute(
                'select name, what, upto from "chain:tables"'
            )
        }
        behind: dict[str, int] = {}
        for table in tables:
            what, upto = known.pop(table.name.casefold(), ("", 0))
            if what != _what(table):
                self._make(table)
                upto = 0
            if upto is not None:
                behind[table.name] = upto
            if not what:
                self._name_logs(table)
        for name, (_, upto) in known.items():
            if upto is None:
                self._stay(name, ends.of(name))
        for table in tables:
            self._stay(table.name, None)
        self._growing = [table for table in tables if isinstance(table, Growing)]
        models = [table for table in tables if isinstance(table, Models)]
        self._models = ModelRows(self._connection, self._ledger, models) if models else None
        return behind

    def _make(self, table: Table) -> None:
        self._connection.execute(f"drop table if exists {quoted(table.name)}")
        self._connection.execute(table.create())
        key = table.key if isinstance(table, Growing) else None
        self._connection.execute(
            'insert or replace into "chain:tables" values (?, ?, ?, 0)',
            (table.name, _what(table), key),
        )

    def _stay(self, name: str, upto: int | None) -> None:
        """Note how far a table is that is not kept up to date; None for one that is."""
        self._connection.execute(
            'update "chain:tables" set upto = ? where name = ? and upto is not ?',
            (upto, name, upto),
        )

    def _name_logs(self, table: Table) -> None:
        """Logs that were there before their event was declared get its name."""
        if isinstance(table, Events) and self._ledger.events.by_kind(table.spec.topic):
            topic = form.to_hex(table.spec.topic.to_bytes(32))
            self._connection.execute(
                f"update {quoted(Logs.name)} set event = ? where topic0 = ? and event is null",
                (table.spec.name, topic),
            )


def _what(table: Table) -> str:
    """What tells a table from another of the same name."""
    signature = table.spec.signature if isinstance(table, Events) else ""
    return f"{signature} {table.create()}".strip()


class ModelRows:
    """The rows of all models, each at a number of its own, so that it can be written again."""

    def __init__(
        self, connection: sqlite3.Connection, ledger: Ledger, tables: list[Models]
    ) -> None:
        self._connection, self._ledger, self._tables = connection, ledger, tables
        self._rows: dict[tuple[bytes, int], int] = {}
        self._parents: dict[
            bytes, dict[int, Models]
        ] = {}  # world -> where its models hang -> table
        self._filled = False

    def update(self, moment: int, anew: bool) -> None:
        """Write the models that changed since a moment, or all of them."""
        if anew or not self._filled:
            self._rows.clear()
            self._parents.clear()
            for table in self._tables:
                self._connection.execute(f"delete from {quoted(table.name)}")
            for world in worlds_of(self._ledger):
                self._write(world.address, 0)
            self._filled = True
            return
        for address in self._changed(moment):
            self._write(address, moment)

    def _changed(self, moment: int) -> Iterator[bytes]:
        """The worlds that changed since a moment."""
        touched: dict[bytes, bool] = {}
        for changes in self._ledger.timeline[moment:]:
            for address, slot, *_ in entries(changes):
                touched[address] = touched.get(address, False) or slot is ACCOUNT
        for address, is_account in touched.items():
            new = is_account and is_world(self._ledger.program_at(address))
            if address in self._parents or new:
                yield address

    def _write(self, address: bytes, moment: int) -> None:
        ledger = self._ledger
        world = StoredWorld(ledger, ledger.state, address, len(ledger.timeline))
        if address not in self._parents:
            self._parents[address] = {world.parent(t.spec): t for t in self._tables}
        parents, origins = self._parents[address], ledger.state.slots.origins
        for slot in ledger.versions.changed(address, moment):
            parent, key = origins[slot]
            table = parents.get(parent)
            if table is not None and key is not None:
                self._put(world, table, slot, key)

    def _put(self, world: StoredWorld, table: Models, slot: int, key: bytes) -> None:
        number = self._rows.setdefault((world.address, slot), len(self._rows))
        model = world.at(table.spec, slot, key)
        name = quoted(table.name)
        if model is None:
            self._connection.execute(f"delete from {name} where rowid = ?", (number,))
            return
        cells = [form.cell(value) for value in table.row(world, model)]
        columns = ", ".join(["rowid", *map(quoted, table.names)])
        marks = ", ".join("?" * (len(cells) + 1))
        self._connection.execute(
            f"insert or replace into {name} ({columns}) values ({marks})", (number, *cells)
        )
