"""All logs of a chain, in order, and the questions one can ask of the events in them.

Logs are indexed by kind and by `Key` field as they happen; any other field the first time someone asks for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from chain import abi
from chain.concurrency.atomic_steps import undisturbed
from chain.ledger.event_types import (
    Meaning,
    Source,
    Spec,
    decoded,
)
from chain.ledger.file.paged_list import (
    Items,
    PagedList,
)
from chain.ledger.indexes import (
    Indexes,
    Positions,
    contains_sorted,
)
from chain.ledger.log_index import (
    LogPlaces,
    StoredLogs,
)
from chain.ledger.logs import Log
from chain.ledger.queries import (
    PositionFinder,
    Query,
    contract_key,
)
from chain.ledger.receipts import Receipt
from chain.machine.state import LogRow
from chain.runtime.system import (
    HOME_FIELDS,
    SYSTEM_SLOT,
    System,
)
from chain.schema import value_types
from chain.schema.inputs import (
    Resolve,
    with_addresses,
)
from chain.schema.validation import short_repr
from chain.spec.records import (
    EventSpec,
    topic_encoder_for,
)
from chain.storage.read_only import ReadOnlyStorage

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger


class EventLog:
    """All logs of a chain, in order, by kind and by field."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self.border = ledger, ledger.border
        self.rows: Items[LogRow] = []
        self._places = LogPlaces(0, 0)
        self._stored: dict[Source, None] = {}  # of the logs in the file

    def restore(self, receipts: int, logs: int, sources: Sequence[Source]) -> None:
        """Be the logs of the first so many receipts, which lie in a file. They are read when someone asks about them."""
        self._places = LogPlaces(receipts, logs)
        self._stored = dict.fromkeys(sources)
        self.rows = PagedList(StoredLogs(self, logs))

    def extend(self, rows: Sequence[LogRow], receipt: int) -> None:
        for row in rows:
            place = len(self.rows)
            self.rows.append(row)
            self._places.enter(place, row, receipt)

    def truncate(self, receipts: int) -> None:
        """Take back all logs but those of the first so many receipts."""
        places = self._places
        if receipts < places.behind:
            gone = self._ledger.receipts[receipts : places.behind]
            first = places.first - sum(len(receipt.log_rows) for receipt in gone)
            self._places = LogPlaces(receipts, first)
            del self.rows[first:]
            return
        end = self.end_of(receipts)
        places.cut(end, self.rows[end:])
        del self.rows[end:]

    def _all(self) -> LogPlaces:
        """The places of all logs: those of the file are read the first time someone asks."""
        places = self._places
        if places.first:
            read = LogPlaces(0, 0)
            for receipt in map(self._ledger.receipts.item, range(places.behind)):
                for row in receipt.log_rows:
                    read.enter(len(read.receipts), row, receipt.position)
            for row, position in zip(self.rows[places.first :], places.receipts, strict=True):
                read.enter(len(read.receipts), row, position)
            places = self._places = read
        return places

    def _from(self, place: int) -> LogPlaces:
        """The places of all logs, or only of those that came since the file was opened, if that will do."""
        return self._places if place >= self._places.first else self._all()

    @property
    def sources(self) -> list[Source]:
        """Whose logs there are, in the order in which they came; some may be gone."""
        return list(self._stored | dict.fromkeys(self._places.by_source))

    @property
    def indexes(self) -> Indexes:
        return self._all().indexes

    def __len__(self) -> int:
        return len(self.rows)

    def receipt(self, place: int) -> Receipt:
        return self._ledger.receipts[self.receipt_of(place)]

    def receipt_of(self, place: int) -> int:
        """The place of the receipt of a log."""
        places = self._from(place)
        return places.receipts[place - places.first]

    def log(self, place: int) -> Log:
        receipt = self.receipt(place)
        return Log(receipt, place - self.end_of(receipt.position), self.rows[place])

    def end_of(self, receipts: int) -> int:
        """How many logs the first so many receipts have."""
        places = self._places if receipts >= self._places.behind else self._all()
        return places.first + bisect_left(places.receipts, receipts)

    def has_kind(self, kind: int) -> bool:
        """Whether there is a log with that first topic, or was one when the file was opened."""
        by_source = self._places.by_source
        known = any(by_source[source] for source in by_source.of(kind))
        return known or any(kind == each[1] for each in self._stored)

    def by_kind(self, kind: int, first: int = 0) -> Positions:
        """The places of all logs with that first topic; those before `first` may be left out."""
        return self._from(first).by_kind(kind)

    def by_key(self, kind: int, place: int, topic: int) -> Positions:
        """The places of all logs of a kind with that indexed value."""
        return self._all().by_key.get((kind, place, topic), ())

    def by_address(self, address: bytes) -> Positions:
        """The places of all logs that bear an address."""
        return self._find(("account", "address"), address, partial(self._account, "address"))

    def of_sources(self, topic: int, wanted: Callable[[Source], bool], first: int = 0) -> Positions:
        """The places of all logs with that first topic that come from the sources that are wanted.

        Those before `first` may be left out.
        """
        if self.are_all(topic, wanted):
            return self.by_kind(topic, first)
        places = self._from(first)
        found = [self._readable(places, s) for s in places.by_source.of(topic) if wanted(s)]
        return merged(found)

    def are_all(self, topic: int, wanted: Callable[[Source], bool]) -> bool:
        """Whether all logs with that first topic come from these sources, and hold the event for certain."""
        stored = (source for source in self._stored if source[1] == topic)
        sources = [*stored, *self._places.by_source.of(topic)]
        return all(map(wanted, sources)) and all(map(self._ledger.event_types.is_certain, sources))

    def _readable(self, places: LogPlaces, source: Source) -> Positions:
        """The logs of a source, but for those that only look like an event that is known."""
        known, rows, decode = self._ledger.event_types, self.rows, self._ledger.decode
        among = partial(places.by_source.__getitem__, source)
        if known.is_certain(source):
            return among()
        name = "readable", source, known.version
        return places.indexes.find(name, True, among, lambda place: decode(rows[place]) is not None)

    def contract_finder(self, contract: Any) -> PositionFinder:
        return partial(self._by, *contract_key(self._ledger, contract))

    def _by(self, name: str, value: Any) -> Positions:
        """Also what its code wrote in the name of another, as a system does in that of its world."""
        account = self._find(("account", name), value, partial(self._account, name))
        if name != "address":
            code = self._find(("code", name), value, partial(self._code, name))
        else:
            lent = self._in_the_name_of_a_world(value)
            code = account if lent is None else self._find("lent", lent, self._lent)
        return account if code == account else merged([account, code])

    def _find(self, name: Any, value: Any, read: Callable[[int], Any]) -> Positions:
        return self.indexes.find(name, value, lambda: range(len(self.rows)), read)

    def _lent(self, place: int) -> tuple[bytes, bytes | None]:
        row = self.rows[place]
        return row[0], row[4]

    def _in_the_name_of_a_world(self, address: bytes) -> tuple[bytes, bytes] | None:
        """Under which address, and with which code, a system writes what it announces for its world."""
        program, state = self._ledger.program_at(address), self._ledger.state
        if program is None or not issubclass(program.spec.cls, System):
            return None
        world = HOME_FIELDS.accessors(0)[0](
            ReadOnlyStorage(state.slots, state.storages[address]), SYSTEM_SLOT
        )
        return bytes(world), program.digest

    def _account(self, name: str, place: int) -> Any:
        """Whose name a log bears: an address, or the digest or the name of the contract there."""
        address = self.rows[place][0]
        program = None if name == "address" else self._ledger.program_at(address)
        if program is None:
            return address
        return program.digest if name == "program" else program.spec.name

    def _code(self, name: str, place: int) -> Any:
        """Whose code wrote a log: its digest, or the name of its contract."""
        digest = self.rows[place][4]
        if name == "program" or digest is None:
            return digest
        program = self._ledger.program(digest)
        return None if program is None else program.spec.name

    def of(self, event: type | str, by: bool = False) -> EventSource:
        """The events of a class or a name; `by` says that a contract will settle whose."""
        return EventSource(self._ledger, event, by)

    @undisturbed
    def ask(self, event: type | str, values: dict[str, Any]) -> Query[Any]:
        """Events of one class or name, by the values of their fields."""
        return Query(self.of(event)).where(**values)


def merged(found: list[Positions]) -> Positions:
    """Several lists of places as one."""
    return found[0] if len(found) == 1 else sorted({place for each in found for place in each})


class EventSource:
    """The events of one class, or of one name: what a query for them asks. `by` says that a contract settles whose."""

    def __init__(self, ledger: Ledger, event: type | str, by: bool = False) -> None:
        self._ledger, self._log, self._asked = ledger, ledger.events, event
        self.border = ledger.border
        self._spec = None if isinstance(event, str) else spec_of(event)
        self.receipt = self._log.receipt
        self.contract_finder = self._log.contract_finder
        self._version: Any = None
        self._found: list[Meaning] = []
        if isinstance(event, str) and not by:
            self._check(event)

    @property
    def meanings(self) -> list[Meaning]:
        """What is meant; nothing for a class of which no contract knows, which reads all that looks like it."""
        known = self._ledger.event_types
        if self._version is None or known.version != self._version:
            asked = self._asked
            self._found = known.read_by(self._spec) if self._spec else known.named(str(asked))
            self._version = known.version
        return self._found

    @property
    def fields(self) -> dict[str, value_types.ValueType]:
        """The fields that one can ask for."""
        return {member.name: member.kind for spec in self._specs for member in spec.members}

    @property
    def _specs(self) -> list[Spec]:
        if self._spec is not None:
            return [self._spec]
        return list({id(each.spec): each.spec for each in self.meanings}.values())

    def _check(self, name: str) -> None:
        """Refuse a name that events of several contracts have; those of the versions of one contract go together."""
        found = self.meanings
        if len({each.type.key for each in found}) == 1 or self._ledger.event_types.are_versions(
            found
        ):
            return
        ways = dict.fromkeys(f"{each.contract}.{each.spec.name}" for each in found if each.contract)
        if len(ways) < 2 or None in {each.contract for each in found}:
            ways = dict.fromkeys(each.spec.signature for each in found)
        raise TypeError(
            f"{len({each.type.key for each in found})} events are called {name}: ask for the class, or for"
            f" {' or '.join(map(repr, ways))}"
        )

    def item(self, place: int) -> Any:
        row = self._log.rows[place]
        return decoded(row, self._spec) if self._spec else self._ledger.decode(row)

    def all_positions(self) -> Positions:
        topics = dict.fromkeys(each.spec.topic for each in self.meanings)
        if not topics:
            return self._look_alikes()
        return merged([self._log.of_sources(topic, self._is_wanted) for topic in topics])

    def _look_alikes(self) -> Positions:
        if self._spec is None:
            return ()
        among, name = partial(self._log.by_kind, self._spec.topic), ("like", self._asked)
        return self._log.indexes.find(name, True, among, lambda place: self.item(place) is not None)

    def _is_wanted(self, source: Source) -> bool:
        meaning = self._ledger.event_types.of_source(source)
        return any(each is meaning for each in self.meanings)

    def finder(self, name: str, value: Any) -> PositionFinder:
        name = abi.field_name(name, self.fields)
        known = [spec for spec in self._specs if name in {member.name for member in spec.members}]
        if not known:
            raise TypeError(
                f"event {self._name} has no '{name}'; it has {', '.join(self.fields) or 'no fields'}"
            )
        found = [self._finder(spec, name, value) for spec in known]
        return found[0] if len(found) == 1 else lambda: merged([find() for find in found])

    @property
    def _name(self) -> str:
        return self._asked if isinstance(self._asked, str) else self._asked.__name__

    def _finder(self, spec: Spec, name: str, value: Any) -> PositionFinder:
        kind = next(member.kind for member in spec.members if member.name == name)
        value = _checked(f"{spec.name}.{name}", kind, value, self._ledger.address_of)
        if name in spec.keys:
            index, topic = spec.keys.index(name) + 1, topic_encoder_for(kind)(value)
            return partial(self._by_key, spec.topic, index, topic)
        freeze = _hashable(kind)

        def read(place: int) -> Any:
            event = self.item(place)
            return None if event is None else freeze(getattr(event, name, None))

        index_name = self._asked, name, self._version
        return partial(self._log.indexes.find, index_name, freeze(value), self.all_positions, read)

    def _by_key(self, kind: int, index: int, topic: int) -> Positions:
        found, log = self._log.by_key(kind, index, topic), self._log
        if self.meanings and log.are_all(kind, self._is_wanted):
            return found
        everything = (
            log.of_sources(kind, self._is_wanted) if self.meanings else self.all_positions()
        )
        return [place for place in found if contains_sorted(everything, place)]


def spec_of(event: type) -> EventSpec:
    """What an event's class says."""
    spec: EventSpec | None = getattr(event, "__event__", None)
    if spec is None:
        name = getattr(event, "__name__", short_repr(event))
        raise TypeError(f"{name} is not an event: mark its class with @event")
    return spec


def _checked(path: str, kind: value_types.ValueType, value: Any, resolve: Resolve) -> Any:
    """`value` as a field of that kind holds it; a TypeError says what the field cannot hold."""
    value = with_addresses(kind, value, path, resolve)
    try:
        abi.encoder(kind)(value)
    except abi.ValueMismatch as wrong:
        raise TypeError(wrong.prefixed(path).text) from None
    return value


def _hashable(kind: value_types.ValueType) -> Callable[[Any], Any]:
    """What makes values of a kind into keys of a dict: lists and records go in as their bytes."""
    item = kind.item if isinstance(kind, value_types.OptionalType) else kind
    if isinstance(item, value_types.ListType | value_types.StructType):
        return abi.encoder(kind)
    return lambda value: value
