from chain import Contract, view
from chain.types import u8


class Game(Contract):
    rounds: u8

    @view
    def rounds(self) -> u8: ...
