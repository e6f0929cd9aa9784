from chain import Contract, call
from chain.types import u8


class Game(Contract):
    @call
    def play(self, *moves: u8) -> None: ...
