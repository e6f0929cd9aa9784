"""All logs of a chain, in order, and queries over the events in them.

Logs are indexed by first topic and by `Key` field, all new ones when somebody asks. Any other field is indexed on its first
use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, overload

from chain import runtime
from chain.foundation.atomic_steps import locked
from chain.ledger.event_types import Source
from chain.ledger.indexes import Indexes, Positions, Union, merged
from chain.ledger.log_index import CHUNK, Chunk, LogIndex
from chain.ledger.queries import PositionFinder, contract_key
from chain.ledger.receipt_log import ReceiptLog
from chain.ledger.receipts import Log, Receipt, Record
from chain.ledger.rows import Rows
from chain.machine.state import LogRow
from chain.runtime import is_system
from chain.storage.read_only import ReadOnlyStorage


class EventLog:
    """All logs of a chain, in order, indexed by first topic and by field. A `place` is the position of a log in this list."""

    def __init__(self, ledger: Record, receipts: ReceiptLog) -> None:
        self.ledger, self.lock, self._receipts = ledger, ledger.lock, receipts
        self._rows: Rows[LogRow] = Rows()
        self._entered = 0  # the number of receipts whose logs are in `_rows` and `_index`
        self._index = LogIndex(0, 0)
        self._stored: dict[Source, None] = {}  # the sources of the logs in the file
        self._stored_types: set[int] = set()  # their first topics
        self._chunks: Sequence[Chunk] = ()  # the index of the logs in the file
        self._older: tuple[LogIndex, int] = (
            LogIndex(0, 0),
            0,
        )  # as far as that was read: so many chunks

    def restore(
        self, receipts: int, logs: int, sources: Sequence[Source], chunks: Sequence[Chunk]
    ) -> None:
        """Use the first `logs` logs of a file, those of its first `receipts` receipts. They are read on first use."""
        self._index, self._entered, self._chunks = LogIndex(receipts, logs), receipts, chunks
        self._stored = dict.fromkeys(sources)
        self._stored_types = {topic for _, topic, _ in sources}
        self._rows = Rows(_StoredLogs(self, logs))

    @property
    def rows(self) -> Rows[LogRow]:
        """All logs."""
        self._update()
        return self._rows

    @property
    def _places(self) -> LogIndex:
        """The positions of all logs since the file was opened."""
        self._update()
        return self._index

    def _update(self) -> None:
        if self._entered != len(self._receipts):
            self.enter_new(len(self._receipts))

    @locked
    def enter_new(self, most: int) -> bool:
        """Enter the logs of `most` new receipts; return True if none is left. May be interrupted and repeated."""
        rows, index, position = self._rows, self._index, self._entered
        place = index.end_of(position)  # the first receipt may have been entered in part
        for logs in self._receipts._logs_from(position, position + most):
            for row in logs:
                if place == len(rows):
                    rows.new.append(row)
                if place == index.end:
                    index.enter(place, row, position)
                place += 1
            position = self._entered = position + 1
        return position == len(self._receipts)

    def truncate(self, receipts: int) -> None:
        """Keep only the logs of the first `receipts` receipts."""
        if receipts >= self._entered and len(self._rows) == self._index.end_of(receipts):
            return  # none of the others was entered, not even in part
        log_places = self._places  # up to date, as indexes would bring it up to date in between
        if receipts < log_places.behind:
            removed = self._receipts[receipts : log_places.behind]
            first = log_places.first - sum(len(receipt.log_rows) for receipt in removed)
            self._older = LogIndex(0, 0), 0
            self._index, self._entered = LogIndex(receipts, first), receipts
            self._rows.cut(first)
            return
        end = log_places.end_of(receipts)
        log_places.truncate(end, self._rows[end:])
        self._rows.cut(end)
        self._entered = receipts

    def _all(self) -> LogIndex:
        """Return the positions of all logs. Those in the file are read on first use."""
        self.read_index(len(self._chunks))
        return self._index

    @locked
    def read_index(self, most: int) -> bool:
        """Read at most so many further chunks of the index in the file; return True if none is left."""
        log_places = self._places
        if not log_places.first:
            return True
        # While it is changed it is not kept, because that may be interrupted.
        (older, done), self._older = self._older, (LogIndex(0, 0), 0)
        end = min(done + most, log_places.first // CHUNK)
        for chunk in self._chunks[done:end]:
            older.extend(chunk)
        if end < log_places.first // CHUNK:
            self._older = older, end
            return False
        self._index = self._completed(older, log_places)
        return True

    def _completed(self, older: LogIndex, newer: LogIndex) -> LogIndex:
        """Add to the chunks of the file the logs after them, and the positions since the file was opened."""
        receipts, count = older.receipts, len(older.receipts)
        position = receipts[-1] if count else 0  # of this receipt some may be missing
        skipped = count - older.end_of(position)
        for logs in self._receipts._logs_from(position, newer.behind):
            for row in logs[skipped:]:
                older.enter(len(receipts), row, position)
            position, skipped = position + 1, 0
        for row, position in zip(self.rows[newer.first :], newer.receipts, strict=True):
            older.enter(len(receipts), row, position)
        return older

    def _from(self, place: int) -> LogIndex:
        """Return the positions of the logs since the file was opened if `place` is among these, else those of all logs."""
        return self._places if place >= self._places.first else self._all()

    @property
    def sources(self) -> list[Source]:
        """The sources of the logs, in order of first appearance; some may have no logs left."""
        return list(self._stored | dict.fromkeys(self._places.by_source))

    @property
    def indexes(self) -> Indexes:
        return self._all().indexes

    def __len__(self) -> int:
        return len(self.rows)

    def receipt(self, place: int) -> Receipt:
        return self._receipts[self.receipt_of(place)]

    def receipt_of(self, place: int) -> int:
        """Return the position of the receipt of a log."""
        log_places = self._from(place)
        return log_places.receipts[place - log_places.first]

    def receipts_of(self, places: Sequence[int]) -> list[int]:
        """Return the positions of the receipts of these logs, which are in order."""
        if not places:
            return []
        log_places = self._from(places[0])
        receipts, first = log_places.receipts, log_places.first
        return [receipts[place - first] for place in places]

    def receipts_from(self, place: int) -> Sequence[int]:
        """Return for each log from a position on the position of its receipt."""
        log_places = self._from(place)
        return log_places.receipts[place - log_places.first :]

    def log(self, place: int) -> Log:
        receipt = self.receipt(place)
        return Log(receipt, place - self.end_of(receipt.position), self.rows[place])

    def end_of(self, receipts: int) -> int:
        """Return the number of logs in the first `receipts` receipts."""
        log_places = self._places
        return (log_places if receipts >= log_places.behind else self._all()).end_of(receipts)

    def has_type(self, kind: int) -> bool:
        """True if a log has that first topic, or one had it when the file was opened."""
        by_source = self._places.by_source
        is_logged = any(by_source[source] for source in by_source.of(kind))
        return is_logged or kind in self._stored_types

    def by_type(self, kind: int, first: int = 0) -> Positions:
        """Return the positions of all logs with that first topic; those before `first` may be left out."""
        return self._from(first).by_type(kind)

    def with_meaning(self) -> Positions:
        """Return the positions of all logs that may hold a declared event, judging by their sources."""
        event_types, by_source = self.ledger.event_types, self._all().by_source
        known = [source for source in by_source if event_types.of_source(source) is not None]
        return Union([by_source[source] for source in known])

    def by_key(self, kind: int, place: int, topic: int) -> Positions:
        """Return the positions of all logs with first topic `kind` that have `topic` at index `place` of their topics."""
        return self._all().by_key.get((kind, place, topic), ())

    def by_address(self, address: bytes) -> Positions:
        """Return the positions of all logs that were emitted under an address."""
        return self._find(("account", "address"), address, partial(self._account, "address"))

    def of_sources(self, topic: int, wanted: Callable[[Source], bool], first: int = 0) -> Positions:
        """Return the positions of all logs with that first topic whose source is `wanted`.

        Those before `first` may be left out.
        """
        if self.are_all(topic, wanted):
            return self.by_type(topic, first)
        log_places = self._from(first)
        positions = [
            self._readable(log_places, source)
            for source in log_places.by_source.of(topic)
            if wanted(source)
        ]
        return merged(positions)

    def are_all(self, topic: int, wanted: Callable[[Source], bool]) -> bool:
        """True if all logs with that first topic have `wanted` sources, and are certain to hold the event."""
        stored = (source for source in self._stored if source[1] == topic)
        sources = [*stored, *self._places.by_source.of(topic)]
        return all(map(wanted, sources)) and all(map(self.ledger.event_types.is_certain, sources))

    def _readable(self, places: LogIndex, source: Source) -> Positions:
        """Return the logs of a source, without those that only look like a known event."""
        event_types, rows, decode = self.ledger.event_types, self.rows, self.ledger.decode
        positions = partial(places.by_source.__getitem__, source)
        if event_types.is_certain(source):
            return positions()
        name = "readable", source, event_types.version
        return places.indexes.find(
            name, True, positions, lambda position: decode(rows[position]) is not None
        )

    def contract_finder(self, contract: object) -> PositionFinder:
        return partial(self._by, *contract_key(self.ledger, contract))

    def _by(self, name: str, value: Any) -> Positions:
        """Return the logs of a contract, and those its code emitted for another one, as a system does for its world."""
        by_account = self._find(("account", name), value, partial(self._account, name))
        if name != "address":
            by_code = self._find(("code", name), value, partial(self._code, name))
        else:
            key = self._in_the_name_of_a_world(value)
            by_code = by_account if key is None else self._find("lent", key, self._lent)
        return by_account if by_code == by_account else merged([by_account, by_code])

    def _find(self, name: object, value: object, read: Callable[[int], object]) -> Positions:
        return self.indexes.find(name, value, lambda: range(len(self.rows)), read)

    def _lent(self, place: int) -> tuple[bytes, bytes | None]:
        row = self.rows[place]
        return row[0], row[4]

    def _in_the_name_of_a_world(self, address: bytes) -> tuple[bytes, bytes] | None:
        """Return the world's address and the code digest of the logs that a system emits for it; None for other contracts."""
        program, state = self.ledger.program_at(address), self.ledger.state
        if program is None or not is_system(program.spec.cls):
            return None
        world = runtime.HOME_FIELDS.accessors(0)[0](
            ReadOnlyStorage(state.slots, state.storages[address]), runtime.SYSTEM_SLOT
        )
        return bytes(world), program.digest

    def _account(self, name: str, place: int) -> Any:
        """Return the emitter of a log: its address, or the digest or the name of the contract at it."""
        address = self.rows[place][0]
        program = None if name == "address" else self.ledger.program_at(address)
        if program is None:
            return address
        return program.digest if name == "program" else program.spec.name

    def _code(self, name: str, place: int) -> Any:
        """Return the code that emitted a log: its digest, or the name of its contract."""
        digest = self.rows[place][4]
        if name == "program" or digest is None:
            return digest
        program = self.ledger.program(digest)
        return None if program is None else program.spec.name


class _StoredLogs(Sequence[LogRow]):
    """The logs in a chain file, each read with its receipt."""

    def __init__(self, log: EventLog, count: int) -> None:
        self._log, self._count = log, count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> LogRow: ...
    @overload
    def __getitem__(self, place: slice) -> list[LogRow]: ...
    def __getitem__(self, place: int | slice) -> LogRow | list[LogRow]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(self._count))]
        receipt = self._log.receipt(place)
        return receipt.log_rows[place - self._log.end_of(receipt.position)]
