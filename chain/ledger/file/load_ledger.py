"""Load a chain from its file: the present state immediately, the history on demand.

The state is what the table of words says, after which the later changes are redone. The state itself, the preimages of slots,
receipts, blocks, hashes and older changes stay in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from chain.crypto.accounts import Account
from chain.crypto.messagepack import decode
from chain.ledger.blocks import Block, BlockRow, Mining
from chain.ledger.file.chain_file import NOW, ChainFile
from chain.ledger.file.checksum import Damaged
from chain.ledger.file.growth import Growth, LedgerLengths, take_growth
from chain.ledger.file.rows import CHANGES, deserialize_row, unpack_changes
from chain.ledger.file.stored_slots import StoredSlots
from chain.ledger.headers import Header
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import ReceiptRow
from chain.ledger.store import ENDLESS, Lengths
from chain.ledger.timeline import StoredTimeline
from chain.machine.state import Changes

CUTS: Final = 32  # the number of rollbacks that the file records for processes that watch it
NOTHING: Final = Lengths(0, 0, 0)
_GROWING: Final = ("blocks", "receipts", "codes", "slots", "keys", "artifacts")


class Cut(NamedTuple):
    """The lengths that remained when a step rolled the chain back."""

    number: int  # of the step
    blocks: int
    timeline: int
    receipts: int


class Now(NamedTuple):
    """The row of the file that describes the present."""

    mining: Any = ()
    open: BlockRow | None = None
    lengths: LedgerLengths = LedgerLengths()
    number: int = 0  # of the last step that was written
    cuts: tuple[Cut, ...] = ()  # the last rollbacks of the chain

    def kept_since(self, step: int) -> Lengths:
        """Return how much there was at least since a step."""
        kept = ENDLESS
        for cut in self.cuts:
            if cut.number > step:
                kept = kept.least(Lengths(*cut[1:]))
        has_more = len(self.cuts) == CUTS and self.cuts[0].number > step  # it may lack some
        return NOTHING if has_more else kept

    @classmethod
    def of(cls, row: Sequence[Any]) -> Now:
        mining, held, lengths, number, cuts = row
        mining, lengths = Mining.of(mining), LedgerLengths._make(lengths)
        was_cut = tuple(map(Cut._make, cuts))
        held = None if held is None else BlockRow._make(held)
        return cls(mining, held, lengths, number, was_cut)


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
        mining = mining._replace(
            clock=BlockRow._make(file.row("blocks", lengths.blocks - 1)).timestamp
        )
    else:
        gas_used = file.row("receipts", lengths.receipts - 1)[-1]
        block = block._replace(gas_used=gas_used)
    return Now(mining, block, lengths, number + count, cuts)


def counts_of(now: Now) -> dict[str, int]:
    """Return the number of rows of each table."""
    had = now.lengths
    return {
        "now": 1 + bool(now.number), "notes": had.timeline - had.receipts, "blocks": had.blocks,
        "receipts": had.receipts, "codes": had.codes, "keys": had.keys, "artifacts": had.artifacts,
    }  # fmt: skip


def load_ledger(file: ChainFile, ledger: Ledger, keys: dict[bytes, Account]) -> Now:
    """Fill the ledger of a new chain from the file, but for what its tables tell. Return the present."""
    with file.reading():
        now = last_step(file)
        if now is None:  # it was created, and no step was written
            return Now(Mining(ledger.blocks.head.timestamp))
        had = now.lengths
        history = had._replace(codes=0, keys=0, artifacts=0)
        take_growth(ledger, keys, stored_growth(file, history, had))
        ledger.state.slots.restore(StoredSlots(file, had.slots))
        _check_ends(file, counts_of(now))
        _load_history(file, ledger, had)
        if now.open is not None:
            ledger.open = Block(ledger.blocks.rules, now.open)
    return now


def stored_growth(file: ChainFile, had: LedgerLengths, have: LedgerLengths) -> Growth:
    """Return the rows of a file between some lengths."""
    return Growth(
        file.rows("blocks", had.blocks, have.blocks),
        file.rows("receipts", had.receipts, have.receipts),
        file.rows_from("notes", had.timeline),
        file.rows("codes", had.codes, have.codes),
        file.rows("keys", had.keys, have.keys),
        file.rows("artifacts", had.artifacts, have.artifacts),
    )


def load_tables(file: ChainFile, ledger: Ledger) -> None:
    """Fill the ledger from its tables, unless they are not trusted: the present state, and what was derived before.

    Most of it stays there.
    """
    store, moment = ledger.store, 0
    if not file.is_thorough:
        read = store.covered("creations")
        columns = "position, address, digest, is_upgrade"
        question = f'select {columns} from "derived:creations" where position < ? order by place'
        ledger.creations.restore(store.ask("creations", question, (read,), read), read)
        headers = store.pages("headers", "row", decode)
        ledger.headers.restore(headers, store.pages("headers", "hash", bytes))
        ledger.envelopes.restore(store.pages("hashes", "hash", bytes))
        moment = store.covered("words")
    if moment:
        ledger.past.restore(moment)
    for changes in ledger.timeline[moment:]:
        ledger.state.redo_changes(changes)


def _check_ends(file: ChainFile, counts: Mapping[str, int]) -> None:
    for table in ("receipts", "blocks", "codes", "keys", "artifacts"):
        if file.end(table) != counts[table]:
            raise Damaged(f'"chain:{table}" does not end where it did, at row {counts[table] - 1}')


def _load_history(file: ChainFile, ledger: Ledger, had: LedgerLengths) -> None:
    """Load blocks, receipts and changes, which stay in the file."""
    notes = file.keys("notes")
    if len(notes) != had.timeline - had.receipts:
        raise Damaged(f'"chain:notes" has {len(notes)} rows, and had {had.timeline - had.receipts}')
    receipts = file.pages("receipts", had.receipts, _receipt)
    blocks = file.pages("blocks", had.blocks, lambda raw: BlockRow._make(decode(raw)))
    changes = file.pages("receipts", had.receipts, _changes)

    def note(moment: int) -> Changes:
        with file.reading():
            return unpack_changes(file.row("notes", moment))

    timeline = StoredTimeline(had.receipts, changes.__getitem__, notes, note)
    ledger.restore(blocks, receipts, timeline, notes)


def check_root(file: ChainFile, ledger: Ledger) -> None:
    """Check the changes of the state against the newest header in the file, if there is one."""
    number, root = 0, None
    with suppress(OSError, ValueError, TypeError, IndexError):  # they are damaged, or there is none
        headers = ledger.store.pages("headers", "row", decode)
        number, root = len(headers) - 1, Header._make(headers[-1]).state_root
    if root is not None and ledger.headers.state_trie(number).root != root:
        raise file.damage(f"its changes do not lead to the state root of block {number}")


def _changes(raw: bytes) -> Changes:
    """Return the changes of a receipt."""
    return unpack_changes(decode(raw)[CHANGES])


def _receipt(raw: bytes) -> ReceiptRow:
    """Return the row of a receipt."""
    return deserialize_row(decode(raw))
