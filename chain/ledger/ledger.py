"""The ledger: all blocks, receipts and logs in order, and the data needed to read them.

Everything that ever changed the state is in `timeline`. A snapshot is a length of it.

A truncation that was interrupted can be repeated: the lists of blocks, receipts and timeline entries are truncated last, and
everything that is derived from them can be truncated twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from chain.abi import BadData
from chain.crypto.accounts import Account
from chain.foundation.atomic_steps import locked
from chain.foundation.thread_lock import ThreadLock
from chain.ledger import decoded, event_types
from chain.ledger.artifacts import Artifacts
from chain.ledger.blocks import (
    Block,
    BlockRow,
    Blocks,
    ChainConfig,
    block_row,
    change_block,
    set_row,
)
from chain.ledger.creations import Creations
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.event_types import EventTypes
from chain.ledger.headers import Header, Headers
from chain.ledger.known_contracts import ForeignContracts
from chain.ledger.log_list import LogList
from chain.ledger.past_states import PastStates
from chain.ledger.receipt_log import ReceiptLog
from chain.ledger.receipts import Receipt, ReceiptRow, receipt_row
from chain.ledger.signing import SignedTransactions
from chain.ledger.state_trie import StateTrie
from chain.ledger.timeline import Timeline
from chain.machine.gas import PER_BLOB
from chain.machine.machine import Programs
from chain.machine.state import Account as AccountState
from chain.machine.state import Changes, LogRow, State
from chain.machine.transaction import Transaction, TransactionResult
from chain.metering.program import Program, parse_code
from chain.spec.contracts import ContractSpec
from chain.types import Address
from chain.values.inputs import address_of

if TYPE_CHECKING:
    from chain.ledger.store import Store


class Removed(NamedTuple):
    """The rows that a step removed when it truncated a ledger to these lengths. An interrupted step restores it."""

    lengths: tuple[int, int, int]
    blocks: list[BlockRow]
    timeline: list[Changes]
    notes: list[int]
    receipts: list[ReceiptRow]


class Ledger:
    """Blocks, receipts, logs and the timeline of one chain."""

    __slots__ = (
        "__weakref__",
        "_is_cutting",
        "_keys",
        "_store",
        "artifacts",
        "before_cut",
        "blocks",
        "creations",
        "envelopes",
        "event_types",
        "foreign",
        "genesis",
        "headers",
        "lock",
        "logs",
        "on_truncated",
        "open",
        "past",
        "programs",
        "receipts",
        "removed",
        "state",
        "timeline",
    )  # fmt: skip

    def __init__(
        self,
        state: State,
        programs: Programs,
        keys: Mapping[bytes, Account],
        rules: ChainConfig,
        genesis_time: int,
        base_fee: int,
        lock: ThreadLock | None = None,
    ) -> None:
        # Held by the thread that uses the chain, one of its pasts, or one of its forks: these read its state.
        self.lock = lock or ThreadLock()
        self.state = state
        self.genesis: Mapping[bytes, AccountState] = {}  # the accounts before the first change
        self.programs = programs  # of the declared classes, by digest
        self.artifacts = Artifacts(programs, state.codes)
        self._keys = keys
        self.foreign = ForeignContracts()
        self.blocks = Blocks(rules, genesis_time, base_fee)
        self.timeline = Timeline()
        self.receipts = ReceiptLog(self)
        self.logs = LogList(self)
        self.envelopes = SignedTransactions(self.receipts, rules.chain_id, keys)
        self.headers = Headers(self)
        self.creations = Creations(self)
        self.event_types = EventTypes(self, self.creations.has_upgrades)
        self.past = PastStates(self)
        self.open: Block | None = None  # the block that takes transactions now
        self.removed: list[Removed] = []  # what the running step truncated
        self._is_cutting = False
        self._store: Store | None = None
        # Called after and before a truncation, with the numbers of blocks and receipts that remain.
        self.on_truncated: list[Callable[[int, int], None]] = []
        self.before_cut: list[Callable[[int, int], None]] = []

    @property
    def store(self) -> Store:
        """The derived tables, in which queries look. They are made when they are asked for."""
        if self._store is None:
            made: Store = import_module("chain.ledger.store").Store(self)
            self._store = made
        return self._store

    def use_tables(self, store: Store) -> None:
        """Use the derived tables in a file."""
        self._store = store

    # Writing

    def record_changes(self, changes: Changes) -> None:
        """Append changes that were made outside of transactions to the timeline."""
        if changes:
            self.timeline.add_note(changes)
        self.state.closed = ()

    def append(
        self, tx: Transaction, outcome: TransactionResult, block: Block, closes: bool = False
    ) -> Receipt:
        """Append a transaction, and its block if the transaction `closes` it."""
        (
            number, time, fee, coinbase, start, first, _, position, gas, prevrandao, blob_gas, excess,
        ) = block.row  # fmt: skip
        row = receipt_row(tx, outcome, number, position - first, position)
        timeline, blobs = self.timeline, outcome.context.blob_versioned_hashes
        timeline.new.append(outcome.changes)
        self.state.closed = ()
        self.receipts._rows.new.append(row)
        set_row(block, block_row((
            number, time, fee, coinbase, start, first, timeline.stored + len(timeline.new), position + 1,
            gas + outcome.gas_used, prevrandao, blob_gas + len(blobs) * PER_BLOB, excess,
        )))  # fmt: skip
        if closes:
            self.blocks._append(block)
        return Receipt(self, row)

    def close(self, block: Block) -> None:
        """Append a finished block."""
        end = self.timeline.stored + len(self.timeline.new)
        if (
            end != block.row.end_timeline_index
        ):  # changes outside of transactions came after the last one
            change_block(block, end_timeline_index=end)
        self.blocks._append(block)

    def last(self, blocks: int, moments: int) -> tuple[object, ...]:
        """Return marks of the last of the first `blocks` blocks and `moments` timeline entries; empty if there are fewer."""
        if blocks > len(self.blocks) or moments > len(self.timeline):
            return ()
        moment = self.timeline.mark(moments - 1) if moments else None
        return self.blocks.mark(blocks - 1), moment

    def truncate(self, blocks: int, moments: int, receipts: int) -> None:
        """Undo everything after the first `blocks` blocks, `moments` timeline entries and `receipts` receipts."""
        timeline, rows = self.timeline, self.receipts._rows
        removed = (
            self.blocks.rows_from(blocks),
            timeline.since(moments),
            timeline.notes_from(moments),
        )
        self.removed.append(Removed((blocks, moments, receipts), *removed, rows.since(receipts)))
        self._truncate(blocks, moments, receipts)

    def _truncate(self, blocks: int, moments: int, receipts: int) -> None:
        self._is_cutting = True
        for callback in self.before_cut:
            callback(blocks, receipts)
        self.creations.truncate(receipts)
        self.past.truncate(moments)
        if self._store is not None:  # after the last question about what goes
            self._store.keep(blocks, moments, receipts)
        for changes in reversed(self.timeline.since(moments)):
            self.state.undo_changes(changes)
        self.envelopes.truncate(receipts)
        self.headers.truncate(blocks)
        self.receipts._truncate(receipts)
        self.blocks._truncate(blocks)
        self.timeline.truncate(moments)
        for callback in self.on_truncated:
            callback(blocks, receipts)
        self._is_cutting = False

    @property
    def lengths(self) -> tuple[int, int, int]:
        """The numbers of blocks, timeline entries and receipts."""
        return len(self.blocks), len(self.timeline), len(self.receipts)

    def undo(self, lengths: tuple[int, int, int]) -> None:
        """Return to the lengths at the start of a step, and restore what the step truncated. Can be repeated if interrupted."""
        while self.removed:
            then, blocks, timeline, notes, rows = self.removed[-1]
            self._truncate(*then)
            self.blocks._extend(blocks)
            self.receipts._rows.new += rows
            self.timeline.notes += notes
            self.timeline.new += timeline
            for changes in timeline:
                self.state.redo_changes(changes)
            self.removed.pop()
        outside = lengths[1] - lengths[2]  # changes that are not those of receipts
        if self._is_cutting or lengths != self.lengths or outside != len(self.timeline.notes):
            self._truncate(*lengths)

    @locked
    def then(self, moment: int) -> Self:
        """Return a view of this ledger on a separate state, that at timeline index `moment`."""
        then = copy(self)
        then.state = self.past.state(moment)
        return then

    def restore(
        self,
        blocks: Sequence[BlockRow],
        rows: Sequence[ReceiptRow],
        timeline: Sequence[Changes],
        notes: list[int],
    ) -> None:
        """Begin with stored blocks, receipt rows, timeline and notes. The caller restores the state and the hashes."""
        self.blocks._restore(blocks)
        self.receipts._restore(rows)
        self.timeline = Timeline(timeline, notes)

    def extend(self, rows: Sequence[ReceiptRow], notes: Mapping[int, Changes]) -> None:
        """Append further receipts, and the changes outside of transactions at their timeline indexes."""
        for row in rows:
            self._take_notes(notes)
            self.timeline.new.append(Receipt(self, row).changes)
            self.receipts._append(row)
        self._take_notes(notes)

    def _take_notes(self, notes: Mapping[int, Changes]) -> None:
        while len(self.timeline) in notes:
            self.record_changes(notes[len(self.timeline)])

    @locked
    def copy(
        self, state: State, programs: Programs, keys: Mapping[bytes, Account],
        blocks: int, moments: int, receipts: int,
    ) -> Ledger:  # fmt: skip
        """Return a ledger for another chain that begins with this one's first blocks, timeline entries and receipts."""
        ledger = Ledger(state, programs, keys, self.blocks.rules, 0, 0, self.lock)
        ledger.genesis = self.genesis
        ledger.blocks = self.blocks.copy(blocks)
        ledger.timeline = self.timeline.copy(moments)
        ledger.event_types.copy_from(self.event_types)
        ledger.foreign = self.foreign.copy()
        for digest, artifact in self.artifacts.items():
            ledger.artifacts.add(digest, artifact)
        ledger.receipts._rows = self.receipts._rows.copy(receipts)
        ledger.creations = self.creations.copy(ledger, receipts)
        ledger.envelopes = self.envelopes.copy(ledger.receipts, keys, receipts)
        ledger.headers = self.headers.copy(ledger, blocks)
        return ledger

    def timeline_index(self, receipt: Receipt) -> int:
        """Return the timeline index of a receipt's changes."""
        return self.timeline.moment_of(receipt.position)

    def receipt_at_index(self, moment: int) -> Receipt | None:
        """Return the receipt of the transaction at a timeline index; None for changes outside of transactions."""
        position = self.timeline.receipt_at(moment)
        return None if position is None else self.receipts[position]

    @locked
    def word_after(self, receipt: Receipt, address: bytes, slot: int) -> int:
        """Return a word as the transaction left it: its value before its next change, or its present value."""
        if not self.receipts.contains(receipt):
            return self.state.word(address, slot)
        return self.past.state(self.timeline_index(receipt) + 1).word(address, slot)

    @property
    def history(self) -> decoded.History:
        return decoded.History(self)

    @locked
    def trace(self, receipt: Receipt) -> decoded.Trace:
        """Run the transaction of a receipt again, and return the trace of its messages."""
        again = import_module("chain.ledger.reexecution")
        ledger_then, outcome = again.replay_transaction(
            self, receipt, again.recording_machine(self)
        )
        return decoded.trace_of(self, ledger_then, outcome, receipt.gas)

    def block(self, number: int) -> Block:
        """Return a block, which may be the open one."""
        if self.open is not None and self.open.number == number:
            return self.open
        return self.blocks[number]

    def time_of(self, number: int) -> int:
        """Return the timestamp of a block, which may be the open one."""
        is_open = self.open is not None and self.open.number == number
        return self.open.timestamp if self.open and is_open else self.blocks.time_of(number)

    # Hashes

    @locked
    def hash_of(self, receipt: Receipt) -> bytes:
        """Return the hash of a receipt's transaction."""
        return self.envelopes.hash_of(receipt)

    def envelope_of(self, receipt: Receipt) -> bytes:
        """Return the signed bytes of a receipt's transaction."""
        return self.envelopes.bytes_of(receipt)

    @locked
    def find(self, tx_hash: bytes) -> Receipt | None:
        """Return the receipt of the transaction with that hash, or None."""
        return self.envelopes.find(tx_hash)

    @locked
    def header(self, number: int) -> Header:
        """Return the header of a closed block."""
        return self.headers.header(number)

    @locked
    def block_hash(self, number: int) -> bytes:
        """Return the hash of a closed block."""
        return self.headers.block_hash(number)

    @locked
    def number_of(self, block_hash: bytes) -> int | None:
        """Return the number of the closed block with that hash, or None."""
        return self.headers.number_of(block_hash)

    @locked
    def world(self, number: int) -> StateTrie:
        """Return the state trie at the end of a block: all accounts and words, with their proofs. The open block ends now."""
        head = self.blocks.head
        if number <= head.number:
            return self.headers.state_trie(number)
        later = self.timeline[head.end_timeline_index :]
        return self.headers.state_trie(head.number).apply(later)

    # Decoding

    @locked
    def register_abi(self, abi: list[dict[str, object]]) -> None:
        """Register the events of a foreign contract."""
        self.event_types.register_abi(abi)

    def load_abi(self, address: bytes, program: Program) -> None:
        """Use the ABI of `program` for the bytecode at an address from now on."""
        if self.foreign.get(address) is program:
            return
        if program not in self.foreign.programs:
            self.event_types.register_abi(program.spec.abi)
        self.foreign.add(address, program, AddressBook(self).former)

    def program(self, digest: bytes) -> Program | None:
        """Return the Python contract with that digest: of the declared class, otherwise the counterpart from its artifact."""
        return self.programs.get(digest) or self.artifacts.program(digest)

    @locked
    def address_of(self, account: object, name: str = "address") -> Address:
        """Return the address of an account or contract, given as bytes, as its handle, as text or by its name on this chain."""
        return address_of(
            account, name, lambda word: AddressBook(self).find(word, self._keys.values())
        )

    def program_at(self, address: bytes) -> Program | None:
        """Return the Python contract at an address, or None."""
        digest = parse_code(self.state.code(address))
        return None if digest is None else self.program(digest)

    @property
    def known_specs(self) -> list[ContractSpec]:
        """All known contracts: the deployed ones in order of deployment, then the others."""
        return self._find_specs()

    @locked
    def _find_specs(self) -> list[ContractSpec]:
        artifacts, programs = self.artifacts, self.programs
        deployed = [self.program(digest) for digest in artifacts]
        others = [program for digest, program in programs.items() if digest not in artifacts]
        known = [program.spec for program in (*deployed, *others) if program is not None]
        return [*known, *(program.spec for program in self.foreign.programs)]

    @property
    def contract_names(self) -> dict[bytes, list[tuple[int, str]]]:
        """The names of the Python contracts, each with the position of the receipt from which it applies."""
        return self.creations.names

    @locked
    def decode(self, row: LogRow) -> Any:
        """Return the event in a log; None if no known contract declares it."""
        meaning = self.event_types.meaning(row)
        return None if meaning is None else event_types.decoded(row, meaning.spec)

    @locked
    def decode_error(self, data: bytes) -> Any:
        """Return the declared error in revert data; None if no known contract declares it."""
        for contract in self.known_specs:
            spec = contract.errors_by_selector.get(data[:4])
            if spec is not None:
                with suppress(BadData, ValueError):
                    return spec.decode(data)
        return None

    @locked
    def decode_rows(self, rows: Sequence[LogRow]) -> list[object]:
        """Return the declared events among `rows`."""
        events = (self.decode(row) for row in rows)
        return [event for event in events if event is not None]
