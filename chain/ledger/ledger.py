"""The ledger: all blocks, receipts and logs in order, and what everyone who reads them needs to know.

Everything that ever changed the state stands in `timeline`, one list of changes per transaction or act between blocks.
A snapshot is a length of it; to look at the past is to walk it back, look, and walk it forward again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from chain.abi import BadData
from chain.code import Program
from chain.foreign import ForeignEvent, events_from_json
from chain.ledger.blocks import Block, Blocks, Rules
from chain.ledger.queries import EventLog, ReceiptLog
from chain.ledger.receipts import Receipt, row_of
from chain.machine.state import Changes, LogRow, State
from chain.machine.transaction import Outcome, Transaction
from chain.records import EventSpec
from chain.spec import ContractSpec


class Ledger:
    """Blocks, receipts, logs and the timeline of one chain."""

    def __init__(
        self,
        state: State,
        programs: dict[bytes, Program],
        rules: Rules,
        genesis_time: int,
        base_fee: int,
    ) -> None:
        self.state = state
        self.programs = programs
        self.blocks = Blocks(rules, genesis_time, base_fee)
        self.timeline: list[Changes] = []
        self.receipts = ReceiptLog(self)
        self.events = EventLog(self)
        self._event_specs: dict[int, EventSpec | ForeignEvent] = {}
        self.open: Block | None = None  # the block that transactions go into now

    # Writing

    def note(self, changes: Changes) -> None:
        """Put what changed outside of any transaction on the timeline."""
        if changes:
            self.timeline.append(changes)

    def append(self, tx: Transaction, outcome: Outcome, block: Block) -> Receipt:
        position = len(self.receipts)
        row = row_of(tx, outcome, block.number, position - block.first_receipt, position)
        self.timeline.append(outcome.changes)
        block.gas_used += outcome.gas_used
        self.receipts.append(row)
        if outcome.logs:
            self.events.extend(outcome.logs, position)
        return Receipt(self, row)

    def close(self, block: Block) -> None:
        """Put a finished block at the end."""
        block.end_moment, block.end_receipt = len(self.timeline), len(self.receipts)
        self.blocks.append(block)

    def cut(self, blocks: int, moments: int, receipts: int) -> None:
        """Take back everything after the first so many blocks, moments of the timeline and receipts."""
        while len(self.timeline) > moments:
            self.state.take_back(self.timeline.pop())
        self.receipts.cut(receipts)
        self.events.cut(receipts)
        self.blocks.cut(blocks)

    @contextmanager
    def rewound(self, moment: int) -> Iterator[None]:
        """The state as it was when the timeline was `moment` long, for as long as the scope lasts."""
        later = self.timeline[moment:]
        for changes in reversed(later):
            self.state.take_back(changes)
        try:
            yield
        finally:
            for changes in later:
                self.state.put_back(changes)

    def time_of(self, number: int) -> int:
        """The time of a block, also of the open one."""
        if self.open is not None and self.open.number == number:
            return self.open.timestamp
        return self.blocks[number].timestamp

    # Decoding

    def learn(self, spec: ContractSpec) -> None:
        """Know the events of a Python contract, so that its logs can be decoded."""
        for event in spec.events.values():
            self._event_specs[event.topic] = event

    def learn_json(self, abi: list[dict[str, Any]]) -> None:
        """Know the events of a foreign contract."""
        for event in events_from_json(abi):
            self._event_specs.setdefault(event.topic, event)

    def event_named(self, name: str) -> EventSpec | ForeignEvent | None:
        return next((spec for spec in self._event_specs.values() if spec.name == name), None)

    @property
    def event_specs(self) -> list[EventSpec | ForeignEvent]:
        return list(self._event_specs.values())

    def decode(self, row: LogRow) -> Any:
        """The event in a log, or None where nobody has declared it."""
        _, topics, data, kept = row
        if kept is not None or not topics:
            return kept
        spec = self._event_specs.get(topics[0])
        if spec is None:
            return None
        try:
            return spec.decode(topics, data)
        except (BadData, ValueError):  # somebody else's event of the same name
            return None

    def decode_rows(self, rows: Sequence[LogRow]) -> list[Any]:
        """The declared events among `rows`."""
        found = (self.decode(row) for row in rows)
        return [event for event in found if event is not None]
