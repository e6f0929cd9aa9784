"""The events of a chain as sources of queries: those of one class or name, and all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from chain import abi
from chain.foundation.atomic_steps import locked
from chain.ledger.event_log import EventLog
from chain.ledger.event_types import Meaning, Source, Spec, decoded
from chain.ledger.indexes import Positions, contains_sorted, merged
from chain.ledger.queries import PositionFinder, Query
from chain.schema import value_types
from chain.schema.inputs import Resolve, with_addresses
from chain.schema.validation import short_repr
from chain.spec.records import EventSpec


class AllEvents:
    """The events of all types in their order, as the source of a query. An event that no known contract declares is None."""

    def __init__(self, log: EventLog) -> None:
        self._ledger, self._log, self.lock = log.ledger, log, log.lock
        self.receipt = self._log.receipt
        self.contract_finder = self._log.contract_finder

    def item(self, place: int) -> Any:
        return self._ledger.decode(self._log.rows[place])

    def all_positions(self) -> Positions:
        return self._log.with_meaning()

    def finder(self, name: str, value: object) -> PositionFinder:
        raise TypeError(
            f"name the event that has the field '{name}': chain.events(Moved, {name}=…)"
        )


def is_known(event: object) -> bool:
    return event is not None


class EventSource:
    """The events of one class or one name, as the source of a query.

    `by` is True if a contract will decide between events of one name.
    """

    def __init__(self, log: EventLog, event: type | str, by: bool = False) -> None:
        self._ledger, self._log, self._asked = log.ledger, log, event
        self.lock = log.lock
        self._spec = None if isinstance(event, str) else spec_of(event)
        self.receipt = self._log.receipt
        self.contract_finder = self._log.contract_finder
        self._version: object = None
        self._found: list[Meaning] = []
        if isinstance(event, str) and not by:
            self._check(event)

    @property
    def meanings(self) -> list[Meaning]:
        """The meanings of the class or name; empty for a class that no contract declares, which reads all logs of its form."""
        event_types = self._ledger.event_types
        if self._version is None or event_types.version != self._version:
            event = self._asked
            self._found = (
                event_types.read_by(self._spec) if self._spec else event_types.named(str(event))
            )
            self._version = event_types.version
        return self._found

    @property
    def fields(self) -> dict[str, value_types.ValueType]:
        """The fields that can be queried, with their types."""
        return {member.name: member.kind for spec in self._specs for member in spec.members}

    @property
    def _specs(self) -> list[Spec]:
        if self._spec is not None:
            return [self._spec]
        return list({id(meaning.spec): meaning.spec for meaning in self.meanings}.values())

    def _check(self, name: str) -> None:
        """Refuse a name that several contracts use for an event. The versions of one contract count as one."""
        meanings = self.meanings
        if len(
            {meaning.type.key for meaning in meanings}
        ) == 1 or self._ledger.event_types.are_versions(meanings):
            return
        alternatives = dict.fromkeys(
            f"{meaning.contract}.{meaning.spec.name}" for meaning in meanings if meaning.contract
        )
        if len(alternatives) < 2 or None in {meaning.contract for meaning in meanings}:
            alternatives = dict.fromkeys(meaning.spec.signature for meaning in meanings)
        raise TypeError(
            f"{len({meaning.type.key for meaning in meanings})} events are called {name}: query by "
            f"class, or by {' or '.join(map(repr, alternatives))}"
        )

    def item(self, place: int) -> Any:
        row = self._log.rows[place]
        return decoded(row, self._spec) if self._spec else self._ledger.decode(row)

    def all_positions(self) -> Positions:
        topics = dict.fromkeys(meaning.spec.topic for meaning in self.meanings)
        if not topics:
            return self._look_alikes()
        return merged([self._log.of_sources(topic, self._matches) for topic in topics])

    def _look_alikes(self) -> Positions:
        if self._spec is None:
            return ()
        candidates, name = partial(self._log.by_type, self._spec.topic), ("like", self._asked)
        return self._log.indexes.find(
            name, True, candidates, lambda position: self.item(position) is not None
        )

    def _matches(self, source: Source) -> bool:
        meaning = self._ledger.event_types.of_source(source)
        return any(known_meaning is meaning for known_meaning in self.meanings)

    def finder(self, name: str, value: object) -> PositionFinder:
        name = abi.field_name(name, self.fields)
        specs = [spec for spec in self._specs if name in {member.name for member in spec.members}]
        if not specs:
            raise TypeError(
                f"event {self._name} has no '{name}'; it has {', '.join(self.fields) or 'no fields'}"
            )
        finders = [self._finder(spec, name, value) for spec in specs]
        return finders[0] if len(finders) == 1 else lambda: merged([find() for find in finders])

    @property
    def _name(self) -> str:
        return self._asked if isinstance(self._asked, str) else self._asked.__name__

    def _finder(self, spec: Spec, name: str, value: object) -> PositionFinder:
        value_type = next(member.kind for member in spec.members if member.name == name)
        value = _checked(f"{spec.name}.{name}", value_type, value, self._ledger.address_of)
        if name in spec.keys:
            index, topic = spec.keys.index(name) + 1, abi.topic_encoder(value_type)(value)
            return partial(self._by_key, spec.topic, index, topic)
        freeze = _hashable(value_type)

        def read(place: int) -> Any:
            event = self.item(place)
            return None if event is None else freeze(getattr(event, name, None))

        index_name = self._asked, name, self._version
        return partial(self._log.indexes.find, index_name, freeze(value), self.all_positions, read)

    def _by_key(self, kind: int, index: int, topic: int) -> Positions:
        positions, log = self._log.by_key(kind, index, topic), self._log
        if self.meanings and log.are_all(kind, self._matches):
            return positions
        all_positions = (
            log.of_sources(kind, self._matches) if self.meanings else self.all_positions()
        )
        return [position for position in positions if contains_sorted(all_positions, position)]


@locked
def query_events(log: EventLog, event: type | str | None, values: dict[str, object]) -> Query[Any]:
    """Return a query for the events of one class or name, by the values of their fields; for all events if it is None."""
    if event is None:
        return Query(AllEvents(log)).where(is_known, **values)
    return Query(EventSource(log, event)).where(**values)


def spec_of(event: type) -> EventSpec:
    """Return the declaration of an event class."""
    spec: EventSpec | None = getattr(event, "__event__", None)
    if spec is None:
        name = getattr(event, "__name__", short_repr(event))
        raise TypeError(f"{name} is not an event: mark its class with @event")
    return spec


def _checked(path: str, kind: value_types.ValueType, value: object, resolve: Resolve) -> Any:
    """Return `value` in the form that a field of type `kind` holds; raise TypeError if the field cannot hold it."""
    value = with_addresses(kind, value, path, resolve)
    try:
        abi.encoder(kind)(value)
    except abi.ValueMismatch as error:
        raise TypeError(error.prefixed(path).text) from None
    return value


def _hashable(kind: value_types.ValueType) -> Callable[[object], object]:
    """Return a function that makes values of type `kind` hashable: lists and records become their encoded bytes."""
    item = kind.item if isinstance(kind, value_types.OptionalType) else kind
    if isinstance(item, value_types.ListType | value_types.StructType):
        return abi.encoder(kind)
    return lambda value: value
