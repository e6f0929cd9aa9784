from chain import Contract, call
from chain.types import u8


class Game(Contract):
    @call
    def play(self, col: u8, row: u8 = 256) -> None: ...
