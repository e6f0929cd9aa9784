"""The contents of logs: texts, and the declared events of one receipt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar, overload

from chain.abi.texts import TEXT_TOPICS
from chain.ledger.event_types import EventTypes
from chain.ledger.known_contracts import Contracts
from chain.machine.state import LogRow
from chain.values import short_repr

E = TypeVar("E")


class Decoding(Contracts, Protocol):
    """The part of a ledger that knows contracts, and decodes what they emit."""

    @property
    def event_types(self) -> EventTypes: ...
    def decode(self, row: LogRow) -> Any: ...
    def decode_rows(self, rows: Sequence[LogRow]) -> list[object]: ...
    def decode_error(self, data: bytes) -> Any: ...


def text_of(row: LogRow) -> str | None:
    _, topics, data, *_ = row
    if topics != TEXT_TOPICS:
        return None
    return data[64 : 64 + int.from_bytes(data[32:64])].decode("utf-8", "replace")


class EventList(Sequence[Any]):
    """The decoded events of a receipt, in order; `events["Moved"]` and `events.one(Moved)` select by type.

    >>> receipt.events[0].square, len(receipt.events["Moved"]), receipt.events[Moved]
    (4, 1, [Moved(player=Address('0xf39F...'), square=4)])
    """

    __slots__ = ("_events", "_types")

    def __init__(self, ledger: Decoding, rows: Sequence[LogRow]) -> None:
        self._events, self._types = ledger.decode_rows(rows), ledger.event_types

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: type[E]) -> list[E]: ...
    @overload
    def __getitem__(self, key: slice | str) -> list[Any]: ...
    def __getitem__(self, key: int | slice | str | type) -> Any:
        if isinstance(key, int | slice):
            return self._at(key)
        if not isinstance(key, str | type):
            raise TypeError(f"{short_repr(key)} is not an event: pass its class or its name")
        events = [event for event in self._events if is_event(event, key)]
        if not events and isinstance(key, str):
            self._types.check_name(key)
        return events

    def _at(self, place: int | slice) -> Any:
        try:
            return self._events[place]
        except IndexError:
            raise IndexError(f"there is no event {place}: there are {len(self)}") from None

    @overload
    def one(self, kind: type[E]) -> E: ...
    @overload
    def one(self, kind: str) -> Any: ...
    def one(self, kind: str | type[object]) -> Any:
        """Return the only event of that type; raise LookupError if there is none or more than one.

        >>> receipt.events.one(Moved).square
        4
        """
        if isinstance(kind, int):
            raise TypeError(f"{short_repr(kind)} is not an event: pass its class or its name")
        events = self[kind]
        if len(events) != 1:
            name = kind if isinstance(kind, str) else kind.__name__
            raise LookupError(
                f"there are {len(events)} events {name}, not one; there are {self._events}"
            )
        return events[0]

    def __eq__(self, other: object) -> bool:
        return list(self._events) == list(other) if isinstance(other, Sequence) else NotImplemented

    def __repr__(self) -> str:
        return repr(self._events)


def is_event(event: object, kind: str | type) -> bool:
    if isinstance(kind, str):
        return kind in (type(event).__name__, getattr(event, "name", None))
    return isinstance(event, kind)
