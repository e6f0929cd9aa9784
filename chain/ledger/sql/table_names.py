"""What there are tables of on a chain, and what each is called.

A name is settled when the code of the contract that declares it first comes onto the chain: the first comer is called like its
event or model, a later one of that name `Contract_Event`, and one after that `Contract_Event_2`. So names follow from the
artifacts and their order alone, which are in the chain's file: they are the same for whoever opens it, and for a fork and a
follower. `Upgraded` is the chain's own from the start, whoever else announces one. What is declared and not yet on the chain
comes last, under names that may still change.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chain.ledger.artifacts import describe_record
from chain.ledger.event_types import UPGRADED, EventType
from chain.spec.models import ModelSpec

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

OURS: Final = ("receipts", "logs", "tables", "exact_numbers", UPGRADED.name)


class ModelType(NamedTuple):
    """A type of model: what identifies it, how it is read, and the contract that declared it first."""

    key: Any
    spec: ModelSpec
    contract: str
    is_there: bool


class Declared(NamedTuple):
    """An event or a model, and what its table is called."""

    table: str
    type: EventType | ModelType


def declared_on(ledger: Ledger) -> list[Declared]:
    """All events and models, contract by contract in the order in which these came."""
    taken = {name.casefold() for name in OURS}
    found = []
    for type in _types(ledger):
        name = UPGRADED.name if type.spec is UPGRADED else _free_name(type, taken)
        taken.add(name.casefold())
        found.append(Declared(name, type))
    return found


def _free_name(type: EventType | ModelType, taken: set[str]) -> str:
    number, name = 1, type.spec.name
    longer = f"{type.contract}_{name}" if type.contract else name
    while name.casefold() in taken:
        name = longer if number == 1 else f"{longer}_{number}"
        number += 1
    return name


def _types(ledger: Ledger) -> Iterator[EventType | ModelType]:
    """Each type once, with the first contract that declares it."""
    seen: set[Any] = set()
    for contract in ledger.event_types.contracts():
        types: list[EventType | ModelType] = [*contract.events]
        types += [
            ModelType(model_key(spec), spec, contract.spec.name, contract.is_there)
            for spec in contract.spec.models.values()
        ]
        for type in types:
            mark = isinstance(type, ModelType), type.key
            if mark not in seen:
                seen.add(mark)
                yield type
    yield from (type for type in ledger.event_types.all() if (False, type.key) not in seen)


@lru_cache(maxsize=1024)
def model_key(spec: ModelSpec) -> Any:
    """What identifies a type of model: the full name of its class, and its members."""
    return describe_record(spec.record)
