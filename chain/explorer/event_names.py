"""The name of each type of event in queries."""

from __future__ import annotations

from collections import Counter
from typing import Any

from chain.ledger.event_types import EventType
from chain.ledger.ledger import Ledger


def names_of_events(ledger: Ledger) -> dict[Any, str]:
    """Return the query name of each event type, by its key. A shared name is extended by its contract or fields."""
    types = [type for type in ledger.event_types.all() if type.is_there]
    return {type.key: _by(types, type) for type in types}


def _by(types: list[EventType], type: EventType) -> str:
    plain_names = Counter(other.spec.name for other in types)
    longer = f"{type.contract}.{type.spec.name}"
    if plain_names[type.spec.name] == 1:
        return type.spec.name
    alike = [other for other in types if f"{other.contract}.{other.spec.name}" == longer]
    return longer if type.contract and len(alike) == 1 else type.spec.signature
