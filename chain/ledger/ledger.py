"""The ledger: all blocks, receipts and logs in order, and what everyone who reads them needs to know.

Everything that ever changed the state stands in `timeline`, one list of changes per transaction or act between blocks.
A snapshot is a length of it; to look at the past is to walk it back, look, and walk it forward again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chain.abi import BadData
from chain.foreign import ForeignEvent, events_from_json
from chain.frame import Log
from chain.ledger.blocks import Block
from chain.ledger.queries import EventLog, ReceiptLog
from chain.ledger.receipts import Receipt
from chain.machine.state import Changes, State, put_back, take_back
from chain.machine.transaction import Outcome, Transaction
from chain.records import EventSpec
from chain.spec import ContractSpec


class Ledger:
    """Blocks, receipts, logs and the timeline of one chain."""

    def __init__(self, state: State, genesis: Block) -> None:
        self.state = state
        self.blocks: list[Block] = [genesis]
        self.timeline: list[Changes] = []
        self.receipts = ReceiptLog()
        self.events = EventLog(self)
        self._event_specs: dict[int, EventSpec | ForeignEvent] = {}

    # Writing

    def note(self, changes: Changes) -> None:
        """Put what changed outside of any transaction on the timeline."""
        if changes:
            self.timeline.append(changes)

    def append(self, tx: Transaction, outcome: Outcome, block: Block) -> Receipt:
        self.timeline.append(outcome.changes)
        receipt = Receipt(self, tx, outcome, block, len(block.receipts), len(self.receipts))
        block.receipts.append(receipt)
        block.gas_used += outcome.gas_used
        self.receipts.append(receipt)
        if outcome.logs:
            self.events.extend(outcome.logs, receipt)
        return receipt

    def cut(self, blocks: int, moments: int, receipts: int, logs: int) -> None:
        """Take back everything after the first so many blocks, moments of the timeline, receipts and logs."""
        while len(self.timeline) > moments:
            take_back(self.timeline.pop())
        for receipt in reversed(self.receipts.cut(receipts)):
            receipt.block.receipts.pop()
            receipt.block.gas_used -= receipt.gas_used
        self.events.cut(logs)
        del self.blocks[blocks:]

    @contextmanager
    def rewound(self, moment: int) -> Iterator[None]:
        """The state as it was when the timeline was `moment` long, for as long as the scope lasts."""
        later = self.timeline[moment:]
        for changes in reversed(later):
            take_back(changes)
        try:
            yield
        finally:
            for changes in later:
                put_back(changes)

    # Decoding

    def learn(self, spec: ContractSpec) -> None:
        """Know the events of a Python contract, so that logs made by any road can be decoded."""
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

    def decode(self, log: Log) -> Any:
        """The event in a log, or None where nobody has declared it."""
        if log.event is None and log.topics:
            spec = self._event_specs.get(log.topics[0])
            if spec is not None:
                try:
                    log.event = spec.decode(log.topics, log.data)
                except (BadData, ValueError):  # somebody else's event of the same name
                    return None
        return log.event

    def decode_logs(self, logs: list[Log]) -> list[Any]:
        """The declared events among `logs`."""
        found = (self.decode(log) for log in logs)
        return [event for event in found if event is not None and not isinstance(event, str)]
