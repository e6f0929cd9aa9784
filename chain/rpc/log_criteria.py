"""Logs by what clients ask for: addresses, topics by place, blocks. The cost is that of the answer, not of the chain."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from typing import TYPE_CHECKING, Any, Final

from chain.rpc.errors import bad_params
from chain.rpc.hex_values import (
    to_address,
    to_hash,
)

if TYPE_CHECKING:
    from chain.ledger.event_log import EventLog
    from chain.machine.state import LogRow

Places = Sequence[int]
_MOST_TOPICS: Final = 4


@dataclass(frozen=True)
class LogCriteria:
    """Which logs: of any of these addresses, and in each place of `topics` any of those. An empty set is no condition."""

    addresses: frozenset[bytes]
    topics: tuple[frozenset[int], ...]

    def matches(self, row: LogRow) -> bool:
        address, topics, *_ = row
        if self.addresses and address not in self.addresses:
            return False
        if len(topics) < len(self.topics):
            return False
        return all(
            not some or topic in some for some, topic in zip(self.topics, topics, strict=False)
        )

    def find(self, log: EventLog, within: range) -> Iterator[int]:
        """The places of the matching logs, in order."""
        rows = log.rows
        return (place for place in self._candidates(log, within) if self.matches(rows[place]))

    def _candidates(self, log: EventLog, within: range) -> Iterator[int]:
        """The shortest of the lists that must hold all of them."""
        ways: list[list[Places]] = [[within], *self._ways(log)]
        cut = [[_cut(places, within) for places in way] for way in ways]
        return merge(*min(cut, key=lambda way: sum(map(len, way))))

    def _ways(self, log: EventLog) -> Iterator[list[Places]]:
        if self.addresses:
            yield [log.by_address(address) for address in self.addresses]
        kinds = self.topics[0] if self.topics else ()
        if kinds:
            yield [log.by_kind(kind) for kind in kinds]
            for i, some in enumerate(self.topics[1:], 1):
                if some:
                    yield [log.by_key(kind, i, topic) for kind in kinds for topic in some]


def _cut(places: Places, within: range) -> Places:
    return places[bisect_left(places, within.start) : bisect_left(places, within.stop)]


def parse_criteria(criteria: Mapping[str, Any]) -> LogCriteria:
    """Read `address` and `topics` of a filter."""
    addresses = criteria.get("address") or []
    if not isinstance(addresses, list | tuple):
        addresses = [addresses]
    topics = criteria.get("topics") or []
    if not isinstance(topics, list | tuple) or len(topics) > _MOST_TOPICS:
        raise bad_params(f"topics are a list of at most {_MOST_TOPICS}, not {topics!r}")
    return LogCriteria(frozenset(map(to_address, addresses)), tuple(map(_any_of, topics)))


def _any_of(topic: Any) -> frozenset[int]:
    """One topic, a list of those that will do, or None for any."""
    some = topic if isinstance(topic, list | tuple) else [] if topic is None else [topic]
    if None in some:
        return frozenset()
    return frozenset(int.from_bytes(to_hash(item, "a topic")) for item in some)
