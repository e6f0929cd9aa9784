from chain import Contract, init
from chain.types import u8


class Game(Contract):
    @init
    def new(self) -> u8: ...
