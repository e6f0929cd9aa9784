"""The rows of a chain's file that are derived from the others: the state, hashes that were requested, and creations.

They are written from time to time, many together, and `Derived` records how far they go.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from chain.crypto.messagepack import encode
from chain.ledger.file.chain_file import DERIVED, ChainFile
from chain.ledger.file.checksum import sealed, verify_checksum
from chain.ledger.file.load_ledger import Derived, stored_timeline
from chain.ledger.file.state_rows import (
    Cells,
    put_values,
    redo_in_rows,
    slot_key,
    undo_in_rows,
    write_state,
)
from chain.ledger.ledger import Ledger
from chain.storage.slots import hashed


class Lengths(NamedTuple):
    """The numbers of blocks, timeline entries and receipts that remained after a truncation."""

    blocks: int
    timeline: int
    receipts: int


def put(
    connection: sqlite3.Connection,
    table: str,
    rows: Iterable[tuple[int, Any]],
    to_bytes: Callable[[Any], bytes] = encode,
) -> None:
    """Write rows under their keys, each with its checksum."""
    connection.executemany(
        # an update in place takes less time than to replace a row
        f'insert into "chain:{table}" values (?, ?) on conflict do update set row = excluded.row',
        [(key, sealed(table, key, to_bytes(row))) for key, row in rows],
    )


class DerivedRows:
    """Writes the derived rows of one ledger."""

    def __init__(
        self, connection: sqlite3.Connection, ledger: Ledger, file: ChainFile, done: Derived
    ) -> None:
        self._connection, self._ledger, self._file = connection, ledger, file
        self._done: Derived | None = done  # None: an unfinished write may be in the file or not

    @property
    def done(self) -> Derived:
        """The progress of the rows in the file."""
        if self._done is None:
            self._done = _written_in(self._connection)
        return self._done

    def forget(self) -> None:
        """Forget what is known about the file: the last write may have been rolled back."""
        self._done = None

    def write(self, number: int, standing: Lengths | None, slots: int) -> None:
        """Delete rows that are no longer valid, then write the missing ones up to the step `number`. `standing` holds the
        lengths that remained after a truncation, whose rows are still there; `slots` is the number of slots in the file. If
        the transaction is rolled back, call `forget`.
        """
        had = self.done
        self._done = None
        self._done = self._write(had, number, standing, slots)

    def _write(self, had: Derived, number: int, standing: Lengths | None, slots: int) -> Derived:
        ledger = self._ledger
        kept = had if standing is None else self._shorten(had, standing)
        headers, hashes = self._write_hashes(kept)
        creations = ledger.creations.rows
        new = enumerate(map(tuple, creations[kept.creations :]), kept.creations)
        put(self._connection, "creations", new)
        cells = self._write_state(had, kept.timeline, slots)
        done = Derived(
            number, len(ledger.timeline), len(ledger.receipts), headers, hashes, len(creations), slots, cells,
        )  # fmt: skip
        put(self._connection, "now", [(DERIVED, done)])
        return done

    def _shorten(self, had: Derived, standing: Lengths) -> Derived:
        """Delete the rows that are no longer valid, and return how far the valid rows go."""
        blocks, timeline, receipts = standing
        kept = had._replace(
            timeline=min(had.timeline, timeline), receipts=min(had.receipts, receipts),
            headers=min(had.headers, blocks), hashes=min(had.hashes, receipts),
            creations=min(had.creations, self._ledger.creations.before(receipts)),
        )  # fmt: skip
        for table, key, end in (
            ("headers", "number", kept.headers),
            ("hashes", "position", kept.hashes),
            ("creations", "place", kept.creations),
        ):
            self._connection.execute(f'delete from "chain:{table}" where {key} >= ?', (end,))
        return kept

    def _write_hashes(self, kept: Derived) -> tuple[int, int]:
        """Write the headers that are known, and the hashes of their transactions; return how many there are."""
        ledger = self._ledger
        count = ledger.headers.count
        if count <= kept.headers:
            return kept.headers, kept.hashes
        numbers = range(kept.headers, count)
        put(self._connection, "headers", ((n, (ledger.block_hash(n), ledger.header(n))) for n in numbers))  # fmt: skip
        end = ledger.blocks[count - 1].end_receipt
        receipts = ledger.receipts[kept.hashes : end]
        put(self._connection, "hashes", ((r.position, ledger.hash_of(r)) for r in receipts))
        return count, end

    def _write_state(self, had: Derived, kept: int, slots: int) -> Cells:
        """Write what has changed in the state since the former rows, of whose changes the first `kept` are still valid."""
        connection, ledger, cells = self._connection, self._ledger, had.cells
        if not had.number:
            cells = write_state(connection, ledger.state)
        else:
            if kept < had.timeline:
                notes = [moment for moment in self._file.keys("notes") if moment < had.timeline]
                undone = stored_timeline(self._file, had.receipts, notes)[kept:]
                cells = undo_in_rows(connection, cells, undone)
            cells = redo_in_rows(connection, cells, ledger.timeline[kept:])
        new = ledger.state.slots.since(had.slots)[: slots - had.slots]
        places = {slot_key(hashed(*new[i])): had.slots + i for i in range(len(new))}
        return put_values(connection, cells, places)


def _written_in(connection: sqlite3.Connection) -> Derived:
    row = connection.execute('select row from "chain:now" where id = ?', (DERIVED,)).fetchone()
    return Derived() if row is None else Derived.of(verify_checksum("now", DERIVED, row[0]))
