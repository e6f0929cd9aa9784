"""The ledger: all blocks, receipts and logs in order, and what everyone who reads them needs to know.

Everything that ever changed the state stands in `timeline`, one list of changes per transaction or act between blocks.
A snapshot is a length of it; to look at the past is to walk a state aside back along it.

Whatever is left in the middle can be cut: what stands here of blocks, receipts and moments goes last, and all that is made
from it can be cut twice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from threading import RLock
from typing import Any, NamedTuple, Self

from chain.abi import BadData
from chain.accounts import Account
from chain.concurrency.atomic_steps import undisturbed
from chain.ledger.artifacts import Artifacts
from chain.ledger.blocks import Block, Blocks, ChainConfig
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.build_trace import trace_of
from chain.ledger.decoded.model_history import ModelHistory
from chain.ledger.decoded.trace import Trace
from chain.ledger.event_log import EventLog
from chain.ledger.event_types import EventTypes, decoded
from chain.ledger.file.paged_list import (
    Items,
    mark_of,
)
from chain.ledger.headers import Header, Headers
from chain.ledger.receipt_log import ReceiptLog
from chain.ledger.receipts import Receipt, Row, receipt_tuple
from chain.ledger.reexecution import (
    recording_machine,
    replay_transaction,
)
from chain.ledger.signing import SignedTransactions
from chain.ledger.state_trie import StateTrie
from chain.machine.state import Changes, LogRow, State
from chain.machine.transaction import CallRecord, Transaction, TransactionResult
from chain.metering.program import (
    Program,
    parse_code,
)
from chain.schema.inputs import address_of
from chain.spec.contracts import ContractSpec
from chain.types import Address


class Tail(NamedTuple):
    """What a step cut off: from how many blocks, moments, notes and receipts on, and these themselves."""

    lengths: tuple[int, int, int, int]
    lists: tuple[list[Any], list[Changes], list[int], list[Row]]


class Ledger:
    """Blocks, receipts, logs and the timeline of one chain."""

    def __init__(
        self,
        state: State,
        programs: dict[bytes, Program],
        keys: Mapping[bytes, Account],
        rules: ChainConfig,
        genesis_time: int,
        base_fee: int,
    ) -> None:
        self.border = RLock()  # held by the thread that is in the chain
        self.state = state
        self.programs = programs  # of the classes that are declared, by digest
        self.artifacts = Artifacts(programs, state.codes)
        self._keys = keys
        self.blocks = Blocks(rules, genesis_time, base_fee)
        self.timeline: Items[Changes] = []
        self.receipts = ReceiptLog(self)
        self.events = EventLog(self)
        self.envelopes = SignedTransactions(self, keys)
        self.headers = Headers(self)
        self.event_types = EventTypes(self)
        self.versions = ModelHistory(self)
        # By digest: calls of classes that are not declared yet.
        self.unresolved_calls: dict[bytes, list[CallRecord]] = {}
        self.notes: list[int] = []  # the moments of the timeline that are no transactions
        self.open: Block | None = None  # the block that transactions go into now
        self.tail: Tail | None = None  # what the step that runs has cut off
        self._is_cutting = False
        # Told how many blocks and receipts a cut leaves, when it is done and before.
        self.on_truncated: list[Callable[[int, int], None]] = []
        self.before_cut: list[Callable[[int, int], None]] = []

    # Writing

    def record_changes(self, changes: Changes) -> None:
        """Put what changed outside of any transaction on the timeline."""
        if changes:
            self.notes.append(len(self.timeline))
            self.timeline.append(changes)
        self.state.closed = ()

    def append(self, tx: Transaction, outcome: TransactionResult, block: Block) -> Receipt:
        position = len(self.receipts)
        row = receipt_tuple(tx, outcome, block.number, position - block.first_receipt, position)
        self.timeline.append(outcome.changes)
        self.state.closed = ()
        block.gas_used += outcome.gas_used
        self.receipts._append(row)
        if outcome.logs:
            self.events.extend(outcome.logs, position)
        return Receipt(self, row)

    def close(self, block: Block) -> None:
        """Put a finished block at the end."""
        block.end_moment, block.end_receipt = len(self.timeline), len(self.receipts)
        self.blocks._append(block)

    def last(self, blocks: int, moments: int) -> tuple[Any, ...]:
        """The last of the first so many blocks and moments, to be known again; nothing where there are not so many."""
        if blocks > len(self.blocks) or moments > len(self.timeline):
            return ()
        moment = mark_of(self.timeline, moments - 1) if moments else None
        return self.blocks.mark(blocks - 1), moment

    def truncate(self, blocks: int, moments: int, receipts: int) -> None:
        """Take back everything after the first so many blocks, moments of the timeline and receipts."""
        notes = bisect_left(self.notes, moments)
        self.tail = self._tail_from((blocks, moments, notes, receipts))
        self._cut(blocks, moments, receipts)

    def _cut(self, blocks: int, moments: int, receipts: int) -> None:
        self._is_cutting = True
        for tell in self.before_cut:
            tell(blocks, receipts)
        self.events.truncate(receipts)
        for changes in reversed(self.timeline[moments:]):
            self.state.undo_changes(changes)
        self.versions.cut()
        self.envelopes.cut(receipts)
        self.headers.cut(blocks)
        self.receipts._cut(receipts)
        self.blocks._cut(blocks)
        del self.notes[bisect_left(self.notes, moments) :]
        del self.timeline[moments:]
        for tell in self.on_truncated:
            tell(blocks, receipts)
        self._is_cutting = False

    def _tail_from(self, lengths: tuple[int, int, int, int]) -> Tail:
        """What stood behind these lengths when the step began."""
        blocks, moments, notes, receipts = lengths
        behind: Any = (
            self.blocks.rows_from(blocks), self.timeline[moments:], self.notes[notes:],
            [receipt.row for receipt in self.receipts[receipts:]],
        )  # fmt: skip
        if self.tail is None:
            return Tail(lengths, behind)
        had: Any = self.tail
        least: Any = tuple(map(min, lengths, had.lengths))
        lists: Any = tuple(
            [*found[: max(0, end - start)], *kept]
            for found, start, end, kept in zip(behind, lengths, had.lengths, had.lists, strict=True)
        )
        return Tail(least, lists)

    @property
    def lengths(self) -> tuple[int, int, int, int]:
        """How many blocks, moments, notes and receipts there are."""
        return len(self.blocks), len(self.timeline), len(self.notes), len(self.receipts)

    def undo(self, lengths: tuple[int, int, int, int]) -> None:
        """Be as long as a step found it, with all that it cut off. This may be left, and done again."""
        if self.tail is None:
            if self._is_cutting or lengths != self.lengths:
                self._cut(lengths[0], lengths[1], lengths[3])
            return
        kept, (rows, timeline, notes, receipt_rows) = self.tail
        self._cut(kept[0], kept[1], kept[3])
        self.blocks._extend(rows)
        for row in receipt_rows:
            self._enter(row)
        self.notes += notes
        self.timeline.extend(timeline)
        for changes in timeline:
            self.state.redo_changes(changes)
        self.tail = None

    def _enter(self, row: Row) -> None:
        receipt = Receipt(self, row)
        self.receipts._append(row)
        self.events.extend(receipt.log_rows, receipt.position)

    @undisturbed
    def then(self, moment: int) -> Self:
        """This ledger on a state aside, as that was when the timeline was `moment` long. It is only read."""
        made = copy(self)
        made.state = self.state.aside()
        for changes in reversed(self.timeline[moment:]):
            made.state.undo_changes(changes)
        return made

    def notes_from(self, moment: int) -> list[int]:
        """The moments from that one on that are no transactions."""
        return self.notes[bisect_left(self.notes, moment) :]

    def restore(
        self, blocks: Items[Row], rows: Items[Row], timeline: Items[Changes], notes: list[int]
    ) -> None:
        """Be the ledger with these. The state and what is hashed are left to whoever asks."""
        self.blocks._restore(blocks)
        self.receipts._restore(rows)
        self.timeline, self.notes = timeline, notes

    def extend(self, rows: Sequence[Row], notes: Mapping[int, Changes]) -> None:
        """Put further receipts on the timeline, and each note at its moment."""
        for row in rows:
            self._take_notes(notes)
            self.timeline.append(Receipt(self, row).changes)
            self._enter(row)
        self._take_notes(notes)

    def _take_notes(self, notes: Mapping[int, Changes]) -> None:
        while len(self.timeline) in notes:
            self.record_changes(notes[len(self.timeline)])

    def register_program(self, program: Program) -> None:
        """Know in which calls of former days a contract class ran."""
        for call in self.unresolved_calls.get(program.digest, ()):
            call.program = program
        self.unresolved_calls.pop(program.digest, None)

    def recognize(self) -> None:
        """Let the artifacts speak for the classes that are not declared."""
        for digest, calls in self.unresolved_calls.items():
            program = self.artifacts.program(digest)
            for call in calls:
                call.program = program

    @undisturbed
    def copy(
        self, state: State, programs: dict[bytes, Program], keys: Mapping[bytes, Account],
        blocks: int, moments: int, receipts: int,
    ) -> Ledger:  # fmt: skip
        """The first so many blocks, moments and receipts, as the beginning of another chain's ledger."""
        made = Ledger(state, programs, keys, self.blocks.rules, 0, 0)
        made.blocks = self.blocks.copy(blocks)
        made.timeline = self.timeline[:moments]
        made.notes = self.notes[: bisect_left(self.notes, moments)]
        made.event_types.copy_from(self.event_types)
        for digest, artifact in self.artifacts.items():
            made.artifacts.add(digest, artifact)
        for receipt in self.receipts[:receipts]:
            made._enter(receipt.row)
        made.envelopes = self.envelopes.copy(made, keys, receipts)
        made.headers = self.headers.copy(made, blocks)
        return made

    def timeline_index(self, receipt: Receipt) -> int:
        """The place of a receipt's changes in the timeline."""
        moment = receipt.position
        for note in self.notes:
            if note > moment:
                break
            moment += 1
        return moment

    def receipt_at_index(self, moment: int) -> Receipt | None:
        """The receipt of the transaction at that place of the timeline; None for what was no transaction."""
        before = bisect_left(self.notes, moment)
        if before < len(self.notes) and self.notes[before] == moment:
            return None
        return self.receipts[moment - before]

    @undisturbed
    def word_after(self, receipt: Receipt, address: bytes, slot: int) -> int:
        """A word as it was when the transaction was over: what the next change of it found, or what it is now."""
        timeline = self.timeline if self.receipts.holds(receipt) else ()
        for moment in range(self.timeline_index(receipt) + 1, len(timeline)):
            changes = timeline[moment]
            for i in range(0, len(changes), 4):
                if changes[i + 1] == slot and changes[i] == address:
                    return int(changes[i + 2] or 0)
        return self.state.word(address, slot)

    @undisturbed
    def trace(self, receipt: Receipt) -> Trace:
        """What the transaction of a receipt did, message by message: it is run again."""
        then, outcome = replay_transaction(self, receipt, recording_machine(self))
        return trace_of(self, then, outcome, receipt.gas)

    def time_of(self, number: int) -> int:
        """The time of a block, also of the open one."""
        if self.open is not None and self.open.number == number:
            return self.open.timestamp
        return self.blocks[number].timestamp

    # What is hashed

    @undisturbed
    def hash_of(self, receipt: Receipt) -> bytes:
        """The hash of a receipt's transaction."""
        return self.envelopes.hash_of(receipt)

    @undisturbed
    def envelope_of(self, receipt: Receipt) -> bytes:
        """The signed bytes of a receipt's transaction."""
        return self.envelopes.bytes_of(receipt)

    @undisturbed
    def find(self, tx_hash: bytes) -> Receipt | None:
        """The receipt of the transaction with that hash."""
        return self.envelopes.find(tx_hash)

    @undisturbed
    def header(self, number: int) -> Header:
        """The header of a closed block."""
        return self.headers.header(number)

    @undisturbed
    def block_hash(self, number: int) -> bytes:
        """The hash of a closed block."""
        return self.headers.block_hash(number)

    @undisturbed
    def number_of(self, block_hash: bytes) -> int | None:
        """The number of the closed block with that hash."""
        return self.headers.number_of(block_hash)

    @undisturbed
    def world(self, number: int) -> StateTrie:
        """All accounts and words at the end of a closed block, with what proves them."""
        return self.headers.state_trie(number)

    # Decoding

    @undisturbed
    def register_abi(self, abi: list[dict[str, Any]]) -> None:
        """Know the events of a foreign contract."""
        self.event_types.learn_json(abi)

    def program(self, digest: bytes) -> Program | None:
        """The Python contract with that digest: of the class that is declared, or what its artifact tells."""
        return self.programs.get(digest) or self.artifacts.program(digest)

    @undisturbed
    def address_of(self, account: Any, name: str = "address") -> Address:
        """The address of an account or contract, given as such, by its handle, as text or by the name it has here."""
        return address_of(
            account, name, lambda word: AddressBook(self).find(word, self._keys.values())
        )

    def program_at(self, address: bytes) -> Program | None:
        """The Python contract at an address."""
        digest = parse_code(self.state.code(address))
        return None if digest is None else self.program(digest)

    @property
    @undisturbed
    def known_specs(self) -> list[ContractSpec]:
        """All contracts that are known: those on the chain in the order in which they came, then the others."""
        artifacts, programs = self.artifacts, self.programs
        there = [self.program(digest) for digest in artifacts]
        more = [program for digest, program in programs.items() if digest not in artifacts]
        return [program.spec for program in (*there, *more) if program is not None]

    @undisturbed
    def decode(self, row: LogRow) -> Any:
        """The event in a log, or None where nobody has declared it."""
        meaning = self.event_types.meaning(row)
        return None if meaning is None else decoded(row, meaning.spec)

    @undisturbed
    def decode_error(self, data: bytes) -> Any:
        """The declared error in revert data, or None where no contract known here declares it."""
        for contract in self.known_specs:
            spec = contract.errors_by_selector.get(data[:4])
            if spec is not None:
                with suppress(BadData, ValueError):
                    return spec.decode(data)
        return None

    @undisturbed
    def decode_rows(self, rows: Sequence[LogRow]) -> list[Any]:
        """The declared events among `rows`."""
        found = (self.decode(row) for row in rows)
        return [event for event in found if event is not None]
