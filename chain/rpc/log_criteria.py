"""Log filters: by addresses, by topics at each position, by blocks. The cost depends on the answer, not on the whole chain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

from chain.crypto.hashing import checksum_address
from chain.foundation.dataclass import dataclass
from chain.ledger.ledger import Ledger
from chain.ledger.log_list import LogPlace
from chain.machine.state import LogRow
from chain.rpc.errors import bad_params
from chain.rpc.hex_values import to_address, to_hash

_MOST_TOPICS: Final = 4
_FEW: Final = 256  # receipts whose logs are read one by one


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

    def find(self, ledger: Ledger, first: int, end: int) -> list[LogPlace]:
        """Return the matching logs of receipts `first` up to but not including `end`, in order."""
        if end - first <= _FEW:
            return [
                LogPlace(receipt.position, index)
                for receipt in ledger.receipts[first:end]
                for index, row in enumerate(receipt.log_rows)
                if self.matches(row)
            ]
        conditions, values = ["receipt >= ?", "receipt < ?"], list[object]([first, end])
        wanted: dict[str, Iterable[str]] = (
            {"address": map(checksum_address, self.addresses)} if self.addresses else {}
        )
        wanted |= {
            f"topic{place}": map(_topic_text, allowed) for place, allowed in enumerate(self.topics)
        }
        for column, cells in wanted.items():
            found = [*cells]
            if found:
                ledger.store.index(column, f'"derived:logs" ({column})')
                conditions.append(f"{column} in (select value from json_each(?))")
                values.append(json.dumps(found))
            else:
                conditions.append(f"{column} is not null")
        question = f'select receipt, idx from "derived:logs" where {" and ".join(conditions)} order by position'
        return [*map(LogPlace._make, ledger.store.ask("logs", question, values))]


def _topic_text(topic: int) -> str:
    return f"0x{topic:064x}"


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
