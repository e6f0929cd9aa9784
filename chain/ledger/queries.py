"""Questions to the receipt log.

Logs are indexed by kind and by `Key` field as they happen; any other field, of events or receipts, the first time someone
asks for it, and kept up to date from then on. So a question costs what its answer is long, not what the chain is long.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from chain.frame import Log
from chain.ledger.receipts import Receipt
from chain.records import EventSpec, topic_encoder

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

T = TypeVar("T")


class Query(Generic[T]):
    """A lazy answer: narrow it with `where` and `between`, then iterate, `count`, or take `first`, `last`, `one`."""

    __slots__ = ("_found", "_receipt_of", "_show", "_tests")

    def __init__(
        self,
        found: Sequence[Any],
        receipt_of: Callable[[Any], Receipt],
        show: Callable[[Any], T],
        tests: tuple[Callable[[Any], bool], ...] = (),
    ) -> None:
        self._found, self._receipt_of, self._show, self._tests = found, receipt_of, show, tests

    def where(self, test: Callable[[T], bool]) -> Query[T]:
        """Only those for which `test` holds."""
        show = self._show
        return Query(self._found, self._receipt_of, show, (*self._tests, lambda item: test(show(item))))

    def between(
        self, *, blocks: tuple[int, int] | None = None, times: tuple[int, int] | None = None
    ) -> Query[T]:
        """Only those in a range of block numbers or of block times, both ends included."""
        found = self._found
        if blocks:
            found = self._cut(found, blocks, lambda item: self._receipt_of(item).block.number)
        if times:
            found = self._cut(found, times, lambda item: self._receipt_of(item).block.timestamp)
        return Query(found, self._receipt_of, self._show, self._tests)

    @staticmethod
    def _cut(found: Sequence[Any], ends: tuple[int, int], key: Callable[[Any], int]) -> Sequence[Any]:
        return found[bisect_left(found, ends[0], key=key) : bisect_right(found, ends[1], key=key)]

    def _matches(self, items: Iterator[Any]) -> Iterator[Any]:
        tests = self._tests
        return (item for item in items if all(test(item) for test in tests)) if tests else items

    def __iter__(self) -> Iterator[T]:
        return (self._show(item) for item in self._matches(iter(self._found)))

    def __len__(self) -> int:
        return self.count()

    def count(self) -> int:
        return sum(1 for _ in self._matches(iter(self._found))) if self._tests else len(self._found)

    def first(self) -> T | None:
        return next((self._show(item) for item in self._matches(iter(self._found))), None)

    def last(self) -> T | None:
        return next((self._show(item) for item in self._matches(reversed(self._found))), None)

    def one(self) -> T:
        """The only one there is; any other number of them is a LookupError."""
        found = list(self)
        if len(found) != 1:
            raise LookupError(f"{len(found)} answer the question, not one")
        return found[0]

    def list(self) -> list[T]:
        return list(self)

    def receipts(self) -> Iterator[Receipt]:
        """The receipts in which the answers stand."""
        return (self._receipt_of(item) for item in self._matches(iter(self._found)))

    def __repr__(self) -> str:
        return f"<{self.count()} found>"


class Index:
    """The items of a growing list by one of their values, brought up to date when asked."""

    __slots__ = ("_done", "_items", "_places", "_value")

    def __init__(self, items: list[Any], value: Callable[[Any], Any]) -> None:
        self._items, self._value = items, value
        self._places: defaultdict[Any, list[Any]] = defaultdict(list)
        self._done = 0

    def __getitem__(self, value: Any) -> Sequence[Any]:
        if self._done > len(self._items):  # items were taken back: begin again
            self._places.clear()
            self._done = 0
        places, value_of = self._places, self._value
        for i in range(self._done, len(self._items)):
            item = self._items[i]
            places[value_of(item)].append(item)
        self._done = len(self._items)
        return places.get(value, ())


_RECEIPT_FIELDS: dict[str, Callable[[Receipt], Any]] = {
    "sender": lambda receipt: receipt.tx.sender,
    "to": lambda receipt: receipt.tx.to,
    "entry": lambda receipt: receipt.entry,
    "contract": lambda receipt: receipt.contract,
    "address": lambda receipt: receipt.outcome.address,
    "ok": lambda receipt: receipt.ok,
}


class ReceiptLog(Sequence[Receipt]):
    """All receipts of a chain, in order."""

    def __init__(self) -> None:
        self._receipts: list[Receipt] = []
        self._indexes: dict[str, Index] = {}

    def append(self, receipt: Receipt) -> None:
        self._receipts.append(receipt)

    def cut(self, length: int) -> list[Receipt]:
        """Take back all but the first `length` receipts."""
        gone = self._receipts[length:]
        del self._receipts[length:]
        if gone:
            self._indexes.clear()
        return gone

    def __len__(self) -> int:
        return len(self._receipts)

    @overload
    def __getitem__(self, index: int) -> Receipt: ...
    @overload
    def __getitem__(self, index: slice) -> list[Receipt]: ...
    def __getitem__(self, index: int | slice) -> Receipt | list[Receipt]:
        return self._receipts[index]

    def where(self, test: Callable[[Receipt], bool] | None = None, **values: Any) -> Query[Receipt]:
        """Receipts by `sender`, `to`, `entry`, `contract`, `address`, `ok`, and by any test."""
        found: Sequence[Receipt] = self._receipts
        tests: list[Callable[[Receipt], bool]] = [test] if test else []
        for name, value in values.items():
            read = _RECEIPT_FIELDS.get(name)
            if read is None:
                raise TypeError(f"receipts have no '{name}' to ask for; there are {', '.join(_RECEIPT_FIELDS)}")
            name, read, value = _plain(name, read, value)
            places = self._indexes.setdefault(name, Index(self._receipts, read))[value]
            found = min(found, places, key=len)
            tests.append(lambda receipt, read=read, value=value: read(receipt) == value)  # type: ignore[misc]
        if len(values) == 1 and test is None:
            tests = []  # the index has answered it
        return Query(found, lambda receipt: receipt, lambda receipt: receipt, tuple(tests))


def _plain(name: str, read: Callable[[Receipt], Any], value: Any) -> tuple[str, Callable[[Receipt], Any], Any]:
    """A contract may be asked for by its name, its class, its handle or its address."""
    if name == "contract" and isinstance(value, type):
        return name, read, value.__name__
    address = getattr(value, "address", value)
    if name == "contract" and isinstance(address, bytes):
        return "address", _RECEIPT_FIELDS["address"], address
    return name, read, address


class EventLog:
    """All logs of a chain, in order, by kind and by field."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.logs: list[Log] = []
        self.by_kind: defaultdict[int | None, list[Log]] = defaultdict(list)
        self._by_key: defaultdict[tuple[int, int, int], list[Log]] = defaultdict(list)
        self._by_field: dict[tuple[int, str], Index] = {}
        self.by_address = Index(self.logs, lambda log: log.address)

    def extend(self, logs: list[Log], receipt: Receipt) -> None:
        for log in logs:
            log.receipt, log.index = receipt, len(self.logs)
            self.logs.append(log)
            topics = log.topics
            kind = topics[0] if topics else None
            self.by_kind[kind].append(log)
            for i in range(1, len(topics)):
                self._by_key[topics[0], i, topics[i]].append(log)

    def cut(self, length: int) -> None:
        """Take back all but the first `length` logs."""
        for log in reversed(self.logs[length:]):
            topics = log.topics
            self.by_kind[topics[0] if topics else None].pop()
            for i in range(1, len(topics)):
                self._by_key[topics[0], i, topics[i]].pop()
        if length < len(self.logs):
            del self.logs[length:]
            self._by_field.clear()
            self.by_address = Index(self.logs, lambda log: log.address)

    def by_topic(self, kind: int, place: int, topic: int) -> Sequence[Log]:
        """Logs of a kind by an indexed value."""
        return self._by_key.get((kind, place, topic), ())

    def ask(self, event: type | str, values: dict[str, Any]) -> Query[Any]:
        """Events of one kind, by the values of their fields."""
        spec = self._spec(event)
        if spec is None:
            return Query((), _receipt_of, self._show)
        kind = spec.topic
        found: Sequence[Log] = self.by_kind.get(kind, [])
        names = {member.name: member.kind for member in spec.members}
        keys = [name for name in names if name in spec.keys]
        tests: list[Callable[[Log], bool]] = []
        for name, value in values.items():
            if name not in names:
                raise TypeError(f"event {spec.name} has no '{name}'; it has {', '.join(names)}")
            value = getattr(value, "address", value)
            if name in keys:
                topic = topic_encoder(names[name])(value)
                places = self.by_topic(kind, keys.index(name) + 1, topic)
                tests.append(lambda log, at=keys.index(name) + 1, topic=topic: log.topics[at] == topic)  # type: ignore[misc]
            else:
                read = self._reader(name)
                index = self._by_field.setdefault((kind, name), Index(self.by_kind[kind], read))
                places = index[value]
                tests.append(lambda log, read=read, value=value: read(log) == value)  # type: ignore[misc]
            found = min(found, places, key=len)
        return Query(found, _receipt_of, self._show, tuple(tests) if len(tests) > 1 else ())

    def _reader(self, name: str) -> Callable[[Log], Any]:
        show = self._show
        return lambda log: getattr(show(log), name)

    def _show(self, log: Log) -> Any:
        return self._ledger.decode(log)

    def _spec(self, event: type | str) -> Any:
        if isinstance(event, str):
            return self._ledger.event_named(event)
        spec: EventSpec | None = getattr(event, "__event__", None)
        if spec is None:
            raise TypeError(f"{event.__name__} is no event; mark its class with @event")
        return spec


def _receipt_of(log: Log) -> Receipt:
    return cast(Receipt, log.receipt)
