"""The rows that a ledger has gained since certain lengths, and how another ledger takes them in.

So a step is written to a file, a file is loaded and watched, and a node takes over what a worker has done: a copy is identical
to the bit and answers every query itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

from chain.crypto.accounts import Account, make_account
from chain.ledger.artifacts import Artifact
from chain.ledger.blocks import Block, BlockRow
from chain.ledger.file.rows import Row, deserialize_row, serialize_row, unpack_changes
from chain.ledger.ledger import Ledger
from chain.machine.state import Changes
from chain.storage.slots import Preimage


class LedgerLengths(NamedTuple):
    """The number of items of everything that grows."""

    blocks: int = 0
    timeline: int = 0
    receipts: int = 0
    codes: int = 0
    slots: int = 0
    keys: int = 0
    artifacts: int = 0

    def after(self, kept: Sequence[int]) -> LedgerLengths:
        """Return these lengths after a cut to so many blocks, changes and receipts."""
        return LedgerLengths._make((*kept, *self[3:]))


class Growth(NamedTuple):
    """The new rows, as they are stored."""

    blocks: Sequence[Row]
    receipts: Sequence[Row]
    notes: Sequence[tuple[int, Changes]]
    codes: Sequence[bytes]
    keys: Sequence[tuple[bytes, bytes, str]]
    artifacts: Sequence[tuple[bytes, Any]]
    slots: Sequence[Preimage] = ()  # a chain that reads a file looks them up there


_lengths: Final = partial(tuple.__new__, LedgerLengths)  # `_make`, without a call of Python


def lengths_of(ledger: Ledger, keys: Mapping[bytes, Account]) -> LedgerLengths:
    """Return the lengths of everything that grows."""
    state = ledger.state
    # Their lengths, without three calls of `len`: this runs for every call.
    blocks, moments, receipts = ledger.blocks._rows, ledger.timeline, ledger.receipts._rows
    return _lengths((
        blocks.stored + len(blocks.new), moments.stored + len(moments.new), receipts.stored + len(receipts.new),
        len(state.codes), state.slots.count, len(keys), len(ledger.artifacts),
    ))  # fmt: skip


def growth_since(had: LedgerLengths, ledger: Ledger, keys: Mapping[bytes, Account]) -> Growth:
    """Return what is new since the lengths `had`."""
    state, timeline = ledger.state, ledger.timeline
    return Growth(
        ledger.blocks.rows_from(had.blocks),
        [serialize_row(row) for row in ledger.receipts._rows_from(had.receipts)],
        [(moment, timeline[moment]) for moment in timeline.notes_from(had.timeline)],
        [code for _, code in _new_items(state.codes, had.codes)],
        [(bytes(at), each.key, each.name) for at, each in _new_items(keys, had.keys)],
        [(digest, each.row) for digest, each in ledger.artifacts.newest(had.artifacts)],
        state.slots.since(had.slots),
    )


def take_growth(ledger: Ledger, keys: dict[bytes, Account], growth: Growth) -> None:
    """Add what is new to a ledger, and its changes to the state."""
    state = ledger.state
    take_lasting(ledger, growth.codes, growth.slots, growth.artifacts)
    for address, private_key, name in growth.keys:
        keys.setdefault(address, make_account(address, private_key, name))
    before = len(ledger.timeline)
    notes = {moment: unpack_changes(changes) for moment, changes in growth.notes}
    ledger.extend([*map(deserialize_row, growth.receipts)], notes)
    for changes in ledger.timeline[before:]:
        state.redo_changes(changes)
    for row in growth.blocks:
        ledger.blocks._append(Block(ledger.blocks.rules, BlockRow._make(row)))


def take_lasting(
    ledger: Ledger, codes: Iterable[bytes], slots: Iterable[Preimage],
    artifacts: Iterable[tuple[bytes, Any]],
) -> None:  # fmt: skip
    """Add what is never undone."""
    state = ledger.state
    for code in codes:
        state.intern_code(code)
    for parent, key in slots:
        if key is None:
            state.slots.content_slot(parent)
        else:
            state.slots.map_slot(parent, key)
    for digest, artifact in artifacts:
        ledger.artifacts.add(digest, Artifact.from_row(artifact))


def follow(
    ledger: Ledger, keys: dict[bytes, Account], kept: Sequence[int], growth: Growth,
    open_block: Row | None,
) -> None:  # fmt: skip
    """Let a ledger keep so many blocks, changes and receipts, add what is new, and open this block."""
    ledger.open = None
    if tuple(kept) != ledger.lengths:
        ledger.truncate(*kept)
    take_growth(ledger, keys, growth)
    ledger.open = (
        None if open_block is None else Block(ledger.blocks.rules, BlockRow._make(open_block))
    )


def _new_items(grown: Mapping[Any, Any], length: int) -> list[tuple[Any, Any]]:
    """Return the items of a dict after its first `length`."""
    new = len(grown) - length
    if not new:
        return []
    return [*islice(reversed(grown.items()), new)][::-1]  # type: ignore[call-overload]
