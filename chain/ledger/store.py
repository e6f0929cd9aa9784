"""A chain in a file: an SQLite database that at every moment holds all that the chain has acknowledged.

After each step (a block, a transaction in a block held open, a balance set, the clock moved, a way back) what is new
in the ledger goes into the file in one SQLite transaction, before the call returns. That transaction is the moment of truth: a
step that cannot be written is undone in memory too, and one that was left in the middle is done if it stands in the file. The
file has a write-ahead log, so a process that is killed, at whatever moment, loses nothing that was acknowledged. Loss of power
is another matter: the file stays sound but may lack the last blocks, unless `sync` has each change wait for the disk.

What the chain needs stands in tables with a colon in their names: exact rows in CBOR, each behind its CRC-32, and beside
them hashes that are dear to make. State is not kept: it is what the changes in the rows lead to, and the state root of the
last block, written when the block was closed, proves that they still do. Also kept are the keys with which the chain signs for
its accounts; they are for tests. What others read are the tables without a colon (`chain.ledger.published`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from chain.accounts import Account
from chain.ledger.blocks import Block, Mining
from chain.ledger.file import File, sealed, unsealed
from chain.ledger.ledger import Ledger
from chain.ledger.published import Published
from chain.ledger.recall import Lengths, Memory, load
from chain.ledger.rows import pack


class NotWritten(OSError):
    """A step could not be written to the chain's file, and was undone; the text says why."""


class Written(NamedTuple):
    """What the file holds. Each step that is written has the next number."""

    number: int
    lengths: Lengths
    mining: Mining
    open: tuple[Any, ...] | None


class Store:
    """Keeps the file of one ledger up to date."""

    def __init__(
        self,
        file: File,
        ledger: Ledger,
        keys: dict[bytes, Account],
        had: Memory,
        sync: bool,
    ) -> None:
        self._file, self._ledger, self._keys = file, ledger, keys
        self._written = Written(had.number, had.had, had.mining, _row_of(ledger.open))
        # How many blocks, moments and receipts of it still stand, where the ledger was cut since.
        self._standing: tuple[int, int, int] | None = None
        self._is_closed = False
        # Opened by the first change: whoever only reads leaves the file as it is, to the byte.
        self._connection: sqlite3.Connection | None = None
        self._sync = sync
        ledger.watchers.append(self._cut)

    def close(self) -> None:
        """Leave the file to others."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if not self._is_closed:
            self._file.release()
            self._is_closed = True

    def save(self, mining: Mining) -> None:
        """Write what is new, or raise `NotWritten` with the file as it was."""
        have, held = self._lengths(), _row_of(self._ledger.open)
        acts = slice(0, 3)  # who only looks may have met new slots
        number, had, *was = self._written
        if (have[acts], [mining, held]) == (had[acts], was) and number and not self._standing:
            return
        if self._is_closed:
            raise ValueError(f"{self._file.path.name} is closed: open it again to go on")
        try:
            self._write(Written(number + 1, have, mining, held))
        except (sqlite3.Error, OSError) as problem:
            if not self.is_ahead():
                name = self._file.path.name
                raise NotWritten(
                    f"{name} cannot be written, so nothing was done: {problem}"
                ) from problem

    def _write(self, now: Written) -> None:
        if self._connection is None:
            connection = self._file.writing(self._sync)
            self._published = Published(connection, self._ledger)
            self._connection = connection
        connection, had = self._connection, self._written.lengths
        connection.execute("begin immediate")
        if self._standing is not None:
            blocks, moments, receipts = self._standing
            had = had._replace(blocks=blocks, moments=moments, receipts=receipts)
            _shorten(connection, had)
        self._write_rows(connection, had, now)
        self._published.update(had.moments, had.receipts, self._standing is not None)
        connection.execute("commit")
        self._written, self._standing = now, None

    def is_ahead(self) -> bool:
        """Whether the file holds more than was known: the step that was left in the middle. From here on it is known."""
        connection, found = self._connection, self._written
        if connection is not None:
            if connection.in_transaction:
                connection.execute("rollback")
            found = _written_in(connection) or found
            self._published.forget()
        is_ahead = found.number > self._written.number
        self._written, self._standing = found, None
        return is_ahead

    def _lengths(self) -> Lengths:
        ledger, state = self._ledger, self._ledger.state
        return Lengths(
            len(ledger.blocks), len(ledger.timeline), len(ledger.receipts),
            len(state.codes), len(state.slots.origins), len(self._keys), len(ledger.artifacts),
        )  # fmt: skip

    def _write_rows(self, connection: sqlite3.Connection, had: Lengths, now: Written) -> None:
        ledger, state, have = self._ledger, self._ledger.state, now.lengths

        def put(table: str, rows: Iterable[tuple[Any, ...]]) -> None:
            for row in rows:
                marks = ", ".join("?" * len(row))
                connection.execute(f'insert or replace into "chain:{table}" values ({marks})', row)

        put("receipts", (
            (receipt.position, ledger.hash_of(receipt), sealed(pack(receipt.row)))
            for receipt in ledger.receipts[had.receipts :]
        ))  # fmt: skip
        put("notes", ((m, sealed(ledger.timeline[m])) for m in ledger.notes_from(had.moments)))
        put("blocks", (
            (number, ledger.block_hash(number), sealed((ledger.blocks.row(number), ledger.header(number))))
            for number in range(had.blocks, have.blocks)
        ))  # fmt: skip
        put("codes", ((i, code) for i, (_, code) in _newest(state.codes, had.codes)))
        put("slots", (
            (i, parent.to_bytes(32), key)
            for i, (_, (parent, key)) in _newest(state.slots.origins, had.slots)
        ))  # fmt: skip
        put("artifacts", (
            (i, digest, sealed(artifact.row))
            for i, (digest, artifact) in enumerate(ledger.artifacts.newest(had.artifacts), had.artifacts)
        ))  # fmt: skip
        put("keys", (
            (bytes(address), made.key, made.name)
            for _, (address, made) in _newest(self._keys, had.keys)
        ))  # fmt: skip
        put("now", [(1, sealed((now.mining, now.open, have, now.number)))])

    def _cut(self, blocks: int, receipts: int) -> None:
        """The chain went back: so much of what the file holds still stands."""
        had, moments = self._written.lengths, len(self._ledger.timeline)
        stands = had[:3] if self._standing is None else self._standing
        least = min(stands[0], blocks), min(stands[1], moments), min(stands[2], receipts)
        if least != had[:3]:
            self._standing = least


def _shorten(connection: sqlite3.Connection, had: Lengths) -> None:
    for table, key, length in (
        ("blocks", "number", had.blocks),
        ("receipts", "position", had.receipts),
        ("notes", "moment", had.moments),
    ):
        connection.execute(f'delete from "chain:{table}" where {key} >= ?', (length,))


def _written_in(connection: sqlite3.Connection) -> Written | None:
    """What the file says that it holds."""
    row = connection.execute('select row from "chain:now" where id = 1').fetchone()
    if row is None:
        return None
    mining, held, lengths, number = unsealed(row[0])
    return Written(number, Lengths._make(lengths), Mining._make(mining), held)


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
    had = load(file, ledger, keys)
    return Store(file, ledger, keys, had, sync), had.mining
