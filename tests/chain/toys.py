"""Contracts that several test files deploy, and the small types that they share."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from chain import (
    Address,
    Contract,
    Key,
    Map,
    Revert,
    System,
    Vector,
    call,
    error,
    event,
    model,
    require,
    view,
)
from chain.types import u8, u64


class Side(Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Spot:
    x: u8
    owner: Address | None


@model
class Score:
    player: Key[Address]
    points: u64


class Scoring(System):
    """Adds what its callers win to their scores."""

    @call
    def win(self, points: u64) -> None:
        score = self.world.read(Score, self.caller)
        score.points += points
        self.world.write(score)


@event
class Added:
    who: Key[Address]
    by: Key[u64]


@event
class Reset:
    at: u64


@error
class TooMuch(Revert):
    most: u64


class Counter(Contract):
    count: u64
    kept: Vector[u64]
    seen: Map[u64, u64]

    @call
    def add(self, by: u64) -> u64:
        require(by, "nothing to add")
        if by > 1_000:
            raise TooMuch(1_000)
        self.count += by
        self.emit(Added(self.caller, by))
        return self.count

    @call
    def reset(self) -> None:
        self.count = 0
        self.emit(Reset(self.block.timestamp))

    @call
    def wipe(self) -> None:
        self.count = 0
        self.log("wiped" * 99)

    @call
    def keep(self, n: u64) -> None:
        for i in range(n):
            self.kept.append(i + 1)

    @call
    def keep_as_high(self) -> None:
        self.keep(self.block.number)

    @call
    def roll(self) -> u64:
        return self.random.below(6, tag="dice")

    @view
    def total(self) -> u64:
        return self.count

    @view
    def kept_so_far(self) -> u64:
        return len(self.kept)

    @view
    def height(self) -> u64:
        return self.block.number

    @view
    def look_far(self, n: u64) -> u64:
        return sum(self.seen[i] for i in range(n))

    @view
    def refuse(self, why: str) -> None:
        raise Revert(why)


class Relay(Contract):
    @call
    def keep(self, counter: Address, n: u64) -> None:
        self.at(Counter, counter).keep(n)

    @call
    def try_to_keep(self, counter: Address, n: u64) -> None:
        with suppress(Revert):
            self.at(Counter, counter).keep(n)


@event
class Rang:
    by: Key[Address]
    times: u64


class Bell(Contract):
    @call
    def ring(self, times: u64) -> None:
        self.emit(Rang(self.caller, times))
