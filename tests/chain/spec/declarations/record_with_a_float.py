from dataclasses import dataclass

from chain import Contract, Vector


@dataclass(frozen=True)
class Square:
    x: float


class Game(Contract):
    board: Vector[Square]
