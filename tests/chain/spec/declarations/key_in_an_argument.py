from chain import Contract, Key, call
from chain.types import u8


class Game(Contract):
    @call
    def play(self, game: Key[u8]) -> None: ...
