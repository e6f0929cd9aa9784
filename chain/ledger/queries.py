"""Questions to the receipt log.

Logs are indexed by kind and by `Key` field as they happen; any other field, of events or receipts, the first time someone
asks for it, and kept up to date from then on. So a question costs what its answer is long, not what the chain is long.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

from chain.ledger.logs import Log
from chain.ledger.receipts import Receipt, Row
from chain.machine.state import LogRow
from chain.records import EventSpec, topic_encoder

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Query(Generic[T]):
    """A lazy answer: narrow it with `where` and `between`, then iterate, `count`, or take `first`, `last`, `one`."""

    __slots__ = ("_places", "_source", "_tests")

    def __init__(
        self, source: Source[T], places: Sequence[int], tests: tuple[Callable[[T], bool], ...] = ()
    ) -> None:
        self._source = source
        self._places = places  # of the candidates, rising
        self._tests = tests

    def where(self, test: Callable[[T], bool]) -> Query[T]:
        """Only those for which `test` holds."""
        return Query(self._source, self._places, (*self._tests, test))

    def between(
        self, *, blocks: tuple[int, int] | None = None, times: tuple[int, int] | None = None
    ) -> Query[T]:
        """Only those in a range of block numbers or of block times, both ends included."""
        places, receipt = self._places, self._source.receipt
        if blocks:
            places = _cut(places, blocks, lambda place: receipt(place).block_number)
        if times:
            places = _cut(places, times, lambda place: receipt(place).timestamp)
        return Query(self._source, places, self._tests)

    def _matching(self, places: Iterator[int]) -> Iterator[tuple[int, T]]:
        item, tests = self._source.item, self._tests
        for place in places:
            found = item(place)
            if all(test(found) for test in tests):
                yield place, found

    def __iter__(self) -> Iterator[T]:
        return (found for _, found in self._matching(iter(self._places)))

    def __len__(self) -> int:
        return self.count()

    def count(self) -> int:
        return sum(1 for _ in self) if self._tests else len(self._places)

    def first(self) -> T | None:
        return next(iter(self), None)

    def last(self) -> T | None:
        return next((found for _, found in self._matching(reversed(self._places))), None)

    def one(self) -> T:
        """The only one there is; any other number of them is a LookupError."""
        found = list(self)
        if len(found) != 1:
            raise LookupError(f"{len(found)} answer the question, not one")
        return found[0]

    def receipts(self) -> Iterator[Receipt]:
        """The receipts in which the answers stand."""
        return (self._source.receipt(place) for place, _ in self._matching(iter(self._places)))

    def __repr__(self) -> str:
        return f"<{self.count()} found>"


def _cut(places: Sequence[int], ends: tuple[int, int], key: Callable[[int], int]) -> Sequence[int]:
    return places[bisect_left(places, ends[0], key=key) : bisect_right(places, ends[1], key=key)]


class Source(Protocol[T_co]):
    """A list that can be asked: by place, the item itself and the receipt it stands in."""

    def item(self, place: int) -> T_co: ...
    def receipt(self, place: int) -> Receipt: ...


class Index:
    """The places of items in a growing list by one of their values, brought up to date when asked."""

    __slots__ = ("_done", "_places", "_value")

    def __init__(self, value: Callable[[int], Any]) -> None:
        self._value = value
        self._places: defaultdict[Any, list[int]] = defaultdict(list)
        self._done = 0

    def find(self, value: Any, among: Sequence[int]) -> Sequence[int]:
        """The places of `value`, after reading what came to `among` since the last time."""
        places, value_of = self._places, self._value
        for i in range(self._done, len(among)):
            places[value_of(among[i])].append(among[i])
        self._done = len(among)
        return places.get(value, ())


class Asked:
    """The indexes made so far for questions by name."""

    __slots__ = ("_indexes",)

    def __init__(self) -> None:
        self._indexes: dict[Any, Index] = {}

    def find(
        self, name: Any, read: Callable[[int], Any], value: Any, among: Sequence[int]
    ) -> Sequence[int]:
        index = self._indexes.get(name)
        if index is None:
            index = self._indexes[name] = Index(read)
        return index.find(value, among)

    def forget(self) -> None:
        """Begin again: something was taken back."""
        self._indexes.clear()


_FIELDS: dict[str, Callable[[Receipt], Any]] = {
    name: attrgetter(name) for name in ("sender", "to", "entry", "contract", "address", "ok")
}


class ReceiptLog(Sequence[Receipt]):
    """All receipts of a chain, in order."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._rows: list[Row] = []
        self._asked = Asked()

    def append(self, row: Row) -> None:
        self._rows.append(row)

    def cut(self, length: int) -> None:
        """Take back all but the first `length` receipts."""
        if length < len(self._rows):
            del self._rows[length:]
            self._asked.forget()

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Receipt: ...
    @overload
    def __getitem__(self, place: slice) -> list[Receipt]: ...
    def __getitem__(self, place: int | slice) -> Receipt | list[Receipt]:
        if isinstance(place, slice):
            return [Receipt(self._ledger, row) for row in self._rows[place]]
        return Receipt(self._ledger, self._rows[place])

    def item(self, place: int) -> Receipt:
        return self[place]

    receipt = item

    def _reader(self, read: Callable[[Receipt], Any]) -> Callable[[int], Any]:
        return lambda place: read(self[place])

    def where(self, test: Callable[[Receipt], bool] | None = None, **values: Any) -> Query[Receipt]:
        """Receipts by `sender`, `to`, `entry`, `contract`, `address`, `ok`, and by any test."""
        everything = range(len(self._rows))
        found: Sequence[int] = everything
        tests: list[Callable[[Receipt], bool]] = [test] if test else []
        for name, value in values.items():
            if name not in _FIELDS:
                raise TypeError(
                    f"receipts have no '{name}' to ask for; there are {', '.join(_FIELDS)}"
                )
            name, value = _plain(name, value)
            read = _FIELDS[name]
            places = self._asked.find(name, self._reader(read), value, everything)
            if len(values) > 1:
                tests.append(_equals(read, value))
            found = min(found, places, key=len)
        return Query(self, found, tuple(tests))


def _equals(read: Callable[[Any], Any], value: Any) -> Callable[[Any], bool]:
    return lambda item: bool(read(item) == value)


def _plain(name: str, value: Any) -> tuple[str, Any]:
    """A contract may be asked for by its name, its class, its handle or its address."""
    if isinstance(value, type):
        return name, value.__name__
    value = getattr(value, "address", value)
    return ("address" if name == "contract" and isinstance(value, bytes) else name), value


class EventLog:
    """All logs of a chain, in order, by kind and by field."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.rows: list[LogRow] = []
        self._receipts: list[int] = []  # for each log, the place of its receipt
        self._by_kind: defaultdict[int, list[int]] = defaultdict(list)
        self._by_key: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
        self._asked = Asked()

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
        while self.rows and self._receipts[-1] >= receipts:
            topics = self.rows.pop()[1]
            self._receipts.pop()
            if topics:
                self._by_kind[topics[0]].pop()
                for i in range(1, len(topics)):
                    self._by_key[topics[0], i, topics[i]].pop()
            self._asked.forget()

    def __len__(self) -> int:
        return len(self.rows)

    def item(self, place: int) -> Any:
        return self._ledger.decode(self.rows[place])

    def receipt(self, place: int) -> Receipt:
        return self._ledger.receipts[self._receipts[place]]

    def log(self, place: int) -> Log:
        receipt = self.receipt(place)
        return Log(receipt, place - bisect_left(self._receipts, receipt.position), self.rows[place])

    def by_kind(self, kind: int) -> Sequence[int]:
        """The places of all logs with that first topic."""
        return self._by_kind.get(kind, ())

    def by_key(self, kind: int, place: int, topic: int) -> Sequence[int]:
        """The places of all logs of a kind with that indexed value."""
        return self._by_key.get((kind, place, topic), ())

    def by_address(self, address: bytes) -> Sequence[int]:
        """The places of all logs that a contract wrote."""
        return self._asked.find(
            "address", lambda place: self.rows[place][0], address, range(len(self.rows))
        )

    def ask(self, event: type | str, values: dict[str, Any]) -> Query[Any]:
        """Events of one kind, by the values of their fields."""
        spec = self._spec(event)
        found = self.by_kind(spec.topic)
        everything, kinds = found, {m.name: m.kind for m in spec.members}
        tests: list[Callable[[Any], bool]] = []
        for name, value in values.items():
            if name not in kinds:
                raise TypeError(f"event {spec.name} has no '{name}'; it has {', '.join(kinds)}")
            value = getattr(value, "address", value)
            if name in spec.keys:
                topic = topic_encoder(kinds[name])(value)
                places = self.by_key(spec.topic, spec.keys.index(name) + 1, topic)
            else:
                read = self._reader(attrgetter(name))
                places = self._asked.find((spec.topic, name), read, value, everything)
            if len(values) > 1:
                tests.append(_equals(attrgetter(name), value))
            found = min(found, places, key=len)
        return Query(self, found, tuple(tests))

    def _reader(self, read: Callable[[Any], Any]) -> Callable[[int], Any]:
        return lambda place: read(self.item(place))

    def _spec(self, event: type | str) -> Any:
        if isinstance(event, str):
            spec = self._ledger.event_named(event)
            if spec is None:
                names = ", ".join(sorted(spec.name for spec in self._ledger.event_specs))
                raise TypeError(
                    f"no contract on this chain declares an event '{event}'; there are {names or 'none'}"
                )
            return spec
        declared: EventSpec | None = getattr(event, "__event__", None)
        if declared is None:
            raise TypeError(f"{event.__name__} is no event; mark its class with @event")
        return declared
