"""Log filters: by addresses, by topics at each position, by blocks. The cost depends on the answer, not on the whole chain."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from typing import Final

from chain.foundation.dataclass import dataclass
from chain.ledger.event_log import EventLog
from chain.machine.state import LogRow
from chain.rpc.errors import bad_params
from chain.rpc.hex_values import to_address, to_hash

Places = Sequence[int]
_MOST_TOPICS: Final = 4


@dataclass(frozen=True)
class LogCriteria:
    """A condition on logs: the address is any of these, and each topic any of the set at its position.

    An empty set matches everything.
    """

    addresses: frozenset[bytes]
    topics: tuple[frozenset[int], ...]

    def matches(self, row: LogRow) -> bool:
        address, topics, *_ = row
        if self.addresses and address not in self.addresses:
            return False
        if len(topics) < len(self.topics):
            return False
        return all(
            not allowed or topic in allowed
            for allowed, topic in zip(self.topics, topics, strict=False)
        )

    def find(self, log: EventLog, within: range) -> list[int]:
        """Return the positions of the matching logs, in order."""
        if not self.topics:
            return list(self._candidates(log, within))  # by their addresses, or all
        rows = log.rows
        return [
            position for position in self._candidates(log, within) if self.matches(rows[position])
        ]

    def _candidates(self, log: EventLog, within: range) -> Iterator[int]:
        """Return the positions in the shortest index that contains all matching logs."""
        indexes: list[list[Places]] = [[within], *self._ways(log)]
        clipped = [[_cut(positions, within) for positions in index] for index in indexes]
        shortest = min(clipped, key=lambda index: sum(map(len, index)))
        return merge(*shortest) if len(shortest) > 1 else iter(shortest[0])

    def _ways(self, log: EventLog) -> Iterator[list[Places]]:
        if self.addresses:
            yield [log.by_address(address) for address in self.addresses]
        first_topics = self.topics[0] if self.topics else ()
        if first_topics:
            yield [log.by_type(first_topic) for first_topic in first_topics]
            for position, allowed in enumerate(self.topics[1:], 1):
                if allowed:
                    yield [
                        log.by_key(first_topic, position, topic)
                        for first_topic in first_topics
                        for topic in allowed
                    ]


def _cut(places: Places, within: range) -> Places:
    return places[bisect_left(places, within.start) : bisect_left(places, within.stop)]


def parse_criteria(criteria: Mapping[str, object]) -> LogCriteria:
    """Read the `address` and `topics` of a filter."""
    addresses = criteria.get("address") or []
    if not isinstance(addresses, list | tuple):
        addresses = [addresses]
    topics = criteria.get("topics") or []
    if not isinstance(topics, list | tuple) or len(topics) > _MOST_TOPICS:
        raise bad_params(f"topics are a list of at most {_MOST_TOPICS}, not {topics!r}")
    return LogCriteria(frozenset(map(to_address, addresses)), tuple(map(_any_of, topics)))


def _any_of(topic: object) -> frozenset[int]:
    """Return the set of one topic, of a list of alternatives, or of None for any."""
    alternatives = topic if isinstance(topic, list | tuple) else [] if topic is None else [topic]
    if None in alternatives:
        return frozenset()
    return frozenset(int.from_bytes(to_hash(item, "a topic")) for item in alternatives)
