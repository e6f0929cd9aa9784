"""A game for campaigns in tests: players take one to three from a heap, and the last one wins. Some players misbehave."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from signal import SIGKILL
from threading import Event
from typing import Final

from chain import Chain, Contract, call
from chain.arena import Game, Greedy, Result, Strategy, Uniform, result_of
from chain.types import u8

MARK: Final = "NIM_MARK"  # names a file: once it is there, nobody dies any more


class Nim(Contract):
    left: u8

    @call
    def fill(self, count: u8) -> None:
        self.left = count

    @call
    def take(self, count: u8) -> u8:
        self.left -= count
        return self.left


class RulesTable:
    def __init__(self, seats: int, chance: Random) -> None:
        self.state, self.mover = chance.randrange(5, 20), 0

    def turn(self) -> int:
        return self.mover

    def moves(self) -> Sequence[int]:
        return range(min(self.state, 3) + 1)

    def make(self, move: int) -> None:
        self.state -= move
        self.mover = 1 - self.mover

    def result(self) -> Result | None:
        return None if self.state else result_of("empty", [self.mover, 1 - self.mover])

    def text(self) -> str:
        return f"{self.state} {self.mover}"


class ChainTable(RulesTable):
    def __init__(self, chain: Chain, seats: int, chance: Random) -> None:
        super().__init__(seats, chance)
        self.contract = chain.deploy(Nim)
        self.contract.fill(self.state)

    def make(self, move: int) -> None:
        super().make(move)
        self.state = self.contract.take(move).return_value


class OtherChainTable(ChainTable):
    """A table that takes one too few."""

    def make(self, move: int) -> None:
        super().make(max(move - 1, 1))


class AnyMove:
    def choose(self, state: int, moves: Sequence[int], chance: Random) -> int:
        return chance.choice(moves)


class Deadly(AnyMove):
    """Kills its process, once."""

    def choose(self, state: int, moves: Sequence[int], chance: Random) -> int:
        mark = Path(os.environ[MARK])
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), SIGKILL)
        return super().choose(state, moves, chance)


class Fatal:
    """Kills every process."""

    def choose(self, state: int, moves: Sequence[int], chance: Random) -> int:
        os.kill(os.getpid(), SIGKILL)
        return 0


class Loud(AnyMove):
    """Prints, also from outside Python."""

    def choose(self, state: int, moves: Sequence[int], chance: Random) -> int:
        print("thinking")
        os.write(1, b"aloud\n")
        return super().choose(state, moves, chance)


class Wrong:
    """Raises when there are seven left, and takes too many of six."""

    def choose(self, state: int, moves: Sequence[int], chance: Random) -> int:
        if state == 7:
            raise RuntimeError("seven")
        return 4 if state == 6 else moves[-1]


class Careless(AnyMove):
    """Has a bug that shows in one game of 5 000."""

    def choose(self, state: int, moves: Sequence[int], chance: Random) -> int:
        if state > 4 and chance.random() < 1 / 12_000:
            raise RuntimeError("rare")
        return super().choose(state, moves, chance)


class Idle:
    """Never takes anything."""

    def choose(self, state: int, moves: Sequence[int], chance: Random) -> int:
        return 0


class Endless:
    """Computes forever when few are left."""

    def choose(self, state: int, moves: Sequence[int], chance: Random) -> int:
        while state < 6:
            pass
        return 1


class Asleep:
    """Never wakes up."""

    def choose(self, state: int, moves: Sequence[int], chance: Random) -> int:
        Event().wait()
        return 0


STRATEGIES: Final[Mapping[str, Callable[[], Strategy[int, int]]]] = {
    "random": Uniform,
    "perfect": lambda: Greedy[int, int](lambda state, move: -((state - move) % 4)),
    "deadly": Deadly,
    "fatal": Fatal,
    "loud": Loud,
    "wrong": Wrong,
    "careless": Careless,
    "idle": Idle,
    "endless": Endless,
    "asleep": Asleep,
}

PLAY: Final = Game[int, int](
    contracts=(Nim,),
    seats=(2,),
    strategies=STRATEGIES,
    on_chain=ChainTable,
    by_rules=RulesTable,
)
