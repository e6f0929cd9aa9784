"""The events of a chain as sources of queries: those of one class or name, and all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from chain import abi
from chain.foundation.atomic_steps import locked
from chain.ledger.comparisons import Comparison, containing
from chain.ledger.event_types import Meaning, Spec, decoded
from chain.ledger.log_list import LogList, LogPlace
from chain.ledger.queries import Condition, ConditionFinder, Query, any_of, mentions
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import kept_cell, portable
from chain.ledger.sql.tables import field_text
from chain.spec.records import EventSpec
from chain.values import EnumType, Int, OptionalType, StringType, ValueType, short_repr
from chain.values.inputs import Resolve, with_addresses

if TYPE_CHECKING:
    from chain.ledger.store import Store


class AllEvents:
    """The events of all types in their order, as the source of a query."""

    table, columns = "derived:logs", "position, receipt, idx"

    def __init__(self, logs: LogList) -> None:
        self._ledger, self._logs, self.lock = logs.ledger, logs, logs.lock
        self.contract_finder = logs.contract_finder

    @property
    def store(self) -> Store:
        return self._ledger.store

    def base(self) -> list[Condition]:
        return [Condition("view is not null")]

    def item(self, row: Sequence[Any]) -> Any:
        return self._ledger.decode(self._logs.row(LogPlace(row[1], row[2])))

    def receipt(self, row: Sequence[Any]) -> Receipt:
        receipt: Receipt = self._ledger.receipts[row[1]]
        return receipt

    def account_finder(self, account: object) -> ConditionFinder:
        """Return a function that returns the condition on the events with an account in some field."""
        return partial(
            mentions, self._ledger, "fields", self._ledger.address_of(account, "account")
        )

    def finder(self, name: str, value: object) -> ConditionFinder:
        raise TypeError(
            f"name the event that has the field '{name}': chain.events(Moved, {name}=…)"
        )


class EventSource(AllEvents):
    """The events of one class or one name, as the source of a query.

    `by` is True if a contract will decide between events of one name.
    """

    def __init__(self, logs: LogList, event: type | str, by: bool = False) -> None:
        super().__init__(logs)
        self._asked = event
        self._spec = None if isinstance(event, str) else spec_of(event)
        if isinstance(event, str) and not by:
            self._check(event)

    @property
    def meanings(self) -> list[Meaning]:
        """The meanings of the class or name; empty for a class that no contract declares, which reads all logs of its form."""
        types = self._ledger.event_types
        return types.read_by(self._spec) if self._spec else types.named(str(self._asked))

    @property
    def fields(self) -> dict[str, ValueType]:
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
        keys = {meaning.type.key for meaning in meanings}
        if len(keys) == 1 or self._ledger.event_types.are_versions(meanings):
            return
        alternatives = dict.fromkeys(
            f"{meaning.contract}.{meaning.spec.name}" for meaning in meanings if meaning.contract
        )
        if len(alternatives) < 2 or None in {meaning.contract for meaning in meanings}:
            alternatives = dict.fromkeys(meaning.spec.signature for meaning in meanings)
        raise TypeError(
            f"{len(keys)} events are called {name}: query by class, or by {' or '.join(map(repr, alternatives))}"
        )

    def base(self) -> list[Condition]:
        meanings = self.meanings
        if not meanings:
            return [Condition("topic0 = ?", (f"0x{self._specs[0].topic:064x}",), "topic0")]
        return [self._of(meanings)]

    def _of(self, meanings: Sequence[Meaning]) -> Condition:
        """Return the condition on logs that hold events with these meanings."""
        view_of = self._ledger.store.view_of
        views = dict.fromkeys(view_of("event", meaning.type.key) for meaning in meanings)
        text = f"view in ({', '.join('?' * len(views))})"
        if self._spec is not None or "." not in str(self._asked).partition("(")[0]:
            return Condition(text, [*views])
        return Condition(f"{text} and contract = ?", [*views, meanings[0].contract])

    def item(self, row: Sequence[Any]) -> Any:
        log = self._logs.row(LogPlace(row[1], row[2]))
        return decoded(log, self._spec) if self._spec else self._ledger.decode(log)

    def finder(self, name: str, value: object) -> ConditionFinder:
        name = abi.field_name(name, self.fields)
        specs = [spec for spec in self._specs if name in {member.name for member in spec.members}]
        if not specs:
            known = ", ".join(self.fields) or "no fields"
            raise TypeError(f"event {self._name} has no '{name}'; it has {known}")
        found = any_of([self._field(spec, name, value) for spec in specs])
        return lambda: found

    @property
    def _name(self) -> str:
        return self._asked if isinstance(self._asked, str) else self._asked.__name__

    def _field(self, spec: Spec, name: str, value: object) -> Condition:
        """Return the condition that a field has this value. That of a key is on its topic."""
        kind = next(member.kind for member in spec.members if member.name == name)
        path, column_kind = f"{spec.name}.{name}", kind.column
        text = field_text(name, column_kind)
        if isinstance(value, Comparison):
            checked = _checked_comparison(path, kind, value, self._ledger.address_of)
            return Condition(*checked.condition(text, column_kind))
        value = _checked(path, kind, value, self._ledger.address_of)
        if name in spec.keys:
            column, topic = f"topic{spec.keys.index(name) + 1}", abi.topic_encoder(kind)(value)
            return Condition(
                f"topic0 = ? and {column} = ?", (f"0x{spec.topic:064x}", f"0x{topic:064x}"), f"topic0, {column}",
            )  # fmt: skip
        return Condition(f"{text} is ?", (kept_cell(portable(value)),), text)


@locked
def query_events(logs: LogList, event: type | str | None, values: dict[str, object]) -> Query[Any]:
    """Return a query for the events of one class or name, by the values of their fields; for all events if it is None."""
    source = AllEvents(logs) if event is None else EventSource(logs, event)
    query: Query[Any] = Query(source).where(**values)
    is_undeclared = isinstance(source, EventSource) and not isinstance(event, str) and not source.meanings  # fmt: skip
    return query.where(_is_known) if is_undeclared else query


def _is_known(event: object) -> bool:
    return event is not None


def spec_of(event: type) -> EventSpec:
    """Return the declaration of an event class."""
    spec: EventSpec | None = getattr(event, "__event__", None)
    if spec is None:
        name = getattr(event, "__name__", short_repr(event))
        raise TypeError(f"{name} is not an event: mark its class with @event")
    return spec


def _checked_comparison(
    path: str, kind: ValueType, asked: Comparison, resolve: Resolve
) -> Comparison:
    """Return a comparison with values in the form that the field holds; raise TypeError if it does not suit the field."""
    item = kind.item if isinstance(kind, OptionalType) else kind
    if asked.name == containing.__name__:
        if not isinstance(item, StringType):
            raise TypeError(f"{path} = {asked!r}: it holds no texts")
        return asked
    if not isinstance(item, Int):
        raise TypeError(f"{path} = {asked!r}: it holds no numbers")
    return Comparison(
        asked.name, tuple(_checked(path, item, each, resolve) for each in asked.values)
    )


def _checked(path: str, kind: ValueType, value: object, resolve: Resolve) -> Any:
    """Return `value` in the form that a field of type `kind` holds; raise TypeError if the field cannot hold it."""
    value = with_addresses(kind, value, path, resolve)
    item = kind.item if isinstance(kind, OptionalType) else kind
    try:
        if isinstance(item, EnumType) and type(value) in (str, int):
            value = item.parse(str(value))
        kind.encode(value)
    except abi.ValueMismatch as error:
        raise TypeError(error.prefixed(path).text) from None
    except ValueError as error:
        raise TypeError(f"{path} = {value!r}: {error}") from None
    return value
