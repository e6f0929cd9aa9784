"""The events and models that have tables on a chain, and the names of these tables.

A name is fixed when the code of the declaring contract is first deployed on the chain. The first event or model of a name has
it as its table's name; a later one gets `Contract_Event`, and one after that `Contract_Event_2`. So names depend only on the
artifacts and their order, which are in the chain's file: they are the same in every process that opens it, in a fork and for a
client of a node. `Upgraded` belongs to the chain from the start, even if a contract declares an event of that name. Types that
are declared but not yet on the chain come last, with names that may still change.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from chain.ledger.artifacts import describe_record
from chain.ledger.event_types import UPGRADED, EventType
from chain.ledger.ledger import Ledger
from chain.spec.models import ModelSpec

OURS: Final = ("receipts", "logs", "models", "writes", "fields", "tables", UPGRADED.name)


class ModelType(NamedTuple):
    """A type of model: its identity, its specification, and the contract that declared it first."""

    key: Any
    spec: ModelSpec
    contract: str
    is_there: bool


class Declared(NamedTuple):
    """An event or a model, and the name of its table."""

    table: str
    type: EventType | ModelType


def declared_on(ledger: Ledger) -> list[Declared]:
    """Return all events and models, contract by contract in the order of their deployment."""
    taken = {name.casefold() for name in OURS}
    declared = []
    for type in _types(ledger):
        name = UPGRADED.name if type.spec is UPGRADED else _free_name(type, taken)
        taken.add(name.casefold())
        declared.append(Declared(name, type))
    return declared


def _free_name(type: EventType | ModelType, taken: set[str]) -> str:
    number, name = 1, type.spec.name
    longer = f"{type.contract}_{name}" if type.contract else name
    while name.casefold() in taken:
        name = longer if number == 1 else f"{longer}_{number}"
        number += 1
    return name


def _types(ledger: Ledger) -> Iterator[EventType | ModelType]:
    """Yield each type once, with the first contract that declares it."""
    seen: set[object] = set()
    for contract in ledger.event_types.contracts():
        types: list[EventType | ModelType] = [*contract.events]
        types += [
            ModelType(model_key(spec), spec, contract.spec.name, contract.is_there)
            for spec in contract.spec.models.values()
        ]
        for type in types:
            identity = isinstance(type, ModelType), type.key
            if identity not in seen:
                seen.add(identity)
                yield type
    yield from (type for type in ledger.event_types.types() if (False, type.key) not in seen)


@lru_cache(maxsize=1024)
def model_key(spec: ModelSpec) -> Any:
    """Return the identity of a type of model: the full name of its class, and its members."""
    return describe_record(spec.record)
