from chain import Contract, Vector
from chain.types import u8


class Game(Contract):
    moves: Vector[u8] | None
