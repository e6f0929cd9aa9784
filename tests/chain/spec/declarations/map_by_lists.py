from chain import Contract, Map
from chain.types import u8


class Game(Contract):
    points: Map[list[u8], u8]
