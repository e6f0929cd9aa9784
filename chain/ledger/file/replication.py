"""How a ledger grows, in pages: what came to it since it had certain lengths, and how another ledger takes that in.

So a chain can be followed from afar. The rows are those of a chain's file; what the follower has read is then the same to
the bit, and every question about it is answered there. A page holds a limited number of rows, so that a long chain arrives
piece by piece; only when the last page of a turn is there do state and ledger fit together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from chain.accounts import Account, make_account
from chain.ledger.artifacts import Artifact
from chain.ledger.blocks import Block
from chain.ledger.file.load_ledger import LedgerLengths
from chain.ledger.file.rows import (
    deserialize_row,
    serialize_row,
    unpack_changes,
)
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Row
from chain.machine.state import Changes
from chain.machine.transaction import CallRecord

PAGE: Final = 500  # rows of a kind
PAGE_BYTES: Final = 1 << 22  # bytes, about, after which a page ends: a node limits its answers
_A_CHANGE: Final = 16  # bytes of one of the four items of a change, about
_END_MOMENT: Final = 6  # where it stands in the row of a block

Growth = tuple[Any, ...]


def lengths_of(ledger: Ledger, keys: Mapping[bytes, Account]) -> LedgerLengths:
    """How much there is of everything that grows."""
    state = ledger.state
    return LedgerLengths(
        len(ledger.blocks), len(ledger.timeline), len(ledger.receipts),
        len(state.codes), len(state.slots.preimages), len(keys), len(ledger.artifacts),
    )  # fmt: skip


def next_page(
    ledger: Ledger, keys: Mapping[bytes, Account], had: LedgerLengths
) -> tuple[LedgerLengths, Growth]:
    """The next page behind what was had: the lengths with it, and its rows."""
    state = ledger.state
    notes, packed = _moments(ledger, had)
    moments = had.moments + len(notes) + len(packed)
    codes = [code for _, code in _next(state.codes, had.codes)]
    slots = [(slot.to_bytes(32), key) for _, (slot, key) in _next(state.slots.preimages, had.slots)]
    known = [(bytes(each), each.key, each.name) for _, each in _next(keys, had.keys)]
    artifacts = [
        (digest, artifact.row) for digest, artifact in ledger.artifacts.newest(had.artifacts)[:PAGE]
    ]
    blocks = []
    for number in range(had.blocks, min(len(ledger.blocks), had.blocks + PAGE)):
        row = ledger.blocks.as_tuple(number)
        if row[_END_MOMENT] > moments:
            break
        blocks.append(row)
    have = LedgerLengths(
        had.blocks + len(blocks), moments, had.receipts + len(packed),
        had.codes + len(codes), had.slots + len(slots), had.keys + len(known), had.artifacts + len(artifacts),
    )  # fmt: skip
    return have, (codes, slots, known, artifacts, notes, packed, blocks)


def _moments(ledger: Ledger, had: LedgerLengths) -> tuple[list[tuple[int, Changes]], list[Row]]:
    """The next notes and packed receipts, a page of them, or fewer where they are heavy."""
    notes, packed, weight = list[tuple[int, Changes]](), list[Row](), 0
    noted = set(ledger.notes_from(had.moments))
    for moment in range(had.moments, min(len(ledger.timeline), had.moments + PAGE)):
        if weight > PAGE_BYTES:
            break
        changes = ledger.timeline[moment]
        weight += _A_CHANGE * len(changes)
        if moment in noted:
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
    """Take a page in: into the ledger, and what it changed into the state."""
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

    def link(call: CallRecord, digest: bytes) -> None:
        call.program = ledger.program(digest)
        if digest not in ledger.programs:
            ledger.unresolved_calls.setdefault(digest, []).append(call)

    before = len(ledger.timeline)
    rows = [deserialize_row(row, link) for row in packed]
    ledger.extend(rows, {moment: unpack_changes(changes) for moment, changes in notes})
    for changes in ledger.timeline[before:]:
        state.redo_changes(changes)
    for row in blocks:
        ledger.blocks._append(Block(ledger.blocks.rules, *row))


def take_page(
    ledger: Ledger, keys: dict[bytes, Account], kept: Sequence[int], page: Growth, held: Any
) -> None:
    """Go back to so many blocks, moments and receipts, and grow by a page; `held` is the block that is open then."""
    ledger.open = None
    if tuple(kept) != (len(ledger.blocks), len(ledger.timeline), len(ledger.receipts)):
        ledger.truncate(*kept)
    apply_page(ledger, keys, page)
    ledger.open = None if held is None else Block(ledger.blocks.rules, *held)


def _next(grown: Mapping[Any, Any], length: int) -> list[tuple[Any, Any]]:
    """What came to a mapping behind its first so many items, a page of it at most."""
    new = len(grown) - length
    if new > PAGE:
        return list(islice(grown.items(), length, length + PAGE))
    return [*islice(reversed(grown.items()), max(new, 0))][::-1]  # type: ignore[call-overload]
