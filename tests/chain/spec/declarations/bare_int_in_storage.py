from chain import Contract
from chain.types import u8


class Game(Contract):
    rounds: u8
    points: int
