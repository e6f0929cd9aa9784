from chain import Address, Contract, Map, Vector
from chain.types import u8


class Game(Contract):
    points: Vector[Map[Address, u8]]
