from chain import Contract
from chain.types import u8


class Game(Contract):
    points: u8
    rounds: u8 = 3
