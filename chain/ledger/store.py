"""A chain in a file: an SQLite database that at every moment holds all that the chain has acknowledged.

After each change (a block, a transaction in a block held open, a balance set, the clock moved, a step back) what is new
in the ledger goes into the file in one SQLite transaction, before the call returns. The file has a write-ahead log, so a
process that is killed, at whatever moment, loses nothing that was acknowledged. Loss of power is another matter: the file
stays sound but may lack the last blocks, unless `sync` has each change wait for the disk.

What the chain needs stands in tables with a colon in their names: exact rows in CBOR, each behind a seal, with hashes that are
dear to make. The state is kept as of some block (`chain.ledger.cells`); with the changes that came since it leads to the
state root of the last block. Also kept are the keys with which the chain signs for its accounts; they are for tests. What
others read are the tables without a colon (`chain.ledger.published`), which follow from the others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from chain.accounts import Account
from chain.ledger.blocks import Block, Mining
from chain.ledger.cells import EVERY, change_cells, write_cells
from chain.ledger.file import NOW, SOURCES, File
from chain.ledger.ledger import Ledger
from chain.ledger.published import Published
from chain.ledger.recall import Lengths, Memory, load
from chain.ledger.rows import pack
from chain.ledger.seal import sealed


class Store:
    """Keeps the file of one ledger up to date."""

    def __init__(
        self,
        file: File,
        ledger: Ledger,
        keys: dict[bytes, Account],
        memory: Memory,
        sync: bool,
    ) -> None:
        self._file, self._ledger, self._keys = file, ledger, keys
        self._had, self._mining, self._settled = memory.had, memory.mining, memory.settled
        self._sources = len(ledger.events.sources)
        self._open = _row_of(ledger.open)
        self._shortened = False
        # Opened by the first change: whoever only reads leaves the file as it is, to the byte.
        self._connection: sqlite3.Connection | None = None
        self._sync, self._is_new = sync, file.settings is None or file.sums is None
        ledger.watchers.append(self._cut)

    def close(self) -> None:
        """Leave the file to others."""
        self._file.release()

    def save(self, mining: Mining) -> None:
        """Write what is new. If that fails nothing is written, and the next time it is tried again."""
        have, held = self._lengths(), _row_of(self._ledger.open)
        acts = slice(0, 3)  # who only looks may have met new slots
        is_same = (have[acts], mining, held) == (self._had[acts], self._mining, self._open)
        if is_same and not self._shortened and not self._is_new:
            return
        self._file.check_use()
        if self._connection is None:
            self._connection = self._file.writing(self._sync)
            self._published = Published(self._connection, self._ledger, self._file)
        connection = self._connection
        connection.execute("begin immediate")
        try:
            if self._shortened:
                self._shorten(connection)
            had = self._had
            pending = self._published.update(had.moments, had.receipts, self._shortened)
            settled, sources = self._write(connection, have, mining, pending)
            connection.execute("commit")
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback")
            self._published.forget()
            raise
        self._had, self._mining, self._open = have, mining, held
        self._settled, self._sources = settled, sources
        self._shortened = self._is_new = False

    def _lengths(self) -> Lengths:
        ledger, state = self._ledger, self._ledger.state
        return Lengths(
            len(ledger.blocks), len(ledger.timeline), len(ledger.receipts),
            len(state.codes), len(state.slots.origins), len(self._keys), len(ledger.artifacts),
        )  # fmt: skip

    def _write(
        self, connection: sqlite3.Connection, have: Lengths, mining: Mining, pending: int
    ) -> tuple[int, int]:
        """Write what is new: how many changes the rows of the state hold then, and how many sources of logs are known."""
        had, ledger, state = self._had, self._ledger, self._ledger.state

        def put(table: str, rows: Iterable[tuple[int, Any]]) -> None:
            statement = f'insert or replace into "chain:{table}" values (?, ?)'
            for key, row in rows:
                connection.execute(statement, (key, sealed(table, key, row)))

        put("receipts", (
            (receipt.position, (ledger.hash_of(receipt), pack(receipt.row)))
            for receipt in ledger.receipts[had.receipts :]
        ))  # fmt: skip
        put("notes", ((m, ledger.timeline[m]) for m in ledger.notes_from(had.moments)))
        put("blocks", (
            (number, (ledger.block_hash(number), ledger.blocks.row(number), ledger.header(number)))
            for number in range(had.blocks, have.blocks)
        ))  # fmt: skip
        put("codes", ((i, code) for i, (_, code) in _newest(state.codes, had.codes)))
        put("slots", (
            (i, (parent.to_bytes(32), key))
            for i, (_, (parent, key)) in _newest(state.slots.origins, had.slots)
        ))  # fmt: skip
        put("artifacts", (
            (i, (digest, artifact.row))
            for i, (digest, artifact) in enumerate(ledger.artifacts.newest(had.artifacts), had.artifacts)
        ))  # fmt: skip
        put("keys", (
            (i, (bytes(address), made.key, made.name))
            for i, (address, made) in _newest(self._keys, had.keys)
        ))  # fmt: skip
        settled, sources = self._settle(connection), ledger.events.sources
        if len(sources) != self._sources or self._is_new:
            put("now", [(SOURCES, sources)])
        now = mining, _row_of(ledger.open), have, settled, len(ledger.events), pending
        put("now", [(NOW, now)])
        return settled, len(sources)

    def _settle(self, connection: sqlite3.Connection) -> int:
        """Bring the rows of the state up to date, if it is time: how many changes they hold."""
        ledger, settled = self._ledger, self._settled
        end = ledger.blocks.head.end_moment
        if settled is None or settled > self._had.moments:
            write_cells(connection, ledger.state, ledger.timeline[end:])
            return end
        if end - settled < EVERY:
            return settled
        change_cells(connection, ledger.timeline[settled:end])
        return end

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


def _row_of(block: Block | None) -> tuple[Any, ...] | None:
    return None if block is None else block.row


def attach(
    file: File, settings: dict[str, Any], ledger: Ledger, keys: dict[bytes, Account], sync: bool
) -> tuple[Store, Mining]:
    """Fill a fresh ledger from the file, or make the file; what keeps it from now on, and how the chain mines."""
    if file.settings is None:
        file.create(settings)
    memory = load(file, ledger, keys)
    if file.sums is None:
        file.rebuild(memory.counts)
    return Store(file, ledger, keys, memory, sync), memory.mining
