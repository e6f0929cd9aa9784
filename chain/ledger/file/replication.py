"""Replication of a ledger, in pages: the items since certain lengths, and how another ledger takes them in.

With this a chain in a file is watched, and a node takes over what a worker has done. The rows are those of a chain's file, so
the copy is identical to the bit and answers every query itself. A page holds a limited number of rows, so a long chain arrives
piece by piece. State and ledger agree only after the last page of an update.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from chain.crypto.accounts import Account, make_account
from chain.ledger.artifacts import Artifact
from chain.ledger.blocks import Block, BlockRow
from chain.ledger.file.load_ledger import LedgerLengths
from chain.ledger.file.rows import Row, deserialize_row, serialize_row, unpack_changes
from chain.ledger.ledger import Ledger
from chain.machine.state import Changes

PAGE: Final = 500  # rows of each type
# Approximate bytes after which a page ends: a node limits the size of its responses.
PAGE_BYTES: Final = 1 << 22
_A_CHANGE: Final = 16  # approximate bytes of one of the four items of a change
_END_OF_TIMELINE: Final = 6  # its index in the row of a block

Growth = tuple[Any, ...]


def lengths_of(ledger: Ledger, keys: Mapping[bytes, Account]) -> LedgerLengths:
    """Return the lengths of everything that grows."""
    state = ledger.state
    return LedgerLengths(
        len(ledger.blocks), len(ledger.timeline), len(ledger.receipts),
        len(state.codes), state.slots.count, len(keys), len(ledger.artifacts),
    )  # fmt: skip


def next_page(
    ledger: Ledger, keys: Mapping[bytes, Account], had: LedgerLengths
) -> tuple[LedgerLengths, Growth]:
    """Return the page after the lengths `had`: the lengths including it, and its rows."""
    state = ledger.state
    notes, packed = _timeline_indexes(ledger, had)
    moments = had.timeline + len(notes) + len(packed)
    codes = [code for _, code in _next(state.codes, had.codes)]
    slots = [(slot.to_bytes(32), key) for slot, key in state.slots.since(had.slots)[:PAGE]]
    known = [(bytes(account), account.key, account.name) for _, account in _next(keys, had.keys)]
    artifacts = [
        (digest, artifact.row) for digest, artifact in ledger.artifacts.newest(had.artifacts)[:PAGE]
    ]
    blocks = []
    for number in range(had.blocks, min(len(ledger.blocks), had.blocks + PAGE)):
        row = ledger.blocks.row(number)
        if row[_END_OF_TIMELINE] > moments:
            break
        blocks.append(row)
    have = LedgerLengths(
        had.blocks + len(blocks), moments, had.receipts + len(packed),
        had.codes + len(codes), had.slots + len(slots), had.keys + len(known), had.artifacts + len(artifacts),
    )  # fmt: skip
    return have, (codes, slots, known, artifacts, notes, packed, blocks)


def _timeline_indexes(
    ledger: Ledger, had: LedgerLengths
) -> tuple[list[tuple[int, Changes]], list[Row]]:
    """Return the next notes and packed receipts: one page, or fewer if they are large."""
    notes, packed, weight = list[tuple[int, Changes]](), list[Row](), 0
    note_moments = set(ledger.timeline.notes_from(had.timeline))
    for moment in range(had.timeline, min(len(ledger.timeline), had.timeline + PAGE)):
        if weight > PAGE_BYTES:
            break
        changes = ledger.timeline[moment]
        weight += _A_CHANGE * len(changes)
        if moment in note_moments:
            notes.append((moment, changes))
        else:
            receipt = ledger.receipts[had.receipts + len(packed)]
            weight += (
                _A_CHANGE * len(receipt.undone_changes) + len(receipt.data) + len(receipt.output)
            )
            weight += sum(len(row[2]) for row in receipt.log_rows)
            packed.append(serialize_row(receipt.row))
    return notes, packed


def apply_page(ledger: Ledger, keys: dict[bytes, Account], page: Growth) -> None:
    """Add a page to the ledger, and its changes to the state."""
    codes, slots, known, artifacts, notes, packed, blocks = page
    state = ledger.state
    for code in codes:
        state.intern_code(code)
    for parent, key in slots:
        slot = int.from_bytes(parent)
        if key is None:
            state.slots.content_slot(slot)
        else:
            state.slots.map_slot(slot, key)
    for address, key, name in known:
        keys.setdefault(address, make_account(address, key, name))

    for digest, row in artifacts:
        ledger.artifacts.add(digest, Artifact.from_row(row))

    before = len(ledger.timeline)
    rows = [deserialize_row(row) for row in packed]
    ledger.extend(rows, {moment: unpack_changes(changes) for moment, changes in notes})
    for changes in ledger.timeline[before:]:
        state.redo_changes(changes)
    for row in blocks:
        ledger.blocks._append(Block(ledger.blocks.rules, BlockRow._make(row)))


def take_page(
    ledger: Ledger, keys: dict[bytes, Account], kept: Sequence[int], page: Growth, held: Any
) -> None:
    """Truncate the ledger, then add a page to it.

    `kept` is how many blocks, changes and receipts remain; `held` is the row of the block that is open afterwards.
    """
    ledger.open = None
    if tuple(kept) != (len(ledger.blocks), len(ledger.timeline), len(ledger.receipts)):
        ledger.truncate(*kept)
    apply_page(ledger, keys, page)
    ledger.open = None if held is None else Block(ledger.blocks.rules, BlockRow._make(held))


def _next(grown: Mapping[Any, object], length: int) -> list[tuple[Any, Any]]:
    """Return the items of a mapping after its first `length`, at most one page of them."""
    new = len(grown) - length
    if new > PAGE:
        return list(islice(grown.items(), length, length + PAGE))
    return [*islice(reversed(grown.items()), max(new, 0))][::-1]  # type: ignore[call-overload]
