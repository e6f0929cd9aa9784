"""All logs of a chain, in order, and the questions one can ask of the events in them.

Logs are indexed by kind and by `Key` field as they happen; any other field the first time someone asks for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from chain import abi, kinds
from chain.inputs import Resolve, with_addresses
from chain.ledger.indexes import Indexes, Places
from chain.ledger.logs import Log
from chain.ledger.queries import Finder, Query, contract_value
from chain.ledger.receipts import Receipt
from chain.machine.state import LogRow
from chain.records import EventSpec, topic_encoder

if TYPE_CHECKING:
    from chain.foreign import ForeignEvent
    from chain.ledger.ledger import Ledger


class EventLog:
    """All logs of a chain, in order, by kind and by field."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.rows: list[LogRow] = []
        self._receipts: list[int] = []  # for each log, the place of its receipt
        self._by_kind: defaultdict[int, list[int]] = defaultdict(list)
        self._by_key: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
        self.indexes = Indexes()

    def extend(self, rows: Sequence[LogRow], receipt: int) -> None:
        for row in rows:
            place = len(self.rows)
            self.rows.append(row)
            self._receipts.append(receipt)
            topics = row[1]
            if topics:
                kind = topics[0]
                self._by_kind[kind].append(place)
                for i in range(1, len(topics)):
                    self._by_key[kind, i, topics[i]].append(place)

    def cut(self, receipts: int) -> None:
        """Take back all logs but those of the first so many receipts."""
        end = self.end_of(receipts)
        if end == len(self.rows):
            return
        self.indexes.cut(end)
        for _, topics, *_ in self.rows[end:]:
            if topics:
                self._by_kind[topics[0]].pop()
                for i in range(1, len(topics)):
                    key = topics[0], i, topics[i]
                    self._by_key[key].pop()
                    if not self._by_key[key]:
                        del self._by_key[key]
        del self.rows[end:], self._receipts[end:]

    def __len__(self) -> int:
        return len(self.rows)

    def receipt(self, place: int) -> Receipt:
        return self._ledger.receipts[self._receipts[place]]

    def receipt_of(self, place: int) -> int:
        """The place of the receipt of a log."""
        return self._receipts[place]

    def log(self, place: int) -> Log:
        receipt = self.receipt(place)
        return Log(receipt, place - self.end_of(receipt.position), self.rows[place])

    def end_of(self, receipts: int) -> int:
        """How many logs the first so many receipts have."""
        return bisect_left(self._receipts, receipts)

    def by_kind(self, kind: int) -> Places:
        """The places of all logs with that first topic."""
        return self._by_kind.get(kind, ())

    def by_key(self, kind: int, place: int, topic: int) -> Places:
        """The places of all logs of a kind with that indexed value."""
        return self._by_key.get((kind, place, topic), ())

    def by_address(self, address: bytes) -> Places:
        """The places of all logs that a contract wrote."""
        return self._by("address", address)

    def finder_by(self, contract: Any) -> Finder:
        return partial(self._by, *contract_value(self._ledger, contract))

    def _by(self, name: str, value: Any) -> Places:
        read = partial(self._writer, name)
        return self.indexes.find(name, value, lambda: range(len(self.rows)), read)

    def _writer(self, name: str, place: int) -> Any:
        """Who wrote a log: its address, or the digest or the name of the contract there."""
        address = self.rows[place][0]
        program = None if name == "address" else self._ledger.program_at(address)
        if program is None:
            return address
        return program.digest if name == "program" else program.spec.name

    def ask(self, event: type | str, values: dict[str, Any]) -> Query[Any]:
        """Events of one kind, by the values of their fields."""
        return Query(EventsOf(self._ledger, self._ledger.event_spec(event))).where(**values)


class EventsOf:
    """The events of one kind: what a query for them asks."""

    def __init__(self, ledger: Ledger, spec: EventSpec | ForeignEvent) -> None:
        self._ledger, self._log, self._spec = ledger, ledger.events, spec
        self.receipt = self._log.receipt
        self.finder_by = self._log.finder_by

    def item(self, place: int) -> Any:
        return self._ledger.decode(self._log.rows[place], self._spec)

    def everything(self) -> Places:
        return self._log.by_kind(self._spec.topic)

    def finder(self, name: str, value: Any) -> Finder:
        spec, known = self._spec, {member.name: member.kind for member in self._spec.members}
        if name not in known:
            raise TypeError(f"event {spec.name} has no '{name}'; it has {', '.join(known)}")
        kind = known[name]
        value = _fitting(f"{spec.name}.{name}", kind, value, self._ledger.address_of)
        if name in spec.keys:
            topic = topic_encoder(kind)(value)
            return partial(self._log.by_key, spec.topic, spec.keys.index(name) + 1, topic)
        freeze = _freezer(kind)

        def read(place: int) -> Any:
            event = self.item(place)
            return None if event is None else freeze(getattr(event, name))

        find = self._log.indexes.find
        return partial(find, (spec, name), freeze(value), self.everything, read)


def _fitting(path: str, kind: kinds.Kind, value: Any, resolve: Resolve) -> Any:
    """`value` as a field of that kind holds it; a TypeError says what the field cannot hold."""
    value = with_addresses(kind, value, path, resolve)
    try:
        abi.encoder(kind)(value)
    except abi.Misfit as wrong:
        raise TypeError(wrong.under(path).text) from None
    return value


def _freezer(kind: kinds.Kind) -> Callable[[Any], Any]:
    """What makes values of a kind into keys of a dict: lists and records go in as their bytes."""
    item = kind.item if isinstance(kind, kinds.Option) else kind
    if isinstance(item, kinds.Sequence | kinds.Record):
        return abi.encoder(kind)
    return lambda value: value
