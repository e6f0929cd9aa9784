"""Building a trace: from the frames of a recorded run to the tree of messages in the terms of their contracts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from chain.ledger.calls import named_args
from chain.ledger.decoded.failures import named_failure
from chain.ledger.decoded.trace import LogStep, Trace, TraceStep
from chain.ledger.decoded.writes import Reading, StorageDiff, Write, words_in
from chain.ledger.known_contracts import Contracts
from chain.ledger.logs import text_of
from chain.machine.deep_calls import THREAD_DEPTHS, run_on_new_thread
from chain.machine.frame import Frame
from chain.machine.recording import CallStep, Logged, WordRead, WriteStep, steps_of
from chain.machine.transaction import TransactionResult
from chain.metering.program import Program
from chain.spec.contracts import EntrySpec
from chain.types import Address

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger


def trace_of(ledger: Ledger, then: Contracts, outcome: TransactionResult, gas: int) -> Trace:
    """Return the trace of a transaction with gas limit `gas`. The state of `then` is the one before it or after it."""
    tree = TraceBuilder(ledger, then, outcome).tree(outcome.frame)
    return replace(tree, gas=gas, gas_used=outcome.gas_used)


class TraceBuilder:
    """The builder of a trace from frames. It tracks the words as they change, so each step is decoded in its own state."""

    def __init__(self, ledger: Ledger, then: Contracts, outcome: TransactionResult) -> None:
        self._ledger, self._then = ledger, then
        self._words: dict[tuple[bytes, int], int] = {}
        self._undo: list[tuple[tuple[bytes, int], int | None]] = []
        self._programs = dict(_programs_in(outcome.frame))
        self._before: dict[tuple[bytes, int], int] = {}  # the changed words, as they were before
        for address, slot, before, _ in words_in(outcome.changes):
            self._before.setdefault((address, slot), before)

    def tree(self, frame: Frame) -> Trace:
        if frame.depth not in THREAD_DEPTHS:
            return self._tree(frame)
        trace: Trace = run_on_new_thread(self._tree, frame)
        return trace

    def _tree(self, frame: Frame) -> Trace:
        mark, program, entry = len(self._undo), *self._known(frame)
        steps = tuple(self._steps(frame))
        failure = frame.failure
        if failure is not None:
            self._undo_steps(mark)
            failure = named_failure(self._ledger, failure)
        return Trace(
            self._ledger, frame.kind, Address(frame.address), Address(frame.caller), Address(frame.code_address), frame.value,
            frame.data, frame.gas_limit, frame.gas_limit - frame.gas, frame.output, failure,
            program.spec.name if program else _precompile(frame), entry,
            named_args(program, entry, frame.data, creates=frame.kind == "create"), steps,
        )  # fmt: skip

    def _known(self, frame: Frame) -> tuple[Program | None, EntrySpec | None]:
        """Return the contract that ran and its entry, in Python or in bytecode that is known by its ABI."""
        ran, ledger = frame.program, self._ledger
        if ran is not None and not ran.is_kept:
            return ran, frame.entry
        program = ledger.program(ran.digest) if ran else ledger.foreign.get(frame.code_address)
        if program is None:
            return None, None
        return program, program.spec.entry_for(frame.data, creates=frame.kind == "create")

    def _steps(self, frame: Frame) -> Iterator[TraceStep]:
        """Yield the steps of a frame. Between two messages or logs, reads come first, then the net writes."""
        buffer = StepBuffer()
        for step in steps_of(frame):
            match step:
                case WordRead(address, slot, word):
                    buffer.read(address, slot, word)
                case WriteStep(address, slot, before, after):
                    buffer.write(address, slot, before, after)
                case Logged(row):
                    yield from self._drain(buffer)
                    yield LogStep(row, text_of(row), self._ledger.decode(row))
                case CallStep(child):
                    yield from self._drain(buffer)
                    yield self.tree(child)
        yield from self._drain(buffer)

    def _drain(self, around: StepBuffer) -> Iterator[Reading | Write]:
        for address, reads in around.reads.items():
            yield from self._storage(
                address, {slot: (word, word) for slot, word in reads.items()}
            ).readings()
        for address, writes in around.writes.items():
            different = {slot: pair for slot, pair in writes.items() if pair[0] != pair[1]}
            yield from self._storage(address, different).writes()
            for slot, (_, after) in different.items():
                self._put(address, slot, after)
        around.clear()

    def _storage(self, address: bytes, words: dict[int, tuple[int, int]]) -> StorageDiff:
        program = self._programs.get(address)
        if program is None or program.is_kept:
            program = self._then.program_at(address)
        return StorageDiff(self._then, address, program, words, partial(self._word, address))

    def _word(self, address: bytes, slot: int) -> int:
        """Return a word as it is at this step."""
        word = self._words.get((address, slot))
        if word is None:
            word = self._before.get((address, slot))
        return self._then.state.word(address, slot) if word is None else word

    def _put(self, address: bytes, slot: int, word: int) -> None:
        self._undo.append(((address, slot), self._words.get((address, slot))))
        self._words[address, slot] = word

    def _undo_steps(self, mark: int) -> None:
        while len(self._undo) > mark:
            location, word = self._undo.pop()
            if word is None:
                del self._words[location]
            else:
                self._words[location] = word


class StepBuffer:
    """The reads and writes of a message since its last call or log. A word that was read before is not listed again."""

    def __init__(self) -> None:
        self.reads: dict[bytes, dict[int, int]] = {}
        self.writes: dict[bytes, dict[int, tuple[int, int]]] = {}
        self._known: dict[tuple[bytes, int], int] = {}

    def read(self, address: bytes, slot: int, word: int) -> None:
        if self._known.get((address, slot)) != word:
            self._known[address, slot] = word
            self.reads.setdefault(address, {})[slot] = word

    def write(self, address: bytes, slot: int, before: int, after: int) -> None:
        self._known[address, slot] = after
        words = self.writes.setdefault(address, {})
        words[slot] = words[slot][0] if slot in words else before, after

    def clear(self) -> None:
        self.reads.clear()
        self.writes.clear()


def _programs_in(frame: Frame) -> Iterator[tuple[bytes, Program]]:
    pending = [frame]
    while pending:
        current = pending.pop()
        pending += current.children
        if current.program is not None and current.kind != "delegate":
            yield current.address, current.program


def _precompile(frame: Frame) -> str | None:
    return frame.context.block.fork.precompiles.get(frame.code_address)
