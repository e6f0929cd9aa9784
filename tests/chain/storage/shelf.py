"""A contract with every kind of collection, and work on them inside one message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chain import Address, Chain, Contract, IterableMap, Map, Set, Vector, call
from chain.types import i16, u8, u16, u64


@dataclass(frozen=True)
class Card:
    name: str
    tags: tuple[u16, ...]
    price: u64 | None


Cell = tuple[u8, u8, i16]


class Shelf(Contract):
    """Every kind of collection, and a way to work on them inside one message."""

    cells: Vector[Cell]
    cards: Vector[Card]
    texts: Vector[str]
    prices: Map[str, u64]
    stock: Map[tuple[u8, Address], Card | None]
    piles: Map[u64, Vector[u16]]
    debts: IterableMap[str, Card]
    seen: Set[u16]
    words: Set[str]

    @call
    def work(self) -> None:
        job[0](self)


job: list[Callable[[Any], object]] = []


def shelf() -> tuple[Chain, Any]:
    chain = Chain(guard=False)  # contracts and tests share functions
    return chain, chain.deploy(Shelf)


def work(on: Any, what: Callable[[Any], object]) -> None:
    job[:] = [what]
    on.work(gas=29_000_000)


def filled() -> Any:
    on = Chain(guard=False).deploy(Shelf)

    def fill(contract: Any) -> None:
        for item in (1, 2, 3):
            contract.seen.add(item)
            contract.texts.append(str(item))

    work(on, fill)
    return on
