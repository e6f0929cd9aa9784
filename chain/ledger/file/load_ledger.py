"""Load a chain from its file: its present is read at once, its history when it is needed.

The state is stored as of some block. The changes since then are redone, and the state root of the last block must come out.
Receipts, blocks, hashes and older changes stay in the file.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, overload

from chain.accounts import Account, make_account
from chain.crypto.cbor import decode
from chain.ledger.artifacts import Artifact
from chain.ledger.blocks import Block, Mining
from chain.ledger.file.chain_file import NOW, SOURCES, ChainFile
from chain.ledger.file.checksum import Damaged
from chain.ledger.file.pages import Picked
from chain.ledger.file.rows import CHANGES, deserialize_row, unpack_changes
from chain.ledger.file.state_rows import load_cells
from chain.ledger.headers import Header
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Row
from chain.ledger.state_trie import initial_trie
from chain.machine.state import Changes

_HASH: Final = slice(3, 35)  # in a row that begins with 32 bytes


class LedgerLengths(NamedTuple):
    """The number of items in the file of everything that grows."""

    blocks: int = 0
    timeline: int = 0
    receipts: int = 0
    codes: int = 0
    slots: int = 0
    keys: int = 0
    artifacts: int = 0


class Now(NamedTuple):
    """The row of the file that describes the present."""

    mining: Any
    open: Any
    lengths: Any
    number: int  # of the last step that was written
    settled: int | None  # how many changes the stored state includes
    logs: int
    pending: int  # total of the pending changes to the sums of the public tables


class LoadedState(NamedTuple):
    """The contents of a file that are not part of the ledger."""

    had: LedgerLengths
    mining: Mining
    number: int = 0  # of the last step that was written
    settled: int | None = None  # how many changes the stored state includes
    cells: int = 0  # the number of rows of the stored state

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows of each table."""
        had = self.had
        is_empty = not had.blocks
        return {
            "now": 1 if is_empty else 3, "notes": had.timeline - had.receipts, "cells": self.cells,
            "blocks": had.blocks, "receipts": had.receipts, "codes": had.codes, "slots": had.slots,
            "keys": had.keys, "artifacts": had.artifacts,
        }  # fmt: skip


def load_ledger(file: ChainFile, ledger: Ledger, keys: dict[bytes, Account]) -> LoadedState:
    """Fill the ledger of a new chain and its state from the file; the state root must match that of the last block."""
    with file.reading() as connection:
        if file.end("now") <= NOW:  # it was created, and no step was written
            return LoadedState(LedgerLengths(), Mining(ledger.blocks.head.timestamp))
        now = Now._make(file.row("now", NOW))
        had, settled = LedgerLengths._make(now.lengths), now.settled
        for raw, key, name in file.rows("keys", 0, had.keys):
            keys.setdefault(raw, make_account(raw, key, name))
        _load_words(file, ledger, had)
        for digest, row in file.rows("artifacts", 0, had.artifacts):
            ledger.artifacts.add(digest, Artifact.from_row(row))
        cells = _load_history(file, connection, ledger, had, settled)
        ledger.events.restore(had.receipts, now.logs, file.row("now", SOURCES))
        if now.open is not None:
            ledger.open = Block(ledger.blocks.rules, *now.open)
    return LoadedState(had, Mining._make(now.mining), now.number, settled, cells)


def _load_words(file: ChainFile, ledger: Ledger, had: LedgerLengths) -> None:
    """Load the codes under their hashes, and the slots with their preimages. Both are hashed again."""
    state = ledger.state
    for code in file.rows("codes", 0, had.codes):
        state.intern_code(code)
    slots = state.slots
    for parent, key in file.rows("slots", 0, had.slots):
        slot = int.from_bytes(parent)
        if key is None:
            slots.content_slot(slot)
        else:
            slots.map_slot(slot, key)


def _load_history(
    file: ChainFile,
    connection: sqlite3.Connection,
    ledger: Ledger,
    had: LedgerLengths,
    settled: int | None,
) -> int:
    """Load blocks, receipts and changes, which stay in the file, and the state. Return the number of rows of the state.

    `had` holds the stored lengths; `settled` is how many changes the stored state includes.
    """
    for table in ("receipts", "blocks", "codes", "slots", "keys", "artifacts"):
        if file.end(table) != getattr(had, table):
            raise Damaged(
                f'"chain:{table}" does not end where it did, at row {getattr(had, table) - 1}'
            )
    notes = file.keys("notes")
    if len(notes) != had.timeline - had.receipts:
        raise Damaged(f'"chain:notes" has {len(notes)} rows, and had {had.timeline - had.receipts}')
    receipts = file.pages("receipts", had.receipts, _receipt)
    blocks = file.pages("blocks", had.blocks, _block)
    changes = file.pages("receipts", had.receipts, _changes)
    timeline = _Timeline(file, changes, notes)
    ledger.restore(Picked(blocks, 0), receipts, timeline, notes)
    ledger.envelopes.restore(file.pages("receipts", had.receipts, _hash))

    state, cells, end = ledger.state, 0, ledger.blocks.head.end_timeline_index
    if settled is not None:
        state.accounts.clear()
        cells = load_cells(connection, state)
    for moment in range(settled or 0, end):
        state.redo_changes(timeline[moment])
    trie = initial_trie(state, ())
    if trie.root != Header._make(blocks[-1][1]).state_root:
        raise Damaged("its state does not have the state root of its last block")
    for moment in range(end, len(timeline)):
        state.redo_changes(timeline[moment])
    ledger.headers.restore(Picked(blocks, 1), file.pages("blocks", had.blocks, _hash), trie)
    return cells


def _hash(raw: bytes) -> bytes:
    """Return the hash at the start of a row, without decoding the rest, which takes longer."""
    return raw[_HASH]


def _block(raw: bytes) -> Row:
    """Return a block and its header."""
    _, block, header = decode(raw)
    return block, header


def _changes(raw: bytes) -> Changes:
    """Return the changes of a receipt."""
    return unpack_changes(decode(raw)[1][CHANGES])


def _receipt(raw: bytes) -> Row:
    """Return the row of a receipt."""
    return deserialize_row(decode(raw)[1])


class _Timeline(Sequence[Changes]):
    """The changes in a file: those of its receipts, and between them its notes, which are changes outside of transactions."""

    def __init__(self, file: ChainFile, changes: Sequence[Changes], notes: Sequence[int]) -> None:
        self._file, self._changes = file, changes
        self._notes = array("q", notes)

    def __len__(self) -> int:
        return len(self._changes) + len(self._notes)

    @overload
    def __getitem__(self, moment: int) -> Changes: ...
    @overload
    def __getitem__(self, moment: slice) -> list[Changes]: ...
    def __getitem__(self, moment: int | slice) -> Changes | list[Changes]:
        if isinstance(moment, slice):
            return [self[i] for i in range(*moment.indices(len(self)))]
        before = bisect_left(self._notes, moment)
        if before == len(self._notes) or self._notes[before] != moment:
            return self._changes[moment - before]
        with self._file.reading():
            return unpack_changes(self._file.row("notes", moment))
