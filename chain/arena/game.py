"""A game's interface for strategies: a table on a chain, one by the rules alone, and the strategies themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Generic, Protocol, TypeVar

from chain.foundation.dataclass import dataclass
from chain.runtime.contract import Contract
from chain.simulator.chain import Chain

State = TypeVar("State")
State_co = TypeVar("State_co", covariant=True)
State_contra = TypeVar("State_contra", contravariant=True)
Move = TypeVar("Move")


@dataclass(frozen=True)
class Result:
    """The result of a game: why it ended, and by seat the points and the places. Place 1 wins.

    >>> Result("resigned", scores=(0, 1), places=(2, 1)).winners
    (1,)
    """

    ending: str  # why it ended
    scores: tuple[int, ...]  # the points by seat
    places: tuple[int, ...]  # the places by seat; equal ones share a place

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats in place 1."""
        return tuple(seat for seat, place in enumerate(self.places) if place == 1)


def result_of(ending: str, scores: Sequence[int]) -> Result:
    """Return the result of a game in which more points are better. Equal points share a place, and the next place is skipped.

    >>> result_of("all passed", [3, 7, 7]).places
    (3, 1, 1)
    """
    places = tuple(1 + sum(other > mine for other in scores) for mine in scores)
    return Result(ending, tuple(scores), places)


class Table(Protocol[State_co, Move]):
    """A game in play. Seats count from 0. A table on a chain and one by the rules agree in everything.

    >>> from contracts.deblockle.play import PLAY
    >>> from random import Random
    >>> table = PLAY.by_rules(2, Random(1))
    >>> table.turn(), table.result(), len(table.moves()) > 0
    (0, None, True)
    >>> table.make(table.moves()[0])
    >>> len(table.moves()), type(table.state).__name__, table.text()
    (...)
    """

    @property
    def state(self) -> State_co:
        """The state, as the strategies see it."""
        ...

    def turn(self) -> int:
        """Return the seat whose turn it is."""
        ...

    def moves(self) -> Sequence[Move]:
        """Return all moves that are legal now, always in the same order."""
        ...

    def make(self, move: Move) -> None:
        """Make a legal move."""
        ...

    def result(self) -> Result | None:
        """Return the result, or None while the game is running."""
        ...

    def text(self) -> str:
        """Return the whole state in one line."""
        ...


class Strategy(Protocol[State_contra, Move]):
    """A player of one game. Each seat of each game has its own, so it may keep a state.

    `chance` is its only source of randomness; it may not use a clock or anything else from outside.

    >>> from random import Random
    >>> class First:
    ...     def choose(self, state, moves, chance):
    ...         return moves[0]
    >>> First().choose(None, ["left", "right"], Random(1))
    'left'
    """

    def choose(self, state: State_contra, moves: Sequence[Move], chance: Random) -> Move:
        """Return one of these moves, of which there is at least one."""
        ...


@dataclass(frozen=True)
class Game(Generic[State, Move]):
    """The game that a module `play` offers.

    >>> from contracts.deblockle.play import PLAY  # a Game
    >>> PLAY.seats, sorted(PLAY.strategies)
    ((2,), ['greedy', 'random'])
    """

    contracts: tuple[type[Contract], ...]  # if their code changes, it counts as another game
    seats: tuple[int, ...]  # the possible numbers of players
    strategies: Mapping[str, Callable[[], Strategy[State, Move]]]  # the factory of each, by name
    on_chain: Callable[[Chain, int, Random], Table[State, Move]]  # of a fresh chain, seats, chance
    by_rules: Callable[[int, Random], Table[State, Move]]  # the same without a chain
    # The parts of the picture of a state that a move is about: reports count them.
    parts: Callable[[State, Move], Iterable[str]] | None = None


class Uniform:
    """Chooses any move.

    >>> from random import Random
    >>> Uniform().choose(None, ["left", "right"], Random(1))
    'left'
    """

    def choose(self, state: object, moves: Sequence[Move], chance: Random) -> Move:
        """Return any of these moves."""
        return chance.choice(moves)


@dataclass(frozen=True)
class Greedy(Generic[State, Move]):
    """Chooses one of the best moves; with the probability `whim`, any move.

    >>> from random import Random
    >>> Greedy(lambda state, move: len(move)).choose(None, ["left", "right"], Random(1))
    'right'
    """

    worth: Callable[[State, Move], int]  # the value of a move in a state
    whim: float = 0  # 0.1 is once in ten moves

    def choose(self, state: State, moves: Sequence[Move], chance: Random) -> Move:
        """Return one of the moves with the highest value."""
        if self.whim and chance.random() < self.whim:
            return chance.choice(moves)
        worths = [self.worth(state, move) for move in moves]
        most = max(worths)
        return chance.choice([move for move, worth in zip(moves, worths, strict=True) if worth == most])  # fmt: skip
