"""Load a chain from its file: the present state immediately, the history on demand.

The changes since the state was last stored are redone. The state itself, the preimages of slots, receipts, blocks, hashes and
older changes stay in the file.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, overload

from chain.crypto.accounts import Account, make_account
from chain.crypto.messagepack import decode
from chain.ledger.artifacts import Artifact
from chain.ledger.blocks import Block, Mining
from chain.ledger.file.chain_file import DERIVED, NOW, ChainFile
from chain.ledger.file.checksum import Damaged
from chain.ledger.file.rows import CHANGES, deserialize_row, unpack_changes
from chain.ledger.file.slot_rows import SlotRows
from chain.ledger.file.state_rows import Cells
from chain.ledger.file.stored_state import StoredRows, StoredState
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Row
from chain.ledger.state_trie import gather
from chain.machine.overlay import lay_over
from chain.machine.state import Changes

_HASH: Final = slice(3, 35)  # in a row that begins with 32 bytes
# Their indexes in the row of a block.
_TIMESTAMP, GAS_USED = 1, 8
_GROWING: Final = ("blocks", "receipts", "codes", "slots", "keys", "artifacts")


class LedgerLengths(NamedTuple):
    """The number of items in the file of everything that grows."""

    blocks: int = 0
    timeline: int = 0
    receipts: int = 0
    codes: int = 0
    slots: int = 0
    keys: int = 0
    artifacts: int = 0


class Cut(NamedTuple):
    """The lengths that remained when a step rolled the chain back."""

    number: int  # of the step
    blocks: int
    timeline: int
    receipts: int


class Now(NamedTuple):
    """The row of the file that describes the present."""

    mining: Any = ()
    open: Any = None
    lengths: LedgerLengths = LedgerLengths()
    number: int = 0  # of the last step that was written
    cuts: tuple[Cut, ...] = ()  # the last rollbacks of the chain

    @classmethod
    def of(cls, row: Row) -> Now:
        mining, held, lengths, number, cuts = row
        mining, lengths = Mining._make(mining), LedgerLengths._make(lengths)
        was_cut = tuple(map(Cut._make, cuts))
        return cls(mining, held, lengths, number, was_cut)


class Derived(NamedTuple):
    """The row of the file that records how far the derived rows go, which are written later."""

    number: int = 0  # of the last step that they include
    timeline: int = 0  # changes that the stored state includes
    receipts: int = 0
    headers: int = 0
    hashes: int = 0
    creations: int = 0
    slots: int = 0  # that can be found by their hashes
    cells: Cells = Cells()  # the rows of the state

    @classmethod
    def of(cls, row: Row) -> Derived:
        derived = cls._make(row)
        return derived._replace(cells=Cells._make(derived.cells))


def last_step(file: ChainFile) -> Now | None:
    """Return the present as the last step left it; None if no step was written.

    A step that added one receipt to the open block, or with a block of its own, has not written the row `NOW`: each receipt
    after those that this row counts is such a step.
    """
    now = Now.of(file.row("now", NOW)) if file.end("now") > NOW else None
    count = 0 if now is None else file.end("receipts") - now.lengths.receipts
    return now if now is None or count <= 0 else _after_receipts(file, now, count)


def _after_receipts(file: ChainFile, now: Now, count: int) -> Now:
    """Return the present after so many receipts, each of which was a step."""
    mining, block, lengths, number, cuts = now
    ends = {table: file.end(table) for table in _GROWING}
    lengths = LedgerLengths(timeline=lengths.timeline + count, **ends)
    if block is None:
        mining = mining._replace(clock=file.row("blocks", lengths.blocks - 1)[_TIMESTAMP])
    else:
        gas_used = file.row("receipts", lengths.receipts - 1)[-1]
        block = (*block[:GAS_USED], gas_used, *block[GAS_USED + 1 :])
    return Now(mining, block, lengths, number + count, cuts)


class LoadedState(NamedTuple):
    """The description of a file's content."""

    now: Now
    derived: Derived = Derived()

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows of each table."""
        now, derived = self
        had = now.lengths
        return {
            "now": 1 + bool(now.number) + bool(derived.number), "notes": had.timeline - had.receipts,
            "cells": derived.cells.rows, "stretches": derived.cells.stretches,
            "blocks": had.blocks, "receipts": had.receipts, "codes": had.codes, "slots": had.slots,
            "keys": had.keys, "artifacts": had.artifacts,
            "headers": derived.headers, "hashes": derived.hashes, "creations": derived.creations,
        }  # fmt: skip


def load_ledger(file: ChainFile, ledger: Ledger, keys: dict[bytes, Account]) -> LoadedState:
    """Fill the ledger of a new chain and its state from the file."""
    with file.reading():
        now = last_step(file)
        if now is None:  # it was created, and no step was written
            return LoadedState(Now(Mining(ledger.blocks.head.timestamp)))
        is_new = file.end("now") <= DERIVED
        derived = Derived() if is_new else Derived.of(file.row("now", DERIVED))
        memory, had = LoadedState(now, derived), now.lengths
        for raw, key, name in file.rows("keys", 0, had.keys):
            keys.setdefault(raw, make_account(raw, key, name))
        rows = StoredRows(file)
        _load_words(file, ledger, memory, rows)
        for digest, row in file.rows("artifacts", 0, had.artifacts):
            ledger.artifacts.add(digest, Artifact.from_row(row))
        _check_ends(file, memory.counts)
        _load_history(file, ledger, had)
        _load_derived(file, ledger, derived)
        _load_state(rows, ledger, derived)
        if now.open is not None:
            ledger.open = Block(ledger.blocks.rules, tuple(now.open))
    return memory


def _check_ends(file: ChainFile, counts: Mapping[str, int]) -> None:
    for table in (
        "receipts", "blocks", "codes", "slots", "keys", "artifacts", "headers", "hashes", "creations",
    ):  # fmt: skip
        if file.end(table) != counts[table]:
            raise Damaged(f'"chain:{table}" does not end where it did, at row {counts[table] - 1}')


def _load_words(file: ChainFile, ledger: Ledger, memory: LoadedState, rows: StoredRows) -> None:
    """Load the codes under their hashes, which are computed again, and slots, which stay in the file."""
    state = ledger.state
    for code in file.rows("codes", 0, memory.now.lengths.codes):
        state.intern_code(code)
    state.slots.restore(SlotRows(file, rows, memory.now.lengths.slots, memory.derived.slots))


def _load_history(file: ChainFile, ledger: Ledger, had: LedgerLengths) -> None:
    """Load blocks, receipts and changes, which stay in the file."""
    notes = file.keys("notes")
    if len(notes) != had.timeline - had.receipts:
        raise Damaged(f'"chain:notes" has {len(notes)} rows, and had {had.timeline - had.receipts}')
    receipts = file.pages("receipts", had.receipts, _receipt)
    blocks = file.pages("blocks", had.blocks, decode)
    ledger.restore(blocks, receipts, stored_timeline(file, had.receipts, notes), notes)


def stored_timeline(file: ChainFile, receipts: int, notes: Sequence[int]) -> Sequence[Changes]:
    """Return the changes in a file: of its first receipts, and of its notes, given by their timeline indexes."""
    return _Timeline(file, file.pages("receipts", receipts, _changes), notes)


def _load_derived(file: ChainFile, ledger: Ledger, derived: Derived) -> None:
    """Load creations, and hashes, which stay in the file."""
    ledger.creations.restore(file.rows("creations", 0, derived.creations), derived.receipts)
    headers = file.pages("headers", derived.headers, _header)
    ledger.headers.restore(headers, file.pages("headers", derived.headers, _block_hash))
    ledger.envelopes.restore(file.pages("hashes", derived.hashes, decode))


def _load_state(rows: StoredRows, ledger: Ledger, derived: Derived) -> None:
    """Load the changes since the state was stored; the rest of it stays in the file."""
    state, timeline = ledger.state, ledger.timeline
    if derived.number:
        lay_over(state, StoredState(rows))
    for moment in range(derived.timeline, len(timeline)):
        state.redo_changes(timeline[moment])


def check_root(file: ChainFile, ledger: Ledger) -> None:
    """Check the state against all changes, and against the newest header in the file, if there is one."""
    headers, state = ledger.headers, ledger.state
    number = headers.count - 1
    with file.reading():
        accounts, storages, _ = gather(ledger.timeline)
        if any(state.accounts.get(address) != account for address, account in accounts.items()) or any(
            state.word(address, slot) != (word or 0)
            for address, words in storages.items() for slot, word in words.items()
        ):  # fmt: skip
            raise Damaged("its state is not what its changes left")
        if number >= 0 and headers.state_trie(number).root != headers.header(number).state_root:
            raise Damaged(f"its state does not have the state root of block {number}")


def _block_hash(raw: bytes) -> bytes:
    """Return the hash at the start of a row, without decoding the rest, which takes longer."""
    return raw[_HASH]


def _header(raw: bytes) -> Row:
    header: Row = decode(raw)[1]
    return header


def _changes(raw: bytes) -> Changes:
    """Return the changes of a receipt."""
    return unpack_changes(decode(raw)[CHANGES])


def _receipt(raw: bytes) -> Row:
    """Return the row of a receipt."""
    return deserialize_row(decode(raw))


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
