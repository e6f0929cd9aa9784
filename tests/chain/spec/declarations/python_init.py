from chain import Contract
from chain.types import u8


class Game(Contract):
    rounds: u8

    def __init__(self) -> None:
        self.rounds = 3
