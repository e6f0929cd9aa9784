from chain import Contract, Vector, call
from chain.types import u8


class Game(Contract):
    @call
    def play(self, moves: Vector[u8]) -> None: ...
