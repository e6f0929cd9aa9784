"""The positions of a chain's logs, by the most frequent queries: the code that emitted them, and their topics.

A chain's file holds them in chunks of a fixed number of logs, from which the index is quickly restored when the file is
opened.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from chain.ledger.event_types import Source
from chain.ledger.indexes import (
    Indexes,
    Positions,
    append_position,
    new_positions,
    truncate_positions,
)
from chain.machine.state import LogRow

CHUNK: Final = 1024  # logs
# For each log the position of its receipt; the positions of each source; the positions of each topic after the first.
Chunk: TypeAlias = tuple[bytes, Sequence[tuple[Any, ...]], Sequence[tuple[Any, ...]]]


class BySource(dict[Source, "array[int]"]):
    """The positions of logs by source, and the sources of each first topic."""

    def __init__(self) -> None:
        super().__init__()
        self._sources: defaultdict[int, dict[Source, None]] = defaultdict(dict)

    def __missing__(self, source: Source) -> array[int]:
        self._sources[source[1]][source] = None
        positions = self[source] = new_positions()
        return positions

    def of(self, topic: int) -> Sequence[Source]:
        return tuple(self._sources.get(topic, ()))


class LogIndex:
    """The positions of logs by source and topic, from position `first` on: those of the receipts from number `behind` on."""

    __slots__ = ("_merged", "behind", "by_key", "by_source", "first", "indexes", "receipts")

    def __init__(self, behind: int, first: int) -> None:
        self.behind, self.first = behind, first
        self.receipts = new_positions()  # for each log, the position of its receipt
        self.by_source = BySource()
        self.by_key: defaultdict[tuple[int, int, int], array[int]] = defaultdict(new_positions)
        self._merged: dict[int, list[int]] = {}  # by first topic, if it has several sources
        self.indexes = Indexes()

    @property
    def end(self) -> int:
        """The number of logs, those in the file included."""
        return self.first + len(self.receipts)

    def end_of(self, receipts: int) -> int:
        """Return the number of logs in the first `receipts` receipts, at least those from `behind` on."""
        return self.first + bisect_left(self.receipts, receipts)

    def enter(self, place: int, row: LogRow, receipt: int) -> None:
        """Enter a log. If that was interrupted, it can be repeated."""
        topics = row[1]
        if topics:
            first_topic = topics[0]
            count = len(topics)
            append_position(self.by_source[row[4], first_topic, count], place)
            for i in range(1, count):
                append_position(self.by_key[first_topic, i, topics[i]], place)
        self.receipts.append(receipt)

    def extend(self, chunk: Chunk) -> None:
        """Add the next chunk."""
        receipts, sources, keys = chunk
        for digest, topic, count, at in sources:
            _extend(self.by_source[digest, topic, count], at)
        for topic, i, key, at in keys:
            _extend(self.by_key[topic, i, key], at)
        _extend(self.receipts, receipts)

    def truncate(self, end: int, rows: Sequence[LogRow]) -> None:
        """Remove the positions from `end` on; `rows` are the logs at them."""
        self.indexes.truncate(end)
        self._merged.clear()
        for _, topics, _, _, digest in rows:
            if topics:
                truncate_positions(self.by_source[digest, topics[0], len(topics)], end)
                for i in range(1, len(topics)):
                    key = topics[0], i, topics[i]
                    truncate_positions(self.by_key[key], end)
                    if not self.by_key[key]:
                        del self.by_key[key]
        del self.receipts[end - self.first :]

    def by_type(self, kind: int) -> Positions:
        sources = self.by_source.of(kind)
        if len(sources) < 2:
            return self.by_source[sources[0]] if sources else ()
        lists = [self.by_source[source] for source in sources]
        positions = self._merged.get(kind, [])
        if len(positions) != sum(map(len, lists)):
            positions = self._merged[kind] = sorted(
                position for source_list in lists for position in source_list
            )
        return positions


def chunk_of(first: int, rows: Sequence[LogRow], receipts: Iterable[int]) -> Chunk:
    """Return the chunk of the logs from position `first` on, whose receipts are at these positions."""
    by_source: defaultdict[Source, list[int]] = defaultdict(list)
    by_key: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
    for place, (_, topics, _, _, digest) in enumerate(rows, first):
        if topics:
            first_topic, count = topics[0], len(topics)
            by_source[digest, first_topic, count].append(place)
            for i in range(1, count):
                by_key[first_topic, i, topics[i]].append(place)
    sources = [(*source, _stored(at)) for source, at in by_source.items()]
    keys = [(*key, _stored(at)) for key, at in by_key.items()]
    return _stored(receipts), sources, keys


def _stored(positions: Iterable[int]) -> bytes:
    """Return positions as they are stored: eight bytes each, the lowest first."""
    stored = array("Q", positions)
    if sys.byteorder == "big":
        stored.byteswap()
    return stored.tobytes()


def _extend(positions: array[int], stored: bytes) -> None:
    added = new_positions()
    added.frombytes(stored)
    if sys.byteorder == "big":
        added.byteswap()
    positions.extend(added)
