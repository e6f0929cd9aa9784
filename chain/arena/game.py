"""What a game offers to be played by strategies: a table on a chain, one by the bare rules, and the strategies themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, Protocol, TypeVar

from chain.runtime.contract import Contract
from chain.simulator.chain import Chain

State = TypeVar("State")
State_co = TypeVar("State_co", covariant=True)
State_contra = TypeVar("State_contra", contravariant=True)
Move = TypeVar("Move")


@dataclass(frozen=True)
class Result:
    """How a game ended: why, and by seat the points and the places. Whoever is in place 1 has won."""

    ending: str
    scores: tuple[int, ...]
    places: tuple[int, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        return tuple(seat for seat, place in enumerate(self.places) if place == 1)


def result_of(ending: str, scores: Sequence[int]) -> Result:
    """Return the result of a game in which more points are better. Equal points share a place, and the next one is left out."""
    places = tuple(1 + sum(other > mine for other in scores) for mine in scores)
    return Result(ending, tuple(scores), places)


class Table(Protocol[State_co, Move]):
    """A game in play. Seats count from 0. A table on a chain and one by the rules agree in everything."""

    @property
    def state(self) -> State_co: ...
    def turn(self) -> int:
        """Return the seat whose turn it is."""
        ...

    def moves(self) -> Sequence[Move]:
        """Return all moves that are legal now, always in the same order."""
        ...

    def make(self, move: Move) -> None: ...
    def result(self) -> Result | None:
        """Return how the game ended, or None while it goes on."""
        ...

    def text(self) -> str:
        """Return the whole state in one line."""
        ...


class Strategy(Protocol[State_contra, Move]):
    """A player of one game: each seat of each game has its own, so it may remember what it likes.

    `chance` is all the chance that it may use; it looks at no clock and at nothing else outside.
    """

    def choose(self, state: State_contra, moves: Sequence[Move], chance: Random) -> Move:
        """Return one of these moves, of which there is at least one."""
        ...


@dataclass(frozen=True)
class Game(Generic[State, Move]):
    """What a module `play` offers."""

    contracts: tuple[type[Contract], ...]  # if their code changes, it is another game
    seats: tuple[int, ...]  # how many can play
    strategies: Mapping[str, Callable[[], Strategy[State, Move]]]
    on_chain: Callable[[Chain, int, Random], Table[State, Move]]  # of a fresh chain, seats, chance
    by_rules: Callable[[int, Random], Table[State, Move]]
    # The parts of the picture of a state that a move is about: reports count them.
    parts: Callable[[State, Move], Iterable[str]] | None = None


class Uniform:
    """Takes any move."""

    def choose(self, state: object, moves: Sequence[Move], chance: Random) -> Move:
        return chance.choice(moves)


@dataclass(frozen=True)
class Greedy(Generic[State, Move]):
    """Takes one of the moves that are worth most; now and then, as often as `whim` says, any move."""

    worth: Callable[[State, Move], int]
    whim: float = 0

    def choose(self, state: State, moves: Sequence[Move], chance: Random) -> Move:
        if self.whim and chance.random() < self.whim:
            return chance.choice(moves)
        worths = [self.worth(state, move) for move in moves]
        most = max(worths)
        return chance.choice([move for move, worth in zip(moves, worths, strict=True) if worth == most])  # fmt: skip
