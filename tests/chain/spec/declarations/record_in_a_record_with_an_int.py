from dataclasses import dataclass

from chain import Contract, call


@dataclass(frozen=True)
class Square:
    x: int


@dataclass(frozen=True)
class Move:
    target: Square


class Game(Contract):
    @call
    def play(self, moves: list[Move]) -> None: ...
