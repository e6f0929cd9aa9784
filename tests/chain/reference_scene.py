"""The scene of the examples in `chain/REFERENCE.md`: a contract, a world, and a first receipt on a chain."""

from __future__ import annotations

from chain import (
    Address,
    Chain,
    Contract,
    IterableMap,
    Key,
    Map,
    Revert,
    Set,
    System,
    Vector,
    call,
    error,
    event,
    model,
    view,
)
from chain.types import u8, u64


@event
class Moved:
    player: Key[Address]
    square: u8


@error
class TooEarly(Revert):
    opens: u64


class Race(Contract):
    squares: Map[Address, u8]  # where everybody stands
    names: IterableMap[Address, str]
    rolls: Vector[u8]
    finished: Set[Address]
    opens: u64

    @call
    def join(self, name: str) -> None:
        self.names[self.caller] = name

    @call
    def roll(self) -> u8:
        """Throw the die, and move."""
        if self.block.timestamp < self.opens:
            raise TooEarly(self.opens)
        eyes = self.random.below(6, tag="die") + 1
        self.rolls.append(eyes)
        self.squares[self.caller] += eyes
        self.emit(Moved(self.caller, self.squares[self.caller]))
        self.log(f"{eyes} eyes")
        return eyes

    @view
    def square_of(self, player: Address) -> u8:
        return self.squares[player]


@model
class Score:
    player: Key[Address]
    points: u8


class League(System):
    @call
    def win(self, points: u8) -> None:
        score = self.world.read(Score, self.caller)
        self.world.write(Score(self.caller, score.points + points))


chain = Chain()
alice, bob = chain.accounts[:2]
race = chain.deploy(Race, sender=alice)
race.join("Alice", sender=alice)
with chain.loaded(die=[3]):
    receipt = race.roll(sender=alice)  # alice throws a 4
world = chain.deploy_world("league", systems=[League], writers={Score: [League]}, sender=alice)
league = world.system(League)
win = league.win(5, sender=alice)
